import { describe, expect, test } from 'vitest'
import { testTime } from '../../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../../replies.ts'
import { approleServer } from './approle.ts'

const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/
const at0 = '2026-01-01T00:00:00Z'

describe('behaviour/secrets#approle-secret-ids', () => {
  test('have the values of the role where nothing else is asked', async () => {
    const { secrets, at } = await approleServer({ secret_id_ttl: '10m', secret_id_num_uses: 2 })
    const created = await secrets.post(at('/secret-id'), { metadata: '{"team":"a"}' })
    expect(statusAndBody(created)).toEqual(
      ok({
        data: {
          secret_id: expect.stringMatching(uuid),
          secret_id_accessor: expect.stringMatching(uuid),
          secret_id_ttl: 600,
          secret_id_num_uses: 2,
        },
      }),
    )
    const { secret_id, secret_id_accessor } = created.body.data
    const view = {
      secret_id_num_uses: 2,
      secret_id_ttl: 600,
      creation_time: at0,
      expiration_time: '2026-01-01T00:10:00Z',
      last_updated_time: at0,
      metadata: { team: 'a' },
      cidr_list: [],
      token_bound_cidrs: [],
      secret_id_accessor,
    }
    expect(statusAndBody(await secrets.post(at('/secret-id/lookup'), { secret_id }))).toEqual(
      ok({ data: view }),
    )
    const byAccessor = await secrets.post(at('/secret-id-accessor/lookup'), { secret_id_accessor })
    expect(byAccessor.body.data).toEqual(view)
    expect((await secrets.list(at('/secret-id'))).body.data.keys).toEqual([secret_id_accessor])
  })

  test.each<[string, object]>([
    ['', {}],
    ['a=b, c=d', { a: 'b', c: 'd' }],
    [Buffer.from('{"a":"b"}').toString('base64'), { a: 'b' }],
  ])('metadata %j', async (metadata, expected) => {
    const { secrets, at, secretId } = await approleServer()
    const { secret_id } = await secretId({ metadata })
    const { body } = await secrets.post(at('/secret-id/lookup'), { secret_id })
    expect(body.data).toMatchObject({
      metadata: expected,
      expiration_time: '0001-01-01T00:00:00Z',
    })
  })

  test('are gone when their time is over by the clock of the world', async () => {
    const { secrets, at, clock, secretId } = await approleServer({ secret_id_ttl: 60 })
    const { secret_id, secret_id_accessor } = await secretId({ ttl: 30 })
    clock.advance(29_999)
    expect((await secrets.post(at('/secret-id/lookup'), { secret_id })).status).toBe(200)
    clock.advance(1)
    expect(clock.now()).toBe(testTime + 30_000)
    expect(statusAndBody(await secrets.post(at('/secret-id/lookup'), { secret_id }))).toEqual(
      noContent,
    )
    expect(statusAndBody(await secrets.list(at('/secret-id')))).toEqual(error(404))
    expect(
      statusAndBody(await secrets.post(at('/secret-id-accessor/lookup'), { secret_id_accessor })),
    ).toEqual({
      status: 404,
      body: expect.objectContaining({
        data: {
          error: `failed to find accessor entry for secret_id_accessor: "${secret_id_accessor}"`,
        },
        errors: [],
      }),
    })
  })

  test('may be chosen, once', async () => {
    for (const [dialect, status] of [
      ['neutral', 400],
      ['vendor', 500],
    ] as const) {
      const { secrets, at } = await approleServer({}, { dialect })
      const make = () => secrets.post(at('/custom-secret-id'), { secret_id: 'mine', ttl: '900h' })
      expect((await make()).body.data).toMatchObject({
        secret_id: 'mine',
        secret_id_ttl: 768 * 3600,
      })
      expect(statusAndBody(await make())).toEqual(
        multierrorReply(status, 'failed to store secret_id: SecretID is already registered'),
      )
      expect(statusAndBody(await secrets.post(at('/custom-secret-id'), {}))).toEqual(
        error(400, 'missing secret_id'),
      )
    }
  })

  test('can be wrapped; the reply then shows their accessor', async () => {
    const { secrets, at } = await approleServer()
    const headers = { 'x-secrets-wrap-ttl': '1m' }
    const wrapped = await secrets.post(at('/secret-id'), {}, { headers })
    const { token, wrapped_accessor, creation_path } = wrapped.body.wrap_info
    expect(creation_path).toBe('auth/approle/role/app/secret-id')
    const { body } = await secrets.post('sys/wrapping/unwrap', { token })
    expect(body.data.secret_id_accessor).toBe(wrapped_accessor)
  })

  test.each(['post', 'delete'] as const)(
    'are destroyed by %s, an unknown one as well',
    async (verb) => {
      const { secrets, at, secretId } = await approleServer()
      const [one, two] = [await secretId(), await secretId()]
      const destroy = (path: string, body: Record<string, string>) =>
        verb === 'post' ? secrets.post(at(path), body) : secrets.delete(at(path), { query: body })
      const byId = { secret_id: one.secret_id }
      expect(statusAndBody(await destroy('/secret-id/destroy', byId))).toEqual(noContent)
      expect(statusAndBody(await destroy('/secret-id/destroy', byId))).toEqual(noContent)
      const { secret_id_accessor } = two
      const path = '/secret-id-accessor/destroy'
      expect(statusAndBody(await destroy(path, { secret_id_accessor }))).toEqual(noContent)
      expect(statusAndBody(await destroy(path, { secret_id_accessor }))).toEqual(
        multierrorReply(
          404,
          `failed to find accessor entry for secret_id_accessor: "${secret_id_accessor}"`,
        ),
      )
      expect(statusAndBody(await destroy(path, {}))).toEqual(
        error(400, 'missing secret_id_accessor'),
      )
    },
  )

  test.each<[object, object, string]>([
    [{}, { num_uses: -1 }, 'num_uses cannot be negative'],
    [
      { secret_id_num_uses: 2 },
      { num_uses: 3 },
      "num_uses cannot be higher than the role's secret_id_num_uses",
    ],
    [
      { secret_id_num_uses: 2 },
      { num_uses: 0 },
      "num_uses cannot be higher than the role's secret_id_num_uses",
    ],
    [{ secret_id_ttl: 60 }, { ttl: 61 }, "ttl cannot be longer than the role's secret_id_ttl"],
    [{ secret_id_ttl: 60 }, { ttl: 0 }, "ttl cannot be longer than the role's secret_id_ttl"],
    [
      {},
      { metadata: 'a' },
      'failed to parse metadata: failed to parse the input: invalid <key,value> format',
    ],
    [
      {},
      { metadata: '{"a":1}' },
      'failed to parse metadata: failed to parse the input: invalid <key,value> format',
    ],
    [
      { bind_secret_id: false, token_bound_cidrs: '10.0.0.0/8' },
      {},
      'bind_secret_id is not set on the role',
    ],
  ])('a role %j does not grant %j', async (role, body, text) => {
    const { secrets, at } = await approleServer(role)
    expect(statusAndBody(await secrets.post(at('/secret-id'), body))).toEqual(error(400, text))
  })

  test.each<[object, string]>([
    [{ cidr_list: 'zz' }, 'failed to validate CIDR blocks: invalid CIDR address: zz'],
    [
      { cidr_list: '10.0.0.0/8' },
      'failed to verify subset relationship between CIDR blocks on the role ["127.0.0.0/8"] and CIDR blocks on the secret ID ["10.0.0.0/8"]: %!w(<nil>)',
    ],
    [
      { token_bound_cidrs: '127.0.0.0/7' },
      'failed to verify subset relationship between CIDR blocks on the role ["127.0.0.1"] and CIDR blocks on the secret ID ["127.0.0.0/7"]: %!w(<nil>)',
    ],
  ])('networks %j are refused, with 500 as the reference has it', async (body, text) => {
    for (const [dialect, status] of [
      ['neutral', 400],
      ['vendor', 500],
    ] as const) {
      const role = { secret_id_bound_cidrs: '127.0.0.0/8', token_bound_cidrs: '127.0.0.1/32' }
      const { secrets, at } = await approleServer(role, { dialect })
      expect(statusAndBody(await secrets.post(at('/secret-id'), body))).toEqual(
        multierrorReply(status, text),
      )
    }
  })

  test('secret ids of an unknown role are refused', async () => {
    const { secrets } = await approleServer()
    const path = 'auth/approle/role/none/secret-id'
    const text = 'role "none" does not exist'
    expect(statusAndBody(await secrets.post(path, {}))).toEqual(error(404, text))
    expect(statusAndBody(await secrets.list(path))).toEqual(error(400, text))
    for (const what of ['secret-id/lookup', 'secret-id/destroy']) {
      const reply = await secrets.post(`auth/approle/role/none/${what}`, { secret_id: 'x' })
      expect(statusAndBody(reply)).toEqual(multierrorReply(404, text))
    }
    for (const what of ['lookup', 'destroy']) {
      const to = `auth/approle/role/none/secret-id-accessor/${what}`
      const reply = await secrets.post(to, { secret_id_accessor: 'x' })
      expect(statusAndBody(reply)).toEqual(multierrorReply(404, text))
    }
  })

  test('tidying answers that it has begun', async () => {
    const { secrets } = await approleServer()
    expect(statusAndBody(await secrets.post('auth/approle/tidy/secret-id', {}))).toEqual({
      status: 202,
      body: expect.objectContaining({
        warnings: [
          "Tidy operation successfully started. Any information from the operation will be printed to Service's server logs.",
        ],
      }),
    })
  })
})
