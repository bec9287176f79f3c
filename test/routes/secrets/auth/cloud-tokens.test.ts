import { describe, expect, test } from 'vitest'
import { tokens } from '../../../../state/secrets/tokens/rows.ts'
import { cloudServer, rsaKey as key, loginBody, userKeyId } from '../../../support/secrets/cloud.ts'
import type { TestSecrets } from '../../../support/secrets/secrets.ts'
import { error, noContent, statusAndBody } from '../replies.ts'

const hour = 3600
const systemTtl = 2_764_800

/** Starts a server with the given role `dev`. */
async function withRole(role: object): Promise<TestSecrets> {
  const server = await cloudServer(key)
  expect(statusAndBody(await server.secrets.post('auth/cloud/role/dev', role))).toEqual(noContent)
  return server
}

/** Logs in and returns the reply, with times relative to the server's clock. */
async function logIn({ secrets, clock }: TestSecrets) {
  const date = new Date(clock.now()).toUTCString()
  const body = loginBody({ keyId: userKeyId(key), key: key.privateKey, date })
  return secrets.post('auth/cloud/login/dev', body, { token: null })
}

/** Logs in successfully and returns the `auth` member. */
async function auth(server: TestSecrets) {
  const reply = await logIn(server)
  expect(reply.status).toBe(200)
  return reply.body.auth
}

describe('behaviour/secrets#cloud-login: policies', () => {
  test.each<[string, object, readonly string[]]>([
    ['sorted, with default', { token_policies: 'b,a' }, ['a', 'b', 'default']],
    ['none: default alone', { token_policies: '' }, ['default']],
    ['without default', { token_policies: 'b,A,b', token_no_default_policy: true }, ['a', 'b']],
    ['none and no default', { token_policies: '', token_no_default_policy: true }, []],
    [
      'default asked for',
      { token_policies: 'default', token_no_default_policy: true },
      ['default'],
    ],
  ])('%s', async (_, role, policies) => {
    const created = await auth(await withRole(role))
    // token_policies is missing when empty (behaviour/secrets#tokens).
    expect([created.policies, created.token_policies ?? []]).toEqual([policies, policies])
    expect('token_policies' in created).toBe(policies.length > 0)
  })
})

describe('behaviour/secrets#cloud-login: how long tokens live', () => {
  const ttlWithMax = (wanted: string, max: string) =>
    `TTL of "${wanted}" exceeded the effective max_ttl of "${max}"; TTL value is capped accordingly`

  test.each<[string, object, number, string[] | null]>([
    ['nothing said', {}, systemTtl, null],
    ['token_ttl', { token_ttl: '30m' }, 1800, null],
    ['token_max_ttl caps the default', { token_max_ttl: '1h' }, hour, [ttlWithMax('768h', '1h')]],
    ['both', { token_ttl: '30m', token_max_ttl: '1h' }, 1800, null],
    ['above the system maximum', { token_ttl: '1000h' }, systemTtl, [ttlWithMax('1000h', '768h')]],
    [
      'token_explicit_max_ttl caps',
      { token_ttl: '2h', token_explicit_max_ttl: '1h' },
      hour,
      [ttlWithMax('2h', '1h')],
    ],
    ['a period', { token_ttl: '2h', token_period: '10m' }, 600, null],
  ])('%s', async (_, role, duration, warnings) => {
    const server = await withRole(role)
    const reply = await logIn(server)
    expect([reply.body.auth.lease_duration, reply.body.warnings]).toEqual([duration, warnings])
    const { client_token: id } = reply.body.auth
    server.clock.advance(duration * 1000 - 1)
    expect((await server.as(id).get('auth/token/lookup-self')).status).toBe(200)
    server.clock.advance(1)
    expect((await server.as(id).get('auth/token/lookup-self')).status).toBe(403)
  })

  test("the mount's TTLs apply if the role has none", async () => {
    const server = await withRole({})
    const tuning = { default_lease_ttl: '1h', max_lease_ttl: '2h' }
    await server.secrets.post('sys/auth/cloud/tune', tuning)
    expect((await auth(server)).lease_duration).toBe(hour)
    await server.secrets.post('auth/cloud/role/dev', { token_ttl: '5h' })
    expect((await auth(server)).lease_duration).toBe(2 * hour)
  })

  test.each([{}, { token_period: '1h' }])('%j: tokens are not renewable', async (role) => {
    const server = await withRole(role)
    const { client_token: id, renewable } = await auth(server)
    expect(renewable).toBe(false)
    expect(statusAndBody(await server.as(id).post('auth/token/renew-self'))).toEqual(
      error(400, 'lease is not renewable'),
    )
    expect(statusAndBody(await server.secrets.post('auth/token/renew', { token: id }))).toEqual(
      error(400, 'lease is not renewable'),
    )
  })

  test('settings of the role are stored with the token', async () => {
    const server = await withRole({
      token_ttl: '1h',
      token_period: '10m',
      token_explicit_max_ttl: '5h',
      token_bound_cidrs: '10.0.0.0/8,127.0.0.1',
    })
    const { client_token: id } = await auth(server)
    const { data } = (await server.as(id).get('auth/token/lookup-self')).body
    expect(data).toMatchObject({
      period: 600,
      explicit_max_ttl: 5 * hour,
      bound_cidrs: ['10.0.0.0/8', '127.0.0.1'],
      renewable: false,
      orphan: true,
    })
  })
})

