import { Mistakes, Refusal } from '../../../state/kernel/refusal.ts'
import type { DialectName } from '../../../state/kernel/shape/dialect.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import { type Deferred, defer, mapResult } from '../../../state/kernel/worlds/deferred.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { WorldSnapshot } from '../../../state/kernel/worlds/world-snapshot.ts'
import { defaultWorldId } from '../../../state/kernel/worlds/worlds.ts'
import { InputError, sharedValidator } from '../../http/declare/validate.ts'
import { metricsText } from '../../report/metrics.ts'
import { clockSetting } from '../clock/clock-control.ts'
import { parseDuration } from '../clock/durations.ts'
import { checkDocument, checkOptions } from '../state/documents.ts'
import type { TracedRunInput } from '../trace/trace-shapes.ts'
import { basePathOf } from './addresses.ts'
import { type ControlDependencies, tracePageOf } from './control-dependencies.ts'
import { WorldControl } from './world-control.ts'
import {
  type NewWorld,
  newWorldShape,
  type PastStateReference,
  type WorldOverview,
} from './world-shapes.ts'

/** A world that was requested by id, and whether the request created it. */
interface ProvidedWorld {
  readonly world: WorldControl
  readonly created: boolean
}

/**
 * Control of the worlds of a process, for the HTTP control plane and for programs that embed the
 * mock.
 */
export class ProcessControl {
  readonly #dependencies: ControlDependencies

  constructor(dependencies: ControlDependencies) {
    this.#dependencies = dependencies
  }

  /** Dialect of the APIs of all worlds. */
  get dialect(): DialectName {
    return this.#dependencies.describe().dialect === 'vendor' ? 'vendor' : 'neutral'
  }

