import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import { FaultInjector } from '../../../routes/faults/fault-injector.ts'
import type { CoveredOperation } from '../../../routes/http/declare/coverage.ts'
import { memoizeByIdentity } from '../../../routes/http/openapi/openapi-schema.ts'
import { Journals } from '../../../routes/journal/journal.ts'
import type { ApiName } from '../../../src/api-names.ts'
import { buildApp } from '../../../src/server/app.ts'
import { services as allServices, presetsOf } from '../../../src/services.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { Worlds } from '../../../state/kernel/worlds/worlds.ts'
import { everyEngine, testTime } from '../secrets/secrets.ts'
import { type GeneratedRequest, RequestGenerator } from './generated-requests.ts'
import { samples } from './samples/samples.ts'
import { bodySchema, schemaArbitrary } from './schema-values.ts'

/** State definitions of the four services. */
export const services = allServices.map(({ state }) => state)

/** Operations that reply with an endless stream and change nothing. */
const endlessOperations = new Set(['streamEvents', 'monitorAgent', 'monitorNode'])

/** Worlds that receive requests through their APIs. */
export interface ApiWorlds {
  readonly worlds: Worlds
  readonly world: World
  readonly journals: Journals
  readonly faults: FaultInjector
  /** Creates an app without a socket that serves one API of the worlds. */
  api(name: ApiName): Promise<ApiUnderTest>
}

/** API that receives generated requests. */
export interface ApiUnderTest {
  readonly app: FastifyInstance
  readonly generator: RequestGenerator
}

/**
 * Creates worlds with frozen clocks, ACLs and every engine. The worlds close at the end of the
 * test.
 */
export function apiWorlds(): ApiWorlds {
  const journals = new Journals()
  const faults = new FaultInjector(presetsOf(allServices))
  const worlds = new Worlds({
    services,
    seed: 'test',
    clock: { mode: 'frozen', at: testTime },
    options: { mesh: { aclEnabled: true }, scheduler: { aclEnabled: true } },
    document: everyEngine,
    freezeRows: true,
    onError: (error) => {
      throw error
    },
  })
  onTestFinished(() => worlds.close())
  const api = async (name: ApiName): Promise<ApiUnderTest> => {
    const service = allServices.find((each) => each.name === name)
    if (service === undefined) throw new Error(`there is no API ${name}`)
    const dedicated = service.api('neutral').dedicated
    const app = buildApp({ worlds, recorder: journals, faults, apis: [dedicated], log: false })
    await app.ready()
    onTestFinished(() => app.close())
    const document = dedicated.openApi?.('test') ?? {}
    const bodyArbitrary = memoizeByIdentity(({ verb, path }: CoveredOperation) => {
      const schema = bodySchema(document, verb, path)
      return schema === undefined ? undefined : schemaArbitrary(schema, document)
    })
    const all = dedicated.coverage?.().operations ?? []
    const operations = all.filter(({ id }) => !endlessOperations.has(id))
    return { app, generator: new RequestGenerator(operations, samples[name], bodyArbitrary) }
  }
  return { worlds, world: worlds.default, journals, faults, api }
}

/**
 * Sends the samples, so that later requests find objects to read, change and delete. Then advances
 * the world by a minute.
 */
export async function sendSamples({ app, generator }: ApiUnderTest, world: World): Promise<void> {
  generator.remember(JSON.stringify(services.map((service) => service.info(world))))
  const all = generator.samples()
  for (let next = all.next(0); next.done !== true; ) {
    const reply = await send(app, next.value)
    generator.remember(reply.body)
    next = all.next(reply.statusCode)
  }
  world.advance(60_000)
}

/** Sends a request, whose method may be missing in the types of `inject`. */
export function send(app: FastifyInstance, { method, ...request }: GeneratedRequest) {
  return app.inject({ ...request, method: method as 'GET' })
}
