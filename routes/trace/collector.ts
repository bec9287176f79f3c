import type { Change } from '../../state/kernel/store/commits.ts'
import type { StoreSnapshot } from '../../state/kernel/store/open-table.ts'
import type { Fired } from '../../state/kernel/time/timekeeper.ts'
import { monotonicTime } from '../../state/kernel/time.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import type { Worlds } from '../../state/kernel/worlds/worlds.ts'
import { RequestRecord } from '../http/journal-hooks/request-record.ts'
import type { Journal, Journals } from '../journal/journal.ts'

/** Event in a world as it is collected: references only, which are formatted for the trace. */
export type CollectedStep = CollectedTime &
  (
    | { readonly kind: 'request'; readonly record: RequestRecord; readonly round: number }
    | {
        readonly kind: 'changes'
        /** Request that wrote; undefined if no request did. */
        readonly record: RequestRecord | undefined
        readonly changes: readonly CollectedChange[]
      }
    | {
        readonly kind: 'replaced'
        readonly cause: 'reset' | 'restored'
        readonly state: StoreSnapshot
      }
    | { readonly kind: 'clock'; readonly mode: string; readonly fired: readonly Fired[] }
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

/** Events of one world since the collector met it. */
export interface CollectedWorld {
  readonly world: World
  readonly journal: Journal
  readonly start: StoreSnapshot
  readonly steps: readonly CollectedStep[]
  readonly isDeleted: boolean
  /** Number of requests that were dropped. */
  readonly missing: number
}

/** Parts of a process that a collector follows. */
export interface CollectorParts {
  readonly worlds: Worlds
  readonly journals: Journals
}

/**
 * Collector of what happens in all worlds, for a trace (behaviour/program#traces). Costs nothing
 * before `start`.
 */
export class TraceCollector {
  readonly #parts: CollectorParts
  readonly #collected: WorldCollector[] = []
  #stops: (() => void)[] = []
  #startedAt: number | undefined

  constructor(parts: CollectorParts) {
    this.#parts = parts
  }

  /** Start time on the monotonic clock, in milliseconds; undefined if nothing is collected. */
  get startedAt(): number | undefined {
    return this.#startedAt
  }

  /** Collects from now on. */
  start(): void {
    if (this.#startedAt !== undefined) return
    this.#startedAt = monotonicTime()
    const { worlds } = this.#parts
    for (const world of worlds.list()) this.#add(world)
    this.#stops.push(
      worlds.follow(({ id, change }) => {
        const world = worlds.find(id)
        if (change === 'made' && world !== undefined) this.#add(world)
        else if (change === 'deleted') this.#current(id)?.deleted()
        else if (change !== 'made') this.#current(id)?.replaced(change)
      }),
      worlds.snapshots.follow(({ id, world }) => this.#current(world)?.snapshotTaken(id)),
    )
  }

  /** Adds a line to the timeline of a world. */
  mark(world: World, text: string): void {
    this.#parts.journals.of(world).marks.add(text)
  }

  /** Returns the worlds in the order of their creation; deleted ones included. */
  worlds(): readonly CollectedWorld[] {
    return this.#collected
  }

  /** Forgets a world that was deleted, such as that of a test that passed. */
  forget(id: string): void {
    const at = this.#collected.findIndex(({ world }) => world.id === id)
    if (at < 0) return
    this.#collected[at]?.stop()
    this.#collected.splice(at, 1)
  }

  /** Ends the collection; what was collected stays. */
  stop(): void {
    for (const stop of this.#stops) stop()
    this.#stops = []
    for (const world of this.#collected) world.stop()
  }

  #add(world: World): void {
    this.#collected.push(new WorldCollector(world, this.#parts.journals.of(world)))
  }

  /** Returns the existing world of that id; ids may be used again after a deletion. */
  #current(id: string): WorldCollector | undefined {
    return this.#collected.findLast(({ world, isDeleted }) => world.id === id && !isDeleted)
  }
}

/** Collector of the events of one world. */
class WorldCollector implements CollectedWorld {
  readonly world: World
  readonly journal: Journal
  readonly start: StoreSnapshot
  readonly steps: CollectedStep[] = []
  isDeleted = false
  missing = 0
  /** Requests that were open at a restart of the numbering, with the round of their id. */
  readonly #earlierRounds = new WeakMap<RequestRecord, number>()
  #round: number
  #stops: (() => void)[]

  constructor(world: World, journal: Journal) {
    this.world = world
    this.journal = journal
    this.start = world.store.snapshot()
    this.#round = journal.round
    this.#stops = [
      world.store.feed.follow(({ changes }) => {
        const { trace } = world
        const record = trace instanceof RequestRecord ? trace : undefined
        this.#push({ kind: 'changes', record, changes, ...this.#now() })
      }),
      world.followClock((fired) => {
        this.#push({ kind: 'clock', mode: world.clock.state.mode, fired, ...this.#now() })
      }),
      journal.follow((record) => this.#answered(record)),
      journal.followClearing(() => this.#cleared()),
      journal.marks.follow(({ text, at, time }) => this.#push({ kind: 'mark', text, at, time })),
    ]
  }

  replaced(cause: 'reset' | 'restored'): void {
    const state = this.world.store.snapshot()
    this.#push({ kind: 'replaced', cause, state, ...this.#now() })
  }

  snapshotTaken(id: string): void {
    this.#push({ kind: 'snapshot', id, ...this.#now() })
  }

  deleted(): void {
    this.isDeleted = true
  }

  stop(): void {
    for (const stop of this.#stops) stop()
    this.#stops = []
  }

  #answered(record: RequestRecord): void {
    // Explanations need the state right after the request, even if the journal keeps none.
    record.checkpoint ??= this.world.checkpoint()
    const round = this.#earlierRounds.get(record) ?? this.#round
    this.#push({ kind: 'request', record, round, ...this.#now() })
  }

  /** Notes the round of open requests before ids of requests restart. */
  #cleared(): void {
    const { round } = this.journal
    if (round === this.#round) return
    for (const record of this.journal.openRecords()) {
      if (!this.#earlierRounds.has(record)) this.#earlierRounds.set(record, this.#round)
    }
    this.#round = round
  }

  #push(step: CollectedStep): void {
    this.steps.push(step)
  }

  #now() {
    return { at: this.world.clock.now(), time: monotonicTime() }
  }
}
