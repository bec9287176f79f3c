import { controlOptions } from '../../state/kernel/options/control-options.ts'
import type { StoreSnapshot } from '../../state/kernel/store/open-table.ts'
import { monotonicTime } from '../../state/kernel/time.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import type { Worlds } from '../../state/kernel/worlds/worlds.ts'
import type { ControlDependencies } from '../control/worlds/control-dependencies.ts'
import { RequestRecord } from '../http/journal-hooks/request-record.ts'
import type { Journal } from '../journal/journal.ts'
import type { CollectedStep, CollectedWorld } from './collected.ts'
import { faultsIn } from './collected-faults.ts'
import { SizeEstimator } from './size-estimate.ts'
import { dropRequests } from './size-limit.ts'
import { readWorldEnd, type WorldEnd } from './world-end.ts'

/** Dependencies of a collector. */
interface CollectorDependencies extends ControlDependencies {
  /**
   * Returns the scheme and host of the combined listener; undefined while the listener is not open.
   */
  readonly origin: () => string | undefined
}

/**
 * Collector of the events of all worlds, for a trace (behaviour/program#traces). Has no cost before
 * `start` is called.
 */
export class TraceCollector {
  readonly #dependencies: CollectorDependencies
  readonly #worldCollectors: WorldCollector[] = []
  #stopCallbacks: (() => void)[] = []
  #startedAt: number | undefined
  readonly #estimator = new SizeEstimator()
  /** Estimated size of the collected data, in bytes. */
  #size = 0
  /** Size in bytes above which requests are dropped. */
  #maxSize = 0

  constructor(dependencies: CollectorDependencies) {
    this.#dependencies = dependencies
  }

  /** Start time on the monotonic clock, in milliseconds; undefined before `start`. */
  get startedAt(): number | undefined {
    return this.#startedAt
  }

