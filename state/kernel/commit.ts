import type { Row } from './table.ts'

/** One write: the row after it, or undefined when the row was deleted. */
export interface Change {
  /** `service.table` */
  readonly table: string
  readonly service: string
  readonly key: string
  readonly before: Row | undefined
  readonly after: Row | undefined
}

/** The writes of one transaction, as the change feed keeps it. */
export interface Commit {
  /** Position in the world's one sequence, from 1. */
  readonly sequence: number
  /** The index that each service concerned has now. */
  readonly indexes: Readonly<Record<string, number>>
  readonly changes: readonly Change[]
  /** Appointments made (`after`) and called off (`before`) on the way: rows of the agenda. */
  readonly appointments: readonly Change[]
}
