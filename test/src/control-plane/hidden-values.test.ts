import { describe, expect, onTestFinished, test } from 'vitest'
import { changeOf } from '../../../routes/journal/entry.ts'
import { fingerprintOf } from '../../../routes/journal/fingerprint.ts'
import { createUnderstudy } from '../../../src/embedding/index.ts'
import { services } from '../../../src/services.ts'
import { Worlds } from '../../../state/kernel/worlds/worlds.ts'
import { moduleUploads } from '../../../state/platform/modules/versions.ts'
import { operationTokens } from '../../../state/secrets/replication/operation-tokens.ts'

const plain = 'geheim-geheim'
const encoded = Buffer.from(plain).toString('base64')

describe.each(['neutral', 'vendor'] as const)('hidden values, %s', (dialect) => {
  async function started() {
    const understudy = await createUnderstudy({ dialect, seed: 'test', apiPorts: { mesh: 0 } })
    onTestFinished(() => understudy.close())
    const world = understudy.world()
    const send = (method: 'GET' | 'PUT' | 'POST', url: string, payload?: string | object) =>
      world.inject({
        method,
        url,
        headers: { 'content-type': 'application/json' },
        ...(payload === undefined ? {} : { payload }),
      })
    /** Returns the texts in which the control plane shows all requests. */
    const shown = async () => {
      const paths = ['/requests', '/report', '/report?format=markdown']
      const ids = world.requests.find({}).map(({ id }) => `/explain/${id}`)
      const replies = [...paths, ...ids].map(async (path) => {
        return (await understudy.inject(`/_mock${path}`)).body
      })
      return (await Promise.all(replies)).join('\n')
    }
    /** Opens the listeners and returns a function that sends to the mesh, which shares `/v1/kv`. */
    const sendToMesh = async () => {
      await understudy.listen()
      return async (method: 'GET' | 'PUT', path: string, payload?: string | object) => {
        const body = typeof payload === 'object' ? JSON.stringify(payload) : payload
        const reply = await fetch(world.apiUrl('mesh') + path, {
          method,
          ...(body === undefined ? {} : { body }),
        })
        return { statusCode: reply.status, body: await reply.text() }
      }
    }
    return { world, send, sendToMesh, shown }
  }

  test('behaviour/program#journal: values of mesh keys are fingerprints', async () => {
    const { world, sendToMesh, shown } = await started()
    const send = await sendToMesh()
    await send('PUT', '/v1/kv/app', plain)
    await send('PUT', '/v1/kv/json', `{"deep":"${plain}"}`)
    await send('GET', '/v1/kv/app')
    await send('GET', '/v1/kv/json?recurse')
    const raw = await send('GET', '/v1/kv/app?raw')
    expect(raw.body).toBe(plain)
    await send('GET', '/v1/kv/json?raw')
    await send('PUT', '/v1/txn', [{ KV: { Verb: 'set', Key: 'a', Value: encoded } }])
    await send('PUT', '/v1/txn', [{ kv: { verb: 'set', key: 'a', value: encoded } }])
    const read = await send('PUT', '/v1/txn', [{ KV: { Verb: 'get', Key: 'a' } }])
    expect([read.statusCode, read.body.includes(encoded)]).toEqual([200, true])
    await send('PUT', '/v1/txn', [{ KV: { Verb: 'cas', Key: 'a', Index: 1, Value: encoded } }])
    await send('PUT', '/v1/txn', [{ KV: { Verb: 'nothing', Key: 'a', Value: encoded } }])
    const text = await shown()
    expect([text.includes(plain), text.includes(encoded)]).toEqual([false, false])
    const [putRequest] = world.requests.find({ operation: 'putKey', body: plain })
    const [readRaw] = world.requests.find({ operation: 'readKey', query: { raw: '' } })
    expect(putRequest?.body).toBe(readRaw?.responseBody)
  })

  test('behaviour/program#journal: passwords of image registries are fingerprints', async () => {
    const { send, shown } = await started()
    for (const auth of [{ username: 'ada', password: plain }, [{ Password: plain }]]) {
      const task = { Name: 't', Driver: 'docker', Config: { image: 'busybox', auth } }
      const TaskGroups = [{ Name: 'g', Tasks: [task] }]
      const Job = { ID: 'j', Name: 'j', Type: 'batch', Datacenters: ['dc1'], TaskGroups }
      await send('POST', '/v1/job/j/plan', { Job, Diff: false })
      await send('PUT', '/v1/jobs', { Job })
      expect((await send('GET', '/v1/job/j')).body).toContain(plain)
      await send('GET', '/v1/job/j/versions')
    }
    expect(await shown()).not.toContain(plain)
  })

  test('behaviour/program#journal: keys of rows that are tokens are fingerprints', () => {
    const worlds = new Worlds({ services: services.map(({ state }) => state), seed: 'test' })
    onTestFinished(() => worlds.close())
    for (const { id } of [operationTokens, moduleUploads]) {
      const row = { service: 'secrets', table: id, key: plain, before: undefined, after: {} }
      expect(changeOf(worlds.default, row, fingerprintOf('test')).key).toMatch(/^fp:/)
    }
  })

  test('behaviour/program#journal: tokens in paths are fingerprints', async () => {
    const { world, send, shown } = await started()
    const token = `hvs.${'Aa1'.repeat(9)}`
    await send('POST', `/v1/auth/token/revoke/${plain}`)
    await send('GET', `/v1/auth/token/lookup/${plain}`)
    await send('GET', `/v1/secret/data/${token}`)
    await send('GET', `/v1/nowhere/${token}`)
    await world.inject({ url: `/v1/job/${plain}`, headers: { authorization: `Bearer ${plain}` } })
    const text = await shown()
    expect([text.includes(plain), text.includes(token)]).toEqual([false, false])
  })
})
