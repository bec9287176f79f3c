import { freshSeed } from '../entropy.ts'
import { type InParts, runParts } from '../parts.ts'
import { Mistakes, Refusal } from '../refusal.ts'
import type { TableDefinition } from '../store/table.ts'
import type { ClockSetting } from '../time/clock.ts'
import { type Assembly, assemble } from './assembly.ts'
import type { StateDocument } from './document.ts'
import { faultTables } from './fault-tables.ts'
import { Ids } from './ids.ts'
import { RetainedSnapshots } from './retained-snapshots.ts'
import type { ServiceDefinition } from './service.ts'
import { World, type WorldSettings } from './world.ts'
import { Lifetimes } from './world-lifetimes.ts'
import type { WorldSnapshot } from './world-snapshot.ts'

/** Id of the world that serves requests without a world's name. */
export const defaultWorldId = 'default'

/** Settings of all worlds of a process. */
export interface WorldsSettings {
  readonly services: readonly ServiceDefinition[]
  /** Seed that makes all ids of the process reproducible; random if left out. */
  readonly seed?: string | undefined
  readonly clock?: ClockSetting | undefined
  readonly options?: Readonly<Record<string, object>> | undefined
  /** The fixtures, already validated. */
  readonly document?: StateDocument | undefined
  /** Called after each part of the fixtures that is loaded at the start. */
  readonly onPartLoaded?: (() => void) | undefined
  readonly freezeRows?: boolean | undefined
  readonly onError?: ((error: unknown) => void) | undefined
  /**
   * True if a request to a world that does not exist creates the world
   * (behaviour/program#worlds-for-clients).
   */
  readonly createsNamedWorlds?: boolean | undefined
  /** True if requests without a world's name are refused instead of using the default world. */
  readonly refusesUnnamedWorlds?: boolean | undefined
  /** Called with the id of each world that was deleted. */
  readonly onEnd?: ((id: string) => void) | undefined
}

/** An event in the life of a world. */
interface WorldChange {
  readonly id: string
  readonly change: 'made' | 'reset' | 'restored' | 'deleted'
}

/**
 * Settings of a world that the caller creates. Without `from`, the new world gets the initial state
 * of the default world, changed by the other settings.
 */
interface NewWorldRequest {
  readonly id?: string | undefined
  readonly seed?: string | undefined
  readonly clock?: ClockSetting | undefined
  /**
   * Source of the initial state: a snapshot, the id of a retained snapshot, or the id of a world
   * whose present state is used.
   */
  readonly from?: string | WorldSnapshot | undefined
  /** Id of the world from which the snapshot `from` was taken. */
  readonly origin?: string | undefined
  readonly options?: Readonly<Record<string, object>> | undefined
  readonly document?: StateDocument | undefined
  /** Time to live in milliseconds of real time without requests. */
  readonly ttl?: number | undefined
}

const worldId = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

