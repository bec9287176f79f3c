import type { Change } from '../../state/kernel/store/commits.ts'
import type { StoreSnapshot } from '../../state/kernel/store/open-table.ts'
import type { FiredJob } from '../../state/kernel/time/timekeeper.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import type { RequestRecord } from '../http/journal-hooks/request-record.ts'
import type { Journal } from '../journal/journal.ts'
import type { CollectedFault } from './collected-faults.ts'
import type { WorldEnd } from './world-end.ts'

/**
 * Event in a world in the form that the collector stores. Records and rows are stored as references
 * and formatted only when the trace is built.
 */
export type CollectedStep = CollectedTime &
  (
    | {
        readonly kind: 'request'
        readonly record: RequestRecord
        readonly round: number
        /** Faults that existed when the request was answered. */
        readonly faults: readonly CollectedFault[]
      }
    | {
        readonly kind: 'changes'
        /**
         * Request that wrote the rows; undefined if no request wrote them, or if the request was
         * dropped.
         */
        readonly record: RequestRecord | undefined
        readonly changes: readonly CollectedChange[]
      }
    | {
        readonly kind: 'replaced'
        readonly cause: 'reset' | 'restored'
        readonly state: StoreSnapshot
      }
    | { readonly kind: 'clock'; readonly mode: string; readonly fired: readonly FiredJob[] }
    | { readonly kind: 'snapshot'; readonly id: string }
    | { readonly kind: 'mark'; readonly text: string }
  )

/** Row before and after a change. */
export type CollectedChange = Pick<Change, 'table' | 'key' | 'before' | 'after'>

interface CollectedTime {
  /** Time on the monotonic clock, in milliseconds. */
  readonly time: number
  /** Instant on the world's clock, in milliseconds since 1970. */
  readonly at: number
}

/**
 * Events of one world since the collector first saw the world or, without a collector, since the
 * world's journal began.
 */
export interface CollectedWorld {
  readonly world: World
  readonly journal: Journal
  readonly start: StoreSnapshot
  readonly steps: readonly CollectedStep[]
  readonly isDeleted: boolean
  /** State at the end of the run; read from the world if it is undefined. */
  readonly end?: WorldEnd | undefined
  /** Number of requests that were dropped. */
  readonly missing: number
}
