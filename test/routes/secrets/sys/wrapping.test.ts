import { describe, expect, test } from 'vitest'
import { jwtClaims } from '../../../../state/secrets/wrapping/jwt.ts'
import {
  type RequestOptions,
  type SecretsClient,
  servedSecrets,
  type TestSecrets,
} from '../../../support/secrets/secrets.ts'
import { addNamespace } from '../namespace-rows.ts'
import { envelope, error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'

const wrapTtl = { 'x-secrets-wrap-ttl': '60' }
const gone = error(400, 'wrapping token is not valid or does not exist')
// As in the reference, anything that is not a token is 403.
const invalid = (why: string) => error(403, `error validating wrapping token: ${why}`)
const denied = multierrorReply(403, 'permission denied')
const refused = error(403, 'permission denied')
const secret = ok({ lease_duration: 2_764_800, data: { x: 1 } })

/** Wraps a secret and returns the wrapping token. */
async function wrappedSecret({ secrets }: Pick<TestSecrets, 'secrets'>): Promise<string> {
  await secrets.post('kv/a', { x: 1 })
  return (await secrets.get('kv/a', { headers: wrapTtl })).body.wrap_info.token
}

/** Returns a client whose token has only the policy `default`. */
async function clientWithoutRights({ secrets, as }: TestSecrets): Promise<SecretsClient> {
  const created = await secrets.post('auth/token/create', { policies: ['default'] })
  return as(created.body.auth.client_token)
}

const unwrap = (client: SecretsClient, body?: object, options?: RequestOptions) =>
  client.post('sys/wrapping/unwrap', body, options)
const lookup = (client: SecretsClient, body?: object, options?: RequestOptions) =>
  client.post('sys/wrapping/lookup', body, options)
const rewrap = (client: SecretsClient, body?: object, options?: RequestOptions) =>
  client.post('sys/wrapping/rewrap', body, options)

describe('behaviour/secrets#wrapping: unwrap', () => {
  test('by field, with another client token; single use', async () => {
    const server = await servedSecrets()
    const token = await wrappedSecret(server)
    const client = await clientWithoutRights(server)
    expect(statusAndBody(await unwrap(client, { token }))).toEqual(secret)
    expect(statusAndBody(await unwrap(client, { token }))).toEqual(gone)
    expect(statusAndBody(await unwrap(server.secrets, { token }))).toEqual(gone)
  })

  test('as own token; single use', async () => {
    const server = await servedSecrets()
    const token = await wrappedSecret(server)
    expect(statusAndBody(await unwrap(server.as(token)))).toEqual(secret)
    expect(statusAndBody(await unwrap(server.as(token)))).toEqual(gone)
  })

  test('a wrapping token is unwrapped as the client token, with POST or PUT, with or without a body', async () => {
    const server = await servedSecrets()
    const headers = { authorization: `Bearer ${await wrappedSecret(server)}` }
    expect(
      statusAndBody(await unwrap(server.secrets, undefined, { token: null, headers })),
    ).toEqual(secret)
    const own = server.as(await wrappedSecret(server))
    expect(statusAndBody(await own.put('sys/wrapping/unwrap', {}))).toEqual(secret)
    const third = server.as(await wrappedSecret(server))
    expect(statusAndBody(await unwrap(third, { token: null }))).toEqual(secret)
  })

  test('of several simultaneous requests only one unwraps the reply', async () => {
    const server = await servedSecrets()
    const token = await wrappedSecret(server)
    const calls = Array.from({ length: 8 }, (_, n) =>
      n % 2 === 0 ? unwrap(server.secrets, { token }) : unwrap(server.as(token)),
    )
    const answers = (await Promise.all(calls)).map(statusAndBody)
    expect(answers.filter(({ status }) => status === 200)).toEqual([secret])
    expect(answers.filter(({ status }) => status !== 200)).toEqual(Array(7).fill(gone))
  })

  test('an expired token is refused with 400', async () => {
    const server = await servedSecrets()
    const token = await wrappedSecret(server)
    server.clock.advance(60_000)
    expect(statusAndBody(await unwrap(server.secrets, { token }))).toEqual(gone)
    expect(statusAndBody(await unwrap(server.as(token)))).toEqual(gone)
  })

  test('a revoked token is refused with 400', async () => {
    const server = await servedSecrets()
    const token = await wrappedSecret(server)
    await server.secrets.post('auth/token/revoke', { token })
    expect(statusAndBody(await unwrap(server.secrets, { token }))).toEqual(gone)
  })

  // choice/secrets#wrapping-before-token
  test('a token that is unknown or wraps nothing is refused with 400 for every caller', async () => {
    const server = await servedSecrets()
    const client = await clientWithoutRights(server)
    for (const token of ['unknown', 'root', 's.', 'a.b.c']) {
      for (const caller of [null, 'wrong', 'root']) {
        expect(statusAndBody(await unwrap(server.secrets, { token }, { token: caller }))).toEqual(
          gone,
        )
      }
    }
    expect(statusAndBody(await unwrap(server.secrets))).toEqual(gone)
    expect(statusAndBody(await unwrap(client))).toEqual(gone)
    expect(statusAndBody(await unwrap(server.as('wrong')))).toEqual(gone)
  })

  // choice/secrets#wrapping-token-field
  test('a missing, empty or non-string token is refused with 400', async () => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await unwrap(secrets, {}, { token: null }))).toEqual(
      invalid('token is empty'),
    )
    const empty = invalid('empty token in request body')
    expect(statusAndBody(await unwrap(secrets, { token: '' }))).toEqual(empty)
    for (const token of [7, true, ['a'], { a: 1 }]) {
      expect(statusAndBody(await unwrap(secrets, { token }))).toEqual(
        invalid('could not decode token in request body'),
      )
    }
  })

  test('a body that is not a JSON object is refused with 400', async () => {
    const { secrets } = await servedSecrets()
    for (const payload of ['{', '[]', '"a"']) {
      const reply = await secrets.post('sys/wrapping/unwrap', payload)
      expect(statusAndBody(reply)).toEqual(error(400, 'error parsing JSON'))
    }
  })

  // choice/secrets#wrapping-before-token
  test('a good wrapping token asks for a client token that may; refused it is not used up', async () => {
    const server = await servedSecrets()
    const { secrets, as } = server
    const token = await wrappedSecret(server)
    for (const caller of [null, 'wrong']) {
      expect(statusAndBody(await unwrap(secrets, { token }, { token: caller }))).toEqual(refused)
    }
    const without = { policies: [], no_default_policy: true }
    await secrets.post('sys/policies/acl/none', { policy: 'path "kv/*" {}' })
    const created = await secrets.post('auth/token/create', { ...without, policies: ['none'] })
    expect(statusAndBody(await unwrap(as(created.body.auth.client_token), { token }))).toEqual(
      denied,
    )
    expect(statusAndBody(await unwrap(secrets, { token }))).toEqual(secret)
  })

  test('of other verbs the token is looked at first, as in the open fork', async () => {
    const server = await servedSecrets()
    const { secrets, as } = server
    const unsupported = multierrorReply(405, 'unsupported operation')
    expect(statusAndBody(await secrets.get('sys/wrapping/wrap'))).toEqual(unsupported)
    expect(statusAndBody(await secrets.delete('sys/wrapping/wrap'))).toEqual(unsupported)
    const none = error(403, 'error validating wrapping token: token is empty')
    for (const path of ['sys/wrapping/unwrap', 'sys/wrapping/rewrap', 'sys/wrapping/lookup']) {
      expect(statusAndBody(await secrets.delete(path))).toEqual(gone)
      expect(statusAndBody(await secrets.patch(path, {}))).toEqual(gone)
      expect(statusAndBody(await secrets.delete(path, { token: null }))).toEqual(none)
    }
    const token = await wrappedSecret(server)
    expect(statusAndBody(await as(token).delete('sys/wrapping/lookup'))).toEqual(
      error(405, 'unsupported operation'),
    )
    // The policy of the token does not allow this, and the token is used up.
    expect(statusAndBody(await as(token).delete('sys/wrapping/unwrap'))).toEqual(denied)
    expect(statusAndBody(await unwrap(secrets, { token }))).toEqual(gone)
  })

  test('a sealed node answers 503', async () => {
    const server = await servedSecrets()
    const token = await wrappedSecret(server)
    await server.secrets.post('sys/seal')
    expect(statusAndBody(await unwrap(server.secrets, { token }))).toEqual(
      error(503, 'Service is sealed'),
    )
  })

  test('an unknown parameter is ignored without a warning', async () => {
    const server = await servedSecrets()
    const token = await wrappedSecret(server)
    expect(statusAndBody(await unwrap(server.secrets, { token, odd: 1 }))).toEqual(secret)
  })
})

