import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { InjectOptions, Response } from 'light-my-request'
import { checkDocument, checkOptions } from '../routes/control/documents.ts'
import { controlApi } from '../routes/control/index.ts'
import { type NewWorld, ProcessControl } from '../routes/control/process-control.ts'
import { type ControlParts, WorldControl, type WorldInfo } from '../routes/control/world-control.ts'
import type { Api, ApiName } from '../routes/http/api.ts'
import { unservedApi } from '../routes/http/unserved.ts'
import { createValidator } from '../routes/http/validate.ts'
import type { DialectName } from '../routes/secrets/dialect.ts'
import { secretsApi } from '../routes/secrets/index.ts'
import type { ClockSetting } from '../state/kernel/clock.ts'
import type { World } from '../state/kernel/world.ts'
import { defaultWorldId, Worlds } from '../state/kernel/worlds.ts'
import { secretsService } from '../state/secrets/service.ts'
import { buildApp } from './app.ts'
import type { LogOptions } from './log.ts'
import { shareOptions } from './options.ts'
import type { TlsMaterial } from './tls.ts'
import { packageInfo } from './version.ts'

/** How a server is set up; everything may be left out. */
export interface UnderstudyOptions {
  /** Address of the listeners. Default: `127.0.0.1`. */
  readonly host?: string | undefined
  /** Port of the combined listener; 0, the default, is any free one. */
  readonly port?: number | undefined
  /** Ports of further listeners, each with one API alone. */
  readonly apiPorts?: Readonly<Partial<Record<ApiName, number | undefined>>> | undefined
  /** The secrets service's root token. Default: `root`. */
  readonly rootToken?: string | undefined
  readonly dialect?: DialectName | undefined
  /** Makes ids, tokens and shares reproducible. */
  readonly seed?: string | undefined
  readonly clock?: ClockSetting | undefined
  /** A fixtures document: short forms, or what a state export wrote (DESIGN section 6). */
  readonly fixtures?: unknown
  /** World options by service. */
  readonly options?: unknown
  readonly tls?: TlsMaterial | undefined
  /** Further host names that `/_mock` answers to. */
  readonly allowedHosts?: readonly string[] | undefined
  /** Bearer token that `/_mock` then requires. */
  readonly controlToken?: string | undefined
  /** Called for `POST /_mock/shutdown`, which is refused without it. */
  readonly onShutdown?: (() => void) | undefined
  /** Default: no log. */
  readonly log?: LogOptions | false | undefined
}

/** The services that every world has. */
const services = [secretsService]

/** The APIs in the order of the ready line. */
export const apiNames: readonly ApiName[] = ['secrets', 'platform', 'mesh', 'scheduler']

/** The control of one world for an embedding program, with ways to reach its APIs. */
export class EmbeddedWorld extends WorldControl {
  readonly #understudy: Understudy

  constructor(understudy: Understudy, parts: ControlParts, world: World) {
    super(parts, world)
    this.#understudy = understudy
  }

  /** Where clients find this world's APIs; undefined without a socket. */
  get url(): string | undefined {
    const { url } = this.#understudy
    return url === undefined ? undefined : url + this.basePath
  }

  /** A request to this world without a socket; `url` is a path such as `/v1/sys/health`. */
  inject(request: InjectOptions & { readonly url: string }): Promise<Response> {
    return this.#understudy.app.inject({ ...request, url: this.basePath + request.url })
  }

  /** Addresses and credentials that are valid now. */
  override info(origin: string = this.#understudy.url ?? 'http://localhost'): WorldInfo {
    return super.info(origin)
  }

  /** A new world that goes on from here by itself. */
  override fork(id?: string): EmbeddedWorld {
    return this.#understudy.world(super.fork(id).id)
  }
}

/**
 * A server with its worlds. Starts without a socket: `inject` and `world()` work at once, `listen()`
 * opens the listeners. Two of them in one process share nothing.
 */
export class Understudy {
  /** The combined app, with all APIs and the control plane. */
  readonly app: FastifyInstance
  readonly #options: UnderstudyOptions
  readonly #worlds: Worlds
  readonly #parts: ControlParts
  readonly #control: ProcessControl
  readonly #dedicated = new Map<ApiName, FastifyInstance>()
  #listening = false

