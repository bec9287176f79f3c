import { describe, expect, test } from 'vitest'
import { findToken } from '../../../../state/secrets/tokens/rows.ts'
import { jwtClaims } from '../../../../state/secrets/wrapping/jwt.ts'
import {
  type Reply,
  type RequestOptions,
  type SecretsClient,
  servedSecrets,
} from '../../../support/secrets/secrets.ts'
import { addNamespace } from '../namespace-rows.ts'
import { envelope, error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'

const wrapTtl = { 'x-secrets-wrap-ttl': '60' }

/** Returns the 200 reply that replaces a wrapped reply. */
const wrapped = (path: string, changes: Readonly<Record<string, unknown>> = {}) => ({
  status: 200,
  body: {
    ...envelope({
      wrap_info: {
        token: expect.stringMatching(/^s\.[0-9A-Za-z]{24}$/),
        accessor: expect.stringMatching(/^[0-9A-Za-z]{24}$/),
        ttl: 60,
        creation_time: '2026-01-01T00:00:00Z',
        creation_path: path,
        wrapped_accessor: '',
        ...changes,
      },
    }),
    request_id: '',
  },
})

const unwrap = (client: SecretsClient, reply: Reply, options: RequestOptions = {}) =>
  client.post('sys/wrapping/unwrap', { token: reply.body.wrap_info.token }, options)

describe('behaviour/secrets#wrapping: replies', () => {
  test('a read: 200 ENV with request_id "" and wrap_info, every key in order', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('kv/a', { x: 1 })
    const reply = await secrets.get('kv/a', { headers: wrapTtl })
    expect(statusAndBody(reply)).toEqual(wrapped('kv/a'))
    expect(Object.keys(reply.body)).toEqual(Object.keys(envelope()))
    expect(Object.keys(reply.body.wrap_info)).toEqual([
      'token',
      'accessor',
      'ttl',
      'creation_time',
      'creation_path',
      'wrapped_accessor',
    ])
  })

  // choice/secrets#wrapping-what
  test('unwrapping gives the body as it would have been, with the id of its own request', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('kv/a', { x: 1 })
    const plain = await secrets.get('kv/a')
    const first = await unwrap(secrets, await secrets.get('kv/a', { headers: wrapTtl }))
    const second = await unwrap(secrets, await secrets.get('kv/a', { headers: wrapTtl }))
    expect(statusAndBody(first)).toEqual(ok({ lease_duration: 2_764_800, data: { x: 1 } }))
    const ids = [plain, first, second].map(({ body }) => body.request_id)
    expect(new Set(ids).size).toBe(3)
    expect({ ...first.body, request_id: '' }).toEqual({ ...plain.body, request_id: '' })
    expect(Object.keys(first.body)).toEqual(Object.keys(plain.body))
    expect(first.headers['content-type']).toBe('application/json')
  })

  test('in the vendor dialect by its header and with its tokens', async () => {
    const { secrets } = await servedSecrets({ dialect: 'vendor' })
    await secrets.post('kv/a', { x: 1 })
    const reply = await secrets.get('kv/a', { headers: { 'x-vault-wrap-ttl': '60' } })
    const token = expect.stringMatching(/^hvs\.CAES[\w-]{87}$/)
    expect(statusAndBody(reply)).toEqual(wrapped('kv/a', { token, wrapped_accessor: undefined }))
    expect(reply.body.wrap_info).not.toHaveProperty('wrapped_accessor')
    expect((await unwrap(secrets, reply)).body.data).toEqual({ x: 1 })
  })

  // choice/secrets#wrapping-ttl
  // choice/secrets#duration-parts
  test.each([
    ['60', 60],
    ['90s', 90],
    ['5m', 300],
    ['2h', 7200],
    ['1d', 86_400],
    ['9999999', 9_999_999],
    ['1500ms', 1],
    ['1ms', 1],
  ])('a TTL of %s is %i seconds', async (text, ttl) => {
    const { secrets } = await servedSecrets()
    const headers = { 'x-secrets-wrap-ttl': text }
    expect(statusAndBody(await secrets.get('sys/mounts/kv', { headers }))).toEqual(
      wrapped('sys/mounts/kv', { ttl }),
    )
  })

  // choice/secrets#wrapping-ttl
  test.each(['0', '0s', '0h', ''])('a TTL of %j wraps nothing', async (text) => {
    const { secrets } = await servedSecrets()
    await secrets.post('kv/a', { x: 1 })
    const reply = await secrets.get('kv/a', { headers: { 'x-secrets-wrap-ttl': text } })
    expect(statusAndBody(reply)).toEqual(ok({ lease_duration: 2_764_800, data: { x: 1 } }))
  })

  test('a list has its closing slash in creation_path', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('kv/a/b', { x: 1 })
    const reply = await secrets.list('kv/a', { headers: wrapTtl })
    expect(statusAndBody(reply)).toEqual(wrapped('kv/a/'))
    expect(statusAndBody(await unwrap(secrets, reply))).toEqual(ok({ data: { keys: ['b'] } }))
  })

  test('a write with a body takes effect although its reply is wrapped', async () => {
    const { secrets } = await servedSecrets()
    const reply = await secrets.post('secret/data/a', { data: { x: 1 } }, { headers: wrapTtl })
    expect(statusAndBody(reply)).toEqual(wrapped('secret/data/a'))
    expect((await secrets.get('secret/data/a')).body.data.data).toEqual({ x: 1 })
    expect((await unwrap(secrets, reply)).body.data.version).toBe(1)
  })

  test('a wrapped reply does not repeat the keys of data at top level', async () => {
    const { secrets } = await servedSecrets()
    const reply = await secrets.get('sys/mounts', { headers: wrapTtl })
    expect(statusAndBody(reply)).toEqual(wrapped('sys/mounts'))
    const { body } = await unwrap(secrets, reply)
    expect(Object.keys(body)).toEqual(Object.keys(envelope()))
    expect(Object.keys(body.data)).toContain('kv/')
  })

  test('with auth wrapped_accessor is the accessor of the token inside', async () => {
    const { secrets, as } = await servedSecrets()
    const reply = await secrets.post('auth/token/create', { ttl: '1h' }, { headers: wrapTtl })
    const wrapped_accessor = expect.stringMatching(/^[0-9A-Za-z]{24}$/)
    expect(statusAndBody(reply)).toEqual(wrapped('auth/token/create', { wrapped_accessor }))
    const { auth } = (await unwrap(secrets, reply)).body
    expect(auth.accessor).toBe(reply.body.wrap_info.wrapped_accessor)
    expect(auth.accessor).not.toBe(reply.body.wrap_info.accessor)
    expect((await as(auth.client_token).get('auth/token/lookup-self')).status).toBe(200)
  })

  // choice/secrets#wrapping-what
  test('warnings alone are a body', async () => {
    const { secrets } = await servedSecrets()
    const reply = await secrets.post(
      'sys/policies/acl/UPPER',
      { policy: 'path "a" {}' },
      { headers: wrapTtl },
    )
    expect(statusAndBody(reply)).toEqual(wrapped('sys/policies/acl/UPPER'))
    expect(statusAndBody(await unwrap(secrets, reply))).toEqual(
      ok({ warnings: ['policy name was converted to upper'] }),
    )
  })

  test('a wrapped reply keeps its warnings', async () => {
    const { secrets } = await servedSecrets()
    const reply = await secrets.get('sys/mounts/kv', { headers: wrapTtl, query: { odd: '1' } })
    expect(reply.body.warnings).toBeNull()
    expect((await unwrap(secrets, reply)).body.warnings).toEqual([
      'Endpoint ignored these unrecognized parameters: [odd]',
    ])
  })

  test('204 stays', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.post('kv/a', { x: 1 }, { headers: wrapTtl }))).toEqual(
      noContent,
    )
    expect(statusAndBody(await secrets.delete('kv/a', { headers: wrapTtl }))).toEqual(noContent)
  })

  // choice/secrets#wrapping-what
  test('errors are not wrapped, nor are 404 envelopes with data', async () => {
    const { secrets, as } = await servedSecrets()
    const headers = wrapTtl
    expect(statusAndBody(await secrets.get('kv/none', { headers }))).toEqual(error(404))
    expect(statusAndBody(await secrets.list('kv/none', { headers }))).toEqual(error(404))
    expect(statusAndBody(await secrets.get('sys/none', { headers }))).toEqual(
      multierrorReply(404, 'unsupported path'),
    )
    expect(statusAndBody(await as('wrong').get('kv/none', { headers }))).toEqual(
      error(403, 'permission denied'),
    )
    await secrets.post('secret/data/a', { data: { x: 1 } })
    await secrets.delete('secret/data/a')
    const deleted = await secrets.get('secret/data/a', { headers })
    expect([deleted.status, deleted.body.data.data, deleted.body.wrap_info]).toEqual([
      404,
      null,
      null,
    ])
  })

  // choice/secrets#wrapping-what
  test.each(['sys/health', 'sys/init', 'sys/seal-status', 'sys/leader'])(
    'bare endpoint %s is not wrapped',
    async (path) => {
      const { secrets } = await servedSecrets()
      const plain = await secrets.get(path)
      expect(statusAndBody(await secrets.get(path, { headers: wrapTtl }))).toEqual(
        statusAndBody(plain),
      )
    },
  )

  // choice/secrets#wrapping-what
  test('help is not wrapped', async () => {
    const { secrets } = await servedSecrets()
    const reply = await secrets.get('kv/a', { headers: wrapTtl, query: { help: '1' } })
    expect([reply.status, Object.keys(reply.body)]).toEqual([200, ['help', 'see_also', 'openapi']])
  })

  test('an unwrapped body can be wrapped again', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('kv/a', { x: 1 })
    const once = await secrets.get('kv/a', { headers: wrapTtl })
    const twice = await unwrap(secrets, once, { headers: wrapTtl })
    expect(statusAndBody(twice)).toEqual(wrapped('sys/wrapping/unwrap'))
    expect((await unwrap(secrets, twice)).body.data).toEqual({ x: 1 })
  })

  test('a refused write wraps nothing', async () => {
    const { secrets, world } = await servedSecrets()
    const before = world.store.index('secrets')
    await secrets.post('secret/data/a', { data: 1 }, { headers: wrapTtl })
    expect(world.store.index('secrets')).toBe(before)
  })

  test('a reply in a namespace is wrapped by a token of that namespace', async () => {
    const { secrets, world } = await servedSecrets()
    const { id } = addNamespace(world, 'team/')
    const headers = { ...wrapTtl, 'x-secrets-namespace': 'team' }
    const reply = await secrets.get('sys/mounts/cubbyhole', { headers })
    const ending = expect.stringMatching(new RegExp(`^(s\\.)?[0-9A-Za-z]{24}\\.${id}$`))
    expect(statusAndBody(reply)).toEqual(
      wrapped('sys/mounts/cubbyhole', { token: ending, accessor: ending }),
    )
    expect((await unwrap(secrets, reply)).body.data.type).toBe('ns_cubbyhole')
  })
})