describe('behaviour/secrets#cloud-login: uses and types of tokens', () => {
  test('token_num_uses counts every call', async () => {
    const server = await withRole({ token_num_uses: 2 })
    const { client_token: id, num_uses } = await auth(server)
    expect(num_uses).toBe(2)
    const status = async () => (await server.as(id).get('auth/token/lookup-self')).status
    expect([await status(), await status(), await status()]).toEqual([200, 200, 403])
  })

  test('a batch token has no accessor and cannot be renewed or revoked', async () => {
    const server = await withRole({ token_type: 'batch', token_ttl: '1h' })
    const created = await auth(server)
    expect(created).toEqual({
      client_token: expect.stringMatching(/^b\.[0-9A-Za-z]{96}$/),
      accessor: '',
      policies: ['default', 'p'],
      token_policies: ['default', 'p'],
      metadata: { role_name: 'dev' },
      lease_duration: hour,
      renewable: false,
      entity_id: expect.any(String),
      token_type: 'batch',
      orphan: true,
      mfa_requirement: null,
      num_uses: 0,
    })
    const client = server.as(created.client_token)
    expect((await client.get('auth/token/lookup-self')).body.data.type).toBe('batch')
    expect(statusAndBody(await client.post('auth/token/renew-self'))).toEqual(
      error(400, 'batch tokens cannot be renewed'),
    )
    server.clock.advance(hour * 1000)
    expect((await client.get('auth/token/lookup-self')).status).toBe(403)
  })

  // choice/secrets#cloud-token-type
  test.each([
    ['default-service', '', 'service'],
    ['default-service', 'batch', 'batch'],
    ['default-service', 'service', 'service'],
    ['default-batch', '', 'batch'],
    ['default-batch', 'service', 'service'],
    ['default-batch', 'batch', 'batch'],
    ['service', 'batch', 'service'],
    ['batch', 'service', 'batch'],
  ])('mount type %s, role type %j: %s', async (mount, role, type) => {
    const server = await withRole({ token_type: role })
    await server.secrets.post('sys/auth/cloud/tune', { token_type: mount })
    expect((await auth(server)).token_type).toBe(type)
  })

  // choice/secrets#cloud-token-type
  test('uses that a batch token cannot have are dropped when the mount asks for it', async () => {
    const server = await withRole({ token_num_uses: 1 })
    await server.secrets.post('sys/auth/cloud/tune', { token_type: 'batch' })
    const { client_token: id } = await auth(server)
    for (let call = 0; call < 3; call++) {
      expect((await server.as(id).get('auth/token/lookup-self')).status).toBe(200)
    }
  })
})

describe('behaviour/secrets#tokens: events that end the tokens of the method', () => {
  const works = async ({ as }: TestSecrets, id: string) =>
    (await as(id).get('auth/token/lookup-self')).status === 200

  test('a change of the role does not', async () => {
    const server = await withRole({})
    const { client_token: id } = await auth(server)
    await server.secrets.post('auth/cloud/role/dev', { token_policies: 'other', token_ttl: 1 })
    expect((await server.as(id).get('auth/token/lookup-self')).body.data.policies).toEqual([
      'default',
      'p',
    ])
    await server.secrets.delete('auth/cloud/role/dev')
    await server.secrets.delete('auth/cloud/config')
    expect(await works(server, id)).toBe(true)
    expect(statusAndBody(await logIn(server))).toEqual(error(400, 'Role is not found'))
  })

  // choice/secrets#remount
  test.each<[string, (server: TestSecrets) => Promise<unknown>]>([
    ['disabling the method', ({ secrets }) => secrets.delete('sys/auth/cloud')],
    [
      'moving the method',
      ({ secrets }) => secrets.post('sys/remount', { from: 'auth/cloud', to: 'auth/moved' }),
    ],
    [
      'revoking by prefix',
      ({ secrets }) => secrets.put('sys/leases/revoke-prefix/auth/cloud/login/dev'),
    ],
  ])('%s does, and spares the others', async (_, end) => {
    const server = await withRole({})
    const { client_token: id } = await auth(server)
    const child = (await server.as(id).post('auth/token/create')).body
    const other = (await server.secrets.post('auth/token/create', { ttl: '1h' })).body.auth
    expect(child.errors).toEqual(['1 error occurred:\n\t* permission denied\n\n'])
    const before = server.world.table(tokens).size
    await end(server)
    expect([await works(server, id), await works(server, other.client_token)]).toEqual([
      false,
      true,
    ])
    expect(server.world.table(tokens).size).toBe(before - 1)
  })

  test('revoking the token itself ends it', async () => {
    const server = await withRole({})
    const { client_token: id } = await auth(server)
    expect(statusAndBody(await server.as(id).post('auth/token/revoke-self'))).toEqual(noContent)
    expect(await works(server, id)).toBe(false)
  })

  test('the lease of the token is listed below the method', async () => {
    const server = await withRole({})
    await auth(server)
    const { data } = (await server.secrets.list('sys/leases/lookup/auth/cloud/login/dev')).body
    expect(data.keys).toEqual([expect.stringMatching(/^h[0-9a-f]{64}$/)])
  })
})
