import type { FastifyInstance } from 'fastify'
import type { Reply } from './secrets/secrets.ts'

export interface ApiRequest {
  /** Token to send. Default: the client's own. */
  readonly token?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly query?: Readonly<Record<string, string>> | undefined
  /** Signal that aborts the request from the client's side. */
  readonly signal?: AbortSignal | undefined
}

/** Body to send. A text or a buffer is sent unchanged, any other object as JSON. */
type Payload = object | string | Buffer

/**
 * Client that calls an app directly, without a socket. Paths are below `/v1/` unless they begin
 * with `/`.
 */
export class ApiClient {
  readonly #app: FastifyInstance
  readonly #tokenHeader: string
  readonly #token: string | undefined

  constructor(app: FastifyInstance, tokenHeader: string, token?: string) {
    this.#app = app
    this.#tokenHeader = tokenHeader
    this.#token = token
  }

  async request(
    method: string,
    path: string,
    payload?: Payload,
    { token = this.#token, headers, query, signal }: ApiRequest = {},
  ): Promise<Reply> {
    const separator = path.includes('?') ? '&' : '?'
    const search = query === undefined ? '' : `${separator}${new URLSearchParams(query)}`
    const isRaw = payload === undefined || typeof payload === 'string' || Buffer.isBuffer(payload)
    const response = await this.#app.inject({
      // The app supports methods that the types and checks of `inject` do not know.
      method: method as 'GET',
      validate: false,
      url: `${path.startsWith('/') ? path : `/v1/${path}`}${search}`,
      ...(payload === undefined ? {} : { payload: isRaw ? payload : JSON.stringify(payload) }),
      ...(signal === undefined ? {} : { signal }),
      headers: { ...(token === undefined ? {} : { [this.#tokenHeader]: token }), ...headers },
    })
    const text = response.body
    const isJson = String(response.headers['content-type'] ?? '').includes('json')
    const body = isJson && text !== '' ? JSON.parse(text) : undefined
    return { status: response.statusCode, headers: response.headers, text, body }
  }

  get(path: string, options?: ApiRequest): Promise<Reply> {
    return this.request('GET', path, undefined, options)
  }

  post(path: string, payload?: Payload, options?: ApiRequest): Promise<Reply> {
    return this.request('POST', path, payload, options)
  }

  put(path: string, payload?: Payload, options?: ApiRequest): Promise<Reply> {
    return this.request('PUT', path, payload, options)
  }

  delete(path: string, options?: ApiRequest): Promise<Reply> {
    return this.request('DELETE', path, undefined, options)
  }
}