describe('behaviour/secrets#vendor-names: X-Secrets-Wrap-Format', () => {
  // choice/secrets#wrapping-format
  test.each(['x-secrets-wrap-format', 'x-vault-wrap-format'])('%s: jwt', async (name) => {
    const { secrets, world, clock } = await servedSecrets()
    await secrets.post('kv/a', { x: 1 })
    const reply = await secrets.get('kv/a', { headers: { ...wrapTtl, [name]: 'jwt' } })
    expect(statusAndBody(reply)).toEqual(wrapped('kv/a', { token: expect.stringMatching(/^eyJ/) }))
    const claims = jwtClaims(reply.body.wrap_info.token)
    const iat = clock.now() / 1000
    expect(claims).toEqual({
      accessor: '',
      addr: 'http://localhost:80',
      exp: iat + 60,
      iat,
      jti: findToken(world, claims?.jti ?? '')?.id,
      nbf: iat - 5,
      type: 'wrapping',
    })
    expect((await unwrap(secrets, reply)).body.data).toEqual({ x: 1 })
    expect(statusAndBody(await unwrap(secrets, reply))).toEqual(
      error(400, 'wrapping token is not valid or does not exist'),
    )
  })

  // choice/secrets#wrapping-format
  test.each(['uuid', 'JWT', 'jwt2', ''])('%j is an unknown format', async (format) => {
    const { secrets } = await servedSecrets()
    const headers = { ...wrapTtl, 'x-secrets-wrap-format': format }
    expect(statusAndBody(await secrets.get('sys/mounts/kv', { headers }))).toEqual(
      wrapped('sys/mounts/kv'),
    )
  })

  test('the header has no effect without a TTL', async () => {
    const { secrets } = await servedSecrets()
    const headers = { 'x-secrets-wrap-format': 'jwt' }
    expect((await secrets.get('sys/mounts/kv', { headers })).body.wrap_info).toBeNull()
  })

  test('a JWT is also accepted as client token by unwrap and lookup', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('kv/a', { x: 1 })
    const headers = { ...wrapTtl, 'x-secrets-wrap-format': 'jwt' }
    const { token } = (await secrets.get('kv/a', { headers })).body.wrap_info
    expect((await secrets.get('sys/wrapping/lookup', { token })).body.data).toEqual({
      creation_ttl: 60,
      creation_time: '2026-01-01T00:00:00Z',
      creation_path: 'kv/a',
    })
    const unwrapped = await secrets.post('sys/wrapping/unwrap', undefined, { token })
    expect(unwrapped.body.data).toEqual({ x: 1 })
  })

  test('other paths do not accept a JWT as client token', async () => {
    const { secrets } = await servedSecrets()
    const headers = { ...wrapTtl, 'x-secrets-wrap-format': 'jwt' }
    const { token } = (await secrets.get('sys/mounts', { headers })).body.wrap_info
    expect(statusAndBody(await secrets.get('cubbyhole/response', { token }))).toEqual(
      error(403, 'permission denied'),
    )
  })
})