describe('behaviour/secrets#wrapping: a wrapping token differs from ordinary tokens', () => {
  // choice/secrets#wrapping-misuse
  test.each([
    ['get', 'kv/a'],
    ['get', 'auth/token/lookup-self'],
    ['post', 'sys/capabilities-self'],
    ['post', 'sys/wrapping/wrap'],
    ['get', 'cubbyhole/other'],
  ] as const)('%s %s: 403, and it is used up', async (method, path) => {
    const server = await servedSecrets()
    const token = await wrappedSecret(server)
    expect(statusAndBody(await server.as(token)[method](path))).toEqual(denied)
    expect(statusAndBody(await server.as(token)[method](path))).toEqual(refused)
    expect(statusAndBody(await unwrap(server.secrets, { token }))).toEqual(gone)
  })

  // choice/secrets#wrapping-misuse
  test('a wrapping token may read the text in its cubbyhole once', async () => {
    const server = await servedSecrets()
    const token = await wrappedSecret(server)
    const reply = await server.as(token).get('cubbyhole/response')
    expect(reply.status).toBe(200)
    expect(JSON.parse(reply.body.data.response)).toEqual(secret.body)
    expect(reply.body.warnings).toEqual([
      "Reading from 'cubbyhole/response' is deprecated. Please use sys/wrapping/unwrap to unwrap responses, as it provides additional security checks and other benefits.",
    ])
    expect(statusAndBody(await server.as(token).get('cubbyhole/response'))).toEqual(refused)
  })

  test('a wrapping token cannot rewrap itself', async () => {
    const server = await servedSecrets()
    const token = await wrappedSecret(server)
    expect(statusAndBody(await rewrap(server.as(token)))).toEqual(denied)
    expect(statusAndBody(await unwrap(server.secrets, { token }))).toEqual(gone)
  })

  // choice/secrets#wrapping-misuse
  test('a wrapping token that is both client token and field is used up', async () => {
    const server = await servedSecrets()
    const token = await wrappedSecret(server)
    expect(statusAndBody(await unwrap(server.as(token), { token }))).toEqual(
      multierrorReply(
        400,
        "error decrementing wrapping token's use-count: invalid token entry provided for use count decrementing",
      ),
    )
    expect(statusAndBody(await unwrap(server.secrets, { token }))).toEqual(gone)
  })

  test('a wrapping token unwraps another one', async () => {
    const server = await servedSecrets()
    const [own, token] = [await wrappedSecret(server), await wrappedSecret(server)]
    expect(statusAndBody(await unwrap(server.as(own), { token }))).toEqual(secret)
    expect(statusAndBody(await unwrap(server.as(own)))).toEqual(gone)
  })

  test('a wrapping token can be looked up and revoked by its accessor', async () => {
    const { secrets } = await servedSecrets()
    const { body } = await secrets.get('sys/mounts', { headers: wrapTtl })
    const { accessor, token } = body.wrap_info
    const { data } = (await secrets.post('auth/token/lookup-accessor', { accessor })).body
    expect([data.id, data.policies, data.num_uses, data.orphan, data.path, data.ttl]).toEqual([
      '',
      ['response-wrapping'],
      1,
      true,
      'sys/mounts',
      60,
    ])
    expect(statusAndBody(await secrets.post('auth/token/revoke-accessor', { accessor }))).toEqual(
      noContent,
    )
    expect(statusAndBody(await unwrap(secrets, { token }))).toEqual(gone)
  })

  test('a wrapping token cannot be renewed, and its policy cannot be assigned or changed', async () => {
    const server = await servedSecrets()
    const { secrets } = server
    const token = await wrappedSecret(server)
    expect(statusAndBody(await secrets.post('auth/token/renew', { token }))).toEqual(
      error(400, 'lease is not renewable'),
    )
    expect(
      statusAndBody(await secrets.post('auth/token/create', { policies: ['response-wrapping'] })),
    ).toEqual(error(400, 'cannot assign policy "response-wrapping"'))
    const policy = 'path "*" { capabilities = ["read"] }'
    expect(
      statusAndBody(await secrets.post('sys/policies/acl/response-wrapping', { policy })),
    ).toEqual(error(400, 'cannot update "response-wrapping" policy'))
    expect((await secrets.list('sys/policies/acl')).body.data.keys).toEqual(['default', 'root'])
  })

  test.each([
    ['response-wrapping', 'response', '["create", "read"]'],
    ['control-group', 'control-group', '["update", "create", "read"]'],
  ])('the policy %s can be read and not be deleted', async (name, place, capabilities) => {
    const { secrets } = await servedSecrets()
    const policy = `\npath "cubbyhole/${place}" {\n    capabilities = ${capabilities}\n}\n\npath "sys/wrapping/unwrap" {\n    capabilities = ["update"]\n}\n`
    const reply = await secrets.get(`sys/policies/acl/${name}`)
    expect([reply.status, reply.body.data]).toEqual([200, { name, policy }])
    expect(statusAndBody(await secrets.delete(`sys/policies/acl/${name}`))).toEqual(
      error(400, `cannot delete "${name}" policy`),
    )
  })
})

