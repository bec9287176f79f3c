import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { CoveredOperation } from '../routes/http/coverage.ts'
import { remembering } from '../routes/http/openapi-schema.ts'
import { type ApiName, apiNames } from '../src/api-names.ts'
import { buildApp } from '../src/app.ts'
import { services as allServices } from '../src/services.ts'

import { diffSnapshots, type RowDifference } from '../state/kernel/diff.ts'
import { exportWorld } from '../state/kernel/document.ts'
import type { World } from '../state/kernel/world.ts'
import { Worlds } from '../state/kernel/worlds.ts'
import { type AnyRequest, anyDraft, RequestMaker } from './support/any-request.ts'
import { bodySchema, describedValues } from './support/described-values.ts'
import { samples } from './support/samples/samples.ts'
import { testTime } from './support/secrets.ts'

const services = allServices.map(({ state }) => state)

/** Operations whose answers go on for as long as somebody listens; they change nothing. */
const endless = new Set(['streamEvents'])

/** What one API is asked, and the world that it changes. */
interface Asked {
  readonly app: FastifyInstance
  readonly world: World
  readonly maker: RequestMaker
}

async function asked(name: ApiName): Promise<Asked> {
  const service = allServices.find((each) => each.name === name)
  if (service === undefined) throw new Error(`there is no API ${name}`)
  const api = service.api('neutral').dedicated
  const worlds = new Worlds({
    services,
    seed: 'test',
    clock: { mode: 'frozen', at: testTime },
    options: { mesh: { aclEnabled: true }, scheduler: { aclEnabled: true } },
    freezeRows: true,
    onError: (error) => {
      throw error
    },
  })
  const app = buildApp({ worlds, apis: [api], log: false })
  await app.ready()
  onTestFinished(async () => {
    worlds.close()
    await app.close()
  })
  const document = api.openApi?.('test') ?? {}
  const described = remembering(({ verb, path }: CoveredOperation) => {
    const schema = bodySchema(document, verb, path)
    return schema === undefined ? undefined : describedValues(schema, document)
  })
  const operations = (api.coverage?.().operations ?? []).filter(({ id }) => !endless.has(id))
  const maker = new RequestMaker(operations, samples[name], described)
  return { app, world: worlds.default, maker }
}

/** Leads the samples in, so that there is something to name, to change and to delete. */
async function fill(app: FastifyInstance, world: World, maker: RequestMaker): Promise<void> {
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
function send(app: FastifyInstance, { method, ...request }: AnyRequest) {
  return app.inject({ ...request, method: method as 'GET' })
}

/** Everything of a world that a request can change. */
type Everything = ReturnType<typeof everythingOf>

function everythingOf(world: World) {
  const { store, ids } = world.snapshot()
  return { store, ids, document: JSON.stringify(exportWorld(world)) }
}

/** What stays of a refused request as decided, by table: the members of a row that may differ. */
const kept: Readonly<Record<string, readonly string[]>> = {
  // 1-secrets-decisions.md section 3, Tokens: `num_uses` counts every authenticated call.
  'secrets.tokens': ['num_uses'],
  // A token is used also where its owner may not do what he asks for.
  'platform.tokens': ['last_used_at'],
}

function isKept({ table, before, after }: RowDifference): boolean {
  const members = kept[table]
  if (members === undefined || before === undefined || after === undefined) return false
  return isDeepStrictEqual(without(before, members), without(after, members))
}

function without(row: object, members: readonly string[]): object {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !members.includes(name)))
}

/** A request and its reply. */
interface Refused extends AnyRequest {
  readonly statusCode: number
  readonly body: string
}

/**
 * Whether ids may be drawn: for a reply that tells its own, and by joining another cluster, which
 * waits for its answer with other requests in between and cannot give back what was drawn before.
 */
function mayDraw({ url, body }: Refused): boolean {
  const joins = /^\/v1\/sys\/replication\/dr\/secondary\/(enable|update-primary)(\?|$)/
  return body.includes('"request_id":') || joins.test(url)
}

/** What differs between then and now beyond what is kept, in words. */
function changesSince(world: World, before: Everything, refused: Refused): readonly string[] {
  const after = everythingOf(world)
  const rows = diffSnapshots(before.store, after.store)
  const others = rows.filter((row) => !isKept(row)).map(({ table, key }) => `${table} ${key}`)
  const drew = before.ids.join() !== after.ids.join()
  const ids = drew && !mayDraw(refused) ? ['ids'] : []
  if (rows.length > 0) return [...others, ...ids]
  const indexes = services
    .filter(({ name }) => before.store.indexes.get(name) !== after.store.indexes.get(name))
    .map(({ name }) => `index of ${name}`)
  // The document has the position of the ids too.
  const pending = drew || before.document === after.document ? [] : ['pending work']
  return [...indexes, ...ids, ...pending]
}

describe('DESIGN section 2: nothing is left of a refused request', () => {
  test.each(apiNames)('of the %s API', async (name) => {
    const { app, world, maker } = await asked(name)
    await fill(app, world, maker)
    const filled = world.snapshot()
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyDraft, { minLength: 1, maxLength: 60, size: 'max' }),
        async (drafts) => {
          world.restore(filled)
          for (const draft of drafts) {
            const request = maker.request(draft)
            // What is due is done before each request, refused or not.
            world.settle()
            const before = everythingOf(world)
            const { statusCode, body } = await send(app, request)
            maker.saw(body)
            if (statusCode < 400) continue
            const refused = { ...request, statusCode, body }
            const changes = changesSince(world, before, refused)
            expect({ ...refused, changes }).toEqual({ ...refused, changes: [] })
          }
        },
      ),
      { numRuns: 25 },
    )
  })
})