  constructor(options: UnderstudyOptions = {}) {
    this.#options = options
    const { dialect = 'neutral', log = false, tls } = options
    const validator = createValidator()
    this.#worlds = new Worlds({
      services,
      seed: options.seed,
      clock: options.clock,
      options: shareOptions(
        { dialect, rootToken: options.rootToken },
        checkOptions(services, options.options ?? {}, validator),
      ),
      document: checkDocument(services, options.fixtures ?? {}, validator),
      onError: (error) => this.app.log.error({ err: error }, 'a pending job failed'),
    })
    this.#parts = {
      worlds: this.#worlds,
      validator,
      describe: () => ({ ...packageFacts(), dialect, ports: this.#ports() }),
    }
    this.#control = new ProcessControl(this.#parts)
    const control = controlApi({
      ...this.#parts,
      allowedHosts: options.allowedHosts ?? [],
      controlToken: options.controlToken,
      ready: () => this.#listening,
      shutdown: options.onShutdown,
    })
    const served = secretsApi({ dialect })
    const others: Record<Exclude<ApiName, 'secrets'>, Api> = {
      platform: unservedApi('platform', '/api/v2'),
      // On the combined listener `/v1` is the secrets API's as long as these two are not served.
      mesh: unservedApi('mesh', '/v1'),
      scheduler: unservedApi('scheduler', '/v1'),
    }
    this.app = buildApp({
      worlds: this.#worlds,
      apis: [served, others.platform, control],
      log,
      tls,
    })
    for (const name of apiNames) {
      if (options.apiPorts?.[name] === undefined) continue
      const api = name === 'secrets' ? served : others[name]
      this.#dedicated.set(name, buildApp({ worlds: this.#worlds, apis: [api], log, tls }))
    }
  }

  /** Where the combined listener is reached; undefined while it is not open. */
  get url(): string | undefined {
    return this.#urlOf(this.app)
  }

  /** Where an API is reached: its own listener, or the combined one. */
  apiUrl(name: ApiName): string | undefined {
    return this.#urlOf(this.#dedicated.get(name) ?? this.app)
  }

  /** Makes everything ready to answer without a socket. */
  async ready(): Promise<this> {
    await Promise.all(this.#apps().map((app) => app.ready()))
    return this
  }

  /** Opens every listener and returns the combined one's URL. */
  async listen(): Promise<string> {
    const { host = '127.0.0.1', port = 0, apiPorts } = this.#options
    await this.app.listen({ host, port })
    for (const [name, app] of this.#dedicated) {
      await app.listen({ host, port: apiPorts?.[name] ?? 0 })
    }
    this.#listening = true
    return this.url ?? ''
  }

  /** A request without a socket, to the default world unless the URL or a header names another. */
  inject(request: InjectOptions | string): Promise<Response> {
    return this.app.inject(request)
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
  createWorld(request: NewWorld = {}): EmbeddedWorld {
    return this.world(this.#control.create(request).id)
  }

  /** Ends a world with its snapshots. */
  deleteWorld(id: string): void {
    this.#control.delete(id)
  }

  /** Releases blocked reads, closes the listeners and ends every world. */
  async close(): Promise<void> {
    this.#listening = false
    this.#worlds.close()
    await Promise.all(this.#apps().map((app) => app.close()))
  }

  #apps(): FastifyInstance[] {
    return [this.app, ...this.#dedicated.values()]
  }

  #ports(): Record<string, number> {
    const ports = apiNames.map((name) => {
      const port = addressOf(this.#dedicated.get(name) ?? this.app)?.port
      return port === undefined ? [] : [[name, port] as const]
    })
    const control = addressOf(this.app)?.port
    return Object.fromEntries([
      ...ports.flat(),
      ...(control === undefined ? [] : [['control', control]]),
    ])
  }

  #urlOf(app: FastifyInstance): string | undefined {
    const address = addressOf(app)
    if (address === undefined) return undefined
    const scheme = this.#options.tls === undefined ? 'http' : 'https'
    return `${scheme}://${clientHost(this.#options.host ?? '127.0.0.1')}:${address.port}`
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
  return new Understudy(options).ready()
}

function packageFacts() {
  const { name, version } = packageInfo()
  return { name, version }
}

function addressOf(app: FastifyInstance): AddressInfo | undefined {
  const address = app.server.address()
  return address === null || typeof address === 'string' ? undefined : address
}

/** The host that a client on this machine uses for a listener's address. */
function clientHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