describe('behaviour/secrets#wrapping: lookup', () => {
  const facts = ok({
    data: { creation_ttl: 60, creation_time: '2026-01-01T00:00:00Z', creation_path: 'kv/a' },
  })

  test('a look-up needs no client token and does not use up the wrapping token', async () => {
    const server = await servedSecrets()
    const token = await wrappedSecret(server)
    server.clock.advance(30_000)
    for (const caller of [null, 'wrong', 'root']) {
      expect(statusAndBody(await lookup(server.secrets, { token }, { token: caller }))).toEqual(
        facts,
      )
    }
    expect(statusAndBody(await lookup(server.as(token)))).toEqual(facts)
    expect(statusAndBody(await server.as(token).get('sys/wrapping/lookup'))).toEqual(facts)
    expect(statusAndBody(await unwrap(server.secrets, { token }))).toEqual(secret)
  })

  test('a used, expired, unknown or other token is refused with 400', async () => {
    const server = await servedSecrets()
    const { secrets } = server
    const token = await wrappedSecret(server)
    await unwrap(secrets, { token })
    expect(statusAndBody(await lookup(secrets, { token }))).toEqual(gone)
    const late = await wrappedSecret(server)
    server.clock.advance(60_000)
    expect(statusAndBody(await lookup(secrets, { token: late }))).toEqual(gone)
    expect(statusAndBody(await lookup(secrets, { token: 'unknown' }))).toEqual(gone)
    expect(statusAndBody(await lookup(secrets, { token: 'root' }))).toEqual(gone)
    expect(statusAndBody(await lookup(secrets))).toEqual(gone)
  })

  test('a missing, empty or non-string token is refused with 400', async () => {
    const { secrets } = await servedSecrets()
    const token = null
    expect(statusAndBody(await lookup(secrets, {}, { token }))).toEqual(invalid('token is empty'))
    expect(statusAndBody(await secrets.get('sys/wrapping/lookup', { token }))).toEqual(
      invalid('token is empty'),
    )
    expect(statusAndBody(await lookup(secrets, { token: '' }))).toEqual(
      invalid('empty token in request body'),
    )
    expect(statusAndBody(await lookup(secrets, { token: 1 }))).toEqual(
      invalid('could not decode token in request body'),
    )
  })
})

