import type { FastifyInstance } from 'fastify'
import type { DialectName } from '../../../routes/http/declare/dialect.ts'
import { usualMountPaths } from '../../../routes/secrets/coverage.ts'
import { secretsDialect } from '../../../routes/secrets/dialect/dialect.ts'
import { mountedType } from '../../../routes/secrets/engines.ts'
import { secretsApi } from '../../../routes/secrets/index.ts'
import type { TlsMaterial } from '../../../src/server/tls.ts'
import type { StateDocument } from '../../../state/kernel/worlds/document.ts'
import { type SecretsOptions, vendorSecretsOptions } from '../../../state/secrets/options.ts'
import { secretsService } from '../../../state/secrets/service.ts'
import { checkDocumented } from '../openapi/documented.ts'
import { checkReplies } from '../openapi/reply-schemas.ts'
import { type ServedApi, servedApi, testTime } from '../served-api.ts'

export { testTime }

/** Reply with the members that tests check. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>
  /** Body as it was sent. */
  readonly text: string
  /** Parsed JSON body; undefined for an empty or other body. Tests read replies of every shape. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any
}

export interface RequestOptions {
  /** Token to send; null sends none. Default: the client's own. */
  readonly token?: string | null | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly query?: Readonly<Record<string, string>> | undefined
  /** Peer address of the request. Default: 127.0.0.1. */
  readonly peer?: string | undefined
}

/** Complete request, for cases that the shorthands do not cover. */
export interface AnyRequest extends RequestOptions {
  readonly method: string
  /** Path below `/v1/`. */
  readonly path: string
  readonly payload?: string | Buffer | object | undefined
}

/**
 * Client of the secrets API that calls an app directly, without a socket. Paths are below `/v1/`.
 */
export class SecretsClient {
  readonly #app: FastifyInstance
  readonly #token: string
  readonly #prefix: string

  /**
   * @param world target of the requests. Default: the default world
   */
  constructor(app: FastifyInstance, token = 'root', world?: string) {
    this.#app = app
    this.#token = token
    this.#prefix = world === undefined ? '' : `/_world/${world}`
  }

  async request(request: AnyRequest): Promise<Reply> {
    const { method, path, payload, token, headers, query, peer } = request
    const search = query === undefined ? '' : `?${new URLSearchParams(query)}`
    const sentToken = token === undefined ? this.#token : token
    const response = await this.#app.inject({
      // `inject` only has types for common methods; `restoreVerb` handles the others.
      method: method as 'GET',
      url: `${this.#prefix}/v1/${path}${search}`,
      ...(payload === undefined ? {} : { payload }),
      ...(peer === undefined ? {} : { remoteAddress: peer }),
      headers: { ...(sentToken === null ? {} : { 'x-secrets-token': sentToken }), ...headers },
    })
    const text = response.body
    const isOcsp = String(response.headers['content-type']).startsWith('application/ocsp')
    const body = text === '' || isOcsp ? undefined : JSON.parse(text)
    return { status: response.statusCode, headers: response.headers, text, body }
  }

  get(path: string, options: RequestOptions = {}): Promise<Reply> {
    return this.request({ method: 'GET', path, ...options })
  }

  /** Lists by GET with `list=true`, because the verb LIST has its own tests. */
  list(path: string, options: RequestOptions = {}): Promise<Reply> {
    return this.request({
      method: 'GET',
      path,
      ...options,
      query: { ...options.query, list: 'true' },
    })
  }

  post(path: string, payload?: object | string, options: RequestOptions = {}): Promise<Reply> {
    return this.request({ method: 'POST', path, payload, ...options })
  }

  put(path: string, payload?: object | string, options: RequestOptions = {}): Promise<Reply> {
    return this.request({ method: 'PUT', path, payload, ...options })
  }

  /** Sends a PATCH with the content type of a JSON merge patch. */
  patch(path: string, payload?: object | string, options: RequestOptions = {}): Promise<Reply> {
    const headers = { 'content-type': 'application/merge-patch+json', ...options.headers }
    return this.request({ method: 'PATCH', path, payload, ...options, headers })
  }

  delete(path: string, options: RequestOptions & { payload?: object } = {}): Promise<Reply> {
    return this.request({ method: 'DELETE', path, ...options })
  }
}

export interface TestSecrets extends ServedApi {
  readonly secrets: SecretsClient
  /** Returns a client with another token. */
  as(token: string): SecretsClient
}

/** Fixtures that mount every engine that a fresh world lacks. */
export const everyEngine: StateDocument = {
  secrets: {
    mounts: Object.fromEntries(
      Object.entries(usualMountPaths).map(([type, path]) => [
        `${path}/`,
        { type: mountedType(type) },
      ]),
    ),
  },
}

export interface TestSettings {
  readonly secrets?: Partial<SecretsOptions>
  readonly dialect?: DialectName
  readonly seed?: string
  readonly document?: StateDocument
  /** Certificate of the listener, for a server with TLS. */
  readonly tls?: TlsMaterial
}

/** Starts a fresh server without a socket. Each reply is checked against its operation's schema. */
export async function servedSecrets(settings: TestSettings = {}): Promise<TestSecrets> {
  const { dialect = 'neutral' } = settings
  const served = await servedApi({
    service: secretsService,
    kind: `secrets ${dialect}`,
    api: () => secretsApi({ dialect }),
    seed: settings.seed,
    options: {
      secrets: { ...(dialect === 'vendor' ? vendorSecretsOptions : {}), ...settings.secrets },
    },
    document: settings.document,
    tls: settings.tls,
    check(app) {
      checkReplies(app, undefined, secretsDialect(dialect).fieldName)
      checkDocumented(app, 'secrets', dialect)
    },
  })
  const as = (token?: string) => new SecretsClient(served.app, token)
  return { ...served, secrets: as(), as }
}
