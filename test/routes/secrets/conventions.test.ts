import { describe, expect, test } from 'vitest'
import {
  everyEngine,
  type Reply,
  type SecretsClient,
  servedSecrets,
} from '../../support/secrets/secrets.ts'
import { callOf, declaredOperations, parametersOf, pathOf } from './declared-operations.ts'
import { envelope, error, multierrorReply, noContent, ok, statusAndBody } from './replies.ts'

const operations = declaredOperations()

/** Members of an envelope in order (behaviour/secrets#envelope). */
const envelopeKeys = [
  'request_id',
  'lease_id',
  'renewable',
  'lease_duration',
  'data',
  'wrap_info',
  'warnings',
  'auth',
]

describe('behaviour/secrets#envelope: the envelope', () => {
  test.each<[string, (secrets: SecretsClient) => Promise<Reply>]>([
    ['of a read', (secrets) => secrets.get('auth/token/lookup-self')],
    ['of a list', (secrets) => secrets.list('sys/policies/acl')],
    ['of a write', (secrets) => secrets.post('secret/data/a', { data: {} })],
    ['of a token', (secrets) => secrets.post('auth/token/create')],
    [
      'of warnings alone',
      (secrets) => secrets.put('sys/policies/acl/A', { policy: 'path "a" {}' }),
    ],
    ['of a plain secret', (secrets) => secrets.get('kv/old')],
    ['of a policy by its new path', (secrets) => secrets.get('sys/policies/acl/default')],
    ['of the mounts for the command line', (secrets) => secrets.get('sys/internal/ui/mounts')],
    ['of a lease', (secrets) => secrets.list('sys/leases/lookup/auth/token/create')],
  ])('%s has its eight keys in order and no others', async (_, act) => {
    const { secrets } = await servedSecrets()
    await secrets.post('kv/old', { a: 1 })
    await secrets.post('auth/token/create', { ttl: '1h' })
    const { status, body } = await act(secrets)
    expect([status, Object.keys(body)]).toEqual([200, envelopeKeys])
  })

  test('a 404 that carries data also has `errors`', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/data/a', { data: {} })
    await secrets.delete('secret/data/a')
    for (const path of ['secret/data/a', 'secret/nonsense']) {
      const { status, body } = await secrets.get(path)
      expect([status, Object.keys(body), body.errors]).toEqual([
        404,
        [...envelopeKeys, 'errors'],
        [],
      ])
    }
  })

  test('has a new request id each time', async () => {
    const { secrets } = await servedSecrets()
    const ids = new Set<string>()
    for (let n = 0; n < 5; n++) ids.add((await secrets.get('sys/key-status')).body.request_id)
    expect(ids.size).toBe(5)
  })

  // choice/secrets#request-ids
  test('takes its request id from the generator of the world without changing state', async () => {
    const tokenAfterRequest = async (path: string) => {
      const { secrets, world } = await servedSecrets()
      const before = world.store.index('secrets')
      await secrets.get(path)
      expect(world.store.index('secrets')).toBe(before)
      return (await secrets.post('auth/token/create')).body.auth.client_token
    }
    const bare = await tokenAfterRequest('sys/health')
    expect(await tokenAfterRequest('sys/leader')).toBe(bare)
    expect(await tokenAfterRequest('sys/key-status')).not.toBe(bare)
  })

  test('a reply that would be 204 is 200 with an envelope if it has warnings', async () => {
    const { secrets } = await servedSecrets()
    const policy = 'path "a" { policy = "read" }'
    expect(statusAndBody(await secrets.post('sys/policies/acl/lower', { policy }))).toEqual(
      noContent,
    )
    expect(statusAndBody(await secrets.post('sys/policies/acl/Upper', { policy }))).toEqual(
      ok({ warnings: ['policy name was converted to upper'] }),
    )
  })
})

