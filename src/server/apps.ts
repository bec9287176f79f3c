import type { FastifyInstance } from 'fastify'
import type { Api } from '../../routes/http/api.ts'
import { setAlarm } from '../../state/kernel/time.ts'
import type { UncheckedOptions } from '../embedding/understudy-options.ts'
import type { ServedApi } from '../services.ts'
import { addressOf, clientHost } from './listener-address.ts'

/** Requests still open after this many milliseconds of closing are cut off. */
const closeTimeout = 100

/** The address of the listeners, unless another is given. */
export const defaultHost = '127.0.0.1'

/** What the apps of a server are made of. */
interface AppsSettings {
  readonly options: UncheckedOptions
  readonly apis: ReadonlyMap<string, ServedApi>
  /** The control plane, which the combined app has. */
  readonly control: Api
  readonly build: (apis: readonly Api[]) => FastifyInstance
}

/**
 * The apps of one server and their listeners: the combined one with all APIs and the control plane,
 * and those with one API alone, which have a port of their own or are for listeners of worlds.
 */
export class Apps {
  /** With all APIs and the control plane. */
  readonly combined: FastifyInstance
  readonly #settings: AppsSettings
  readonly #dedicated = new Map<string, FastifyInstance>()
  #binding: Promise<void> | undefined

  constructor(settings: AppsSettings) {
    this.#settings = settings
    const { apis, control, build } = settings
    this.combined = build([...[...apis.values()].map(({ combined }) => combined), control])
    for (const [name] of this.#ports) this.of(name)
  }

  /** The app of one API alone, or the combined one. */
  of(name: string): FastifyInstance {
    const dedicated = this.#settings.apis.get(name)?.dedicated
    if (dedicated === undefined) return this.combined
    const existing = this.#dedicated.get(name)
    if (existing !== undefined) return existing
    const app = this.#settings.build([dedicated])
    this.#dedicated.set(name, app)
    return app
  }

  /** Makes all of them ready to answer. */
  async ready(): Promise<void> {
    await Promise.all(this.#all().map((app) => app.ready()))
  }

  /** Opens the listeners that the options name. */
  bind(): Promise<void> {
    this.#binding = this.#bind()
    return this.#binding
  }

  async #bind(): Promise<void> {
    const { host = defaultHost, port = 0 } = this.#settings.options
    await this.combined.listen({ host, port })
    for (const [name, apiPort] of this.#ports) await this.of(name).listen({ host, port: apiPort })
  }

  /**
   * Closes the listeners, and connections that take too long about it.
   *
   * @param closeOthers what else closes meanwhile
   */
  async close(closeOthers: () => Promise<void>): Promise<void> {
    // Fastify would leave a listener open that is only just being opened.
    await this.#binding?.catch(() => {})
    // Node counts connections that have not asked for anything yet as busy, for a minute.
    const deadline = setAlarm(closeTimeout, () => {
      for (const { server } of this.#all()) server.closeAllConnections()
    })
    await closeOthers()
    await Promise.all(this.#all().map((app) => app.close()))
    deadline.cancel()
  }

  /** Where the combined listener is reached; undefined while it is not open. */
  get url(): string | undefined {
    return this.#urlOf(this.combined)
  }

  /** Where an API's own listener is reached. */
  dedicatedUrl(name: string): string | undefined {
    const app = this.#dedicated.get(name)
    return app && this.#urlOf(app)
  }

  /** The port of each API, and of the control plane, as far as they listen. */
  ports(): Record<string, number> {
    const control = addressOf(this.combined)?.port
    const ports = [...this.#settings.apis.keys()].map((name) => {
      return [name, addressOf(this.#dedicated.get(name))?.port ?? control] as const
    })
    return Object.fromEntries(
      [...ports, ['control', control] as const].flatMap(([name, port]) =>
        port === undefined ? [] : [[name, port]],
      ),
    )
  }

  /** Scheme and host of every address. */
  get origin(): string {
    const { tls, host = defaultHost } = this.#settings.options
    return `${tls === undefined ? 'http' : 'https'}://${clientHost(host)}`
  }

  #all(): FastifyInstance[] {
    return [this.combined, ...this.#dedicated.values()]
  }

  #urlOf(app: FastifyInstance): string | undefined {
    const address = addressOf(app)
    return address && `${this.origin}:${address.port}`
  }

  /** The ports of further listeners by API, those that are given. */
  get #ports(): readonly (readonly [string, number])[] {
    const { apiPorts = {} } = this.#settings.options
    return Object.entries(apiPorts).flatMap(([name, port]) =>
      port === undefined ? [] : [[name, port] as const],
    )
  }
}
