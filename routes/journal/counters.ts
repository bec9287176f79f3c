import type { RequestRecord } from '../http/journal-hooks/request-record.ts'

/** Upper bounds of the classes of durations, in seconds; a last class has none. */
export const durationBounds: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60,
]

/** How long the requests of a service took. */
export class Durations {
  /** Of each class, those of lower ones left out. */
  readonly counts: number[] = Array.from({ length: durationBounds.length + 1 }, () => 0)
  /** In seconds. */
  sum = 0

  count(seconds: number): void {
    let at = 0
    while (seconds > (durationBounds[at] ?? Infinity)) at += 1
    this.counts[at] = (this.counts[at] ?? 0) + 1
    this.sum += seconds
  }
}

/** How often an operation, or what is none, was answered with each status. */
interface Tally {
  readonly service: string
  /** Empty for what is none. */
  readonly operation: string
  /** By status; null where none was sent. */
  readonly statuses: Map<number | null, number>
  readonly durations: Durations
}

/**
 * Counts requests of one world or of all, as each is closed (behaviour/program#events): two look-ups, and
 * nothing is written down before somebody asks.
 */
export class Counters {
  /** By the operation, or by the API where there is none. */
  readonly #tallies = new Map<object, Tally>()
  /** By service. */
  readonly durations = new Map<string, Durations>()
  /** How often faults were applied, by the names of their actions. */
  readonly faults = new Map<string, number>()
  /** So many requests the ring of a journal has lost. */
  dropped = 0

  count({ operation, api, status, duration }: RequestRecord): void {
    const { statuses, durations } =
      this.#tallies.get(operation ?? api) ?? this.#begin(api, operation)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    durations.count(duration / 1000)
  }

  countFault(action: string): void {
    this.faults.set(action, (this.faults.get(action) ?? 0) + 1)
  }

  tallies(): Iterable<Tally> {
    return this.#tallies.values()
  }

  #begin(api: RequestRecord['api'], operation: RequestRecord['operation']): Tally {
    const durations = this.durations.get(api.name) ?? new Durations()
    this.durations.set(api.name, durations)
    const tally = {
      service: api.name,
      operation: operation?.id ?? '',
      statuses: new Map<number | null, number>(),
      durations,
    }
    this.#tallies.set(operation ?? api, tally)
    return tally
  }
}
