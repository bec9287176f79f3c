import { describe, expect, test } from 'vitest'
import { error, multierrorReply, ok, statusAndBody } from '../../replies.ts'
import { approleServer } from './approle.ts'

const wrong = error(400, 'invalid role or secret ID')

describe('behaviour/secrets#approle-login', () => {
  test('gives an orphan with the metadata of the secret id and the role', async () => {
    const { login, roleId, secretId, as } = await approleServer({
      token_policies: 'b,a',
      token_ttl: '5m',
    })
    const { secret_id } = await secretId({ metadata: 'team=a' })
    const reply = await login({ role_id: ` ${await roleId()} `, secret_id: `${secret_id} ` })
    const policies = ['a', 'b', 'default']
    expect(statusAndBody(reply)).toEqual(
      ok({
        auth: {
          client_token: expect.stringMatching(/^s\.\w+$/),
          accessor: expect.any(String),
          policies,
          token_policies: policies,
          metadata: { team: 'a', role_name: 'app' },
          lease_duration: 300,
          renewable: true,
          entity_id: expect.any(String),
          token_type: 'service',
          orphan: true,
          mfa_requirement: null,
          num_uses: 0,
        },
      }),
    )
    const { data } = (await as(reply.body.auth.client_token).get('auth/token/lookup-self')).body
    expect(data).toMatchObject({
      path: 'auth/approle/login',
      display_name: 'approle',
      meta: { team: 'a', role_name: 'app' },
      orphan: true,
    })
  })

  test('logins by one role have one entity', async () => {
    const { logIn } = await approleServer()
    expect((await logIn())['entity_id']).toBe((await logIn())['entity_id'])
  })

  test.each<[string, (id: string, secret: string) => object, object]>([
    ['no secret id', (role_id) => ({ role_id }), error(400, 'missing secret_id')],
    ['an unknown role id', (_, secret_id) => ({ role_id: 'x', secret_id }), wrong],
    ['an unknown secret id', (role_id) => ({ role_id, secret_id: 'x' }), wrong],
  ])('%s', async (_, body, expected) => {
    const { login, roleId, secretId } = await approleServer()
    const { secret_id } = await secretId()
    expect(statusAndBody(await login(body(await roleId(), secret_id)))).toEqual(expected)
  })

  test('without a role id, every verb replies 500, as in the reference', async () => {
    for (const [dialect, status] of [
      ['neutral', 400],
      ['vendor', 500],
    ] as const) {
      const { login, secrets } = await approleServer({}, { dialect })
      const nameless = error(status, 'failed to determine alias name from login request')
      expect(statusAndBody(await login({}))).toEqual(nameless)
      expect(statusAndBody(await secrets.get('auth/approle/login', { token: null }))).toEqual(
        nameless,
      )
      const user_lockout_config = { lockout_disable: true }
      await secrets.post('sys/auth/approle/tune', { user_lockout_config })
      expect(statusAndBody(await login({}))).toEqual(error(status, 'missing role_id'))
      expect((await secrets.get('auth/approle/login', { token: null })).status).toBe(405)
    }
  })

  test('other verbs are refused without asking for a token', async () => {
    const { secrets } = await approleServer()
    const query = { role_id: 'x' }
    expect(statusAndBody(await secrets.get('auth/approle/login', { token: null, query }))).toEqual(
      error(405, 'unsupported operation'),
    )
  })

  test('uses are counted, the last one ends the id; tokens stay', async () => {
    const { login, roleId, secretId, secrets, at, as, clock } = await approleServer({
      secret_id_num_uses: 2,
    })
    const [role_id, { secret_id }] = [await roleId(), await secretId()]
    const first = await login({ role_id, secret_id })
    clock.advance(1000)
    expect((await secrets.post(at('/secret-id/lookup'), { secret_id })).body.data).toMatchObject({
      secret_id_num_uses: 1,
      last_updated_time: '2026-01-01T00:00:00Z',
    })
    expect((await login({ role_id, secret_id })).status).toBe(200)
    expect(statusAndBody(await login({ role_id, secret_id }))).toEqual(wrong)
    const token = first.body.auth.client_token
    expect((await as(token).get('auth/token/lookup-self')).status).toBe(200)
  })

  test.each<[object, object, string]>([
    [
      {},
      { cidr_list: '10.0.0.0/8' },
      'source address "127.0.0.1" unauthorized through CIDR restrictions on the secret ID',
    ],
    [
      {},
      { cidr_list: '10.0.0.0/8', num_uses: 2 },
      'source address "127.0.0.1" unauthorized by CIDR restrictions on the secret ID: %!w(<nil>)',
    ],
    [
      { secret_id_bound_cidrs: '10.0.0.0/8' },
      { num_uses: 2 },
      'source address "127.0.0.1" unauthorized by CIDR restrictions on the role: %!w(<nil>)',
    ],
    [{ token_policies: 'root' }, { num_uses: 2 }, 'auth methods cannot create root tokens'],
  ])('a role %j and a secret id %j refuse, and the use counts', async (role, requested, text) => {
    const { login, roleId, secretId, secrets, at } = await approleServer(role)
    const { secret_id } = await secretId(requested)
    expect(statusAndBody(await login({ role_id: await roleId(), secret_id }))).toEqual(
      error(400, text),
    )
    const { data } = (await secrets.post(at('/secret-id/lookup'), { secret_id })).body
    expect(data.secret_id_num_uses).toBe('num_uses' in requested ? 1 : 0)
  })

  test('a login must come from the allowed networks; the token is bound to its own networks', async () => {
    const { login, roleId, secretId, as } = await approleServer({
      secret_id_bound_cidrs: '10.0.0.0/8',
      token_bound_cidrs: '10.0.0.0/8',
    })
    const { secret_id } = await secretId({
      cidr_list: '10.1.0.0/16',
      token_bound_cidrs: '10.1.2.0/24',
    })
    const reply = await login({ role_id: await roleId(), secret_id }, { peer: '10.1.2.3' })
    const own = as(reply.body.auth.client_token)
    expect((await own.get('auth/token/lookup-self', { peer: '10.1.2.9' })).status).toBe(200)
    expect((await own.get('auth/token/lookup-self', { peer: '10.1.3.9' })).status).toBe(403)
  })

  test('a role that needs no secret id accepts a login without one', async () => {
    const { login, roleId } = await approleServer({
      bind_secret_id: false,
      secret_id_bound_cidrs: '127.0.0.0/8',
    })
    expect((await login({ role_id: await roleId() })).body.auth.metadata).toEqual({
      role_name: 'app',
    })
  })

  test('the mount decides the token type if the role does not', async () => {
    const { secrets, logIn } = await approleServer()
    await secrets.post('sys/auth/approle/tune', { token_type: 'default-batch' })
    expect(await logIn()).toMatchObject({ token_type: 'batch', accessor: '', renewable: false })
  })

  test('a batch token has any number of uses, and its login shows those of the role', async () => {
    const { as, secrets, logIn } = await approleServer({ token_num_uses: 3 })
    await secrets.post('sys/auth/approle/tune', { token_type: 'default-batch' })
    const auth = await logIn()
    expect(auth).toMatchObject({ token_type: 'batch', num_uses: 3 })
    const { data } = (await as(auth.client_token).get('auth/token/lookup-self')).body
    expect(data).toMatchObject({ type: 'batch', num_uses: 0 })
  })
})

