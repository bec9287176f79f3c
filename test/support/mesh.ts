import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import { meshApi } from '../../routes/mesh/index.ts'
import type { DialectName } from '../../routes/secrets/dialect.ts'
import { buildApp } from '../../src/app.ts'
import type { ClockSetting } from '../../state/kernel/clock.ts'
import type { StateDocument } from '../../state/kernel/document.ts'
import type { World } from '../../state/kernel/world.ts'
import { Worlds } from '../../state/kernel/worlds.ts'
import type { MeshOptions } from '../../state/mesh/options.ts'
import { meshService } from '../../state/mesh/service.ts'
import { checkReplies } from './reply-schemas.ts'
import { type Reply, testTime } from './understudy.ts'

/** How a request differs from the usual. */
export interface MeshRequest {
  /** Default: none. */
  readonly token?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly query?: Readonly<Record<string, string>> | undefined
  /** Ends the request from the client's side. */
  readonly signal?: AbortSignal | undefined
}

/** Speaks the mesh API to an app without a socket. Paths are below `/v1/` unless they begin with `/`. */
export class MeshClient {
  readonly #app: FastifyInstance
  readonly #token: string | undefined

  constructor(app: FastifyInstance, token?: string) {
    this.#app = app
    this.#token = token
  }

  /** Any request; an object as payload goes out as JSON. */
  async request(
    method: string,
    path: string,
    payload?: object | string | Buffer,
    { token = this.#token, headers, query, signal }: MeshRequest = {},
  ): Promise<Reply> {
    const joint = path.includes('?') ? '&' : '?'
    const search = query === undefined ? '' : `${joint}${new URLSearchParams(query)}`
    const isPlain = payload === undefined || typeof payload === 'string' || Buffer.isBuffer(payload)
    const response = await this.#app.inject({
      // The app takes care of verbs that the types and checks of `inject` do not know.
      method: method as 'GET',
      validate: false,
      url: `${path.startsWith('/') ? path : `/v1/${path}`}${search}`,
      ...(payload === undefined ? {} : { payload: isPlain ? payload : JSON.stringify(payload) }),
      ...(signal === undefined ? {} : { signal }),
      headers: { ...(token === undefined ? {} : { 'x-mesh-token': token }), ...headers },
    })
    const text = response.body
    const isJson = String(response.headers['content-type'] ?? '').includes('json')
    const body = isJson ? JSON.parse(text) : undefined
    return { status: response.statusCode, headers: response.headers, text, body }
  }

  get(path: string, options?: MeshRequest): Promise<Reply> {
    return this.request('GET', path, undefined, options)
  }

  put(path: string, payload?: object | string | Buffer, options?: MeshRequest): Promise<Reply> {
    return this.request('PUT', path, payload, options)
  }

  delete(path: string, options?: MeshRequest): Promise<Reply> {
    return this.request('DELETE', path, undefined, options)
  }
}

/** What a test of the mesh gets. */
export interface TestMesh {
  readonly app: FastifyInstance
  readonly worlds: Worlds
  readonly world: World
  /** Without a token. */
  readonly mesh: MeshClient
  /** With the management token. */
  readonly manager: MeshClient
  readonly clock: { now(): number; advance(milliseconds: number): void }
  as(token: string): MeshClient
}

/** How a test's server differs from the usual. */
export interface MeshSettings {
  readonly options?: Partial<MeshOptions>
  readonly dialect?: DialectName
  /** On a port of its own, with all of the API; true unless given. */
  readonly dedicated?: boolean
  readonly clock?: ClockSetting
  readonly document?: StateDocument
}

/** A fresh server without a socket: seed `test`, clock frozen at `testTime`, replies checked. */
export async function mesh(settings: MeshSettings = {}): Promise<TestMesh> {
  const { dialect = 'neutral', dedicated = true } = settings
  const worlds = new Worlds({
    services: [meshService],
    seed: 'test',
    clock: settings.clock ?? { mode: 'frozen', at: testTime },
    options: { mesh: { ...settings.options } },
    document: settings.document,
    freezeRows: true,
    onError: (error) => {
      throw error
    },
  })
  const app = buildApp({ worlds, apis: [meshApi({ dialect, dedicated })], log: false })
  checkReplies(app, { type: 'string' })
  await app.ready()
  onTestFinished(async () => {
    worlds.close()
    await app.close()
  })
  const world = worlds.default
  return {
    app,
    worlds,
    world,
    mesh: new MeshClient(app),
    manager: new MeshClient(app, 'mesh-management-token'),
    clock: { now: () => world.clock.now(), advance: (by) => void world.advance(by) },
    as: (token) => new MeshClient(app, token),
  }
}