  /** Starts collecting. Further calls have no effect. */
  start(): void {
    if (this.#startedAt !== undefined) return
    this.#startedAt = monotonicTime()
    const { worlds, journals } = this.#dependencies
    journals.unjournaledRequests.collect()
    this.#maxSize = traceLimit(worlds)
    for (const world of worlds.list()) this.#add(world)
    this.#stopCallbacks.push(
      worlds.follow(({ id, change }) => {
        const world = worlds.find(id)
        if (change === 'made' && world !== undefined) this.#add(world)
        else if (change === 'deleted') this.#current(id)?.deleted()
        else if (change !== 'made') this.#current(id)?.replaced(change)
      }),
      worlds.snapshots.follow(({ id, world }) => this.#current(world)?.recordSnapshot(id)),
    )
  }

  /** Estimated size of the collected data, in bytes of JSON. */
  get estimatedSize(): number {
    return this.#size
  }

  mark(world: World, text: string): void {
    this.#dependencies.journals.of(world).marks.add(text)
  }

  /** Returns the collected worlds in the order of their creation, including deleted worlds. */
  worlds(): readonly CollectedWorld[] {
    return this.#worldCollectors
  }

  /** Stops collecting from a world and forgets its events, such as those of a test that passed. */
  forget(id: string): void {
    const at = this.#worldCollectors.findIndex(({ world }) => world.id === id)
    if (at < 0) return
    this.#worldCollectors[at]?.stop()
    this.#worldCollectors.splice(at, 1)
  }

  /**
   * Stops collecting. Collected events stay available. The end states of existing worlds are
   * captured now, because the server may close before the trace is written.
   */
  stop(): void {
    for (const stop of this.#stopCallbacks) stop()
    this.#stopCallbacks = []
    const origin = this.#dependencies.origin()
    for (const collected of this.#worldCollectors) {
      collected.stop()
      if (!collected.isDeleted) {
        collected.end ??= readWorldEnd(collected.world, this.#dependencies, origin)
      }
    }
  }

  #add(world: World): void {
    const journal = this.#dependencies.journals.of(world)
    this.#size += this.#estimator.sizeOfState(world.store.snapshot())
    this.#worldCollectors.push(new WorldCollector(world, journal, (step) => this.#countStep(step)))
  }

  #countStep(step: CollectedStep): void {
    this.#size += this.#estimator.sizeOfStep(step)
    if (this.#size <= this.#maxSize) return
    const limit = traceLimit(this.#dependencies.worlds)
    this.#size = dropRequests(this.#worldCollectors, limit, this.#estimator)
    for (const { start } of this.#worldCollectors) this.#size += this.#estimator.sizeOfState(start)
    // Rows are never dropped, and the rows alone may exceed the limit. The margin of 20 percent
    // then avoids dropping requests at every step.
    this.#maxSize = Math.max(limit, this.#size * 1.2)
  }

  /**
   * Returns the collector of the world that currently has the id; undefined if no such world
   * exists. Deleted worlds may have had the same id.
   */
  #current(id: string): WorldCollector | undefined {
    return this.#worldCollectors.findLast(({ world, isDeleted }) => world.id === id && !isDeleted)
  }
}

/** Collector of the events of one world. */
class WorldCollector implements CollectedWorld {
  readonly world: World
  readonly journal: Journal
  readonly start: StoreSnapshot
  steps: CollectedStep[] = []
  isDeleted = false
  end: WorldEnd | undefined
  missing = 0
  /**
   * Requests that were open when the numbering of requests restarted. The value is the number of
   * restarts before the request got its id.
   */
  readonly #earlierRounds = new WeakMap<RequestRecord, number>()
  #round: number
  #stopCallbacks: (() => void)[]
  readonly #onStep: (step: CollectedStep) => void

  constructor(world: World, journal: Journal, onStep: (step: CollectedStep) => void) {
    this.#onStep = onStep
    this.world = world
    this.journal = journal
    this.start = world.store.snapshot()
    this.#round = journal.restartCount
    this.#stopCallbacks = [
      world.store.feed.follow(({ changes }) => {
        const { requestObserver } = world
        const record = requestObserver instanceof RequestRecord ? requestObserver : undefined
        this.#append({ kind: 'changes', record, changes, ...this.#now() })
      }),
      world.followClock((fired) => {
        this.#append({ kind: 'clock', mode: world.clock.state.mode, fired, ...this.#now() })
      }),
      journal.follow((record) => this.#recordAnswer(record)),
      journal.followClearing(() => this.#recordClearing()),
      journal.marks.follow(({ text, at, time }) => this.#append({ kind: 'mark', text, at, time })),
    ]
  }

  replaced(cause: 'reset' | 'restored'): void {
    const state = this.world.store.snapshot()
    this.#append({ kind: 'replaced', cause, state, ...this.#now() })
  }

  recordSnapshot(id: string): void {
    this.#append({ kind: 'snapshot', id, ...this.#now() })
  }

  deleted(): void {
    this.isDeleted = true
  }

  stop(): void {
    for (const stop of this.#stopCallbacks) stop()
    this.#stopCallbacks = []
  }

  #recordAnswer(record: RequestRecord): void {
    // Explanations need the state right after the request, even if the journal does not retain that
    // state.
    record.checkpoint ??= this.world.checkpoint()
    const round = this.#earlierRounds.get(record) ?? this.#round
    const faults = faultsIn(this.world.store, record)
    this.#append({ kind: 'request', record, round, faults, ...this.#now() })
  }

  /**
   * Records for each open request how many restarts of the numbering preceded its id. Has no effect
   * unless the numbering has just restarted.
   */
  #recordClearing(): void {
    const { restartCount: round } = this.journal
    if (round === this.#round) return
    for (const record of this.journal.openRecords()) {
      if (!this.#earlierRounds.has(record)) this.#earlierRounds.set(record, this.#round)
    }
    this.#round = round
  }

  #append(step: CollectedStep): void {
    this.steps.push(step)
    this.#onStep(step)
  }

  #now() {
    return { at: this.world.clock.now(), time: monotonicTime() }
  }
}

/**
 * Returns the maximum size of a trace in bytes. The option belongs to the default world, because a
 * trace shows all worlds.
 */
export function traceLimit(worlds: Worlds): number {
  return worlds.default.options(controlOptions).traceLimit
}
