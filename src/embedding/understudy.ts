import type { FastifyInstance } from 'fastify'
import { clockSetting } from '../../routes/control/clock/clock-control.ts'
import type { Coverage } from '../../routes/control/coverage.ts'
import { controlApi } from '../../routes/control/index.ts'
import { controlOperations } from '../../routes/control/operations.ts'
import { checkDocument, checkOptions } from '../../routes/control/state/documents.ts'
import type { ControlDependencies } from '../../routes/control/worlds/control-dependencies.ts'
import { ProcessControl } from '../../routes/control/worlds/process-control.ts'
import { Hints } from '../../routes/explain/hints.ts'
import { FaultInjector } from '../../routes/faults/fault-injector.ts'
import { InputError } from '../../routes/http/declare/validate.ts'
import { Journals } from '../../routes/journal/journal.ts'
import { documentedStatuses } from '../../routes/report/documented-statuses.ts'
import { Traces } from '../../routes/trace/traces.ts'
import { memoize } from '../../state/kernel/memoize.ts'
import type { JsonSchema } from '../../state/kernel/schema.ts'
import { runToEnd } from '../../state/kernel/worlds/deferred.ts'
import { defaultWorldId, mergeOptions, Worlds } from '../../state/kernel/worlds/worlds.ts'
import type { ApiName } from '../api-names.ts'
import { ApiCatalog } from '../server/api-catalog.ts'
import { buildApp } from '../server/app.ts'
import { Apps, defaultHost } from '../server/apps.ts'
import { readInspector, readTraceTemplate } from '../server/inspector-files.ts'
import { withSharedSettings } from '../server/shared-options.ts'
import { withSiblings } from '../server/siblings.ts'
import { TcpWorldListeners } from '../server/world-listeners.ts'
import {
  services as allServices,
  clientVariablesOf,
  leftBehindFinder,
  presetsOf,
  type Service,
} from '../services.ts'
import { packageInfo } from '../version.ts'
import { clockRequest } from './clock-option.ts'
import type { EmbeddedApp, WorldReply, WorldRequest } from './embedded-app.ts'
import { type EmbeddedWorld, embeddedWorld, type NewEmbeddedWorld } from './embedded-world.ts'
import { joinRehearsal, type RehearsedRun, rehearseWorlds } from './rehearsed-worlds.ts'
import {
  checkUnderstudyOptions,
  type UncheckedOptions,
  type UnderstudyOptions,
} from './understudy-options.ts'

/**
 * Server with its worlds. The server starts without a socket: `inject` and `world()` work at once,
 * and `listen()` opens the listeners. Two servers in one process share nothing.
 */
export class Understudy {
  readonly #worlds: Worlds
  readonly #dependencies: ControlDependencies
  readonly #control: ProcessControl
  /** Traces of this server. @internal */
  readonly traces: Traces
  readonly #catalog: ApiCatalog
  readonly #apps: Apps
  readonly #listeners: TcpWorldListeners
  #isListening = false
  #opening: Promise<string> | undefined
  #closing: Promise<void> | undefined