describe('behaviour/secrets#login-token: renewals', () => {
  test('renewals follow the current role', async () => {
    const { secrets, at, as, logIn } = await approleServer({ token_ttl: '5m' })
    const { client_token } = await logIn()
    const renew = async (body = {}) =>
      (await as(client_token).post('auth/token/renew-self', body)).body
    await secrets.post(at(), { token_ttl: '10m' })
    expect((await renew()).auth.lease_duration).toBe(600)
    expect((await renew({ increment: '7m' })).auth.lease_duration).toBe(420)
    await secrets.post(at(), { token_ttl: '1m', token_max_ttl: '2m' })
    expect((await renew({ increment: '1h' })).auth.lease_duration).toBe(120)
    await secrets.post(at(), { token_period: '30s' })
    expect((await renew()).auth.lease_duration).toBe(30)
  })

  test('fail once the role is gone: 500 as the reference has it', async () => {
    for (const [dialect, status] of [
      ['neutral', 400],
      ['vendor', 500],
    ] as const) {
      const { secrets, at, as, logIn } = await approleServer({}, { dialect })
      const { client_token } = await logIn()
      await secrets.delete(at())
      expect(statusAndBody(await as(client_token).post('auth/token/renew-self', {}))).toEqual(
        multierrorReply(status, 'failed to renew entry: role "app" does not exist during renewal'),
      )
    }
  })
})
