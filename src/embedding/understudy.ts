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
import { createValidator, InputError } from '../../routes/http/declare/validate.ts'
import { Journals } from '../../routes/journal/journal.ts'
import { documentedStatuses } from '../../routes/report/documented-statuses.ts'
import { memoize } from '../../state/kernel/memoize.ts'
import type { JsonSchema } from '../../state/kernel/schema.ts'
import { runToEnd } from '../../state/kernel/worlds/deferred.ts'
import { defaultWorldId, mergeOptions, Worlds } from '../../state/kernel/worlds/worlds.ts'
import type { ApiName } from '../api-names.ts'
import { ApiCatalog } from '../server/api-catalog.ts'
import { buildApp } from '../server/app.ts'
import { Apps, defaultHost } from '../server/apps.ts'
import { readInspector } from '../server/inspector-files.ts'
import { withSharedSettings } from '../server/shared-options.ts'
import { withSiblings } from '../server/siblings.ts'
import { TcpWorldListeners } from '../server/world-listeners.ts'
import { services as allServices, clientVariablesOf, type Service } from '../services.ts'
import { packageInfo } from '../version.ts'
import { clockRequest } from './clock-option.ts'
import type { EmbeddedApp, WorldReply, WorldRequest } from './embedded-app.ts'
import { EmbeddedWorld, type NewEmbeddedWorld } from './embedded-world.ts'
import {
  checkUnderstudyOptions,
  type UncheckedOptions,
  type UnderstudyOptions,
} from './understudy-options.ts'

/**
 * A server with its worlds. Starts without a socket: `inject` and `world()` work at once, `listen()`
 * opens the listeners. Two of them in one process share nothing.
 */
export class Understudy {
  readonly #worlds: Worlds
  readonly #parts: ControlDependencies
  readonly #control: ProcessControl
  readonly #catalog: ApiCatalog
  readonly #apps: Apps
  readonly #listeners: TcpWorldListeners
  #listening = false
  #opening: Promise<string> | undefined
  #closing: Promise<void> | undefined