describe('behaviour/secrets#body-kinds', () => {
  test.each<[string, string, object?]>([
    ['GET', 'sys/mounts'],
    ['GET', 'sys/mounts/secret'],
    ['GET', 'sys/auth'],
    ['GET', 'sys/auth/token'],
    ['GET', 'sys/policy'],
    ['GET', 'sys/policy/default'],
    ['POST', 'sys/capabilities-self', { paths: ['a', 'b'] }],
    ['POST', 'sys/capabilities', { paths: ['a'], token: 'root' }],
    ['GET', 'sys/key-status'],
  ])('%s %s repeats the keys of `data` at top level', async (method, path, payload) => {
    const { secrets } = await servedSecrets()
    const { status, body } = await secrets.request({ method, path, payload })
    const keys = Object.keys(body.data)
    expect(status).toBe(200)
    expect(keys.length).toBeGreaterThan(0)
    expect(Object.keys(body)).toEqual([...envelopeKeys, ...keys])
    for (const key of keys) expect([key, body[key]]).toEqual([key, body.data[key]])
  })

  test('POST sys/capabilities-accessor also repeats the keys of data', async () => {
    const { secrets } = await servedSecrets()
    const { accessor } = (await secrets.post('auth/token/create')).body.auth
    const { body } = await secrets.post('sys/capabilities-accessor', { paths: ['a'], accessor })
    expect(body.data).toEqual({ a: ['root'], capabilities: ['root'] })
    expect([body.a, body.capabilities]).toEqual([['root'], ['root']])
  })

  test('a key that the envelope has itself is not repeated', async () => {
    const { secrets } = await servedSecrets()
    const paths = ['auth', 'data', 'x']
    const { status, body, text } = await secrets.post('sys/capabilities-self', { paths })
    expect(status).toBe(200)
    expect([body.auth, body.data]).toEqual([null, { auth: ['root'], data: ['root'], x: ['root'] }])
    expect(text.match(/"auth":/g)?.length).toBe(2)
    expect(Object.keys(body)).toEqual([...envelopeKeys, 'x'])
  })

  test.each<[string, string, string[], object?]>([
    ['GET', 'sys/init', ['initialized']],
    [
      'GET',
      'sys/leader',
      [
        'ha_enabled',
        'is_self',
        'active_time',
        'leader_address',
        'leader_cluster_address',
        'performance_standby',
        'performance_standby_last_remote_wal',
        'last_wal',
      ],
    ],
    [
      'GET',
      'sys/seal-status',
      [
        'type',
        'initialized',
        'sealed',
        't',
        'n',
        'progress',
        'nonce',
        'version',
        'build_date',
        'migration',
        'cluster_name',
        'cluster_id',
        'recovery_seal',
        'storage_type',
      ],
    ],
  ])('%s %s is bare', async (method, path, keys) => {
    const { secrets } = await servedSecrets()
    const { status, body } = await secrets.request({ method, path, token: null })
    expect([status, Object.keys(body)]).toEqual([200, keys])
  })

  test('exactly the system endpoints of the list are declared bare', () => {
    const bare = new Set(
      operations.filter(({ operation }) => operation.unenveloped).map((one) => pathOf(one)),
    )
    const listed =
      /^sys\/(health|init|seal-status|leader|unseal|rekey\/(init|update|verify)|generate-root\/.*|internal\/ui\/feature-flags|replication\/dr\/secondary\/generate-operation-token\/.*)$/
    expect([...bare].filter((path) => !listed.test(path))).toEqual([])
    expect([...bare]).toEqual(
      expect.arrayContaining(
        ['health', 'init', 'seal-status', 'leader', 'unseal'].map((name) => `sys/${name}`),
      ),
    )
  })
})

describe('behaviour/secrets#response-headers', () => {
  const always = {
    'cache-control': 'no-store',
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
  }

  test.each<[string, number, (secrets: SecretsClient) => Promise<Reply>]>([
    ['an envelope', 200, (secrets) => secrets.get('sys/mounts')],
    ['a bare body', 200, (secrets) => secrets.get('sys/health')],
    ['a refusal', 403, (secrets) => secrets.get('secret/data/a', { token: null })],
    ['an empty list', 404, (secrets) => secrets.list('kv')],
    ['an unknown verb', 405, (secrets) => secrets.request({ method: 'OPTIONS', path: 'kv/a' })],
    ['a body that is not JSON', 400, (secrets) => secrets.post('kv/a', '{')],
    ['a 404 envelope', 404, (secrets) => secrets.get('secret/nonsense')],
  ])('%s has all headers of replies', async (_, wanted, act) => {
    const { secrets } = await servedSecrets()
    const { status, headers } = await act(secrets)
    expect(status).toBe(wanted)
    expect(headers).toMatchObject({ ...always, 'content-type': 'application/json' })
    expect(headers).not.toHaveProperty('x-secrets-namespace')
  })

  test('a reply without a body has all headers, including the content type', async () => {
    const { secrets } = await servedSecrets()
    const { status, headers, text } = await secrets.post('kv/a', { b: 1 })
    expect([status, text]).toEqual([204, ''])
    expect(headers).toMatchObject({ ...always, 'content-type': 'application/json' })
  })

  test.each(['root', '/', 'team'])(
    'the reply repeats the namespace header %s unchanged',
    async (name) => {
      const { secrets } = await servedSecrets()
      const headers = { 'x-secrets-namespace': name }
      expect((await secrets.get('kv/a', { headers })).headers['x-secrets-namespace']).toBe(name)
    },
  )
})

