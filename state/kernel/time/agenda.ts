import { float, text } from '../shape/kinds.ts'
import { struct } from '../shape/members.ts'
import type { StoredOf } from '../shape/values.ts'
import type { Table } from '../store/open-table.ts'
import type { Store } from '../store/store.ts'
import { defineTable, kernelService, type TableDefinition } from '../store/table.ts'
import type { TableIndex } from '../store/table-index.ts'

/** Something that is due later. Plain data: snapshots, exports and forks keep it. */
const scheduledJobShape = struct({
  /** In milliseconds since 1970. */
  at: float,
  /** Which job does it: a name that a service registered. */
  job: text,
  /** For what: unique within the job, so that it can be moved or called off. */
  id: text,
})
export interface ScheduledJob extends StoredOf<typeof scheduledJobShape> {}

/** By time, then, among those of an instant, by order of entry. */
const scheduledJobs = defineTable({
  service: kernelService,
  name: 'agenda',
  shape: scheduledJobShape,
  indexes: { byName: ({ job, id }) => jobKey(job, id) },
})

/** The kernel's tables that hold appointments. */
export const agendaTables: readonly TableDefinition[] = [scheduledJobs]

/** Tables of earlier versions that held what the appointments tell themselves. */
export const retiredAgendaTables: readonly string[] = ['agenda-names', 'agenda-count']

/** Job names hold no slash. */
const jobKey = (job: string, id: string): string => `${job}/${id}`

/** The last instant that a date can have. */
const maxInstant = 8.64e15

/** Wide enough for every instant and count, so that text order is number order. */
const sortableNumber = (value: number): string =>
  String(Math.min(Math.max(0, Math.ceil(value)), maxInstant)).padStart(16, '0')

/**
 * A world's pending work, as rows of its store (behaviour/program#clock). Changing it is
 * part of a transaction like any other write.
 */
export class Agenda {
  readonly #jobs: Table<ScheduledJob>
  readonly #byName: TableIndex<ScheduledJob>
  /** The appointment that is due first, as it was found when the table had changed so often. */
  #cachedFirst:
    | { readonly changes: number; readonly scheduledJob: ScheduledJob | undefined }
    | undefined

  constructor(store: Store) {
    const table = store.table(scheduledJobs)
    this.#jobs = table
    this.#byName = table.index('byName')
  }

  /** Makes an appointment, in place of an earlier one of the same job and id. */
  schedule(scheduledJob: ScheduledJob): void {
    const { at, job, id } = scheduledJob
    const instant = `${sortableNumber(at)}/`
    const existingKey = this.#byName.keyOf(jobKey(job, id))
    if (existingKey !== undefined) {
      // Where it would come to stand again it stays: what is put off again and again often does not move.
      const latest = this.#jobs.last(instant)
      if (latest?.[0] === existingKey && latest[1].at === at) return
      this.#jobs.delete(existingKey)
    }
    const [last = instant] = this.#jobs.last(instant) ?? []
    const count = (Number.parseInt(last.slice(instant.length), 10) || 0) + 1
    this.#jobs.put(instant + sortableNumber(count), scheduledJob)
  }

  /** Calls an appointment off; true when there was one. */
  cancel(job: string, id: string): boolean {
    const key = this.#byName.keyOf(jobKey(job, id))
    return key !== undefined && this.#jobs.delete(key)
  }

  /** The appointment of a job and id, if there is one. */
  find(job: string, id: string): ScheduledJob | undefined {
    return this.#byName.get(jobKey(job, id))
  }

  /** Returns what is due first. Each request asks: it is looked up only where appointments changed. */
  next(): ScheduledJob | undefined {
    const { changes } = this.#jobs
    if (this.#cachedFirst?.changes !== changes) {
      this.#cachedFirst = { changes, scheduledJob: this.#jobs.first('')?.[1] }
    }
    return this.#cachedFirst.scheduledJob
  }

  /** All appointments, in the order in which they fall due. */
  *all(): Generator<ScheduledJob> {
    yield* this.#jobs.rows()
  }
}
