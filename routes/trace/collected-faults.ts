import type { StoreSnapshot } from '../../state/kernel/store/open-table.ts'
import type { Store } from '../../state/kernel/store/store.ts'
import { type FaultRow, faultRows } from '../../state/kernel/worlds/fault-tables.ts'
import type { RequestRecord } from '../http/journal-hooks/request-record.ts'
import type { Match } from '../journal/match-shapes.ts'
import { type Matcher, matcherOf } from '../journal/matcher.ts'
import type { TraceSecrets } from './secrets.ts'
import type { FaultNearMiss } from './trace.ts'

/** Fault that was configured at the time of a request, whether or not it was applied. */
export type CollectedFault = Pick<FaultRow, 'id' | 'match'>

const noFaults: readonly CollectedFault[] = []

/**
 * Returns the existing faults. Returns an empty list if a fault was applied to the request, because
 * near misses are shown only for requests without a fault.
 */
export function faultsIn(store: Store, record: RequestRecord): readonly CollectedFault[] {
  if (record.faults.length > 0 || !store.hasRows(faultRows)) return noFaults
  return [...store.table(faultRows).entries()].map(([, row]) => row)
}

/**
 * Returns the faults that an earlier state contains. As in `faultsIn`, returns an empty list if a
 * fault was applied to the request.
 */
export function faultsAt(
  { tables }: StoreSnapshot,
  record: RequestRecord,
): readonly CollectedFault[] {
  const content = tables.get(faultRows.id)
  if (record.faults.length > 0 || content === undefined) return noFaults
  // The cast is safe, because the rows of this table are declared as `FaultRow`.
  return content.tree.toArray().map(([, row]) => row as FaultRow)
}

/**
 * Finder of the faults that would have applied to a request if one property of the request had been
 * different.
 */
export class NearMissFinder {
  readonly #secrets: TraceSecrets
  /**
   * Compiled matchers, by the `match` object of their fault. A fault keeps this object when its
   * counters change.
   */
  readonly #matchers = new WeakMap<object, Matcher>()

  constructor(secrets: TraceSecrets) {
    this.#secrets = secrets
  }

  find(record: RequestRecord, faults: readonly CollectedFault[]): readonly FaultNearMiss[] {
    return faults.flatMap(({ id, match }) => {
      const differences = match === undefined ? [] : this.#matcher(match).differences(record)
      return differences.length === 1
        ? [{ fault: id, request: record.id, distance: 1, differences }]
        : []
    })
  }

  #matcher(match: object): Matcher {
    const known = this.#matchers.get(match)
    if (known !== undefined) return known
    // The cast is safe: the criteria were checked when the fault was added.
    const matcher = matcherOf(match as Match, this.#secrets.fingerprint)
    this.#matchers.set(match, matcher)
    return matcher
  }
}
