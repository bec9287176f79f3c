import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import { controlApi } from '../../../routes/control/index.ts'
import { controlOperations } from '../../../routes/control/operations.ts'
import { FaultInjector } from '../../../routes/faults/fault-injector.ts'
import { Journals } from '../../../routes/journal/journal.ts'
import { secretsApi } from '../../../routes/secrets/index.ts'
import { buildApp } from '../../../src/server/app.ts'
import { presetsOf, services } from '../../../src/services.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { Worlds, type WorldsSettings } from '../../../state/kernel/worlds/worlds.ts'
import { secretsService } from '../../../state/secrets/service.ts'
import { SecretsClient, testTime } from './secrets.ts'

/** Secrets API and control plane over the same worlds, as in a real server. */
export interface SecretsServer {
  readonly app: FastifyInstance
  readonly world: World
  readonly secrets: SecretsClient
  /** Returns a client with another token. */
  as(token: string): SecretsClient
  /**
   * Calls the control plane with a path below `/_mock`. Returns the status, and the body as text.
   */
  ask(method: string, path: string, payload?: unknown): Promise<Answer>
}

interface Answer {
  readonly status: number
  readonly text: string
}

/**
 * Starts a server without a socket, which closes at the end of the test. Unless the settings say
 * otherwise, the seed is `test` and the clock is frozen at `testTime`.
 */
export async function secretsServer(
  settings: Partial<WorldsSettings> = {},
): Promise<SecretsServer> {
  const worlds = new Worlds({
    services: [secretsService],
    seed: 'test',
    clock: { mode: 'frozen', at: testTime },
    freezeRows: true,
    onError: (error) => {
      throw error
    },
    ...settings,
  })
  const journals = new Journals()
  const faults = new FaultInjector(presetsOf(services))
  const control = controlApi({
    operations: controlOperations(services),
    worlds,
    journals,
    faults,
    describe: () => ({ name: 'infra-understudy', version: '0.0.0', dialect: 'neutral', ports: {} }),
    ready: () => true,
    allowedHosts: [],
  })
  const app = buildApp({
    worlds,
    recorder: journals,
    faults,
    apis: [secretsApi({ dialect: 'neutral' }), control],
    log: false,
  })
  await app.ready()
  onTestFinished(async () => {
    worlds.close()
    await app.close()
  })
  return {
    app,
    world: worlds.default,
    secrets: new SecretsClient(app),
    as: (token) => new SecretsClient(app, token),
    ask: async (method, path, payload) => {
      const response = await app.inject({
        method: method as 'GET',
        url: `/_mock${path}`,
        ...(payload === undefined
          ? {}
          : { payload: typeof payload === 'string' ? payload : JSON.stringify(payload) }),
      })
      return { status: response.statusCode, text: response.body }
    },
  }
}
