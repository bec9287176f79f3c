import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createUnderstudy, type Understudy } from '../../../src/embedding/index.ts'
import { exchange, restored } from './mistakes.ts'

type Input = Parameters<typeof exchange>[1]

/** Operation as the coverage lists it. */
interface Operation {
  readonly verb: string
  readonly path: string
}

const apis = [
  { name: 'secrets', header: 'x-secrets-token', token: 'root', options: {} },
  { name: 'platform', header: 'authorization', token: 'Bearer owner-token', options: {} },
  {
    name: 'mesh',
    header: 'x-mesh-token',
    token: 'mesh-management-token',
    options: { aclEnabled: true, defaultPolicy: 'deny' },
  },
  {
    name: 'scheduler',
    header: 'x-sched-token',
    token: 'scheduler-management-token',
    options: { aclEnabled: true },
  },
] as const

type Api = (typeof apis)[number]

const unfit = { data: { type: 'x', attributes: { name: 7 } }, Name: 7, name: [], ttl: 'soon' }

/** Mistakes that a request to any operation can have; `sent` is without mistakes but its names. */
const flaws: readonly ((sent: Input, header: string) => Input)[] = [
  (sent, header) => ({ ...sent, headers: { ...sent.headers, [header]: '' } }),
  (sent, header) => ({ ...sent, headers: { ...sent.headers, [header]: 'Bearer token-9' } }),
  (sent) => ({ ...sent, path: `${sent.path}?index=many&cas=one&stale=perhaps&version=x` }),
  (sent) => ({ ...sent, body: '{"data":' }),
  (sent) => ({ ...sent, body: { ...unfit, Job: 5, Config: [] } }),
  (sent) => ({ ...sent, body: {} }),
  (sent) => ({ ...sent, method: sent.method === 'PATCH' ? 'PUT' : 'PATCH', body: {} }),
  (sent) => ({ ...sent, path: `${sent.path}s`, body: {} }),
]

/** Operations that never end, or that end the node. */
const excluded = /monitor|stream|seal|step-down|pprof/

/** Returns a request to an operation that has one of the flaws; GET sends no body. */
function flawedRequest({ verb, path }: Operation, { header, token }: Api, flaw: number): Input {
  const named = path.replaceAll(/[:*{]+(\w+)\}?/g, (_whole, name: string) => `my-${name}`)
  const type = header === 'authorization' ? 'application/vnd.api+json' : 'application/json'
  const plain: Input = {
    method: verb,
    path: named,
    headers: { [header]: token, 'content-type': type },
  }
  const { body, ...others } = flaws[flaw % flaws.length]?.(plain, header) ?? plain
  return /^(?:POST|PUT|PATCH)$/.test(others.method) && body !== undefined
    ? { ...others, body }
    : others
}

describe('behaviour/program#explanations: a request that is said to pass is not refused by the same rule', () => {
  let understudy: Understudy
  beforeAll(async () => {
    understudy = await createUnderstudy({
      seed: 'passing',
      clock: 'frozen@2026-01-01T00:00:00Z',
      apiPorts: { mesh: 0, scheduler: 0 },
    })
    await understudy.listen()
  })
  afterAll(() => understudy.close())

  test.each(apis)('$name', { timeout: 60_000 }, async (api) => {
    const { name, options } = api
    const { services } = (await understudy.inject('/_mock/coverage')).json()
    const { operations }: { operations: Operation[] } = services.find(
      (service: { name: string }) => service.name === name,
    )
    const origin = understudy.apiUrl(name) ?? ''
    const wrong: unknown[] = []
    let suggested = 0
    let world = understudy.world()
    for (const [at, operation] of operations.entries()) {
      if (at % 8 === 0) {
        world = understudy.createWorld({ id: `${name}${at}`, options: { [name]: options } })
      }
      if (excluded.test(operation.path)) continue
      const send = async (request: Input) => {
        const path = `/_world/${world.id}${request.path}`
        const { headers } = await exchange(origin, { ...request, path })
        return world.explain(String(headers['x-mock-request']))
      }
      const sent = flawedRequest(operation, api, at)
      const { rule, wouldPass } = await send(sent)
      if (wouldPass?.request === undefined) continue
      const again = await send(restored(wouldPass.request, sent, world))
      suggested += 1
      if (again.rule === rule) wrong.push({ rule, sent, wouldPass })
    }
    expect(suggested).toBeGreaterThan(operations.length / 4)
    expect(wrong).toEqual([])
  })
})
