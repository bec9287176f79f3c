import { DerivedValues } from '../memoize.ts'
import type { OptionsDefinition } from '../options/options.ts'
import { WorldOptions } from '../options/world-options.ts'
import { type InParts, runParts } from '../parts.ts'
import { snapshotAt } from '../store/history.ts'
import type { ObservedRead } from '../store/observation.ts'
import type { Table } from '../store/open-table.ts'
import { Store } from '../store/store.ts'
import type { Row, TableDefinition } from '../store/table.ts'
import { Agenda } from '../time/agenda.ts'
import { Clock, type ClockSetting } from '../time/clock.ts'
import type { CancelWait } from '../time/instant-waiters.ts'
import {
  defaultLimit,
  type FiredJob,
  type Jump,
  type JumpBounds,
  Timekeeper,
} from '../time/timekeeper.ts'
import { type Timing, type TransitionKindOf, timings } from '../time/transitions.ts'
import { wallClock } from '../time.ts'
import { type Assembly, assemble } from './assembly.ts'
import { loadPositions } from './document.ts'
import { Ids } from './ids.ts'
import { initialContent } from './initial-content.ts'
import type { ServiceDefinitionOf } from './service-definition.ts'
import { WorldRequests } from './world-requests.ts'
import type { WorldSettingsOf } from './world-settings.ts'
import {
  allParts,
  currentCheckpoint,
  type ResetPart,
  replaceRows,
  rowsAfterReset,
  type WorldCheckpoint,
  type WorldSnapshot,
} from './world-snapshot.ts'

export type WorldSettings = WorldSettingsOf<World>

/**
 * One isolated universe: the state of all services, a clock, an id generator and pending jobs
 * (behaviour/program#worlds). Two worlds share no mutable state.
 */
export class World extends WorldRequests {
  readonly id: string
  /** Creation time, in real milliseconds since 1970. */
  readonly createdAt = wallClock()
  /** Seed of fingerprints. Also the seed of the ids, unless they continue from a snapshot. */
  readonly seed: string
  /** Id of the world or snapshot that this world was made from, if any. */
  readonly origin: string | undefined
  readonly services: readonly ServiceDefinitionOf<World>[]
  /** Prepared services, which several worlds may share. */
  readonly assembly: Assembly<World>
  override readonly store: Store
  readonly clock: Clock
  override readonly ids: Ids
  readonly agenda: Agenda
  readonly transitions: ReadonlyMap<string, TransitionKindOf<World>>
  /**
   * Number of blocking reads that wait. The number belongs to the running process, not to the
   * state.
   */
  blockedReaders = 0
  readonly #timekeeper: Timekeeper<World>
  readonly #derived = new DerivedValues()
  readonly #options: WorldOptions
  readonly #onReplaced: WorldSettings['onReplaced']
  readonly #onError: (error: unknown) => void
  #initialSnapshot: WorldSnapshot
  /** Last checkpoint. Requests share this checkpoint as long as the state does not change. */
  #checkpoint: WorldCheckpoint | undefined

  /**
   * @param isFilled false if `createInParts` writes the initial content later
   */
  constructor(settings: WorldSettings, isFilled = true) {
    super()
    this.id = settings.id
    this.seed = settings.seed ?? settings.fallbackSeed ?? settings.id
    this.origin = settings.origin
    this.services = settings.services
    this.#onReplaced = settings.onReplaced
    this.#onError = settings.onError ?? (() => {})
    this.assembly = settings.assembly ?? assemble(settings.services)
    const { jobs: handlers, transitions, rules } = this.assembly
    this.store = new Store({
      freezeRows: settings.freezeRows ?? false,
      rules: { applyRules: (log, from) => rules.apply(this, log, from) },
      committed: (changes) => this.requestObserver?.committed(changes),
    })
    this.#options = new WorldOptions(
      this.store,
      this.services.map(({ options }) => options),
    )
    this.clock = new Clock(settings.clock)
    this.ids = new Ids(settings.seed ?? settings.id)
    this.agenda = new Agenda(this.store)
    this.#timekeeper = new Timekeeper<World>(this, handlers, this.#onError)
    this.transitions = transitions
    if (settings.from !== undefined) {
      this.store.restore(settings.from.store)
      if (settings.clock === undefined) this.clock.state = settings.from.clock
      if (settings.seed === undefined) this.ids.state = settings.from.ids
    }
    if (isFilled) runParts(this.#fill(settings))
    this.#initialSnapshot = this.snapshot()
  }