describe('behaviour/secrets#wrapping: rewrap', () => {
  // choice/secrets#rewrap
  test('the reply has a new wrapping token, and the old token is invalid', async () => {
    const server = await servedSecrets()
    const { secrets } = server
    const token = await wrappedSecret(server)
    server.clock.advance(30_000)
    const reply = await rewrap(await clientWithPolicy(server, 'sys/wrapping/rewrap'), { token })
    expect(statusAndBody(reply)).toEqual({
      status: 200,
      body: {
        ...envelope({
          wrap_info: {
            token: expect.stringMatching(/^s\.[0-9A-Za-z]{24}$/),
            accessor: expect.stringMatching(/^[0-9A-Za-z]{24}$/),
            ttl: 60,
            creation_time: '2026-01-01T00:00:30Z',
            creation_path: 'kv/a',
            wrapped_accessor: '',
          },
        }),
        request_id: '',
      },
    })
    expect(statusAndBody(await unwrap(secrets, { token }))).toEqual(gone)
    const rewrapped = reply.body.wrap_info.token
    server.clock.advance(59_999)
    expect(statusAndBody(await unwrap(secrets, { token: rewrapped }))).toEqual(secret)
  })

  // choice/secrets#rewrap
  test.each([
    ['20', 20],
    ['2m', 60],
    ['0', 60],
  ])('with a wrap TTL of %s the new one has %i seconds', async (ttl, granted) => {
    const server = await servedSecrets()
    const token = await wrappedSecret(server)
    const headers = { 'x-secrets-wrap-ttl': ttl }
    const { wrap_info } = (await rewrap(server.secrets, { token }, { headers })).body
    expect(wrap_info.ttl).toBe(granted)
    expect(statusAndBody(await unwrap(server.secrets, { token: wrap_info.token }))).toEqual(secret)
  })

  test('the new token can be a JWT', async () => {
    const server = await servedSecrets()
    const token = await wrappedSecret(server)
    const headers = { ...wrapTtl, 'x-secrets-wrap-format': 'jwt' }
    const { wrap_info } = (await rewrap(server.secrets, { token }, { headers })).body
    expect(wrap_info.token).toMatch(/^eyJ/)
    expect(statusAndBody(await unwrap(server.secrets, { token: wrap_info.token }))).toEqual(secret)
  })

  test('a used, unknown, missing, empty or non-string token is refused with 400', async () => {
    const server = await servedSecrets()
    const { secrets } = server
    const token = await wrappedSecret(server)
    await rewrap(secrets, { token })
    for (const bad of [token, 'unknown', 'root']) {
      expect(statusAndBody(await rewrap(secrets, { token: bad }))).toEqual(gone)
    }
    expect(statusAndBody(await rewrap(secrets))).toEqual(gone)
    expect(statusAndBody(await rewrap(secrets, {}, { token: null }))).toEqual(
      invalid('token is empty'),
    )
    expect(statusAndBody(await rewrap(secrets, { token: '' }))).toEqual(
      invalid('empty token in request body'),
    )
  })

  test('is not part of the policy default', async () => {
    const server = await servedSecrets()
    const token = await wrappedSecret(server)
    expect(statusAndBody(await rewrap(await clientWithoutRights(server), { token }))).toEqual(
      denied,
    )
    expect(statusAndBody(await unwrap(server.secrets, { token }))).toEqual(secret)
  })
})

