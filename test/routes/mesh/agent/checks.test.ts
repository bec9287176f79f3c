import { describe, expect, test } from 'vitest'
import { type MeshClient, mesh } from '../../../support/mesh/mesh.ts'

const outcome = ({ status, text }: { status: number; text: string }) => [status, text]

/** Returns status and output of a check in the catalog. */
async function stateOf(client: MeshClient, id: string): Promise<unknown> {
  const { body } = await client.get('health/state/any')
  const check = body.find((each: { CheckID: string }) => each.CheckID === id)
  return check && [check.Status, check.Output]
}

async function withService(check: object = { TTL: '30s' }) {
  const started = await mesh()
  await started.mesh.put('agent/service/register', { Name: 'web', Tags: ['t'], Check: check })
  return started
}

const id = 'service:web'

describe('behaviour/mesh#agent-checks', () => {
  test('a check of the node or of a service is registered separately', async () => {
    const { mesh: client } = await withService()
    const put = (body: object) => client.put('agent/check/register', body)
    expect(outcome(await put({ Name: 'disk', TTL: '1m', Status: 'passing' }))).toEqual([200, ''])
    await put({ ID: 'w', Name: 'more', service_id: 'web', HTTP: 'http://x', Interval: '10s' })
    const { disk, w } = (await client.get('agent/checks')).body
    expect(disk).toMatchObject({
      ServiceID: '',
      Type: 'ttl',
      Interval: '0s',
      Timeout: '0s',
      CreateIndex: 0,
    })
    expect(w).toMatchObject({
      ServiceName: 'web',
      ServiceTags: ['t'],
      Type: 'http',
      Interval: '10s',
    })
    // A check that is registered again keeps its status.
    await put({ Name: 'disk', TTL: '1m', Status: 'critical' })
    expect(await stateOf(client, 'disk')).toEqual(['passing', ''])
    await client.put('agent/check/deregister/disk')
    expect(await stateOf(client, 'disk')).toBeUndefined()
  })

  test.for([
    [{}, 400, 'Missing check name'],
    [{ Name: 'a', Status: 'x' }, 400, 'Bad check status'],
    [{ Name: 'a' }, 400, 'Invalid check: TTL must be > 0 for TTL checks'],
    [{ CheckID: 'a' }, 400, 'Request decode failed: json: unknown field "CheckID"'],
    [{ Name: 'a', TTL: '1s', ServiceID: 'x' }, 404, 'ServiceID "default/default/x" does not exist'],
  ] as const)('the check %j is refused', async ([body, status, text]) => {
    const { mesh: client } = await mesh()
    expect(outcome(await client.put('agent/check/register', body))).toEqual([status, text])
  })

  test('updates set status and output and restart the TTL', async () => {
    const { mesh: client, clock } = await withService()
    expect(await stateOf(client, id)).toEqual(['critical', ''])
    await client.put(`agent/check/pass/${id}?note=fine`)
    expect(await stateOf(client, id)).toEqual(['passing', 'fine'])
    clock.advance(29_000)
    await client.put(`agent/check/warn/${id}`)
    clock.advance(29_000)
    expect(await stateOf(client, id)).toEqual(['warning', ''])
    clock.advance(1_000)
    expect(await stateOf(client, id)).toEqual(['critical', 'TTL expired'])
    await client.put(`agent/check/update/${id}`, { Status: 'passing', Output: 'o' })
    clock.advance(30_000)
    expect(await stateOf(client, id)).toEqual([
      'critical',
      'TTL expired (last output before timeout follows): o',
    ])
    await client.put(`agent/check/fail/${id}?note=bad`)
    expect(await stateOf(client, id)).toEqual(['critical', 'bad'])
  })

  test('updates are refused with the texts of the product', async () => {
    const { mesh: client } = await withService({ HTTP: 'http://x', Interval: '10s' })
    const unknown = (check: string) =>
      `Unknown check ID "default/default/${check}". Ensure that the check ID is passed, not the check name.`
    expect(outcome(await client.put('agent/check/pass/x'))).toEqual([404, unknown('x')])
    expect(outcome(await client.put('agent/check/deregister/'))).toEqual([404, unknown('')])
    expect(outcome(await client.put('agent/check/deregister/serfHealth'))).toEqual([
      404,
      unknown('serfHealth'),
    ])
    expect(outcome(await client.put(`agent/check/pass/${id}`))).toEqual([
      500,
      `CheckID "default/default/${id}" does not have associated TTL`,
    ])
    expect(outcome(await client.put(`agent/check/update/${id}`, { Status: 'x' }))).toEqual([
      400,
      "Invalid check status: 'x'",
    ])
  })

  test('a long output is cut after 4096 bytes', async () => {
    const { mesh: client } = await withService()
    const Output = 'x'.repeat(5_000)
    await client.put(`agent/check/update/${id}`, { Status: 'passing', Output })
    expect(await stateOf(client, id)).toEqual([
      'passing',
      `${'x'.repeat(4_096)} ... (captured 4096 of 5000 bytes)`,
    ])
  })

  // choice/mesh#passes-since-start
  test('a service that stays critical is removed at the first pass after its time, which is at least a minute', async () => {
    const { mesh: client, clock } = await withService({
      TTL: '10s',
      Status: 'passing',
      DeregisterCriticalServiceAfter: '5s',
    })
    clock.advance(10_000)
    expect(await stateOf(client, id)).toEqual(['critical', 'TTL expired'])
    clock.advance(79_000)
    expect((await client.get('health/service/web')).body).toHaveLength(1)
    clock.advance(1_000)
    expect((await client.get('health/service/web')).body).toEqual([])
    expect((await client.get('agent/services')).text).toBe('{}')
  })

  test('a check that passes in between restarts the time until the removal', async () => {
    const { mesh: client, clock } = await withService({
      TTL: '1h',
      DeregisterCriticalServiceAfter: '1m',
    })
    clock.advance(50_000)
    await client.put(`agent/check/pass/${id}`)
    await client.put(`agent/check/fail/${id}`)
    clock.advance(60_000)
    expect((await client.get('agent/services')).text).not.toBe('{}')
    clock.advance(10_000)
    expect((await client.get('agent/services')).text).toBe('{}')
  })

  // choice/mesh#alias-check-itself
  test('an alias follows the worst check of its service at once, aliases of aliases as well', async () => {
    const { mesh: client } = await withService()
    const put = (body: object) => client.put('agent/check/register', body)
    await put({ Name: 'follows', AliasService: 'web' })
    await put({ Name: 'all', AliasNode: 'mesh-1' })
    expect(await stateOf(client, 'follows')).toEqual([
      'critical',
      `Aliased check "Service 'web' check" failing: `,
    ])
    await client.put(`agent/check/warn/${id}?note=slow`)
    expect(await stateOf(client, 'follows')).toEqual([
      'warning',
      `Aliased check "Service 'web' check" failing: slow`,
    ])
    expect(await stateOf(client, 'all')).toEqual([
      'warning',
      `Aliased check "follows" failing: Aliased check "Service 'web' check" failing: slow`,
    ])
    await client.put(`agent/check/pass/${id}`)
    expect(await stateOf(client, 'all')).toEqual(['passing', 'All checks passing.'])
    await client.put('agent/service/deregister/web')
    expect(await stateOf(client, 'follows')).toEqual(['passing', 'No checks found.'])
  })

  test('the figures of the agent count services and checks', async () => {
    const { mesh: client } = await withService()
    const { Stats } = (await client.get('agent/self')).body
    expect(Stats.agent).toEqual({
      check_monitors: '0',
      check_ttls: '1',
      checks: '1',
      services: '1',
    })
  })
})