describe('behaviour/secrets#api-writes: PUT and POST are synonyms', () => {
  const writes = operations.filter(({ operation }) => operation.verb === 'write')

  test('the test compares more than 30 writes', () => expect(writes.length).toBeGreaterThan(30))

  test.each(writes.map((write) => [write.name, write] as const))('%s', async (_, write) => {
    const replies: object[] = []
    for (const method of ['POST', 'PUT']) {
      const { secrets } = await servedSecrets()
      const { status, text } = await secrets.request({ ...callOf(write), method })
      replies.push({ status, text })
    }
    expect(replies[1]).toEqual(replies[0])
  })
})

describe('behaviour/secrets#api-lists: lists', () => {
  test.each(['true', '1', 't', 'T', 'TRUE', 'True'])('list=%s lists', async (list) => {
    const { secrets } = await servedSecrets()
    await secrets.post('kv/a/b', { c: 1 })
    const keys = { keys: ['b'] }
    expect(statusAndBody(await secrets.get('kv/a', { query: { list } }))).toEqual(
      ok({ data: keys }),
    )
    expect(statusAndBody(await secrets.get('kv/a/', { query: { list } }))).toEqual(
      ok({ data: keys }),
    )
  })

  test.each(['false', '0', 'f', 'F', 'FALSE', 'False', ''])('list=%s reads', async (list) => {
    const { secrets } = await servedSecrets()
    await secrets.post('kv/a', { c: 1 })
    expect((await secrets.get('kv/a', { query: { list } })).body.data).toEqual({ c: 1 })
  })

  test.each(['yes', '2', 'tRUE', ' true', 'null'])('list=%s is 400', async (list) => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.get('kv/a', { query: { list } }))).toEqual(error(400))
    expect(statusAndBody(await secrets.get('kv/a', { query: { list }, token: null }))).toEqual(
      error(400),
    )
  })

  test('the verb LIST does the same as list=true', async () => {
    const { app, secrets } = await servedSecrets()
    await secrets.post('kv/a/b', { c: 1 })
    for (const url of ['/v1/kv/a', '/v1/kv/a/', '/v1/kv/a?list=false']) {
      const { statusCode, body } = await app.inject({
        method: 'LIST' as 'GET',
        url,
        headers: { 'x-secrets-token': 'root' },
        validate: false,
      })
      expect([statusCode, JSON.parse(body)]).toEqual([200, envelope({ data: { keys: ['b'] } })])
    }
  })

  test('list=true on another verb is not a list', async () => {
    const { secrets } = await servedSecrets()
    const query = { list: 'true' }
    expect(statusAndBody(await secrets.post('kv/a', { c: 1 }, { query }))).toEqual(noContent)
    expect(statusAndBody(await secrets.delete('kv/a', { query }))).toEqual(noContent)
  })

  test('the closing slash is there for the ACL', async () => {
    const { secrets, as } = await servedSecrets()
    await secrets.post('kv/a/b', { c: 1 })
    const policy = 'path "kv/a/" { capabilities = ["list"] }'
    await secrets.post('sys/policies/acl/lists', { policy })
    const { body } = await secrets.post('auth/token/create', { policies: ['lists'] })
    const client = as(body.auth.client_token)
    expect(statusAndBody(await client.list('kv/a'))).toEqual(ok({ data: { keys: ['b'] } }))
    expect(statusAndBody(await client.get('kv/a'))).toEqual(
      multierrorReply(403, 'permission denied'),
    )
  })

  test.each([
    'kv',
    'kv/folder',
    'secret/metadata',
    'secret/metadata/folder',
    'cubbyhole',
    'cubbyhole/folder',
    'auth/token/roles',
    'sys/leases/lookup',
    'sys/leases/lookup/orch/creds',
  ])('an empty list of %s is 404', async (path) => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.list(path))).toEqual(error(404))
  })

  test('keys are sorted bytewise', async () => {
    const { secrets } = await servedSecrets()
    for (const name of ['b', 'a', 'B', 'a-', 'a/x', '%C3%A9', '_', '10', '9']) {
      await secrets.post(`secret/data/${name}`, { data: {} })
    }
    expect((await secrets.list('secret/metadata')).body.data.keys).toEqual([
      '10',
      '9',
      'B',
      '_',
      'a',
      'a-',
      'a/',
      'b',
      'é',
    ])
  })
})

