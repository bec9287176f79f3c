import { setTimeout } from 'node:timers/promises'
import Consul from 'consul'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../../src/embedding/index.ts'

const dialects = ['neutral', 'vendor'] as const

async function served(dialect: 'neutral' | 'vendor') {
  const understudy = await createUnderstudy({ dialect, seed: 'test', apiPorts: { mesh: 0 } })
  onTestFinished(() => understudy.close())
  const origin = await understudy.listen()
  const ask = async (path: string, method = 'GET', body?: object, headers = {}) => {
    const reply = await fetch(origin + path, {
      method,
      headers: { ...(body && { 'content-type': 'application/vnd.api+json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: reply.status, headers: reply.headers, text: await reply.text() }
  }
  const world = understudy.world()
  return { running: understudy, origin, ask, world, faults: world.faults }
}

const owner = { authorization: 'Bearer owner-token' }
const siteAdmin = { authorization: 'Bearer site-admin-token' }

describe.each(dialects)(
  'behaviour/program#presets: a client of the platform under presets (%s)',
  (dialect) => {
    const organization = '/api/v2/organizations/example-org'

    test('platform-rate-limited: an immediate retry fails, but a retry after X-RateLimit-Reset succeeds', async () => {
      const { ask, faults } = await served(dialect)
      const read = () => ask(organization, 'GET', undefined, owner)
      faults.preset('platform-rate-limited', { answers: 3, reset: 0.01 })
      expect([(await read()).status, (await read()).status]).toEqual([429, 429])
      const limited = await read()
      const seconds = Number(limited.headers.get('x-ratelimit-reset'))
      expect([limited.status, seconds, limited.headers.get('x-ratelimit-remaining')]).toEqual([
        429,
        0.01,
        '0',
      ])
      await setTimeout(seconds * 1000)
      expect((await read()).status).toBe(200)
    })

    test('platform-hidden: 404 does not prove that a resource is absent, because another token can read it', async () => {
      const { ask, faults, world } = await served(dialect)
      faults.preset('platform-hidden', { match: { caller: 'member-token' } })
      const read = async (token: string) =>
        (await ask(organization, 'GET', undefined, { authorization: `Bearer ${token}` })).status
      expect(await read('member-token')).toBe(404)
      const body = {
        data: { type: 'organizations', attributes: { name: 'example-org', email: 'a@b.test' } },
      }
      const created = await ask('/api/v2/organizations', 'POST', body, siteAdmin)
      expect([created.status, created.text]).toEqual([422, expect.stringContaining('taken')])
      expect(await read('owner-token')).toBe(200)
      expect(world.requests.find({ outcome: 'faulted' })).toHaveLength(1)
    })

    test('platform-upload-refused: the version stays pending until the upload is repeated', async () => {
      const { ask, faults, world } = await served(dialect)
      const { provider } = world.info().services.platform.module
      const tests = `${organization}/tests/registry-modules/private/example-org/network/${provider}`
      const created = await ask(`${tests}/test-runs/configuration-versions`, 'POST', {}, owner)
      const { id, attributes } = JSON.parse(created.text).data
      const upload = (body: string) =>
        fetch(attributes['upload-url'], { method: 'PUT', body }).then(({ status }) => status)
      const status = async () => {
        const { text } = await ask(`/api/v2/configuration-versions/${id}`, 'GET', undefined, owner)
        return JSON.parse(text).data.attributes.status
      }
      faults.preset('platform-upload-refused', { bytes: 4 })
      expect([await upload('too long'), await status(), await status()]).toEqual([
        413,
        'pending',
        'pending',
      ])
      expect([await upload('ok'), await status()]).toEqual([200, 'uploaded'])
    })

    test('platform-smtp-down: the sent settings are not stored, as a read shows', async () => {
      const { ask, faults } = await served(dialect)
      const url = '/api/v2/admin/smtp-settings'
      const attributes = {
        enabled: true,
        host: 'mail.test',
        port: 25,
        sender: 'a@b.test',
        'test-email-address': 'c@d.test',
      }
      const body = { data: { type: 'smtp-settings', attributes } }
      const host = async () =>
        JSON.parse((await ask(url, 'GET', undefined, siteAdmin)).text).data.attributes.host
      const patch = async () => (await ask(url, 'PATCH', body, siteAdmin)).status
      faults.preset('platform-smtp-down', { how: 'timed-out' })
      expect([await patch(), await host()]).toEqual([504, null])
      faults.endPreset('platform-smtp-down')
      expect([await patch(), await host()]).toEqual([200, 'mail.test'])
    })
  },
)

describe('behaviour/program#presets: the npm package consul under presets', () => {
  /** Returns a client of a world with two keys, and the URL of the mesh. */
  async function connect() {
    const { running: understudy, faults } = await served('vendor')
    const url = String(understudy.apiUrl('mesh'))
    const { hostname: host, port } = new URL(url)
    const client = new Consul({ host, port: Number(port) })
    await client.kv.set('app/a', '1')
    await client.kv.set('app/b', '2')
    return { client, faults, url }
  }

  /** Returns the index of a blocking read. */
  const indexOf = async (url: string, index = '0') => {
    const reply = await fetch(`${url}/v1/kv/app/a?index=${index}&wait=10m`)
    return Number(reply.headers.get('x-consul-index'))
  }

  test('mesh-index-reset: a watch that starts over still sees changes', async () => {
    const { client, faults, url } = await connect()
    const before = await indexOf(url)
    const values: string[] = []
    const watch = client.watch({ method: client.kv.get, options: { key: 'app/a', wait: '10m' } })
    onTestFinished(() => watch.end())
    const seen = new Promise<void>((resolve, reject) => {
      watch.on('error', reject)
      watch.on('change', (pair: { Value: string }) => {
        values.push(pair.Value)
        // The restarted watch reports the current value once more.
        if (values.length === 1) faults.preset('mesh-index-reset')
        if (values.length < 3) void client.kv.set('app/a', `${values.length + 1}`).catch(reject)
        else resolve()
      })
    })
    await seen
    expect(values.slice(0, 2)).toEqual(['1', '2'])
    // A reader that keeps the highest index would ignore answers with a lower one.
    faults.preset('mesh-index-reset')
    expect(await indexOf(url, String(before + 9))).toBeLessThan(before + 9)
  })

  test('mesh-list-filtered: keys missing from a list may still exist, as the header says', async () => {
    const { client, faults, url } = await connect()
    faults.preset('mesh-list-filtered')
    expect(await client.kv.keys('app/')).toEqual([])
    const { headers } = await fetch(`${url}/v1/kv/app/?keys`)
    expect(headers.get('x-consul-results-filtered-by-acls')).toBe('true')
    faults.endPreset('mesh-list-filtered')
    expect(await client.kv.keys('app/')).toEqual(['app/a', 'app/b'])
  })

  test('mesh-no-leader: consistent reads and writes fail, but stale reads succeed', async () => {
    const { client, faults } = await connect()
    faults.preset('mesh-no-leader')
    for (const call of [client.kv.get('app/a'), client.kv.set('app/a', '2')]) {
      await expect(call).rejects.toMatchObject({ statusCode: 500, message: /No cluster leader/ })
    }
    const stale = { key: 'app/a', stale: true }
    expect(await client.kv.get(stale)).toMatchObject({ Value: '1' })
    faults.endPreset('mesh-no-leader')
    expect(await client.kv.set('app/a', '2')).toBe(true)
  })
})

describe.each(dialects)(
  'behaviour/program#presets: a client of the scheduler under presets (%s)',
  (dialect) => {
    const job = (count: number) => ({
      ID: 'app',
      Name: 'app',
      Type: 'service',
      Datacenters: ['dc1'],
      TaskGroups: [
        {
          Name: 'g',
          Count: count,
          Tasks: [{ Name: 't', Driver: 'docker', Config: { image: 'x' } }],
        },
      ],
    })

    test('scheduler-index-conflict: a retry with the old index fails, but one with a fresh index succeeds', async () => {
      const { ask, faults } = await served(dialect)
      await ask('/v1/jobs', 'POST', { Job: job(1) })
      const index = async () => JSON.parse((await ask('/v1/job/app')).text).JobModifyIndex
      const register = async (JobModifyIndex: number) =>
        (await ask('/v1/jobs', 'POST', { Job: job(2), EnforceIndex: true, JobModifyIndex })).status
      faults.preset('scheduler-index-conflict')
      const old = await index()
      expect([await register(old), await register(old)]).toEqual([500, 500])
      expect(await register(await index())).toBe(200)
    })

    test('scheduler-no-leader: consistent reads fail, but stale reads succeed', async () => {
      const { ask, faults } = await served(dialect)
      await ask('/v1/jobs', 'POST', { Job: job(1) })
      faults.preset('scheduler-no-leader')
      expect(await ask('/v1/jobs')).toMatchObject({ status: 500, text: 'No cluster leader' })
      const stale = await ask('/v1/jobs?stale')
      expect(JSON.parse(stale.text)).toHaveLength(1)
      const product = dialect === 'vendor' ? 'nomad' : 'sched'
      expect(stale.headers.get(`x-${product}-knownleader`)).toBe('false')
    })

    test('scheduler-placement-failed: a registration with 200 does not mean that the job runs', async () => {
      const { ask, faults, world } = await served(dialect)
      world.changeOptions({ scheduler: { timeScale: 0 } })
      faults.preset('scheduler-placement-failed')
      const created = await ask('/v1/jobs', 'POST', { Job: job(1) })
      expect(created.status).toBe(200)
      const jobList = async (path: string) => JSON.parse((await ask(`/v1/job/app${path}`)).text)
      expect(await jobList('/allocations')).toEqual([])
      const [evaluation] = (await jobList('/evaluations')).filter(
        ({ ID }: { ID: string }) => ID === JSON.parse(created.text).EvalID,
      )
      expect(evaluation.FailedTGAllocs).toHaveProperty('g')
      faults.endPreset('scheduler-placement-failed')
      expect(
        (await jobList('/allocations')).map(
          ({ ClientStatus }: { ClientStatus: string }) => ClientStatus,
        ),
      ).toEqual(['running'])
    })
  },
)
