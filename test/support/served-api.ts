import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import type { Api } from '../../routes/http/api.ts'
import type { TlsMaterial } from '../../src/server/tls.ts'
import type { ClockSetting } from '../../state/kernel/time/clock.ts'
import type { StateDocument } from '../../state/kernel/worlds/document.ts'
import type { ServiceDefinition } from '../../state/kernel/worlds/service.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import { Worlds } from '../../state/kernel/worlds/worlds.ts'
import { pooledApp } from './pooled-app.ts'

/** The instant at which the clocks of tests stand: 2026-01-01T00:00:00Z. */
export const testTime = 1_767_225_600_000

/** What an API's tests run against. */
export interface ServedApi {
  readonly app: FastifyInstance
  readonly worlds: Worlds
  readonly world: World
  readonly clock: { now(): number; advance(milliseconds: number): void }
}

/** What is served, and how it differs from the usual. */
interface ServedApiSettings {
  readonly service: ServiceDefinition
  /** Apps of one kind are all alike: the API, its dialect, and what else it is made with. */
  readonly kind: string
  readonly api: () => Api
  /** Makes the app check its replies. */
  readonly check: (app: FastifyInstance) => unknown
  /** Of the worlds. */
  readonly options?: Readonly<Record<string, object>> | undefined
  readonly seed?: string | undefined
  readonly clock?: ClockSetting | undefined
  readonly document?: StateDocument | undefined
  /** The certificate of its listener, for a server that listens with TLS. */
  readonly tls?: TlsMaterial | undefined
}

/**
 * A fresh server of one API without a socket: seed `test`, clock frozen at `testTime`, and rows that
 * are changed in place throw.
 */
export async function servedApi(settings: ServedApiSettings): Promise<ServedApi> {
  const { service, kind, api, check, options = {}, document, tls } = settings
  const worlds = new Worlds({
    services: [service],
    seed: settings.seed ?? 'test',
    clock: settings.clock ?? { mode: 'frozen', at: testTime },
    options,
    document,
    freezeRows: true,
    onError: (error) => {
      throw error
    },
  })
  onTestFinished(() => worlds.close())
  const app = await pooledApp({ kind, worlds, api, check, tls })
  const world = worlds.default
  const clock = { now: () => world.clock.now(), advance: (by: number) => void world.advance(by) }
  return { app, worlds, world, clock }
}