/** All worlds and retained snapshots of one process. */
export class Worlds {
  readonly #settings: WorldsSettings
  /** The prepared services of all worlds. */
  readonly #assembly: Assembly<World>
  readonly #seed: string
  readonly #ids: Ids
  readonly #worlds = new Map<string, World>()
  readonly snapshots: RetainedSnapshots
  readonly #lifetimes = new Lifetimes(
    (id) => this.get(id).store.watchers.hasReaders,
    (id) => this.delete(id),
  )
  readonly #followers = new Set<(change: WorldChange) => void>()
  readonly #initialSnapshot: WorldSnapshot

  constructor(settings: WorldsSettings) {
    this.#settings = settings
    this.#assembly = assemble(settings.services)
    this.#seed = settings.seed ?? freshSeed()
    this.#ids = new Ids(`${this.#seed}/worlds`)
    this.snapshots = new RetainedSnapshots(this.#ids)
    this.#initialSnapshot = this.#build({
      id: defaultWorldId,
      seed: this.#seed,
      clock: settings.clock,
      options: settings.options,
      document: settings.document,
      onPartLoaded: settings.onPartLoaded,
    }).snapshot()
  }

  get services(): readonly ServiceDefinition[] {
    return this.#settings.services
  }

  /** Returns the world with this id. Throws an `absent` refusal if it does not exist. */
  get(id: string): World {
    const world = this.#worlds.get(id)
    if (world === undefined) throw new Refusal('absent', `there is no world "${id}"`)
    return world
  }

  find(id: string): World | undefined {
    return this.#worlds.get(id)
  }

  /**
   * Returns the world that a request names. If this world does not exist, creates it if the
   * settings allow this and the name is a valid id; otherwise returns undefined. For a request
   * without a world's name, returns the default world, or undefined if the settings refuse such
   * requests. Restarts the world's time to live.
   */
  named(id: string | undefined): World | undefined {
    const name = id ?? (this.#settings.refusesUnnamedWorlds === true ? '' : defaultWorldId)
    if (this.#lifetimes.size > 0) this.#lifetimes.touch(name)
    return this.#worlds.get(name) ?? this.#createNamed(name)
  }

  /** Restarts the time to live of a world that a request uses. */
  touch(id: string): void {
    this.#lifetimes.touch(id)
  }

  get default(): World {
    return this.get(defaultWorldId)
  }

  list(): readonly World[] {
    return [...this.#worlds.values()]
  }

  /**
   * Creates a world and notifies followers. If the request has a seed, options or a document, but
   * no `from`, the start state is built again; otherwise the cost does not depend on the size of
   * the world's state.
   *
   * @throws the refusals of `checkNewId`; an `absent` refusal if the source `from` does not exist;
   *   and `Mistakes` if services refuse parts of the document
   */
  create(request: NewWorldRequest = {}): World {
    const { id = this.freshId(), ttl } = request
    this.checkNewId(id)
    const world = this.#createWorld(id, request)
    if (ttl !== undefined) this.#lifetimes.start(id, ttl)
    this.#notify({ id, change: 'made' })
    return world
  }

  /** Returns a random id for a world that was requested without one. */
  freshId(): string {
    return `w-${this.#ids.base62(10)}`
  }

  /**
   * Throws `Mistakes` for an invalid id, and a `conflict` refusal for the id of an existing world.
   */
  checkNewId(id: string): void {
    if (!worldId.test(id)) {
      const rule = 'not a world id: letters, digits, ".", "_" and "-" only'
      throw new Mistakes(`"${id}" is ${rule}`, [`/id is ${rule}`])
    }
    if (this.#worlds.has(id)) throw new Refusal('conflict', `there is a world "${id}" already`)
  }

  #createNamed(id: string): World | undefined {
    const { createsNamedWorlds = false } = this.#settings
    return createsNamedWorlds && worldId.test(id) ? this.create({ id }) : undefined
  }

  #createWorld(id: string, request: NewWorldRequest): World {
    if (request.from !== undefined) {
      const from = this.#sourceSnapshot(request.from)
      return this.#build({
        ...request,
        id,
        seed: request.seed,
        fallbackSeed: this.#seedOf(id),
        from,
        origin: typeof request.from === 'string' ? request.from : request.origin,
      })
    }
    const { seed = this.#seedOf(id), document, options } = request
    if (request.seed === undefined && document === undefined && options === undefined) {
      return this.#build({ id, seed, clock: request.clock, from: this.#initialSnapshot })
    }
    const fixtures = document ?? this.#settings.document
    return this.#build({
      id,
      seed,
      clock: request.clock ?? this.#initialClock(),
      options: mergeOptions(this.#settings.options, options),
      // Options of the request override the options in the fixtures.
      document: fixtures && { ...fixtures, options: mergeOptions(fixtures.options, options) },
    })
  }

  /**
   * Ends a world, drops its retained snapshots and notifies followers. Throws a `conflict` refusal
   * for the default world and an `absent` refusal for an unknown id.
   */
  delete(id: string): void {
    if (id === defaultWorldId) throw new Refusal('conflict', 'the default world cannot be deleted')
    const world = this.get(id)
    this.#worlds.delete(id)
    this.#lifetimes.forget(id)
    this.snapshots.dropAll(id)
    // Notifies before waiting requests are released, because some of them wait for this event.
    this.#notify({ id, change: 'deleted' })
    world.close()
    this.#settings.onEnd?.(id)
  }

  /**
   * Replaces a world's state, except faults and applied presets, with a validated document. The
   * clock and the ids stay unchanged if the document leaves them out. If services refuse parts of
   * the document, throws `Mistakes` and changes nothing.
   */
  import(world: World, document: StateDocument): void {
    runParts(this.importInParts(world, document))
  }

  /**
   * Imports a document as `import` does, with pauses. The world changes only after the last pause,
   * so that no request sees a part of the document.
   */
  *importInParts(world: World, document: StateDocument): InParts<void> {
    const temporaryWorld = yield* World.createInParts({
      ...this.#worldDefaults(),
      id: world.id,
      // Parts that the document leaves out are generated with this seed, so that equal worlds
      // generate equal parts.
      seed: `${world.id}/import/${world.ids.state.join('/')}`,
      clock: { mode: 'frozen', at: world.clock.now() },
      options: this.#settings.options,
      document,
    })
    temporaryWorld.close()
    const { store, clock, ids } = temporaryWorld.snapshot()
    const faults = faultTables.map((table: TableDefinition) => {
      return [table, [...world.table(table).entries()]] as const
    })
    world.restore({
      store,
      clock: document.world?.clock === undefined ? world.clock.state : clock,
      ids: document.world?.ids === undefined ? world.ids.state : ids,
    })
    // Faults and presets are not part of documents, so an import keeps them.
    if (faults.every(([, rows]) => rows.length === 0)) return
    world.write(() => {
      for (const [table, rows] of faults) {
        for (const [key, row] of rows) world.table(table).put(key, row)
      }
    })
  }

  /**
   * Calls `listener` for each event of a world from now on. Returns a function that unsubscribes.
   */
  follow(listener: (change: WorldChange) => void): () => void {
    this.#followers.add(listener)
    return () => this.#followers.delete(listener)
  }

  /** Closes every world and cancels the deletion of worlds without requests. */
  close(): void {
    this.#lifetimes.close()
    for (const world of this.#worlds.values()) world.close()
  }

  #notify(change: WorldChange): void {
    for (const listener of this.#followers) listener(change)
  }

  /**
   * Returns the seed for a new world if the request contains none: derived from the seed of the
   * process, or random if the process has none.
   */
  #seedOf(id: string): string {
    return this.#settings.seed === undefined ? freshSeed() : `${this.#seed}/${id}`
  }

  /**
   * Returns the clock of a new world. A frozen clock starts where the clock of the default world
   * started.
   */
  #initialClock(): ClockSetting | undefined {
    const { clock } = this.#initialSnapshot
    return clock.mode === 'frozen' ? clock : this.#settings.clock
  }

  #sourceSnapshot(source: string | WorldSnapshot): WorldSnapshot {
    if (typeof source !== 'string') return source
    const retained = this.snapshots.find(source)
    if (retained !== undefined) return retained.snapshot
    const world = this.#worlds.get(source)
    if (world !== undefined) return world.snapshot()
    throw new Refusal('absent', `there is no snapshot or world "${source}"`)
  }

  #worldDefaults(): Pick<WorldSettings, 'services' | 'assembly' | 'freezeRows' | 'onError'> {
    const { services, freezeRows, onError } = this.#settings
    return { services, assembly: this.#assembly, freezeRows, onError }
  }

  #build(settings: Omit<WorldSettings, 'services' | 'freezeRows' | 'onError'>): World {
    const { id } = settings
    const world = new World({
      ...this.#worldDefaults(),
      ...settings,
      onReplaced: (change) => this.#notify({ id, change }),
    })
    this.#worlds.set(world.id, world)
    return world
  }
}

/** Merges options by service. Options in `overrides` override options in `base`. */
export function mergeOptions(
  base: WorldSettings['options'] = {},
  overrides: WorldSettings['options'] = {},
): Readonly<Record<string, object>> {
  const services = new Set([...Object.keys(base), ...Object.keys(overrides)])
  return Object.fromEntries(
    [...services].map((service) => [service, { ...base[service], ...overrides[service] }]),
  )
}