  /**
   * @param services what is served: all that there are, unless given
   * @param onEntryLoaded told of each entry of the fixtures that is loaded
   * @throws {InputError} for options that are unknown or cannot be taken, fixtures among them
   */
  constructor(
    options: UncheckedOptions = {},
    services: readonly Service[] = allServices,
    onEntryLoaded?: () => void,
  ) {
    const names = services.map(({ name }) => name)
    checkUnderstudyOptions(options, names)
    const { dialect = 'neutral', log = false, logRequests = 'refused', tls } = options
    const validator = createValidator()
    const definitions = services.map(({ state }) => state)
    const checkedOptions = checkOptions(definitions, options.options ?? {}, validator)
    const fixtures = checkDocument(definitions, options.fixtures ?? {}, validator)
    this.#worlds = new Worlds({
      services: definitions,
      seed: options.seed,
      clock:
        options.clock === undefined
          ? undefined
          : clockSetting(clockRequest(options.clock, 'option clock'), 'option clock'),
      options: withSharedSettings({ ...options, dialect }, checkedOptions),
      // Options asked for by name go before those of the fixtures.
      document: { ...fixtures, options: mergeOptions(fixtures.options, checkedOptions) },
      onPartLoaded: onEntryLoaded,
      createsNamed: options.worlds === 'auto',
      refusesUnnamed: options.defaultWorld === false,
      onEnd: (id) => void this.#listeners.close(id),
      onError: (error) => this.#apps.combined.log.error({ err: error }, 'a pending job failed'),
    })
    const journals = new Journals()
    const faults = new FaultInjector()
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
    this.#parts = {
      worlds: this.#worlds,
      journals,
      faults,
      validator,
      describe: () => ({ ...packageInfo(), dialect, ports: this.#apps.ports() }),
      documented: documentedStatuses((service) => this.openApi(service)),
      listeners: this.#listeners,
      variables: clientVariablesOf(services),
      caFile: tls?.caFile,
    }
    this.#control = new ProcessControl(this.#parts)
    const operations = controlOperations(services)
    const control = controlApi({
      ...this.#parts,
      operations,
      allowedHosts: options.allowedHosts ?? [],
      controlToken: options.controlToken,
      ready: () => this.#ready,
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
    const hints = new Hints()
    const shared = {
      worlds: this.#worlds,
      recorder: journals,
      faults,
      log,
      logRequests,
      hints,
      tls,
    }
    this.#apps = new Apps({
      options,
      apis,
      control,
      build: (apis) => buildApp({ ...shared, apis }),
    })
  }

  /** The combined app, with all APIs and the control plane. */
  get app(): EmbeddedApp {
    return this.#apps.combined
  }

  /** Where the combined listener is reached; undefined while it is not open. */
  get url(): string | undefined {
    return this.#apps.url
  }

  /** Where an API is reached: its own listener, or the combined one. */
  apiUrl(name: ApiName): string | undefined {
    return this.#apps.dedicatedUrl(name) ?? this.#apps.url
  }

  /** Every operation and named choice with its evidence; of one API alone where one is named. */
  coverage(only?: ApiName): Coverage {
    return this.#catalog.coverage(only)
  }

  /** Describes one of the APIs, whole and in the dialect spoken; undefined for one that there is not. */
  openApi(service: string): JsonSchema | undefined {
    return this.#catalog.openApi(service)
  }

  /** What was counted in all worlds, as Prometheus reads it. */
  metrics(): Promise<string> {
    return this.#control.metrics()
  }

  /** Makes everything ready to answer without a socket. */
  async ready(): Promise<this> {
    await this.#apps.ready()
    return this
  }

  /** Opens every listener and returns the combined one's URL; open ones stay as they are. */
  listen(): Promise<string> {
    if (this.#closing !== undefined) return Promise.reject(closedError())
    this.#opening ??= this.#open()
    return this.#opening
  }

  /** A request without a socket, to the default world unless the URL or a header names another. */
  inject(request: WorldRequest | string): Promise<WorldReply> {
    const { method = 'GET', ...options } = typeof request === 'string' ? { url: request } : request
    return this.#apps.combined.inject({
      // Its types and checks know the verbs of Node alone; the app takes care of the others.
      method: method as 'GET',
      validate: false,
      ...options,
    })
  }

  /** The control of a world; an `absent` refusal when there is none. */
  world(id: string = defaultWorldId): EmbeddedWorld {
    return new EmbeddedWorld(this, this.#parts, this.#worlds.get(id))
  }

  /** Every world, oldest first. */
  worlds(): readonly EmbeddedWorld[] {
    return this.#worlds.list().map(({ id }) => this.world(id))
  }

  /** Makes a world: as the default one began, or from a snapshot or another world. */
  createWorld(request: Omit<NewEmbeddedWorld, 'listen'> = {}): EmbeddedWorld {
    if ('listen' in request) {
      throw new InputError(['/listen opens listeners, which takes a while: openWorld() does it'])
    }
    return this.world(this.#control.create(worldRequest(request)).id)
  }

  /**
   * Makes a world with listeners of its own, which need no prefix and no header, and close with it
   * (behaviour/program#worlds-for-clients): all of them unless the request says which.
   */
  async openWorld(request: NewEmbeddedWorld = {}): Promise<EmbeddedWorld> {
    if (this.#closing !== undefined) throw closedError()
    const { id } = await this.#control.open({ listen: true, ...worldRequest(request) })
    return this.world(id)
  }

  /** The world of that name, made by the request where there is none; one that is there stays as it is. */
  async provideWorld(
    id: string,
    request: Omit<NewEmbeddedWorld, 'id'> = {},
  ): Promise<EmbeddedWorld> {
    const { world } = await runToEnd(this.#control.provide(id, worldRequest(request)))
    return this.world(world.id)
  }

  /** Ends a world with its snapshots. */
  deleteWorld(id: string): void {
    this.#control.delete(id)
  }

  /** Releases blocked reads, closes the listeners and ends every world. Again: the same end. */
  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  /** For `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #open(): Promise<string> {
    try {
      await this.#apps.bind()
      if (this.#closing !== undefined) throw closedError()
    } catch (error) {
      // Half of the listeners is of no use to anybody.
      await this.close()
      throw error
    }
    this.#listening = true
    return this.url ?? ''
  }

  async #end(): Promise<void> {
    this.#listening = false
    this.#worlds.close()
    await this.#apps.close(() => this.#listeners.closeAll())
  }

  /** Fixtures are in from the beginning; what may still be missing are listeners, or all of it. */
  get #ready(): boolean {
    if (this.#closing !== undefined) return false
    return this.#opening === undefined || this.#listening
  }

  /** Scheme and host of every address. */
  get origin(): string {
    return this.#apps.origin
  }
}

/**
 * Sets a server up, ready for requests without a socket; `listen()` opens one on a free port.
 *
 * @example
 * const understudy = await createUnderstudy()
 * const reply = await understudy.inject({ url: '/v1/sys/health' })
 * await understudy.close()
 */
export async function createUnderstudy(options: UnderstudyOptions = {}): Promise<Understudy> {
  const understudy = new Understudy(options)
  // For routes that the embedding program adds: the command has none and starts faster without.
  const { default: sensible } = await import('@fastify/sensible')
  const app = understudy.app as FastifyInstance
  app.register(sensible)
  return understudy.ready()
}

function closedError(): Error {
  return new Error('this understudy is closed; create another one')
}

/** A request for a world as the control plane takes it. */
function worldRequest<R extends Omit<NewEmbeddedWorld, 'listen'>>({ clock, ...request }: R) {
  return { ...request, ...(clock === undefined ? {} : { clock: clockRequest(clock) }) }
}
