import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Api } from '../../routes/http/api.ts'
import { setAlarm } from '../../state/kernel/time.ts'
import type { UncheckedOptions } from '../embedding/understudy-options.ts'
import type { ServedApi } from '../services.ts'

/** Returns the address of an app's listener; undefined while it is not open. */
function addressOf(app: FastifyInstance | undefined): AddressInfo | undefined {
  const address = app?.server.address()
  return typeof address === 'object' && address !== null ? address : undefined
}

/** Returns the host with which a local client reaches a listener. */
function clientHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** Milliseconds after which open requests are cut off when the server closes. */
const closeTimeout = 100

export const defaultHost = '127.0.0.1'

interface AppsSettings {
  readonly options: UncheckedOptions
  readonly apis: ReadonlyMap<string, ServedApi>
  /** Control plane, which only the combined app serves. */
  readonly control: Api
  readonly build: (apis: readonly Api[]) => FastifyInstance
}

/**
 * Apps of one server with their listeners. The combined app has all APIs and the control plane.
 * Each other app has one API; these apps serve the dedicated ports of the APIs and the listeners of
 * worlds.
 */
export class Apps {
  /** App with all APIs and the control plane. */
  readonly combined: FastifyInstance
  readonly #settings: AppsSettings
  readonly #dedicatedApps = new Map<string, FastifyInstance>()
  #binding: Promise<void> | undefined

  constructor(settings: AppsSettings) {
    this.#settings = settings
    const { apis, control, build } = settings
    this.combined = build([...[...apis.values()].map(({ combined }) => combined), control])
    for (const [name] of this.#configuredPorts) this.of(name)
  }

  /**
   * Returns the app of one API, which the first call creates; for any other name, the combined app.
   */
  of(name: string): FastifyInstance {
    const dedicated = this.#settings.apis.get(name)?.dedicated
    if (dedicated === undefined) return this.combined
    const existing = this.#dedicatedApps.get(name)
    if (existing !== undefined) return existing
    const app = this.#settings.build([dedicated])
    this.#dedicatedApps.set(name, app)
    return app
  }

  /** Prepares all apps to answer. */
  async ready(): Promise<void> {
    await Promise.all(this.#allApps().map((app) => app.ready()))
  }

  /** Opens the combined listener and the listeners of the APIs to which the options give a port. */
  bind(): Promise<void> {
    this.#binding = this.#bind()
    return this.#binding
  }

  async #bind(): Promise<void> {
    const { host = defaultHost, port = 0, tls } = this.#settings.options
    const listenTextResolver = (address: string) =>
      `Server listening at ${tls === undefined ? address : address.replace(/^http:/, 'https:')}`
    await this.combined.listen({ host, port, listenTextResolver })
    for (const [name, apiPort] of this.#configuredPorts) {
      await this.of(name).listen({ host, port: apiPort, listenTextResolver })
    }
  }

  /**
   * Closes the listeners, and cuts off connections that do not close in time.
   *
   * @param closeOthers closes other resources at the same time
   */
  async close(closeOthers: () => Promise<void>): Promise<void> {
    // Fastify would not close a listener that is still opening.
    await this.#binding?.catch(() => {})
    // Node counts a connection without any request as busy for a minute, so it is cut off here.
    const deadline = setAlarm(closeTimeout, () => {
      for (const { server } of this.#allApps()) server.closeAllConnections()
    })
    await closeOthers()
    await Promise.all(this.#allApps().map((app) => app.close()))
    deadline.cancel()
  }

  /** URL of the combined listener; undefined while it is not open. */
  get url(): string | undefined {
    return this.#urlOf(this.combined)
  }

  /** Returns the URL of an API's own listener; undefined while it is not open. */
  dedicatedUrl(name: string): string | undefined {
    const app = this.#dedicatedApps.get(name)
    return app && this.#urlOf(app)
  }

  /**
   * Returns the port at which each API and the control plane can be reached. An API without an open
   * listener of its own has the port of the combined listener.
   */
  ports(): Record<string, number> {
    const control = addressOf(this.combined)?.port
    const ports = [...this.#settings.apis.keys()].map((name) => {
      return [name, addressOf(this.#dedicatedApps.get(name))?.port ?? control] as const
    })
    return Object.fromEntries(
      [...ports, ['control', control] as const].flatMap(([name, port]) =>
        port === undefined ? [] : [[name, port]],
      ),
    )
  }

  /** Scheme and host of the listeners' URLs, without a port. */
  get origin(): string {
    const { tls, host = defaultHost } = this.#settings.options
    return `${tls === undefined ? 'http' : 'https'}://${clientHost(host)}`
  }

  #allApps(): FastifyInstance[] {
    return [this.combined, ...this.#dedicatedApps.values()]
  }

  #urlOf(app: FastifyInstance): string | undefined {
    const address = addressOf(app)
    return address && `${this.origin}:${address.port}`
  }

  /** Configured ports of the listeners that serve one API each, by API. */
  get #configuredPorts(): readonly (readonly [string, number])[] {
    const { apiPorts = {} } = this.#settings.options
    return Object.entries(apiPorts).flatMap(([name, port]) =>
      port === undefined ? [] : [[name, port] as const],
    )
  }
}
