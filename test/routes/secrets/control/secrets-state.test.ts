import { describe, expect, test } from 'vitest'
import { registerLease } from '../../../../state/secrets/leases/leases.ts'
import { rootNamespace } from '../../../../state/secrets/namespaces/namespaces.ts'
import { unsealKeys } from '../../../../state/secrets/seal/seal.ts'
import { findToken } from '../../../../state/secrets/tokens/rows.ts'
import type { AnyRequest, Reply } from '../../../support/secrets/secrets.ts'
import { type SecretsServer, secretsServer } from '../../../support/secrets/secrets-server.ts'
import { error, statusAndBody } from '../replies.ts'

/** Ids created in a rich world, which later requests name. */
interface Ids {
  readonly parent: string
  readonly child: string
  readonly counted: string
  readonly lease: string
}

/**
 * Adds objects of every kind to a world: mounts, policies, tokens, leases, secrets, scheduled jobs.
 */
async function enrich({ secrets, as, world }: SecretsServer): Promise<Ids> {
  await secrets.post('sys/mounts/team/store', { type: 'kv', options: { version: 2 } })
  await secrets.post('sys/mounts/kv/tune', { default_lease_ttl: '2h', description: 'old engine' })
  await secrets.post('sys/auth/second', { type: 'cloud', description: 'another' })
  await secrets.post('sys/policies/acl/reads', {
    policy:
      'path "secret/*" { capabilities = ["read", "list"] }\npath "auth/token/create" { policy = "write" }',
  })
  await secrets.post('auth/token/roles/ci', { allowed_policies: 'reads', token_period: '10m' })
  const create = async (client: typeof secrets, body: object, path = 'auth/token/create') =>
    String((await client.post(path, body)).body.auth.client_token)
  const parent = await create(secrets, { ttl: '2h', policies: ['reads'], meta: { of: 'test' } })
  const child = await create(as(parent), { ttl: '1h' })
  const counted = await create(secrets, { num_uses: 3, policies: ['reads'] })
  await create(secrets, { ttl: '30m', type: 'batch', policies: ['reads'] })
  await create(secrets, {}, 'auth/token/create/ci')
  await as(parent).post('cubbyhole/mine', { only: 'here' })
  await secrets.post('kv/a/b', { user: 'ada', ttl: '90s', list: [1, { deep: null }] })
  await secrets.post('kv/a', { __proto__x: 1, big: 12345678901234 })
  await secrets.post('secret/config', { max_versions: 4, delete_version_after: '3h' })
  for (let n = 0; n < 6; n++) await secrets.post('secret/data/app/db', { data: { n } })
  await secrets.post('secret/destroy/app/db', { versions: [4] })
  await secrets.post('secret/delete/app/db', { versions: [5] })
  await secrets.post('secret/metadata/app/db', { custom_metadata: { owner: 'ada' } })
  await secrets.post('secret/metadata/app/brief', { delete_version_after: '10m' })
  await secrets.post('secret/data/app/brief', { data: { gone: 'soon' } })
  await secrets.post('sys/rotate')
  const token = findToken(world, parent)
  if (token === undefined) throw new Error('the token is not there')
  const lease = registerLease(world, {
    namespace: rootNamespace,
    path: 'orch/creds/dev',
    token,
    renewable: true,
    ttl: 2400,
  })
  return { parent, child, counted, lease: lease.id }
}

/** Returns requests that read all content of a rich world. */
function readings({ parent, child, counted, lease }: Ids): readonly AnyRequest[] {
  const get = (path: string, token?: string): AnyRequest => ({ method: 'GET', path, token })
  const list = (path: string): AnyRequest => ({ ...get(path), query: { list: 'true' } })
  const post = (path: string, payload: object): AnyRequest => ({ method: 'POST', path, payload })
  return [
    get('sys/mounts'),
    get('sys/auth'),
    get('sys/mounts/kv/tune'),
    list('sys/policies/acl'),
    get('sys/policies/acl/reads'),
    get('auth/token/roles/ci'),
    list('auth/token/accessors'),
    get('auth/token/lookup-self', parent),
    get('auth/token/lookup-self', child),
    get('secret/data/app/db', counted),
    post('auth/token/lookup', { token: counted }),
    post('sys/leases/lookup', { lease_id: lease }),
    list('sys/leases/lookup'),
    get('cubbyhole/mine', parent),
    get('kv/a/b'),
    get('kv/a'),
    list('kv'),
    get('secret/config'),
    get('secret/data/app/db'),
    { ...get('secret/data/app/db'), query: { version: '5' } },
    get('secret/metadata/app/db'),
    get('secret/data/app/brief'),
    get('secret/metadata/app/brief'),
    list('secret/metadata/app'),
    get('sys/key-status'),
    get('sys/health'),
    get('sys/seal-status'),
    // This request draws from the id generator.
    post('auth/token/create', { ttl: '5m' }),
  ]
}