describe('behaviour/secrets#wrapping: wrap', () => {
  test('wraps the body', async () => {
    const server = await servedSecrets()
    const client = await clientWithoutRights(server)
    const body = { b: { deep: [1, null, 'x'] }, a: 1.5, token: 'mine', ttl: 'soon' }
    const reply = await client.post('sys/wrapping/wrap', body, { headers: wrapTtl })
    const { token, creation_path } = reply.body.wrap_info
    expect([reply.status, reply.body.data, creation_path]).toEqual([200, null, 'sys/wrapping/wrap'])
    expect(statusAndBody(await unwrap(client, { token }))).toEqual(ok({ data: body }))
  })

  test('an empty body is {}', async () => {
    const { secrets } = await servedSecrets()
    for (const body of [undefined, {}]) {
      const reply = await secrets.post('sys/wrapping/wrap', body, { headers: wrapTtl })
      const { token } = reply.body.wrap_info
      expect(statusAndBody(await unwrap(secrets, { token }))).toEqual(ok({ data: {} }))
    }
  })

  test.each([{}, { 'x-secrets-wrap-ttl': '' }, { 'x-secrets-wrap-ttl': '0' }])(
    'with the headers %j: 400',
    async (headers) => {
      const { secrets } = await servedSecrets()
      expect(statusAndBody(await secrets.post('sys/wrapping/wrap', { a: 1 }, { headers }))).toEqual(
        error(400, 'endpoint requires response wrapping to be used'),
      )
    },
  )

  // choice/secrets#wrapping-format
  test('gives a signed token if it is asked for one', async () => {
    const { secrets } = await servedSecrets()
    const headers = { ...wrapTtl, 'x-secrets-wrap-format': 'jwt' }
    const { body } = await secrets.post('sys/wrapping/wrap', { a: 1 }, { headers })
    const { token } = body.wrap_info
    expect(token).toMatch(/^eyJ/)
    expect(jwtClaims(token)).toMatchObject({ accessor: '', type: 'wrapping' })
    expect((await unwrap(secrets, { token })).body.data).toEqual({ a: 1 })
  })

  test('a body that is not an object is 400', async () => {
    const { secrets } = await servedSecrets()
    for (const payload of ['{', '[1]', '"a"', '1']) {
      const reply = await secrets.post('sys/wrapping/wrap', payload, { headers: wrapTtl })
      expect(statusAndBody(reply)).toEqual(error(400, 'error parsing JSON'))
    }
  })
})

