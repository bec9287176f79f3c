import type { RequestRecord } from '../http/journal-hooks/request-record.ts'

/** Upper bounds of the duration buckets, in seconds; the last bucket is unbounded. */
export const durationBounds: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60,
]

/** A histogram of the durations of requests to a service. */
export class DurationHistogram {
  /** Number of requests in each bucket. Requests in lower buckets are not included. */
  readonly counts: number[] = Array.from({ length: durationBounds.length + 1 }, () => 0)
  /** Sum of the durations in seconds. */
  sum = 0

  count(seconds: number): void {
    let at = 0
    while (seconds > (durationBounds[at] ?? Infinity)) at += 1
    this.counts[at] = (this.counts[at] ?? 0) + 1
    this.sum += seconds
  }
}

/**
 * Counters of one operation, or of the requests to an API that reached no operation. `durations` is
 * the histogram of the whole service, which all tallies of the service share.
 */
interface Tally {
  readonly service: string
  /** Id of the operation; empty for requests that reached no operation. */
  readonly operation: string
  /** Number of answers by status; the key is null for requests without an answer. */
  readonly statuses: Map<number | null, number>
  readonly durations: DurationHistogram
}

/**
 * Counters of the requests to one world or to all worlds. The counters are updated when the record
 * of a request is closed (behaviour/program#events). An update costs two look-ups; nothing is
 * formatted before the counters are read.
 */
export class Counters {
  /** Tallies by operation; for requests that reached no operation, by API. */
  readonly #tallies = new Map<object, Tally>()
  /** Durations by service. */
  readonly durations = new Map<string, DurationHistogram>()
  /** Number of applied faults by the name of their action. */
  readonly faults = new Map<string, number>()
  /** Number of requests that the journal's ring buffer has dropped. */
  dropped = 0

  count({ operation, api, status, duration }: RequestRecord): void {
    const { statuses, durations } =
      this.#tallies.get(operation ?? api) ?? this.#createTally(api, operation)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    durations.count(duration / 1000)
  }

  countFault(action: string): void {
    this.faults.set(action, (this.faults.get(action) ?? 0) + 1)
  }

  tallies(): Iterable<Tally> {
    return this.#tallies.values()
  }

  #createTally(api: RequestRecord['api'], operation: RequestRecord['operation']): Tally {
    const durations = this.durations.get(api.name) ?? new DurationHistogram()
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