const shown = ({ status, text }: Reply): string => `${status} ${text}`

/** Returns the answers to all read requests, in order. */
async function read({ secrets }: SecretsServer, ids: Ids): Promise<string[]> {
  const answers: string[] = []
  for (const request of readings(ids)) answers.push(shown(await secrets.request(request)))
  return answers
}

const exported = async ({ ask }: SecretsServer): Promise<string> =>
  (await ask('GET', '/state')).text

describe('behaviour/program#control-plane: export and import of a secrets world', () => {
  test('export, import and export are byte-identical, in the same world and in another', async () => {
    const source = await secretsServer()
    await enrich(source)
    const document = await exported(source)
    expect((await source.ask('PUT', '/state', document)).status).toBe(204)
    expect(await exported(source)).toBe(document)

    const other = await secretsServer({ seed: 'other', clock: { mode: 'real' } })
    expect((await other.ask('PUT', '/state', document)).status).toBe(204)
    expect(await exported(other)).toBe(document)
  })

  test('the imported world answers as the first one, now and after deadlines', async () => {
    const source = await secretsServer()
    const ids = await enrich(source)
    const other = await secretsServer({ seed: 'other', clock: { mode: 'real' } })
    await other.ask('PUT', '/state', await exported(source))

    // These instants pass the deadlines of the deleted versions, the lease, the child token and the
    // parent token.
    for (const by of ['0s', '9m59s', '1s', '30m', '20m', '1h', '2h', '800h']) {
      const fired = (await source.ask('POST', '/clock/advance', { by })).text
      expect([by, (await other.ask('POST', '/clock/advance', { by })).text]).toEqual([by, fired])
      expect(await read(other, ids)).toEqual(await read(source, ids))
    }
    expect(await exported(other)).toBe(await exported(source))
  })

  test('deadlines are part of the document', async () => {
    const source = await secretsServer()
    const { parent, child, lease } = await enrich(source)
    const other = await secretsServer({ seed: 'other' })
    await other.ask('PUT', '/state', await exported(source))
    const { secrets, as, world } = other
    const status = async (path: string) => (await secrets.get(path)).status
    const look = async () => (await secrets.post('sys/leases/lookup', { lease_id: lease })).status

    world.advance(599_999)
    expect([await status('secret/data/app/brief'), await look()]).toEqual([200, 200])
    world.advance(1)
    expect(await status('secret/data/app/brief')).toBe(404)
    world.advance(1_799_999)
    expect(await look()).toBe(200)
    world.advance(1)
    expect(await look()).toBe(400)
    world.advance(1_200_000)
    expect(statusAndBody(await as(child).get('cubbyhole/mine'))).toEqual(
      error(403, 'permission denied'),
    )
    expect((await as(parent).get('cubbyhole/mine')).body.data).toEqual({ only: 'here' })
    world.advance(3_600_000)
    expect(statusAndBody(await as(parent).get('cubbyhole/mine'))).toEqual(
      error(403, 'permission denied'),
    )
  })

  test('a partly unsealed world stays partly unsealed', async () => {
    const source = await secretsServer()
    await enrich(source)
    const { keys } = unsealKeys(source.world)
    await source.secrets.post('sys/seal')
    const first = await source.secrets.post('sys/unseal', { key: keys[0] })
    expect([first.body.sealed, first.body.progress]).toEqual([true, 1])
    const document = await exported(source)

    const other = await secretsServer({ seed: 'other' })
    await other.ask('PUT', '/state', document)
    expect(await exported(other)).toBe(document)
    expect((await other.secrets.get('sys/seal-status')).body).toEqual(first.body)
    expect(statusAndBody(await other.secrets.get('kv/a'))).toEqual(error(503, 'Service is sealed'))
    const second = await other.secrets.post('sys/unseal', { key: keys[1] })
    expect([second.body.progress, second.body.nonce]).toEqual([2, first.body.nonce])
    const third = await other.secrets.post('sys/unseal', { key: keys[2] })
    expect([third.body.sealed, third.body.progress]).toEqual([false, 0])
    expect((await other.secrets.get('kv/a')).status).toBe(200)
  })

  test.each<[string, (document: Record<string, Record<string, unknown>>) => unknown]>([
    ['is not JSON', () => '{'],
    ['is not an object', () => []],
    ['has an unknown service', (document) => ({ ...document, lake: {} })],
    [
      'has an unknown table',
      ({ secrets, ...rest }) => ({ ...rest, secrets: { tables: { lake: {} }, more: secrets } }),
    ],
    [
      'has a row of the wrong shape',
      (document) => ({ ...document, secrets: { tables: { mounts: { 'root/x/': {} } } } }),
    ],
    [
      'has an unknown option',
      (document) => ({ ...document, options: { secrets: { colour: 'red' } } }),
    ],
    [
      'has a short form that does not load',
      (document) => ({ ...document, secrets: { ...document['secrets'], kv: { none: {} } } }),
    ],
    [
      'names a job that nobody knows',
      ({ world, ...rest }) => ({
        ...rest,
        world: {
          ...world,
          tables: { agenda: { k: { at: 1, job: 'secrets.fly', id: 'x' } } },
        },
      }),
    ],
  ])('a document that %s changes nothing', async (_, spoil) => {
    const server = await secretsServer()
    const ids = await enrich(server)
    const before = await exported(server)
    const reply = await server.ask('PUT', '/state', spoil(JSON.parse(before)))
    expect(reply.status).toBe(400)
    expect(await exported(server)).toBe(before)
    const twin = await secretsServer()
    await enrich(twin)
    expect(await read(server, ids)).toEqual(await read(twin, ids))
  })
})

