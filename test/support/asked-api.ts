import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import { FaultInjector } from '../../routes/faults/fault-book.ts'
import type { CoveredOperation } from '../../routes/http/coverage.ts'
import { memoizeByIdentity } from '../../routes/http/openapi-schema.ts'
import { Journals } from '../../routes/journal/journal.ts'
import type { ApiName } from '../../src/api-names.ts'
import { buildApp } from '../../src/app.ts'
import { services as allServices } from '../../src/services.ts'
import type { World } from '../../state/kernel/world.ts'
import { Worlds } from '../../state/kernel/worlds.ts'
import { type AnyRequest, RequestMaker } from './any-request.ts'
import { bodySchema, describedValues } from './described-values.ts'
import { samples } from './samples/samples.ts'
import { everyEngine, testTime } from './secrets.ts'

/** What the four services bring to worlds. */
export const services = allServices.map(({ state }) => state)

/** Operations whose answers go on for as long as somebody listens; they change nothing. */
const endless = new Set(['streamEvents'])

/** Worlds that are asked by way of their APIs. */
export interface AskedWorlds {
  readonly worlds: Worlds
  readonly world: World
  readonly journals: Journals
  readonly faults: FaultInjector
  /** One API of them, on a port of its own. */
  api(name: ApiName): Promise<Asked>
}

/** What one API is asked. */
export interface Asked {
  readonly app: FastifyInstance
  readonly maker: RequestMaker
}

/** Worlds whose time stands still, with ACLs. */
export function askedWorlds(): AskedWorlds {
  const journals = new Journals()
  const faults = new FaultInjector()
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
  const api = async (name: ApiName): Promise<Asked> => {
    const service = allServices.find((each) => each.name === name)
    if (service === undefined) throw new Error(`there is no API ${name}`)
    const dedicated = service.api('neutral').dedicated
    const app = buildApp({ worlds, recorder: journals, faults, apis: [dedicated], log: false })
    await app.ready()
    onTestFinished(() => app.close())
    const document = dedicated.openApi?.('test') ?? {}
    const described = memoizeByIdentity(({ verb, path }: CoveredOperation) => {
      const schema = bodySchema(document, verb, path)
      return schema === undefined ? undefined : describedValues(schema, document)
    })
    const all = dedicated.coverage?.().operations ?? []
    const operations = all.filter(({ id }) => !endless.has(id))
    return { app, maker: new RequestMaker(operations, samples[name], described) }
  }
  return { worlds, world: worlds.default, journals, faults, api }
}

/** Leads the samples in, so that there is something to name, to change and to delete. */
export async function fill({ app, maker }: Asked, world: World): Promise<void> {
  maker.saw(JSON.stringify(services.map((service) => service.info(world))))
  const all = maker.samples()
  for (let next = all.next(0); next.done !== true; ) {
    const reply = await send(app, next.value)
    maker.saw(reply.body)
    next = all.next(reply.statusCode)
  }
  world.advance(60_000)
}

/** Sends a request; its method may be one that `inject` has no type for. */
export function send(app: FastifyInstance, { method, ...request }: AnyRequest) {
  return app.inject({ ...request, method: method as 'GET' })
}
