import type { FastifyRequest } from 'fastify'
import type { RequestRecord } from '../../http/journal-hooks/request-record.ts'
import type { Action } from './fault-shapes.ts'

/** Parameters of an applied preset, with defaults filled in. */
export type PresetParameters = Readonly<Record<string, unknown>>

/** Effects of a preset's faults beyond their action; each is optional. */
export interface Effect {
  /** Returns true if the fault concerns a matching request; only those requests are counted. */
  appliesTo?(record: RequestRecord): boolean
  /** Returns the group of a request; each group counts its occurrences separately. */
  group?(record: RequestRecord): string
  /** Changes a request before the API handles it; the fault itself is applied later. */
  prepare?(request: FastifyRequest): void
  /** Changes the world at the moment the fault is applied, outside the request's transaction. */
  act?(record: RequestRecord): void
  /** Completes the action with values of the request and, after the commit, of its answer. */
  complete?(action: Action, record: RequestRecord, parameters: PresetParameters): Action
}