  /**
   * @param services services to serve. Default: all
   * @param onEntryLoaded called for each loaded entry of the fixtures
   * @throws {InputError} for options that are unknown or invalid, including fixtures
   */
  constructor(
    options: UncheckedOptions = {},
    services: readonly Service[] = allServices,
    onEntryLoaded?: () => void,
  ) {
    const names = services.map(({ name }) => name)
    checkUnderstudyOptions(options, names)
    const { dialect = 'neutral', log = false, logRequests = 'refused', tls } = options
    const definitions = services.map(({ state }) => state)
    const checkedOptions = checkOptions(definitions, options.options ?? {})
    const fixtures = checkDocument(definitions, options.fixtures ?? {})
    this.#worlds = new Worlds({
      services: definitions,
      seed: options.seed,
      clock:
        options.clock === undefined
          ? undefined
          : clockSetting(clockRequest(options.clock, 'option clock'), 'option clock'),
      options: withSharedSettings({ ...options, dialect }, checkedOptions, services),
      // Explicit options win over those of the fixtures.
      document: { ...fixtures, options: mergeOptions(fixtures.options, checkedOptions) },
      onPartLoaded: onEntryLoaded,
      createsNamedWorlds: options.worlds === 'auto',
      refusesUnnamedWorlds: options.defaultWorld === false,
      onEnd: (id) => void this.#listeners.close(id),
      onError: (error) => this.#apps.combined.log.error({ err: error }, 'a pending job failed'),
    })
    const journals = new Journals()
    const faults = new FaultInjector(presetsOf(services), dialect)
    this.#listeners = new TcpWorldListeners({
      host: options.host ?? defaultHost,
      names: [...names, 'combined'],
      isSecure: tls !== undefined,
      appOf: async (name) => {
        const app = this.#apps.of(name)
        await app.ready()
        return app
      },
    })
    this.#dependencies = {
      worlds: this.#worlds,
      journals,
      faults,
      requestNames: () => this.#catalog.requestNames(),
      describe: () => ({ ...packageInfo(), dialect, ports: this.#apps.ports() }),
      documented: documentedStatuses((service) => this.#catalog.statuses(service)),
      findLeftBehind: leftBehindFinder(services),
      listeners: this.#listeners,
      variables: clientVariablesOf(services),
      caFile: tls?.caFile,
      traces: () => this.traces,
    }
    const { seed, controlToken } = options
    const secrets = controlToken === undefined ? [] : [controlToken]
    const traceSettings = { ...this.#dependencies, seed, secrets, origin: () => this.url }
    this.traces = new Traces(traceSettings, readTraceTemplate)
    this.#control = new ProcessControl(this.#dependencies)
    const operations = controlOperations(services)
    const control = controlApi({
      ...this.#dependencies,
      operations,
      allowedHosts: options.allowedHosts ?? [],
      controlToken: options.controlToken,
      ready: () => this.#isReady,
      coverage: (service) => this.#catalog.coverage(service),
      serviceOpenApi: (service) => this.openApi(service),
      inspector: memoize(readInspector),
      shutdown: options.onShutdown,
    })
    const apis = withSiblings(
      new Map(services.map(({ name, api }) => [name, api(dialect)])),
      (name, dedicatedOnly) =>
        this.#apps.dedicatedUrl(name) ?? (dedicatedOnly ? undefined : this.#apps.url),
    )
    this.#catalog = new ApiCatalog(apis, operations)
    const { unjournaledRequests: unjournaled } = journals
    const recording = { recorder: journals, unjournaled, hints: new Hints() }
    const appSettings = {
      worlds: this.#worlds,
      ...recording,
      faults,
      log,
      logRequests,
      tls,
    }
    this.#apps = new Apps({
      options,
      apis,
      control,
      build: (apis) => buildApp({ ...appSettings, apis }),
    })
    joinRehearsal(this.#dependencies)
  }

  /**
   * Applies a preset to every present and future world, and reports the requests of all worlds
   * (behaviour/program#commands). Returns a function that ends the rehearsal.
   */
  rehearseWorlds(run: RehearsedRun): () => void {
    return rehearseWorlds(this.#dependencies, run)
  }

  /** Combined app with all APIs and the control plane. */
  get app(): EmbeddedApp {
    return this.#apps.combined
  }

  /** URL of the combined listener; undefined while it is not open. */
  get url(): string | undefined {
    return this.#apps.url
  }

  /**
   * Returns the URL of an API on its own listener, otherwise on the combined listener; undefined if
   * neither is open.
   */
  apiUrl(name: ApiName): string | undefined {
    return this.#apps.dedicatedUrl(name) ?? this.#apps.url
  }

  /** Returns the list of `/_mock/coverage`; with `only`, the part of the list about one API. */
  coverage(only?: ApiName): Coverage {
    return this.#catalog.coverage(only)
  }

  /** Returns an API's OpenAPI document in the server's dialect; undefined for an unknown API. */
  openApi(service: string): JsonSchema | undefined {
    return this.#catalog.openApi(service)
  }

  /** Returns the metrics of all worlds in the text format of Prometheus. */
  metrics(): Promise<string> {
    return this.#control.metrics()
  }

  /** Prepares the apps to answer without a socket. */
  async ready(): Promise<this> {
    await this.#apps.ready()
    return this
  }

  /**
   * Opens the listeners. Returns the combined listener's URL; later calls return the first promise.
   * Rejects if the server is closed. If a listener cannot be opened, closes the server and rejects.
   */
  listen(): Promise<string> {
    if (this.#closing !== undefined) return Promise.reject(closedError())
    this.#opening ??= this.#open()
    return this.#opening
  }

  /**
   * Sends a request without a socket, to the default world unless the URL or a header names
   * another.
   */
  inject(request: WorldRequest | string): Promise<WorldReply> {
    const { method = 'GET', ...options } = typeof request === 'string' ? { url: request } : request
    return this.#apps.combined.inject({
      // Fastify's types and checks only accept Node's methods; the app also supports `LIST`.
      method: method as 'GET',
      validate: false,
      ...options,
    })
  }

  /** Returns the control of a world; throws an `absent` refusal if the world does not exist. */
  world(id: string = defaultWorldId): EmbeddedWorld {
    return embeddedWorld(this, this.#dependencies, this.#worlds.get(id))
  }

  /** Returns every world, oldest first. */
  worlds(): readonly EmbeddedWorld[] {
    return this.#worlds.list().map(({ id }) => this.world(id))
  }

  /**
   * Creates a world: with the initial state of the default world, or from a snapshot or another
   * world. Throws an InputError if the request names listeners, which only `openWorld` opens.
   */
  createWorld(request: Omit<NewEmbeddedWorld, 'listen'> = {}): EmbeddedWorld {
    if ('listen' in request) {
      throw new InputError(['/listen opens listeners, which is asynchronous: use openWorld()'])
    }
    return this.world(this.#control.create(worldRequest(request)).id)
  }

  /**
   * Creates a world with its own listeners, which close with the world. Requests to them need no
   * path prefix or header to select the world (behaviour/program#worlds-for-clients). By default
   * every API has a listener.
   */
  async openWorld(request: NewEmbeddedWorld = {}): Promise<EmbeddedWorld> {
    if (this.#closing !== undefined) throw closedError()
    const { id } = await this.#control.open({ listen: true, ...worldRequest(request) })
    return this.world(id)
  }

  /** Returns the world with this id, or creates it. An existing world stays as it is. */
  async provideWorld(
    id: string,
    request: Omit<NewEmbeddedWorld, 'id'> = {},
  ): Promise<EmbeddedWorld> {
    const { world } = await runToEnd(this.#control.provide(id, worldRequest(request)))
    return this.world(world.id)
  }

  /** Deletes a world with its snapshots; the default world cannot be deleted. */
  deleteWorld(id: string): void {
    this.#control.delete(id)
  }

  /**
   * Stops every world, which releases blocked reads, and closes the listeners. Later calls return
   * the first promise.
   */
  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  /** Closes the server at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #open(): Promise<string> {
    try {
      await this.#apps.bind()
      if (this.#closing !== undefined) throw closedError()
    } catch (error) {
      // A server with only some of its listeners would be useless.
      await this.close()
      throw error
    }
    this.#isListening = true
    return this.url ?? ''
  }

  async #end(): Promise<void> {
    this.#isListening = false
    this.#worlds.close()
    await this.#apps.close(() => this.#listeners.closeAll())
  }

  /** True unless the server is closing or its listeners are still opening. */
  get #isReady(): boolean {
    if (this.#closing !== undefined) return false
    return this.#opening === undefined || this.#isListening
  }

  /** Scheme and host of the listeners' URLs, without a port. */
  get origin(): string {
    return this.#apps.origin
  }
}

/**
 * Creates a server that answers requests without a socket; `listen()` opens a listener on a free
 * port.
 *
 * @example
 * ```ts
 * const understudy = await createUnderstudy()
 * const reply = await understudy.inject({ url: '/v1/sys/health' })
 * await understudy.close()
 * ```
 */
export async function createUnderstudy(options: UnderstudyOptions = {}): Promise<Understudy> {
  const understudy = new Understudy(options)
  // Only routes of the embedding program need this plugin; the command starts faster without it.
  const { default: sensible } = await import('@fastify/sensible')
  const app = understudy.app as FastifyInstance
  app.register(sensible)
  return understudy.ready()
}

function closedError(): Error {
  return new Error('this understudy is closed; create another one')
}

/** Converts a request for a world into the control plane's form. */
function worldRequest<R extends Omit<NewEmbeddedWorld, 'listen'>>({ clock, ...request }: R) {
  return { ...request, ...(clock === undefined ? {} : { clock: clockRequest(clock) }) }
}
