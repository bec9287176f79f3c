import type { PresetParameters } from '../../routes/control/faults/faults-control.ts'
import type { WaitRequest } from '../../routes/control/requests/requests-control.ts'
import type { Environment } from '../../routes/control/worlds/environment.ts'
import type { Explanation } from '../../routes/explain/explanation.ts'
import type { Fault, NewFault } from '../../routes/faults/declare/fault-shapes.ts'
import type { Entry } from '../../routes/journal/entry.ts'
import type { Match, Verification } from '../../routes/journal/match-shapes.ts'
import type { Report } from '../../routes/report/report-shapes.ts'
import type { ApiName } from '../api-names.ts'
import { additionalVariables } from '../client-environment.ts'
import type { PresetNameOrString } from '../preset-names.ts'
import type { NewEmbeddedWorld } from './embedded-world.ts'
import type { Fixtures, UnderstudyInfo } from './world-types.ts'

/**
 * URL and control token of a server that runs elsewhere: in a container, or started once for many
 * workers of a test runner.
 */
export interface Connection {
  /**
   * URL of the combined listener. Default: the variable `UNDERSTUDY_URL`, else
   * http://127.0.0.1:4600.
   */
  readonly url?: string
  /** Value of `--control-token`. Default: the variable `UNDERSTUDY_CONTROL_TOKEN`. */
  readonly controlToken?: string
}

/** Request for a new world; `clock` has the syntax of the flag `--clock`. */
export type NewRemoteWorld = Omit<NewEmbeddedWorld, 'clock'> & { readonly clock?: string }

/** Error reply of the control plane (RFC 9457). */
export class ControlError extends Error {
  readonly status: number
  /**
   * Problem document with `detail` and, if the reply contains them, `problems`, `count` or
   * `nearMisses`. Empty if the reply is not JSON.
   */
  readonly problem: Readonly<Record<string, unknown>>

  constructor(status: number, problem: Readonly<Record<string, unknown>>) {
    super(String(problem['detail'] ?? `the control plane answered ${status}`))
    this.name = 'ControlError'
    this.status = status
    this.problem = problem
  }
}

class ControlClient {
  readonly url: string
  readonly #headers: Readonly<Record<string, string>>

  constructor({ url, controlToken }: Connection) {
    const { UNDERSTUDY_URL, UNDERSTUDY_CONTROL_TOKEN } = process.env
    const origin = new URL(url ?? UNDERSTUDY_URL ?? 'http://127.0.0.1:4600').origin
    const token = controlToken ?? UNDERSTUDY_CONTROL_TOKEN
    this.url = `${origin}/_mock`
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  }