describe('behaviour/program#control-plane: snapshots, forks and reset of a secrets world', () => {
  const keep = async ({ ask }: SecretsServer): Promise<string> =>
    JSON.parse((await ask('POST', '/snapshots')).text).id

  test('restoring recovers data, tokens, time and ids', async () => {
    const server = await secretsServer()
    const ids = await enrich(server)
    const before = await exported(server)
    const id = await keep(server)
    const first = await read(server, ids)
    await server.secrets.delete('sys/mounts/secret')
    await server.secrets.post('auth/token/revoke', { token: ids.parent })
    await server.ask('POST', '/clock/advance', { by: '5h' })
    await server.secrets.post('sys/seal')
    expect((await server.ask('POST', `/snapshots/${id}/restore`)).status).toBeLessThan(300)
    expect(await exported(server)).toBe(before)
    expect(await read(server, ids)).toEqual(first)
  })

  test('a fork continues independently', async () => {
    const server = await secretsServer()
    const ids = await enrich(server)
    const before = await exported(server)
    const made = await server.ask('POST', '/worlds', { id: 'fork', from: 'default' })
    expect(made.status).toBeLessThan(300)
    const inFork = { headers: { 'x-mock-world': 'fork' } }
    const { secrets } = server

    expect((await secrets.get('kv/a', inFork)).body.data).toEqual(
      (await secrets.get('kv/a')).body.data,
    )
    await secrets.post('kv/a', { of: 'fork' }, inFork)
    await secrets.delete('sys/mounts/team/store', inFork)
    await server.ask('POST', '/worlds/fork/clock/advance', { by: '90m' })
    expect(statusAndBody(await server.as(ids.child).get('cubbyhole/x', inFork))).toEqual(
      error(403, 'permission denied'),
    )
    expect((await secrets.get('secret/data/app/brief', inFork)).status).toBe(404)

    expect((await secrets.get('kv/a')).body.data).not.toEqual({ of: 'fork' })
    expect((await secrets.get('secret/data/app/brief')).status).toBe(200)
    expect((await server.as(ids.child).get('cubbyhole/x')).status).not.toBe(403)
    // Reads draw request ids; nothing else of the first world has changed.
    const { world: _, ...state } = JSON.parse(await exported(server))
    const { world: __, ...stateBefore } = JSON.parse(before)
    expect(state).toEqual(stateBefore)
  })

  test('a fork continues with the same ids', async () => {
    const server = await secretsServer()
    const ids = await enrich(server)
    await server.ask('POST', '/worlds', { id: 'fork', from: 'default' })
    const own = await read(server, ids)
    const answers: string[] = []
    for (const request of readings(ids)) {
      const headers = { 'x-mock-world': 'fork' }
      answers.push(shown(await server.secrets.request({ ...request, headers })))
    }
    expect(answers).toEqual(own)
  })

  test('reset restores the initial state exactly', async () => {
    const server = await secretsServer()
    const before = await exported(server)
    const ids = await enrich(server)
    await server.ask('POST', '/clock/advance', { by: '1h' })
    await server.ask('POST', '/reset')
    expect(await exported(server)).toBe(before)
    expect(statusAndBody(await server.secrets.get('kv/a'))).toEqual(error(404))
    // Time and ids restarted as well.
    expect(await enrich(server)).toEqual(ids)
  })

  test('reset restores the fixtures', async () => {
    const document = {
      secrets: { kv: { kv: { a: { b: 1 } } }, tokens: [{ id: 't', policies: ['root'] }] },
    }
    const server = await secretsServer({ document })
    await server.secrets.delete('kv/a')
    await server.secrets.post('auth/token/revoke', { token: 't' })
    await server.ask('POST', '/reset')
    expect((await server.as('t').get('kv/a')).body.data).toEqual({ b: 1 })
  })
})