describe('behaviour/secrets#wrapping: namespaces', () => {
  const inTeam = { 'x-secrets-namespace': 'team' }

  async function wrappedInTeam({ secrets }: TestSecrets): Promise<string> {
    const headers = { ...wrapTtl, ...inTeam }
    return (await secrets.post('sys/wrapping/wrap', { x: 1 }, { headers })).body.wrap_info.token
  }

  // choice/secrets#wrapping-before-token
  test.each([
    ['its own namespace', inTeam],
    ['the root namespace', {}],
    ['another namespace', { 'x-secrets-namespace': 'other' }],
  ])('a wrapping token unwraps itself in %s', async (_, headers) => {
    const server = await servedSecrets()
    addNamespace(server.world, 'team/')
    addNamespace(server.world, 'other/')
    const token = await wrappedInTeam(server)
    expect(statusAndBody(await unwrap(server.as(token), undefined, { headers }))).toEqual(
      ok({ data: { x: 1 } }),
    )
  })

  test('a token of the namespace unwraps responses that were wrapped outside, in any namespace', async () => {
    const server = await servedSecrets()
    const { secrets, as } = server
    addNamespace(server.world, 'team/')
    const created = await secrets.post(
      'auth/token/create',
      { policies: ['default'] },
      { headers: inTeam },
    )
    const member = as(created.body.auth.client_token)
    for (const headers of [inTeam, {}]) {
      const token = await wrappedSecret(server)
      expect(statusAndBody(await unwrap(member, { token }, { headers }))).toEqual(secret)
    }
  })

  test('the namespace of a wrapping token can be named by path or by header', async () => {
    const server = await servedSecrets()
    addNamespace(server.world, 'team/')
    const token = await wrappedInTeam(server)
    const found = await server.secrets.post('team/sys/wrapping/lookup', { token })
    expect(found.body.data.creation_path).toBe('sys/wrapping/wrap')
    expect(statusAndBody(await server.secrets.post('team/sys/wrapping/unwrap', { token }))).toEqual(
      ok({ data: { x: 1 } }),
    )
  })
})

/** Returns a client whose token may write to one path. */
async function clientWithPolicy(
  { secrets, as }: TestSecrets,
  path: string,
): Promise<SecretsClient> {
  const policy = `path "${path}" { capabilities = ["update"] }`
  await secrets.post('sys/policies/acl/one', { policy })
  const created = await secrets.post('auth/token/create', { policies: ['one'] })
  return as(created.body.auth.client_token)
}