  /** Returns a summary of every world, oldest first. */
  overview(): readonly WorldOverview[] {
    const { dialect } = this.#dependencies.describe()
    return this.#dependencies.worlds.list().map((world) => ({
      id: world.id,
      basePath: basePathOf(world.id),
      dialect,
      madeAt: formatTimestamp(world.createdAt),
      requests: this.#dependencies.journals.of(world).size,
      clock: { mode: world.clock.state.mode, now: formatTimestamp(world.clock.now()) },
    }))
  }

  /**
   * Returns the control of a world. Throws an `absent` refusal if there is no world with this id.
   */
  world(id: string = defaultWorldId): WorldControl {
    return this.worldControl(this.#dependencies.worlds.get(id))
  }

  worldControl(world: World): WorldControl {
    return new WorldControl(this.#dependencies, world)
  }

  /** Returns every world, oldest first. */
  list(): readonly WorldControl[] {
    return this.#dependencies.worlds.list().map((world) => this.worldControl(world))
  }

  /**
   * Creates a world: a fresh world, or a copy of a snapshot, of another world, or of a world right
   * after a request.
   *
   * @throws {Mistakes} for invalid input; {Refusal} `conflict` if the id is taken, `absent` if the
   *   source does not exist or its journal does not have the request; no world is created in these
   *   cases
   */
  create(request: NewWorld = {}): WorldControl {
    const { worlds } = this.#dependencies
    this.#checkNewWorld(request)
    const { id, seed, clock, from, options, fixtures, ttl } = request
    if (id !== undefined) worlds.checkNewId(id)
    const settings = {
      id,
      seed,
      from: typeof from === 'object' ? this.#stateAfter(from) : from,
      origin: typeof from === 'object' ? (from.world ?? defaultWorldId) : undefined,
      ttl: ttl === undefined ? undefined : parseLifetime(ttl),
      clock: clock === undefined ? undefined : clockSetting(clock, '/clock'),
      options:
        options === undefined ? undefined : checkOptions(worlds.services, options, '/options'),
      document:
        fixtures === undefined ? undefined : checkDocument(worlds.services, fixtures, '/fixtures'),
    }
    return this.worldControl(locateProblemsInFixtures(() => worlds.create(settings)))
  }

  /**
   * Returns the state of a world right after a request. Throws the refusals of `Journal.stateAt`,
   * and an `absent` refusal for an unknown world.
   */
  #stateAfter({ world, request }: PastStateReference): WorldSnapshot {
    const { worlds, journals } = this.#dependencies
    return journals.of(worlds.get(world ?? defaultWorldId)).stateAt(request)
  }

  /**
   * Creates a world with its own listeners. If a listener cannot be opened, no world is created
   * (behaviour/program#worlds-for-clients). Throws an `unsupported` refusal if worlds cannot have
   * listeners in this process, and otherwise the errors of `create` and of `WorldListeners.open`.
   */
  async open({ listen = false, ...request }: NewWorld): Promise<WorldControl> {
    const { worlds, listeners } = this.#dependencies
    if (listeners === undefined)
      throw new Refusal('unsupported', 'no world can have listeners here')
    this.#checkNewWorld({ listen, ...request })
    const { id = worlds.freshId() } = request
    worlds.checkNewId(id)
    return listeners.open(id, listen, () => this.create({ ...request, id }))
  }

  /**
   * Creates a world as `create` does or, if the request has the member `listen`, as `open` does.
   * The result is deferred only for a request with `listen`.
   */
  make(request: NewWorld): WorldControl | Deferred<WorldControl> {
    if (request.listen === undefined) return this.create(request)
    return defer(
      () => this.open(request),
      (world) => world,
    )
  }

  /**
   * Returns the world with the given id, and creates the world if it does not exist. `created` says
   * whether this call created it. An existing world does not change, regardless of the other
   * members of the request (behaviour/program#worlds-for-clients). Waits for a world whose
   * listeners are being opened. Throws the errors of `make`.
   */
  provide(id: string, request: Omit<NewWorld, 'id'> = {}): ProvidedWorld | Deferred<ProvidedWorld> {
    const { worlds, listeners } = this.#dependencies
    const opening = listeners?.opening(id)
    if (opening !== undefined) {
      return defer(
        () => opening,
        () => this.provide(id, request),
      )
    }
    const existing = worlds.find(id)
    if (existing !== undefined) return { world: this.worldControl(existing), created: false }
    return mapResult(this.make({ ...request, id }), (world) => ({ world, created: true }))
  }

  #checkNewWorld(request: NewWorld): void {
    const problems = sharedValidator.check(newWorldShape, request, 'body')
    if (problems.length > 0) throw new InputError(problems)
  }

  /**
   * Returns the counters of all worlds together, and the measurements of the process, in the
   * Prometheus text format.
   */
  metrics(): Promise<string> {
    const { journals, worlds } = this.#dependencies
    const all = worlds.list()
    return metricsText(journals.counters, {
      worlds: all.length,
      blockedReaders: all.reduce((sum, { blockedReaders }) => sum + blockedReaders, 0),
    })
  }

  /**
   * Returns a trace as the HTML text of a page (behaviour/program#traces). Throws the refusals of
   * `tracePageOf`.
   *
   * @param worlds ids of the worlds to include; if left out, all worlds with requests or marks
   * @param run circumstances of the run that only the caller knows
   */
  trace(worlds?: readonly string[], run?: TracedRunInput): Promise<string> {
    return tracePageOf(this.#dependencies, worlds, run)
  }

  /**
   * Deletes a world and its snapshots. Throws a `conflict` refusal for the default world, and an
   * `absent` refusal for an unknown id.
   */
  delete(id: string): void {
    this.#dependencies.worlds.delete(id)
  }
}

/**
 * Parses the time that a world lives without requests: milliseconds, or a Go duration. Returns
 * milliseconds. Throws `InputError` unless the time is above 0.
 */
function parseLifetime(ttl: string | number): number {
  const duration = typeof ttl === 'number' ? ttl : parseDuration(ttl, '/ttl')
  if (duration > 0) return duration
  throw new InputError(['/ttl must be longer than nothing'])
}

/**
 * Runs work that loads fixtures. Rethrows `Mistakes` as an `InputError`, with `/fixtures` before
 * each position.
 */
function locateProblemsInFixtures<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Mistakes)) throw error
    throw new InputError(error.problems.map((problem) => `/fixtures${problem}`))
  }
}
