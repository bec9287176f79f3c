import type { FastifyRequest } from 'fastify'
import type { RequestRecord } from '../http/journal-hooks/request-record.ts'
import type { Action } from './fault-shapes.ts'

/** The parameters with which a preset was applied, defaults filled in. */
export type PresetParameters = Readonly<Record<string, unknown>>

/** The things that faults of a preset do beyond their action, each where it is given. */
export interface Effect {
  /** Tells whether a request that fits is concerned at all; only those are counted. */
  appliesTo?(record: RequestRecord): boolean
  /** Returns the group of a request; occurrences are counted in each group by itself. */
  group?(record: RequestRecord): string
  /** Changes what a request asks for, before the API looks at it; the fault is applied later. */
  prepare?(request: FastifyRequest): void
  /** Changes the world at the moment at which the fault is applied; part of no request. */
  act?(record: RequestRecord): void
  /** Returns the action with what depends on the request and, after the commit, on its answer. */
  complete?(action: Action, record: RequestRecord, parameters: PresetParameters): Action
}
