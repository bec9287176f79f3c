import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import type { Api } from '../../routes/http/api.ts'
import { buildApp } from '../../src/app.ts'
import type { ClockSetting } from '../../state/kernel/clock.ts'
import type { StateDocument } from '../../state/kernel/document.ts'
import type { ServiceDefinition } from '../../state/kernel/service.ts'
import type { World } from '../../state/kernel/world.ts'
import { Worlds } from '../../state/kernel/worlds.ts'
import { testTime } from './secrets.ts'

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
  readonly api: Api
  readonly options?: object | undefined
  readonly clock?: ClockSetting | undefined
  readonly document?: StateDocument | undefined
  /** Makes the app check its replies. */
  readonly check: (app: FastifyInstance) => unknown
}

/** A fresh server of one API without a socket: seed `test`, clock frozen at `testTime`. */
export async function servedApi(settings: ServedApiSettings): Promise<ServedApi> {
  const { service, api, options = {}, document, check } = settings
  const worlds = new Worlds({
    services: [service],
    seed: 'test',
    clock: settings.clock ?? { mode: 'frozen', at: testTime },
    options: { [service.name]: options },
    document,
    freezeRows: true,
    onError: (error) => {
      throw error
    },
  })
  const app = buildApp({ worlds, apis: [api], log: false })
  check(app)
  await app.ready()
  onTestFinished(async () => {
    worlds.close()
    await app.close()
  })
  const world = worlds.default
  const clock = { now: () => world.clock.now(), advance: (by: number) => void world.advance(by) }
  return { app, worlds, world, clock }
}
