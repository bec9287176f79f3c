import type { FastifyInstance } from 'fastify'
import type { DialectName } from '../../../routes/http/declare/dialect.ts'
import { platformApi } from '../../../routes/platform/index.ts'
import { failureSchema } from '../../../routes/platform/json-api/resource.ts'
import type { StateDocument } from '../../../state/kernel/worlds/document.ts'
import type { PlatformOptions } from '../../../state/platform/options.ts'
import { platformService } from '../../../state/platform/service.ts'
import { checkDocumented } from '../openapi/documented.ts'
import { checkReplies } from '../openapi/reply-schemas.ts'
import type { Reply } from '../secrets/secrets.ts'
import { type ServedApi, servedApi } from '../served-api.ts'

export interface PlatformRequest {
  /** Token to send; null sends none. Default: the client's own. */
  readonly token?: string | null | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly query?: Readonly<Record<string, string>> | undefined
}

/**
 * Client of the platform API that calls an app directly, without a socket. Paths are below
 * `/api/v2` unless they begin with `/`.
 */
export class PlatformClient {
  readonly #app: FastifyInstance
  readonly #token: string

  constructor(app: FastifyInstance, token = 'owner-token') {
    this.#app = app
    this.#token = token
  }

  /** Sends any request. A text or a buffer is sent unchanged, any other object as JSON. */
  async request(
    method: string,
    path: string,
    payload?: object | string | Buffer,
    { token, headers, query }: PlatformRequest = {},
  ): Promise<Reply> {
    const search = query === undefined ? '' : `?${new URLSearchParams(query)}`
    const sentToken = token === undefined ? this.#token : token
    const isRaw = payload === undefined || typeof payload === 'string' || Buffer.isBuffer(payload)
    const response = await this.#app.inject({
      method: method as 'GET',
      url: `${path.startsWith('/') ? path : `/api/v2/${path}`}${search}`,
      ...(payload === undefined ? {} : { payload: isRaw ? payload : JSON.stringify(payload) }),
      headers: {
        ...(sentToken === null ? {} : { authorization: `Bearer ${sentToken}` }),
        ...(method === 'GET' ? {} : { 'content-type': 'application/vnd.api+json' }),
        ...headers,
      },
    })
    const text = response.body
    const isJson = String(response.headers['content-type'] ?? '').includes('json')
    const body = isJson ? JSON.parse(text) : undefined
    return { status: response.statusCode, headers: response.headers, text, body }
  }

  get(path: string, options?: PlatformRequest): Promise<Reply> {
    return this.request('GET', path, undefined, options)
  }

  post(path: string, payload?: object | string, options?: PlatformRequest): Promise<Reply> {
    return this.request('POST', path, payload, options)
  }

  patch(path: string, payload?: object | string, options?: PlatformRequest): Promise<Reply> {
    return this.request('PATCH', path, payload, options)
  }

  delete(path: string, payload?: object, options?: PlatformRequest): Promise<Reply> {
    return this.request('DELETE', path, payload, options)
  }
}

export interface TestPlatform extends ServedApi {
  /** Client with the owner's token. */
  readonly platform: PlatformClient
  /** Client with the site admin's token. */
  readonly admin: PlatformClient
  as(token: string): PlatformClient
}

/**
 * Prefix of paths about tests of the fresh world's module (behaviour/platform#api-endpoints, `P`).
 */
export const testsOfModule =
  'organizations/example-org/tests/registry-modules/private/example-org/network/cloud1'

export interface PlatformSettings {
  readonly options?: Partial<PlatformOptions>
  readonly dialect?: DialectName
  readonly document?: StateDocument
}

/**
 * Starts a fresh server without a socket, with the seed `test` and the clock frozen at `testTime`.
 * Replies are checked.
 */
export async function platform(settings: PlatformSettings = {}): Promise<TestPlatform> {
  const { dialect = 'neutral' } = settings
  const served = await servedApi({
    service: platformService,
    kind: `platform ${dialect}`,
    api: () => platformApi({ dialect }),
    options: { platform: { ...settings.options } },
    document: settings.document,
    check(app) {
      checkReplies(app, failureSchema, undefined, dialect)
      checkDocumented(app, 'platform', dialect)
    },
  })
  const as = (token?: string) => new PlatformClient(served.app, token)
  return { ...served, platform: as(), admin: as('site-admin-token'), as }
}
