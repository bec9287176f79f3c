import { kernelService, type Store } from './store.ts'
import { defineTable, type Table, type TableDefinition } from './table.ts'

/** Something that is due later. Plain data: snapshots, exports and forks keep it. */
export interface Appointment {
  /** When, in milliseconds since 1970. */
  readonly at: number
  /** Which job does it: a name that a service registered. */
  readonly job: string
  /** For what: unique within the job, so that it can be moved or called off. */
  readonly id: string
}

const appointmentSchema = {
  type: 'object',
  required: ['at', 'job', 'id'],
  additionalProperties: false,
  properties: { at: { type: 'number' }, job: { type: 'string' }, id: { type: 'string' } },
} as const

/** By time, then by order of entry. */
const byTime = defineTable<Appointment>({
  service: kernelService,
  name: 'agenda',
  schema: appointmentSchema,
})

/** By job and id: where the appointment stands in the other table. */
const byName = defineTable<{ readonly key: string }>({
  service: kernelService,
  name: 'agenda-names',
  schema: {
    type: 'object',
    required: ['key'],
    additionalProperties: false,
    properties: { key: { type: 'string' } },
  },
})

/** The order of entry of the last appointment made. */
const entries = defineTable<{ readonly count: number }>({
  service: kernelService,
  name: 'agenda-count',
  schema: {
    type: 'object',
    required: ['count'],
    additionalProperties: false,
    properties: { count: { type: 'integer' } },
  },
})

/** The kernel's tables that hold appointments. */
export const agendaTables: readonly TableDefinition[] = [byTime, byName, entries]

/** The last instant that a date can have. */
const lastInstant = 8.64e15

/** Wide enough for every instant and count, so that text order is number order. */
const digits = (value: number): string =>
  String(Math.min(Math.max(0, Math.ceil(value)), lastInstant)).padStart(16, '0')

/**
 * A world's pending work, as rows of its store (DESIGN section 2, Clock and agenda). Changing it is
 * part of a transaction like any other write.
 */
export class Agenda {
  readonly #byTime: Table<Appointment>
  readonly #byName: Table<{ readonly key: string }>
  readonly #entries: Table<{ readonly count: number }>

  constructor(store: Store) {
    this.#byTime = store.table(byTime)
    this.#byName = store.table(byName)
    this.#entries = store.table(entries)
  }

  /** Makes an appointment, in place of an earlier one of the same job and id. */
  schedule(appointment: Appointment): void {
    this.cancel(appointment.job, appointment.id)
    const count = (this.#entries.get('')?.count ?? 0) + 1
    const key = `${digits(appointment.at)}/${digits(count)}`
    this.#entries.put('', { count })
    this.#byTime.put(key, appointment)
    this.#byName.put(`${appointment.job}/${appointment.id}`, { key })
  }

  /** Calls an appointment off; true when there was one. */
  cancel(job: string, id: string): boolean {
    const name = `${job}/${id}`
    const entry = this.#byName.get(name)
    if (entry === undefined) return false
    this.#byTime.delete(entry.key)
    this.#byName.delete(name)
    return true
  }

  /** The appointment of a job and id, if there is one. */
  find(job: string, id: string): Appointment | undefined {
    const entry = this.#byName.get(`${job}/${id}`)
    return entry === undefined ? undefined : this.#byTime.get(entry.key)
  }

  /** What is due first. */
  next(): Appointment | undefined {
    return this.#byTime.ceiling('')?.[1]
  }

  /** All appointments, in the order in which they fall due. */
  *all(): Generator<Appointment> {
    yield* this.#byTime.rows()
  }
}