  /**
   * Sends a request and returns the body of the reply: parsed JSON, or text.
   *
   * @throws {ControlError} for any status other than 2xx
   */
  async request<T>(method: string, path: string, body?: object): Promise<T> {
    const reply = await fetch(this.url + path, {
      method,
      headers: { ...this.#headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    const isJson = /\bjson\b/.test(reply.headers.get('content-type') ?? '')
    const value: unknown = isJson ? JSON.parse(text) : text
    if (reply.ok) return value as T
    throw new ControlError(reply.status, isJson ? (value as Record<string, unknown>) : {})
  }
}

/** Server that runs elsewhere; see `connect`. */
export class RemoteUnderstudy {
  readonly #control: ControlClient

  constructor(connection: Connection) {
    this.#control = new ControlClient(connection)
  }

  /**
   * Creates a world with its own listeners. Requests to them need no path prefix or header to
   * select the world.
   */
  async openWorld(request: NewRemoteWorld = {}): Promise<RemoteWorld> {
    type CreateReply = { readonly id: string }
    const { id } = await this.#control.request<CreateReply>('POST', '/worlds', {
      listen: true,
      ...request,
    })
    return this.world(id)
  }

  /**
   * Stops the server. Rejects with a `ControlError` unless the server was started with
   * `--allow-shutdown`.
   */
  shutdown(): Promise<void> {
    return this.#control.request('POST', '/shutdown', {})
  }

  async world(id = 'default'): Promise<RemoteWorld> {
    const worldPath = `/worlds/${encodeURIComponent(id)}`
    const [info, env] = await Promise.all([
      this.#control.request<UnderstudyInfo>('GET', `${worldPath}/info`),
      this.#control.request<Environment>('GET', `${worldPath}/env?format=json`),
    ])
    return new RemoteWorld(this.#control, id, info, additionalVariables(process.env, env))
  }
}

/** World of a remote server, with the methods of the server's control plane. */
export class RemoteWorld {
  readonly id: string
  /** Addresses and credentials at the time when this object was created. */
  readonly info: UnderstudyInfo
  /** Variables with which clients find the world (behaviour/program#commands). */
  readonly env: Environment
  readonly #control: ControlClient

  constructor(control: ControlClient, id: string, info: UnderstudyInfo, env: Environment) {
    this.#control = control
    this.id = id
    this.info = info
    this.env = env
  }

  apiUrl(name: ApiName): string {
    return this.info.services[name].url
  }

  /**
   * Calls the world's control plane, for operations without a method here.
   *
   * @param path path below `/_mock/worlds/{id}`, such as `/state`
   * @throws {ControlError} for any status other than 2xx
   */
  control<T>(method: string, path: string, body?: object): Promise<T> {
    return this.#control.request(method, `/worlds/${encodeURIComponent(this.id)}${path}`, body)
  }

  /** Functions about the requests that the world received. */
  readonly requests = {
    find: async (match: Match = {}): Promise<readonly Entry[]> => {
      type FindReply = { readonly requests: readonly Entry[] }
      return (await this.control<FindReply>('POST', '/requests/find', { match })).requests
    },
    /**
     * Checks that matching requests were received. Returns their number.
     *
     * @throws {ControlError} 422 with near misses
     */
    verify: async (verification: Verification): Promise<number> => {
      type VerifyReply = { readonly count: number }
      return (await this.control<VerifyReply>('POST', '/requests/verify', verification)).count
    },
    /**
     * Waits for matching requests and returns them.
     *
     * @throws {ControlError} 408 on timeout
     */
    wait: async (waiting: WaitRequest): Promise<readonly Entry[]> => {
      type WaitReply = { readonly requests: readonly Entry[] }
      return (await this.control<WaitReply>('POST', '/requests/wait', waiting)).requests
    },
    clear: (): Promise<void> => this.control('DELETE', '/requests'),
  }

  readonly faults = {
    add: (fault: NewFault): Promise<Fault> => this.control('POST', '/faults', fault),
    preset: (name: PresetNameOrString, parameters: PresetParameters = {}): Promise<object> =>
      this.control('POST', `/faults/presets/${encodeURIComponent(name)}`, parameters),
    list: async (): Promise<readonly Fault[]> => {
      type ListReply = { readonly faults: readonly Fault[] }
      return (await this.control<ListReply>('GET', '/faults')).faults
    },
    delete: (id: string): Promise<void> =>
      this.control('DELETE', `/faults/${encodeURIComponent(id)}`),
    clear: (): Promise<void> => this.control('DELETE', '/faults'),
  }

  explain(id: string): Promise<Explanation> {
    return this.control('GET', `/explain/${encodeURIComponent(id)}`)
  }

  report(): Promise<Report> {
    return this.control('GET', '/report')
  }

  importState(document: Fixtures): Promise<void> {
    return this.control('PUT', '/state', document)
  }

  /** Advances the clock by a Go duration. */
  advance(by: string): Promise<object> {
    return this.control('POST', '/clock/advance', { by })
  }

  reset(): Promise<void> {
    return this.control('POST', '/reset', {})
  }

  /**
   * Deletes the world. Rejects with a ControlError for the default world, which cannot be deleted.
   */
  delete(): Promise<void> {
    return this.control('DELETE', '')
  }

  /** Deletes the world at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.delete()
  }
}

/**
 * Returns a client of a server that runs elsewhere. No request is sent yet.
 *
 * @example
 * ```ts
 * const fixtures = { secrets: { kv: { secret: { app: { a: 1 } } } } }
 * const world = await connect().openWorld({ fixtures })
 * await start({ ...process.env, ...world.env })
 * await world.requests.verify({ match: { path: '/v1/secret/data/app' } })
 * await world.delete()
 * ```
 */
export function connect(connection: Connection = {}): RemoteUnderstudy {
  return new RemoteUnderstudy(connection)
}
