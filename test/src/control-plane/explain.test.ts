import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createUnderstudy,
  type Understudy,
  type UnderstudyOptions,
} from '../../../src/embedding/index.ts'

const root = { 'x-secrets-token': 'root' }

async function started(options: UnderstudyOptions = {}): Promise<Understudy> {
  const understudy = await createUnderstudy({ seed: 'explain', ...options })
  onTestFinished(() => understudy.close())
  return understudy
}

async function ask(understudy: Understudy, url: string) {
  const reply = await understudy.inject(`/_mock${url}`)
  return { status: reply.statusCode, body: reply.json() }
}

describe('GET /explain/{id} (behaviour/program#explanations)', () => {
  test('lists the checks that a served request passed', async () => {
    const understudy = await started()
    await understudy.inject({ url: '/v1/sys/mounts', headers: root })
    const { status, body } = await ask(understudy, '/explain/r1')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: 'r1',
      request: { method: 'GET', path: '/v1/sys/mounts' },
      status: 200,
      outcome: 'served',
      rule: null,
      decision: null,
      nearest: [],
      wouldPass: null,
    })
    expect(body.steps.at(0)).toEqual({ check: 'world', passed: true, detail: 'default' })
    expect(body.steps.at(-1)).toEqual({ check: 'operation', passed: true, detail: 'listMounts' })
    expect(body.steps.every(({ passed }: { passed: boolean }) => passed)).toBe(true)
  })

  test('names the rule and the check that refused a request, as the journal does', async () => {
    const understudy = await started()
    await understudy.inject({
      method: 'POST',
      url: '/v1/secret/data/app',
      headers: root,
      payload: { data: { a: 'b' }, options: { cas: 7 } },
    })
    const { body } = await ask(understudy, '/explain/r1')
    expect(body).toMatchObject({ outcome: 'refused', rule: 'cas-mismatch', status: 400 })
    expect(body.because).toBe('options.cas is 7, but app has no version yet.')
    expect(body.steps.at(-1)).toMatchObject({ check: 'operation', passed: false })
    expect((await ask(understudy, '/requests/r1')).body.rule).toBe(body.rule)
  })

  test('lists the checks that a request of the platform made, up to the one that refused it', async () => {
    const understudy = await started()
    const checksOf = async (method: 'GET' | 'POST', url: string, id: string) => {
      const headers = { authorization: 'Bearer owner-token' }
      await understudy.inject({ method, url, headers })
      const { steps } = (await ask(understudy, `/explain/${id}`)).body
      return steps.map(({ check, passed }: { check: string; passed: boolean }) =>
        passed ? check : `${check} failed`,
      )
    }
    const organizations = '/api/v2/organizations'
    const before = ['world', 'route', 'token', 'subject']
    expect(await checksOf('GET', organizations, 'r1')).toEqual([...before, 'operation'])
    expect(await checksOf('POST', `${organizations}/example-org/workspaces`, 'r2')).toEqual([
      ...before,
      'content type',
      'body failed',
    ])
    expect(await checksOf('GET', `${organizations}/none`, 'r3')).toEqual([
      ...before.slice(0, -1),
      'subject failed',
    ])
  })

  test('is the same below a world and embedded', async () => {
    const understudy = await started()
    const world = understudy.createWorld({ id: 'w' })
    await world.inject({ url: '/v1/nowhere', headers: root })
    const { body } = await ask(understudy, '/worlds/w/explain/r1')
    expect(body).toEqual(world.explain('r1'))
    expect(body.outcome).toBe('unmatched')
    expect(body.nearest.length).toBeLessThanOrEqual(3)
  })

  test('is 404 for a name never used and 410 for a request that is kept no more', async () => {
    const understudy = await started()
    expect((await ask(understudy, '/explain/r1')).status).toBe(404)
    await understudy.inject('/v1/sys/health')
    understudy.world().requests.clear()
    expect((await ask(understudy, '/explain/r1')).status).toBe(410)
    expect(() => understudy.world().explain('r9')).toThrow('there is no request "r9"')
  })
})
