import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import type { Api } from '../../routes/http/api.ts'
import type { WorldIndex } from '../../routes/http/journal-hooks/request-head.ts'
import { buildApp } from '../../src/server/app.ts'
import type { TlsMaterial } from '../../src/server/tls.ts'

/** App that a test can borrow. The app serves the worlds of the test. */
interface PooledApp {
  readonly app: FastifyInstance
  worlds: WorldIndex
  isClosed: boolean
}

/** Apps that no test uses at present, by kind. Creating one takes longer than most tests. */
const idle = new Map<string, PooledApp[]>()

interface PooledAppSettings {
  /** Kind of the app; apps of one kind are interchangeable. */
  readonly kind: string
  readonly worlds: WorldIndex
  readonly api: () => Api
  readonly check: (app: FastifyInstance) => unknown
  readonly tls?: TlsMaterial | undefined
}

/**
 * Returns an app that serves these worlds until the test ends. The app is then reused, unless it
 * has TLS, has been closed or is listening.
 */
export async function pooledApp({
  kind,
  worlds,
  ...parts
}: PooledAppSettings): Promise<FastifyInstance> {
  const idleApps = idle.get(kind) ?? []
  idle.set(kind, idleApps)
  const pooled =
    (parts.tls === undefined && idleApps.pop()) || (await createPooledApp(worlds, parts))
  pooled.worlds = worlds
  onTestFinished(async () => {
    if (parts.tls === undefined && !pooled.isClosed && !pooled.app.server.listening)
      idleApps.push(pooled)
    else await pooled.app.close()
  })
  return pooled.app
}

async function createPooledApp(
  worlds: WorldIndex,
  { api, check, tls }: Omit<PooledAppSettings, 'kind' | 'worlds'>,
): Promise<PooledApp> {
  const index: WorldIndex = {
    named: (id) => pooled.worlds.named(id),
    find: (id) => pooled.worlds.find(id),
    list: () => pooled.worlds.list(),
  }
  const app = buildApp({ worlds: index, apis: [api()], log: false, tls })
  const pooled: PooledApp = { app, worlds, isClosed: false }
  app.addHook('onClose', async () => {
    pooled.isClosed = true
  })
  check(app)
  await app.ready()
  return pooled
}