describe('behaviour/secrets#api-periods: a path parameter that ends in a period', () => {
  const cases = operations.flatMap((one) =>
    parametersOf(one.operation.path).map((name) => [one.name, name, one] as const),
  )

  test('the test covers more than 40 parameters', () => expect(cases.length).toBeGreaterThan(40))

  test.each(cases)('%s, parameter %s', async (_, name, one) => {
    const { secrets } = await servedSecrets({ document: everyEngine })
    const path = pathOf(one, (parameter) => (parameter === name ? 'x.' : 'x'))
    const open = path.startsWith('sys/internal/ui/') || one.operation.access === 'anyone'
    const refused = open ? error : multierrorReply
    expect(statusAndBody(await secrets.request(callOf(one, path)))).toEqual(
      refused(404, 'unsupported path'),
    )
  })

  test.each(['secret/data/a/b.', 'kv/a/b.', 'sys/mounts/a/b.', 'secret/data/...'])(
    'a last segment of %s that ends in a period',
    async (path) => {
      const { secrets } = await servedSecrets()
      expect(statusAndBody(await secrets.post(path, {}))).toEqual(
        multierrorReply(404, 'unsupported path'),
      )
    },
  )

  test('a period elsewhere is part of a name', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post('kv/a./b.c', { d: 1 }))).toEqual(noContent)
    expect((await secrets.get('kv/a./b.c')).body.data).toEqual({ d: 1 })
  })
})

describe('behaviour/secrets#names', () => {
  test.each(['a', 'A_1', 'a.b', 'a-b', '0', '_'])('%s is a name', async (name) => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post(`auth/token/roles/${name}`, {}))).toEqual(noContent)
    expect((await secrets.list('auth/token/roles')).body.data.keys).toEqual([name])
  })

  test.each(['-a', 'a-', '.a', 'a/b', 'a b', 'é'])('%s is not a name', async (name) => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post(`auth/token/roles/${encodeURI(name)}`, {}))).toEqual(
      multierrorReply(404, 'unsupported path'),
    )
  })
})

describe('behaviour/secrets#help', () => {
  const openapi = {
    openapi: '3.0.2',
    info: expect.any(Object),
    security: expect.any(Array),
    paths: expect.any(Object),
    components: { schemas: expect.any(Object), securitySchemes: expect.any(Object) },
  }
  const help = { help: expect.any(String), see_also: null, openapi }

  test.each(['secret/data/a', 'sys/mounts', 'auth/token/create', 'sys/health', 'kv/a'])(
    'any valid token gets the help of %s, and no other caller does',
    async (path) => {
      const { secrets, as } = await servedSecrets()
      const created = await secrets.post('auth/token/create', { policies: ['nothing'] })
      const weak = as(created.body.auth.client_token)
      const query = { help: '1' }
      expect(statusAndBody(await weak.get(path, { query }))).toEqual({ status: 200, body: help })
      for (const token of [null, 'wrong']) {
        expect(statusAndBody(await weak.get(path, { query, token }))).toEqual(
          error(403, 'permission denied'),
        )
      }
    },
  )

  test('is meant by any value and by the verb HELP, not by an empty value', async () => {
    const { app, secrets } = await servedSecrets()
    await secrets.post('kv/a', { b: 1 })
    const byValue = await secrets.get('kv/a', { query: { help: 'false' } })
    expect(statusAndBody(byValue)).toEqual({ status: 200, body: help })
    expect((await secrets.get('kv/a', { query: { help: '' } })).body.data).toEqual({ b: 1 })
    const byVerb = await app.inject({
      method: 'HELP' as 'GET',
      url: '/v1/kv/a',
      headers: { 'x-secrets-token': 'root' },
      validate: false,
    })
    expect([byVerb.statusCode, JSON.parse(byVerb.body)]).toEqual([200, byValue.body])
  })

  test('waits for the service to be unsealed', async () => {
    const { secrets } = await servedSecrets({ secrets: { sealed: true } })
    const query = { help: '1' }
    expect(statusAndBody(await secrets.get('sys/health', { query }))).toEqual(
      error(503, 'Service is sealed'),
    )
  })
})