describe('behaviour/program#worlds: the same seed and the same requests give the same bytes', () => {
  /**
   * Returns the complete replies to a long script; `date` and the connection headers are Node's.
   */
  async function play(seed: string): Promise<string[]> {
    const server = await secretsServer({ seed })
    const replies: string[] = []
    const send = async (request: AnyRequest): Promise<Reply> => {
      const reply = await server.secrets.request(request)
      const { date, connection, ...headers } = reply.headers
      replies.push(JSON.stringify([reply.status, headers, reply.text]))
      return reply
    }
    const post = (path: string, payload: object, token?: string) =>
      send({ method: 'POST', path, payload, token })
    const get = (path: string, token?: string) => send({ method: 'GET', path, token })

    for (let n = 0; n < 5; n++) await post(`secret/data/a/${n % 2}`, { data: { n } })
    for (let n = 0; n < 5; n++) await post(`kv/b/${n}`, { n })
    const made: string[] = []
    for (let n = 0; n < 5; n++) {
      const { body } = await post('auth/token/create', { ttl: 60 * (n + 1), policies: ['p'] })
      made.push(body.auth.client_token)
    }
    for (const token of made) await get('auth/token/lookup-self', token)
    for (const type of ['kv', 'kv-v2', 'cloud']) await post(`sys/mounts/${type}`, { type })
    await post('sys/auth/more', { type: 'cloud' })
    await get('sys/mounts')
    await get('sys/auth')
    await send({ method: 'GET', path: 'secret/metadata/a', query: { list: 'true' } })
    await get('secret/metadata/a/0')
    await get('secret/nonsense')
    await get('nothing')
    await post('kv/b', {})
    await post('sys/mounts/kv', { type: 'kv' })
    await post('sys/rotate', {})
    await get('sys/key-status')
    server.world.advance(150_000)
    for (const token of made) await get('auth/token/lookup-self', token)
    await send({ method: 'GET', path: 'auth/token/accessors', query: { list: 'true' } })
    await post('sys/seal', {})
    const { keys } = unsealKeys(server.world)
    for (const key of keys.slice(0, 3)) await post('sys/unseal', { key })
    for (const path of ['sys/health', 'sys/leader', 'sys/seal-status', 'kv/b/1']) await get(path)
    await post('auth/token/create', { type: 'batch', ttl: '1h', policies: ['p'] })
    await send({ method: 'DELETE', path: 'sys/mounts/kv-v2' })
    return replies
  }

  test('fifty requests to two servers give equal replies', async () => {
    const first = await play('one')
    expect(first.length).toBeGreaterThanOrEqual(50)
    expect(await play('one')).toEqual(first)
  })

  test('another seed gives other ids', async () => {
    const [first, second] = [await play('one'), await play('two')]
    expect(second.length).toBe(first.length)
    expect(second[10]).not.toBe(first[10])
  })
})