  /**
   * Creates a world as the constructor does, with pauses in which other work of the process runs.
   *
   * @throws {Mistakes} with everything that the services refuse in the document
   */
  static *createInParts(settings: WorldSettings): InParts<World> {
    const world = new World(settings, false)
    yield* world.#fill(settings)
    world.#initialSnapshot = world.snapshot()
    return world
  }

  /**
   * Writes the initial content of the world in one transaction, then loads the document's positions
   * (`loadPositions`) and sets the timer.
   */
  *#fill(settings: WorldSettings): InParts<void> {
    const { document } = settings
    yield* this.store.transactInParts(initialContent(this, this.#options, settings))
    if (document !== undefined) loadPositions(this, document)
    // The document may have changed the clock.
    this.#timekeeper.rearm()
  }

  table<R extends Row, Index extends string = never>(
    definition: TableDefinition<R, Index>,
  ): Table<R, Index> {
    return this.store.table(definition)
  }

  /**
   * Runs `work` as one transaction and, if anything was committed, sets the timer for the next job;
   * see `Store.transact`.
   */
  override write<T>(work: () => T): T {
    const { commits } = this.store
    try {
      return this.store.transact(work)
    } finally {
      if (this.store.commits !== commits) this.#timekeeper.arm()
    }
  }

  /** Runs a read and records which keys it accesses; see `Store.observe`. */
  observe<T>(read: () => T): ObservedRead<T> {
    return this.store.observe(read)
  }

  /** Runs a part of an observed read without recording it; see `Store.readUnobserved`. */
  unobserved<T>(read: () => T): T {
    return this.store.readUnobserved(read)
  }

  /** Returns a service's options with all defaults. Observations do not record the read. */
  options<O extends object>(definition: OptionsDefinition<O>): O {
    return this.#options.of(definition)
  }

  /** Changes options of some services and reschedules jobs. The values are already validated. */
  changeOptions(changes: Readonly<Record<string, object>>): void {
    this.write(() => {
      this.#options.change(changes)
      this.#reschedule()
    })
  }

  /** Sets the timings of some kinds of transitions, by kind, and reschedules jobs. */
  setTimings(changes: Readonly<Record<string, Timing>>): void {
    this.write(() => {
      for (const [kind, timing] of Object.entries(changes))
        this.table(timings).put(kind, { pace: timing })
      this.#reschedule()
    })
  }

  timing(kind: TransitionKindOf<World>): Timing {
    return this.table(timings).get(kind.kind)?.pace ?? kind.timing ?? 'manual'
  }

  /**
   * Returns `derive(row)`, computed once per row. `derive` must be a module-level function of the
   * row.
   */
  derived<R extends Row, T>(row: R, derive: (row: R) => T): T {
    return this.#derived.of(row, derive)
  }

  /**
   * Runs every due job. Called at the start of each request, so that no reader sees an old state.
   * Returns false if jobs are left because they take longer than `maxTime` milliseconds.
   */
  override runDueJobs(maxTime?: number): boolean {
    return this.#timekeeper.runDueJobs(maxTime)
  }

  /**
   * Advances the clock by some milliseconds and runs, in order, the jobs that fall due. Returns the
   * jobs that ran.
   */
  advance(by: number): readonly FiredJob[] {
    return this.jump(by, { limit: Infinity }).fired
  }

  /** Advances the clock as `advance` does, within bounds. */
  jump(by: number, bounds: JumpBounds): Jump {
    return this.#timekeeper.advance(by, bounds)
  }

  /**
   * Advances the clock as `jump` does, and yields to the event loop between jobs. The jump ends
   * early if the caller cancels, if the world is reset, restored or closed, or if `setClock` is
   * called. Jumps run one after another.
   */
  advanceInTurns(by: number, bounds: JumpBounds): Promise<Jump> {
    return this.#timekeeper.advanceInTurns(by, bounds)
  }

  /**
   * Calls `wake` once when the world's clock has reached an instant, before later jobs run. Returns
   * a function that cancels the wait. Meant for requests that wait; jobs that must run are
   * scheduled in the agenda.
   *
   * @param at in milliseconds since 1970
   */
  waitUntil(at: number, wake: () => void): CancelWait {
    return this.#timekeeper.waitUntil(at, wake)
  }

  /**
   * Changes the mode of the clock. If the new mode starts at a later instant, the jobs that are due
   * until then run first. If there are more than `defaultLimit` such jobs, the clock stops after
   * that many and keeps its mode.
   */
  setClock(setting: ClockSetting): Jump {
    return this.#timekeeper.set(setting, { limit: defaultLimit })
  }

  /**
   * Changes the mode of the clock as `setClock` does, within bounds, and yields to the event loop
   * between jobs; see `advanceInTurns`.
   */
  setClockInTurns(setting: ClockSetting, bounds: JumpBounds): Promise<Jump> {
    return this.#timekeeper.setInTurns(setting, bounds)
  }

  /**
   * Calls `onMove` for each move of the clock, and for each due job, with the jobs that ran.
   * Returns a function that unsubscribes.
   */
  followClock(onMove: (fired: readonly FiredJob[]) => void): () => void {
    return this.#timekeeper.follow(onMove)
  }

  /**
   * Returns the current state. The cost does not depend on the size of the state. Throws an `Error`
   * if an open transaction has written anything.
   */
  snapshot(): WorldSnapshot {
    return { store: this.store.snapshot(), clock: this.clock.state, ids: this.ids.state }
  }

  /**
   * Returns a checkpoint of the present state, which `at` returns later. Every call returns the
   * same object until the state changes.
   */
  checkpoint(): WorldCheckpoint {
    this.#checkpoint = currentCheckpoint(this, this.#checkpoint)
    return this.#checkpoint
  }

  /** Returns the state at a checkpoint of this world. */
  at({ store, clock, ids }: WorldCheckpoint): WorldSnapshot {
    return { store: snapshotAt(this.store, store), clock, ids }
  }

  /**
   * Restores a snapshot of this or another world, ends running jumps, wakes every watcher and calls
   * `onReplaced`. Throws an `Error` inside a transaction.
   */
  restore(snapshot: WorldSnapshot): void {
    // The store is restored last: it wakes watchers, which must find the whole world restored.
    this.clock.state = snapshot.clock
    this.ids.state = snapshot.ids
    this.store.restore(snapshot.store)
    this.#timekeeper.rearm()
    this.#onReplaced?.('restored')
  }

  /**
   * Restores the initial state, or the given parts of it, and reschedules jobs. Ends running jumps
   * and calls `onReplaced`.
   */
  reset(resetParts: readonly ResetPart[] = allParts): void {
    const parts = new Set(resetParts)
    const rows = rowsAfterReset(this.store, this.#initialSnapshot, parts)
    if (parts.has('clock')) this.clock.state = this.#initialSnapshot.clock
    if (parts.has('ids')) this.ids.state = this.#initialSnapshot.ids
    if (parts.has('state')) this.store.restore(this.#initialSnapshot.store)
    this.write(() => {
      replaceRows(this.store, rows)
      this.#reschedule()
    })
    this.#timekeeper.rearm()
    this.#onReplaced?.('reset')
  }

  /** Initial state, which a reset restores. */
  get initialSnapshot(): WorldSnapshot {
    return this.#initialSnapshot
  }

  /** True after `close` was called. */
  get closed(): boolean {
    return this.#timekeeper.closed
  }

  /**
   * Stops the world's timer for good, ends running jumps, and wakes all blocking reads in several
   * turns of the event loop, so that they end.
   */
  close(): void {
    this.#timekeeper.close()
    // In later turns of the event loop, there is no caller to receive an exception.
    this.store.watchers.wakeAllInTurns().catch(this.#onError)
  }

  #reschedule(): void {
    for (const service of this.services) service.reschedule?.(this)
  }
}
