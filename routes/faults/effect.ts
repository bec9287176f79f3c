import type { FastifyRequest } from 'fastify'
import type { Visit } from '../http/visit.ts'
import type { Action } from './fault-shapes.ts'

/** The parameters with which a preset was applied, defaults filled in. */
export type PresetParameters = Readonly<Record<string, unknown>>

/** The things that faults of a preset do beyond their action, each where it is given. */
export interface Effect {
  /** Tells whether a request that fits is concerned at all; only those are counted. */
  concerns?(visit: Visit): boolean
  /** Returns the group of a request; occurrences are counted in each group by itself. */
  group?(visit: Visit): string
  /** Changes what a request asks for, before the API looks at it; the fault is applied later. */
  prepare?(request: FastifyRequest): void
  /** Changes the world at the moment at which the fault is applied; part of no request. */
  act?(visit: Visit): void
  /** Returns the action with what depends on the request and, after the commit, on its answer. */
  complete?(action: Action, visit: Visit, parameters: PresetParameters): Action
}
