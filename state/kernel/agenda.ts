import type { Table } from './open-table.ts'
import { float, text } from './shape/kinds.ts'
import { struct } from './shape/members.ts'
import type { Stored } from './shape/values.ts'
import type { Store } from './store.ts'
import { defineTable, kernelService, type TableDefinition } from './table.ts'
import type { TableIndex } from './table-index.ts'

/** Something that is due later. Plain data: snapshots, exports and forks keep it. */
const appointmentShape = struct({
  /** In milliseconds since 1970. */
  at: float,
  /** Which job does it: a name that a service registered. */
  job: text,
  /** For what: unique within the job, so that it can be moved or called off. */
  id: text,
})
export interface Appointment extends Stored<typeof appointmentShape> {}

/** By time, then, among those of an instant, by order of entry. */
const appointments = defineTable({
  service: kernelService,
  name: 'agenda',
  shape: appointmentShape,
  indexes: { byName: ({ job, id }) => nameOf(job, id) },
})

/** The kernel's tables that hold appointments. */
export const agendaTables: readonly TableDefinition[] = [appointments]

/** Tables of earlier versions that held what the appointments tell themselves. */
export const retiredAgendaTables: readonly string[] = ['agenda-names', 'agenda-count']

/** Job names hold no slash. */
const nameOf = (job: string, id: string): string => `${job}/${id}`

/** The last instant that a date can have. */
const lastInstant = 8.64e15

/** Wide enough for every instant and count, so that text order is number order. */
const digits = (value: number): string =>
  String(Math.min(Math.max(0, Math.ceil(value)), lastInstant)).padStart(16, '0')

/**
 * A world's pending work, as rows of its store (behaviour/program#clock). Changing it is
 * part of a transaction like any other write.
 */
export class Agenda {
  readonly #byTime: Table<Appointment>
  readonly #byName: TableIndex<Appointment>
  /** The appointment that is due first, as it was found when the table had changed so often. */
  #first: { readonly changes: number; readonly appointment: Appointment | undefined } | undefined

  constructor(store: Store) {
    const table = store.table(appointments)
    this.#byTime = table
    this.#byName = table.index('byName')
  }

  /** Makes an appointment, in place of an earlier one of the same job and id. */
  schedule(appointment: Appointment): void {
    const { at, job, id } = appointment
    const instant = `${digits(at)}/`
    const earlier = this.#byName.keyOf(nameOf(job, id))
    if (earlier !== undefined) {
      // Where it would come to stand again it stays: what is put off again and again often does not move.
      const latest = this.#byTime.last(instant)
      if (latest?.[0] === earlier && latest[1].at === at) return
      this.#byTime.delete(earlier)
    }
    const [last = instant] = this.#byTime.last(instant) ?? []
    const count = (Number.parseInt(last.slice(instant.length), 10) || 0) + 1
    this.#byTime.put(instant + digits(count), appointment)
  }

  /** Calls an appointment off; true when there was one. */
  cancel(job: string, id: string): boolean {
    const key = this.#byName.keyOf(nameOf(job, id))
    return key !== undefined && this.#byTime.delete(key)
  }

  /** The appointment of a job and id, if there is one. */
  find(job: string, id: string): Appointment | undefined {
    return this.#byName.get(nameOf(job, id))
  }

  /** Returns what is due first. Each request asks: it is looked up only where appointments changed. */
  next(): Appointment | undefined {
    const { changes } = this.#byTime
    if (this.#first?.changes !== changes) {
      this.#first = { changes, appointment: this.#byTime.first('')?.[1] }
    }
    return this.#first.appointment
  }

  /** All appointments, in the order in which they fall due. */
  *all(): Generator<Appointment> {
    yield* this.#byTime.rows()
  }
}
