import { describe, expect, onTestFinished, test } from 'vitest'
import { eventHubOf } from '../../../routes/events/hub.ts'
import { changeOf } from '../../../routes/journal/entry.ts'
import { fingerprintOf } from '../../../routes/journal/fingerprint.ts'
import { Journals } from '../../../routes/journal/journal.ts'
import { createUnderstudy } from '../../../src/embedding/index.ts'
import { services } from '../../../src/services.ts'
import { isObject } from '../../../state/kernel/objects.ts'
import { Worlds } from '../../../state/kernel/worlds/worlds.ts'
import { moduleUploads } from '../../../state/platform/modules/versions.ts'
import { operationTokens } from '../../../state/secrets/replication/operation-tokens.ts'

/** Names of members that hold secrets in some table. */
const secretNames = /(token|secret|password|_key|jwt|otp|shares|credential)$|^secret_?id$/i

/** Members with such names that hold numbers, switches, public keys or what the caller may show. */
const harmless: ReadonlySet<string> = new Set([
  'CpuShares',
  'DispatchIdempotencyToken',
  'disable_local_ca_jwt',
  'has_ssh_key',
  'pgp_key',
  'public_key',
  'rsa_public_key',
  // Key of a tag.
  'tag_key',
  // Settings of second factors.
  'totp',
])

/** Yields the members of a schema, with their locations. */
function* membersOf(schema: unknown, place: string): Generator<string> {
  if (!isObject(schema)) return
  for (const [name, inner] of Object.entries(schema['properties'] ?? {})) {
    yield `${place}/${name}`
    yield* membersOf(inner, `${place}/${name}`)
  }
  yield* membersOf(schema['items'], `${place}/*`)
  yield* membersOf(schema['additionalProperties'], `${place}/*`)
  for (const option of [schema['anyOf'], schema['oneOf']].flat()) yield* membersOf(option, place)
}

test('behaviour/program#journal: members with the names of secrets are declared as secrets', () => {
  const tables = services.flatMap(({ state }) => [...state.tables])
  const undeclared = tables.flatMap(({ id, schema, secrets }) => {
    const declared = secrets === 'none' ? [] : secrets.members.map((member) => `${id}/${member}`)
    return [...membersOf(schema, id)].filter((member) => {
      const name = member.split('/').at(-1) ?? ''
      const isDeclared = declared.some((place) => `${member}/`.startsWith(`${place}/`))
      const isCount = member === 'secrets.rekey/settings/shares'
      return secretNames.test(name) && !isDeclared && !isCount && !harmless.has(name)
    })
  })
  expect(undeclared).toEqual([])
})

const plain = 'geheim-geheim'
const encoded = Buffer.from(plain).toString('base64')

describe.each(['neutral', 'vendor'] as const)('hidden values, %s', (dialect) => {
  async function started() {
    const understudy = await createUnderstudy({ dialect, seed: 'test', apiPorts: { mesh: 0 } })
    onTestFinished(() => understudy.close())
    const world = understudy.world()
    const sendWith =
      (headers: Readonly<Record<string, string>>) =>
      (method: 'GET' | 'PUT' | 'POST', url: string, payload?: string | object) =>
        world.inject({
          method,
          url,
          headers: { 'content-type': 'application/json', ...headers },
          ...(payload === undefined ? {} : { payload }),
        })
    const send = sendWith({})
    const sendAsRoot = sendWith({ 'x-secrets-token': 'root' })
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
    return { world, send, sendAsRoot, sendToMesh, shown }
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

  test('behaviour/program#journal: rows show fingerprints in the places that their tables declare', async () => {
    const { world, sendAsRoot: send } = await started()
    await send('POST', '/v1/secret/data/app', { data: { password: plain } })
    const auth = { username: 'ada', password: plain }
    const Tasks = [{ Name: 't', Driver: 'docker', Config: { image: 'busybox', auth } }]
    const Job = { ID: 'j', Name: 'j', Datacenters: ['dc1'], TaskGroups: [{ Name: 'g', Tasks }] }
    await send('PUT', '/v1/jobs', { Job })
    const token = JSON.parse((await send('POST', '/v1/auth/token/create', {})).body).auth
    const text = JSON.stringify(world.redactedChanges())
    expect(JSON.stringify(world.changes())).toContain(plain)
    expect([text.includes(plain), text.includes(token.client_token)]).toEqual([false, false])
    expect(text).toContain('"username":"ada"')
    expect(text).toContain('"secrets.kv2-data"')
  })

  test('behaviour/program#journal: the option redact names further places', async () => {
    const { world, sendAsRoot: send, shown } = await started()
    const redact = [
      '/Job/TaskGroups/*/Tasks/*/Env',
      '/TaskGroups/*/Tasks/*/Env/*',
      '/custom_metadata/a~1b',
      '/data/custom_metadata/a~1b',
    ]
    world.changeOptions({ control: { redact } })
    const Tasks = [{ Name: 't', Driver: 'exec', Config: { command: 'x' }, Env: { PIN: plain } }]
    const Job = { ID: 'j', Name: 'j', Datacenters: ['dc1'], TaskGroups: [{ Name: 'g', Tasks }] }
    await send('PUT', '/v1/jobs', { Job })
    expect((await send('GET', '/v1/job/j')).body).toContain(plain)
    await send('POST', '/v1/secret/metadata/app', { custom_metadata: { 'a/b': plain } })
    await send('GET', '/v1/secret/metadata/app')
    expect(await shown()).not.toContain(plain)
    const [read] = world.requests.find({ path: '/v1/job/j' })
    expect(JSON.stringify(read?.responseBody)).toMatch(/"Env":{"PIN":"fp:[0-9a-f]{12}"}/)
    const jobs = world.redactedChanges().filter(({ table }) => table === 'scheduler.jobs')
    expect(JSON.stringify(jobs)).not.toContain(plain)
    expect(() => world.changeOptions({ control: { redact: ['Job'] } })).toThrow(
      '/control/redact/0 must match pattern',
    )
  })

  test('behaviour/program#events: clock events hide the tokens that expire', () => {
    const worlds = new Worlds({ services: services.map(({ state }) => state), seed: 'test' })
    onTestFinished(() => worlds.close())
    const world = worlds.default
    const hub = eventHubOf(new Journals().of(world))
    hub.listen({ types: new Set(['clock']), send: () => {} })
    const id = `hvs.${'Aa1'.repeat(9)}`
    world.write(() => {
      world.agenda.schedule({ at: world.clock.now() + 1000, job: 'secrets.token.expire', id })
    })
    world.advance(2000)
    const text = JSON.stringify(hub.since(0).filter(({ type }) => type === 'clock'))
    expect(text).toMatch(/"kind":"secrets.token.expire","id":"fp:[0-9a-f]{12}"/)
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
