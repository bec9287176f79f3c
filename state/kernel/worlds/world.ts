import type { OptionsDefinition } from '../options/options.ts'
import { WorldOptions } from '../options/world-options.ts'
import { DerivedValues } from '../store/derived-values.ts'
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
  type Fired,
  type Jump,
  type JumpBounds,
  Timekeeper,
} from '../time/timekeeper.ts'
import { type Timing, type TransitionKindOf, timings } from '../time/transitions.ts'
import { wallClock } from '../time.ts'
import { assemble } from './assembly.ts'
import type { Deferred, Trace } from './deferred.ts'
import { StepRunner } from './deferred.ts'
import { loadPositions, loadRows } from './document.ts'
import { Ids } from './ids.ts'
import type { ServiceDefinitionOf } from './service-definition.ts'
import type { WorldSettingsOf } from './world-settings.ts'
import {
  allParts,
  type ResetPart,
  replaceRows,
  rowsAfterReset,
  type WorldCheckpoint,
  type WorldSnapshot,
} from './world-snapshot.ts'

/** Settings of a world. */
export type WorldSettings = WorldSettingsOf<World>

/**
 * One isolated universe: the state of all services, a clock, an id generator and pending jobs
 * (behaviour/program#worlds). Two worlds share no mutable state.
 */
export class World {
  readonly id: string
  /** Creation time, in real milliseconds since 1970. */
  readonly madeAt = wallClock()
  /** Seed of fingerprints, and of the ids unless the world continues another one. */
  readonly seed: string
  readonly services: readonly ServiceDefinitionOf<World>[]
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly agenda: Agenda
  readonly transitions: ReadonlyMap<string, TransitionKindOf<World>>
  /** Number of blocking reads that wait. Belongs to the running process, not to the state. */
  blockedReaders = 0
  readonly #time: Timekeeper<World>
  readonly #derived = new DerivedValues()
  readonly #options: WorldOptions
  readonly #stepRunner = new StepRunner(this)
  readonly #onReplaced: WorldSettings['onReplaced']
  readonly #onError: (error: unknown) => void
  #initial: WorldSnapshot

