import { float, text } from '../shape/kinds.ts'
import { struct } from '../shape/members.ts'
import type { StoredOf } from '../shape/values.ts'
import { sortableNumber } from '../sortable-number.ts'
import type { Table } from '../store/open-table.ts'
import type { Store } from '../store/store.ts'
import { defineTable, kernelService, type TableDefinition } from '../store/table.ts'
import type { TableIndex } from '../store/table-index.ts'

/** A job that is due later. Jobs are plain data, so snapshots, exports and forks contain them. */
const scheduledJobShape = struct({
  /** Due time, in milliseconds since 1970. */
  at: float,
  /** Name of the handler that a service registered. */
  job: text,
  /**
   * Id of the object that the job concerns. The id is unique per handler, so that the job can be
   * moved or cancelled.
   */
  id: text,
})
export interface ScheduledJob extends StoredOf<typeof scheduledJobShape> {}

/**
 * Scheduled jobs in the order of their due times. Jobs with the same due time are in the order in
 * which they were scheduled.
 */
const scheduledJobs = defineTable({
  service: kernelService,
  name: 'agenda',
  // Ids of some jobs are tokens.
  secrets: { members: ['id'] },
  shape: scheduledJobShape,
  indexes: { byName: ({ job, id }) => jobKey(job, id) },
})

export const agendaTables: readonly TableDefinition[] = [scheduledJobs]

/**
 * Names of tables of earlier versions. The content of these tables is now part of `scheduledJobs`.
 */
export const retiredAgendaTables: readonly string[] = ['agenda-names', 'agenda-count']

/** Returns the key of a job. Job names contain no slash. */
const jobKey = (job: string, id: string): string => `${job}/${id}`

/** The latest instant that a Date can represent, in milliseconds since 1970. */
const maxInstant = 8.64e15

/**
 * Pads an instant or count with zeros, so that strings sort as their numbers do. Fractions are
 * rounded up. Negative numbers count as 0, and numbers above `maxInstant` as `maxInstant`.
 */
const agendaNumber = (value: number): string =>
  sortableNumber(Math.min(Math.max(0, Math.ceil(value)), maxInstant), 16)

/**
 * A world's pending jobs, as rows of its store (behaviour/program#clock). Scheduling and cancelling
 * are writes of the current transaction.
 */
export class Agenda {
  readonly #jobs: Table<ScheduledJob>
  readonly #byName: TableIndex<ScheduledJob>
  /** The first due job, and the value that the table's `changes` had when this job was read. */
  #cachedFirst:
    | { readonly changes: number; readonly scheduledJob: ScheduledJob | undefined }
    | undefined

  constructor(store: Store) {
    const table = store.table(scheduledJobs)
    this.#jobs = table
    this.#byName = table.index('byName')
  }

  /** Schedules a job. Replaces an earlier job with the same name and id. */
  schedule(scheduledJob: ScheduledJob): void {
    const { at, job, id } = scheduledJob
    const instant = `${agendaNumber(at)}/`
    const existingKey = this.#byName.keyOf(jobKey(job, id))
    if (existingKey !== undefined) {
      // If the job is already the last one of its instant, rescheduling would not change the order,
      // so the write is skipped.
      const latest = this.#jobs.last(instant)
      if (latest?.[0] === existingKey && latest[1].at === at) return
      this.#jobs.delete(existingKey)
    }
    const [last = instant] = this.#jobs.last(instant) ?? []
    const count = (Number.parseInt(last.slice(instant.length), 10) || 0) + 1
    this.#jobs.put(instant + agendaNumber(count), scheduledJob)
  }

  /** Cancels a job. Returns true if the job existed. */
  cancel(job: string, id: string): boolean {
    const key = this.#byName.keyOf(jobKey(job, id))
    return key !== undefined && this.#jobs.delete(key)
  }

  find(job: string, id: string): ScheduledJob | undefined {
    return this.#byName.get(jobKey(job, id))
  }

  /**
   * Returns the job that is due first, or undefined if no job is scheduled. Every request calls
   * this function, so the result is cached until a job changes.
   */
  next(): ScheduledJob | undefined {
    const { changes } = this.#jobs
    if (this.#cachedFirst?.changes !== changes) {
      this.#cachedFirst = { changes, scheduledJob: this.#jobs.first('')?.[1] }
    }
    return this.#cachedFirst.scheduledJob
  }

  get size(): number {
    return this.#jobs.size
  }

  /** Yields all jobs in the order in which they are due. */
  *all(): Generator<ScheduledJob> {
    yield* this.#jobs.rows()
  }
}
