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

/** Time of the frozen clocks in tests: 2026-01-01T00:00:00Z. */
export const testTime = 1_767_225_600_000

/** Server, app and world of an API test. */
export interface ServedApi {
  readonly app: FastifyInstance
  readonly worlds: Worlds
  readonly world: World
  readonly clock: { now(): number; advance(milliseconds: number): void }
}

interface ServedApiSettings {
  readonly service: ServiceDefinition
  /**
   * Kind of the app: the API, its dialect and further settings. Apps of one kind are
   * interchangeable.
   */
  readonly kind: string
  readonly api: () => Api
  /** Adds the reply checks to the app. */
  readonly check: (app: FastifyInstance) => unknown
  /** World options by service. */
  readonly options?: Readonly<Record<string, object>> | undefined
  readonly seed?: string | undefined
  readonly clock?: ClockSetting | undefined
  readonly document?: StateDocument | undefined
  /** Certificate of the listener, for a server with TLS. */
  readonly tls?: TlsMaterial | undefined
}

/**
 * Starts a fresh server of one API without a socket, which serves until the end of the test. By
 * default, the seed is `test` and the clock is frozen at `testTime`. Changing a row in place
 * throws.
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