  constructor(settings: WorldSettings) {
    this.id = settings.id
    this.seed = settings.seed ?? settings.fallbackSeed ?? settings.id
    this.services = settings.services
    this.#onReplaced = settings.onReplaced
    this.#onError = settings.onError ?? (() => {})
    const { jobs: handlers, transitions, rules } = settings.assembly ?? assemble(settings.services)
    this.store = new Store({
      freezeRows: settings.freezeRows ?? false,
      rules: { applyRules: (log, from) => rules.apply(this, log, from) },
      committed: (changes) => this.#stepRunner.trace?.committed(changes),
    })
    this.#options = new WorldOptions(
      this.store,
      this.services.map(({ options }) => options),
    )
    this.clock = new Clock(settings.clock)
    this.ids = new Ids(settings.seed ?? settings.id)
    this.agenda = new Agenda(this.store)
    this.#time = new Timekeeper<World>(this, handlers, this.#onError)
    this.transitions = transitions
    if (settings.from !== undefined) {
      this.store.restore(settings.from.store)
      if (settings.clock === undefined) this.clock.state = settings.from.clock
      if (settings.seed === undefined) this.ids.state = settings.from.ids
    }
    this.write(() => {
      if (settings.from === undefined) this.#options.begin(settings.options ?? {})
      else this.#options.change(settings.options ?? {})
      this.#options.change(settings.document?.options ?? {})
      if (settings.from === undefined) for (const service of this.services) service.seed(this)
      if (settings.document !== undefined) loadRows(this, settings.document, settings.onPartLoaded)
    })
    if (settings.document !== undefined) loadPositions(this, settings.document)
    // The document may have changed how time runs.
    this.#time.rearm()
    this.#initial = this.snapshot()
  }

  /** Opens one of the services' tables. */
  table<R extends Row, Index extends string = never>(
    definition: TableDefinition<R, Index>,
  ): Table<R, Index> {
    return this.store.table(definition)
  }

  /** Runs `work` as one transaction; see `Store.transact`. */
  write<T>(work: () => T): T {
    const { commits } = this.store
    try {
      return this.store.transact(work)
    } finally {
      if (this.store.commits !== commits) this.#time.arm()
    }
  }

  /**
   * Answers a request: runs due jobs, then `work` as one transaction. A refusal leaves no trace:
   * writes are rolled back and generated ids are returned to the generator, unless the refusal has
   * `commitWrites`. Work that returns a `Deferred` continues in further steps, each a transaction
   * of its own.
   *
   * @param trace receives what the request does; due jobs that run before it are not included
   */
  request<T>(work: () => T | Deferred<T>, trace?: Trace): T | Promise<T> {
    return this.#stepRunner.run(work, trace)
  }

  /**
   * Commits a part of a request that stays even if the rest is refused. Nothing may have been
   * written before.
   */
  commitNow<T>(work: () => T): T {
    return this.store.commitNow(work)
  }

  /** Runs `work`, rolls it back, including ids, and returns its result. */
  dryRun<T>(work: () => T): T {
    const idState = this.ids.state
    const rollback = new Error('undone')
    let outcome: { readonly result: T } | undefined
    try {
      this.store.transact(() => {
        outcome = { result: work() }
        throw rollback
      })
    } catch (error) {
      if (error !== rollback) throw error
    } finally {
      this.ids.state = idState
    }
    if (outcome === undefined) throw rollback
    return outcome.result
  }

  /** Runs a read and records what it looks at; see `Store.observe`. */
  observe<T>(read: () => T): ObservedRead<T> {
    return this.store.observe(read)
  }

  /** Runs a part of an observed read without recording it; see `Store.unobserved`. */
  unobserved<T>(read: () => T): T {
    return this.store.unobserved(read)
  }

  /**
   * Returns a service's options, with every default filled in. No observation notes that they are
   * read.
   */
  options<O extends object>(definition: OptionsDefinition<O>): O {
    return this.#options.of(definition)
  }

  /** Changes options of some services; the values are already checked. */
  changeOptions(changes: Readonly<Record<string, object>>): void {
    this.write(() => {
      this.#options.change(changes)
      this.#reschedule()
    })
  }

  /** Changes how fast things of some kinds move by themselves. */
  setTimings(changes: Readonly<Record<string, Timing>>): void {
    this.write(() => {
      for (const [kind, timing] of Object.entries(changes))
        this.table(timings).put(kind, { pace: timing })
      this.#reschedule()
    })
  }

  /** Returns how fast things of a kind move by themselves. */
  timing(kind: TransitionKindOf<World>): Timing {
    return this.table(timings).get(kind.kind)?.pace ?? kind.timing ?? 'manual'
  }

  /**
   * Returns what `derive` makes of a row, worked out once for each row: rows never change, so
   * neither does the result. `derive` must be a module-level function of the row alone.
   */
  derived<R extends Row, T>(row: R, derive: (row: R) => T): T {
    return this.#derived.of(row, derive)
  }

  /** Does everything that is due by now, so that nobody sees the past. Each request begins with it. */
  runDueJobs(): void {
    this.#time.runDueJobs()
  }

  /** Moves the clock on by some milliseconds and does, in order, what falls due on the way. */
  advance(by: number): readonly Fired[] {
    return this.jump(by, { limit: Infinity }).fired
  }

  /** The same within bounds. */
  jump(by: number, bounds: JumpBounds): Jump {
    return this.#time.advance(by, bounds)
  }

  /**
   * The same with turns for others between: it can be stopped, and ends too where the world is reset,
   * restored or closed. One after the other.
   */
  advanceInTurns(by: number, bounds: JumpBounds): Promise<Jump> {
    return this.#time.advanceInTurns(by, bounds)
  }

  /**
   * Calls back once when the world's clock has come to an instant, by itself or because it was
   * advanced. The state as it is then stands: what falls due later has not happened yet. For requests
   * that wait; what has to happen is an appointment.
   *
   * @param at in milliseconds since 1970
   */
  waitUntil(at: number, ring: () => void): CancelWait {
    return this.#time.waitUntil(at, ring)
  }

  /**
   * Changes how time runs. Where it then begins later than now, everything on the way is done first;
   * past the limit the clock stops there and is not changed.
   */
  setClock(setting: ClockSetting): Jump {
    return this.#time.set(setting, { limit: defaultLimit })
  }

  /** The same with turns for others between; see `advanceInTurns`. */
  setClockInTurns(setting: ClockSetting, bounds: JumpBounds): Promise<Jump> {
    return this.#time.setInTurns(setting, bounds)
  }

  /** Tells of each move of the clock from now on, with what fell due. Returns how to stop. */
  followClock(onMove: (fired: readonly Fired[]) => void): () => void {
    return this.#time.follow(onMove)
  }

  /** Follows the request whose step is being done, if one is. */
  get trace(): Trace | undefined {
    return this.#stepRunner.trace
  }

  /** Everything as it is now; costs the same however much there is. */
  snapshot(): WorldSnapshot {
    return { store: this.store.snapshot(), clock: this.clock.state, ids: this.ids.state }
  }

  /** Returns the present, to be seen `at` later: costs a reference, not a snapshot. */
  checkpoint(): WorldCheckpoint {
    return { store: this.store.checkpoint(), clock: this.clock.state, ids: this.ids.state }
  }

  /** Everything as it was at a moment of this world. */
  at({ store, clock, ids }: WorldCheckpoint): WorldSnapshot {
    return { store: snapshotAt(this.store, store), clock, ids }
  }

  /** Goes to a snapshot of this or another world. */
  restore(snapshot: WorldSnapshot): void {
    // The store last: it wakes watchers, who must find the whole world restored.
    this.clock.state = snapshot.clock
    this.ids.state = snapshot.ids
    this.store.restore(snapshot.store)
    this.#time.rearm()
    this.#onReplaced?.('restored')
  }

  /** Goes back to how the world began, wholly or in parts. */
  reset(what: readonly ResetPart[] = allParts): void {
    const parts = new Set(what)
    const kept = rowsAfterReset(this.store, this.#initial, parts)
    if (parts.has('clock')) this.clock.state = this.#initial.clock
    if (parts.has('ids')) this.ids.state = this.#initial.ids
    if (parts.has('state')) this.store.restore(this.#initial.store)
    this.write(() => {
      replaceRows(this.store, kept)
      this.#reschedule()
    })
    this.#time.rearm()
    this.#onReplaced?.('reset')
  }

  /** How it began, where a reset goes back to. */
  get initialSnapshot(): WorldSnapshot {
    return this.#initial
  }

  /** True once the world has ended: whoever waits for it goes. */
  get closed(): boolean {
    return this.#time.closed
  }

  /** Stops the world's timer for good: whoever still holds the world must not start it again. */
  close(): void {
    this.#time.close()
    // In later turns nobody is there whom an exception could reach.
    this.store.watchers.wakeAllInTurns().catch(this.#onError)
  }

  #reschedule(): void {
    for (const service of this.services) service.reschedule?.(this)
  }
}
