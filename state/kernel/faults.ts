import { defineTable, kernelService } from './table.ts'

/** A rule that makes requests fail, with what came of it so far (CONTROL section 3). */
export interface FaultRow {
  readonly id: string
  /** Faults count in the order in which they were made. */
  readonly number: number
  /** Which requests, how often of those, and what is done to them: as it was asked for. */
  readonly match?: object
  readonly when?: object
  readonly times?: number
  readonly phase: 'before' | 'afterCommit'
  readonly action: object
  readonly preset: string | null
  /** So many requests fitted. */
  readonly matched: number
  /** To so many it was applied. */
  readonly hits: number
  /** True when it will never be applied again. */
  readonly spent: boolean
}

/** By number, padded, so that they stand in order. Part of snapshots, not of exports. */
export const faultRows = defineTable<FaultRow>()({
  service: kernelService,
  name: 'faults',
  // Never imported, so nobody checks it.
  schema: { type: 'object' },
})
