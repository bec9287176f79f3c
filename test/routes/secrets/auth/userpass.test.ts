import { describe, expect, test } from 'vitest'
import { type RequestOptions, servedSecrets, type TestSettings } from '../../../support/secrets.ts'
import { error, noContent, ok, raisedError, seen } from '../replies.ts'
import { approleServer } from './approle/approle.ts'

const fresh = {
  token_bound_cidrs: [],
  token_explicit_max_ttl: 0,
  token_max_ttl: 0,
  token_no_default_policy: false,
  token_num_uses: 0,
  token_period: 0,
  token_policies: [],
  token_ttl: 0,
  token_type: 'default',
}
const ada = 'auth/userpass/users/ada'
const wrong = error(400, 'invalid username or password')
const dialects = [
  ['neutral', 400],
  ['vendor', 500],
] as const

/** A server with the method, and a user. */
async function userServer(user: object = {}, settings: TestSettings = {}) {
  const server = await servedSecrets(settings)
  const { secrets } = server
  expect(seen(await secrets.post('sys/auth/userpass', { type: 'userpass' }))).toEqual(noContent)
  expect(seen(await secrets.post(ada, { password: 'pw', ...user }))).toEqual(noContent)
  const login = (password: unknown = 'pw', name = 'ada', options: RequestOptions = {}) =>
    secrets.post(`auth/userpass/login/${name}`, { password }, { token: null, ...options })
  return { ...server, login }
}

describe('behaviour/secrets#userpass: users', () => {
  test('are read without their password, in lower case, under old names as written', async () => {
    const { secrets } = await userServer({ policies: 'b,A', ttl: '1m', bound_cidrs: '10.0.0.1/32' })
    expect(seen(await secrets.get('auth/userpass/users/ADA'))).toEqual(
      ok({
        data: {
          ...fresh,
          token_policies: ['a', 'b'],
          policies: ['a', 'b'],
          token_ttl: 60,
          ttl: 60,
          token_bound_cidrs: ['10.0.0.1'],
          bound_cidrs: ['10.0.0.1'],
        },
      }),
    )
    await secrets.post(ada, { token_policies: 'c', token_ttl: 5, token_bound_cidrs: [] })
    expect((await secrets.get(ada)).body.data).toEqual({
      ...fresh,
      token_policies: ['c'],
      token_ttl: 5,
    })
    expect((await secrets.list('auth/userpass/users')).body.data.keys).toEqual(['ada'])
  })

  test('are deleted, whether there or not', async () => {
    const { secrets, login } = await userServer()
    expect(seen(await secrets.delete(ada))).toEqual(noContent)
    expect(seen(await secrets.delete(ada))).toEqual(noContent)
    expect(seen(await secrets.get(ada))).toEqual(error(404))
    expect(seen(await secrets.list('auth/userpass/users'))).toEqual(error(404))
    expect(seen(await login())).toEqual(wrong)
  })

  test('need a password of at most 72 bytes, and names without strange letters', async () => {
    for (const [dialect, status] of dialects) {
      const { secrets } = await userServer({}, { dialect })
      expect(seen(await secrets.post('auth/userpass/users/eve', {}))).toEqual(
        error(400, 'missing password'),
      )
      expect(seen(await secrets.post(ada, { password: 'ä'.repeat(37) }))).toEqual(
        raisedError(status, 'bcrypt: password length exceeds 72 bytes'),
      )
      expect(seen(await secrets.post('auth/userpass/users/u@x', { password: 'x' }))).toEqual(
        raisedError(404, 'unsupported path'),
      )
      expect(seen(await secrets.post(ada, { token_num_uses: -1 }))).toEqual(
        error(400, "'token_num_uses' cannot be negative"),
      )
    }
  })

  test('change password and policies by themselves', async () => {
    for (const [dialect, status] of dialects) {
      const { secrets, login } = await userServer({}, { dialect })
      expect(seen(await secrets.post(`${ada}/password`, { password: 'new' }))).toEqual(noContent)
      expect(seen(await login())).toEqual(wrong)
      expect((await login('new')).status).toBe(200)
      expect(seen(await secrets.post(`${ada}/password`, {}))).toEqual(
        error(400, 'missing password'),
      )
      expect(seen(await secrets.post(`${ada}/policies`, { policies: 'B' }))).toEqual(noContent)
      expect(seen(await secrets.post(`${ada}/policies`, {}))).toEqual(noContent)
      expect((await secrets.get(ada)).body.data).toMatchObject({ policies: ['b'] })
      const absent = raisedError(status, 'username does not exist')
      const none = 'auth/userpass/users/none'
      expect(seen(await secrets.post(`${none}/policies`, {}))).toEqual(absent)
      expect(seen(await secrets.post(`${none}/password`, { password: 'x' }))).toEqual(absent)
    }
  })
})

describe('behaviour/secrets#userpass: logins', () => {
  test('give a token with the name of the user', async () => {
    const { login, as } = await userServer({ token_policies: 'a' })
    const { auth } = (await login('pw', 'ADA')).body
    expect(auth).toMatchObject({
      policies: ['a', 'default'],
      metadata: { username: 'ada' },
      renewable: true,
      token_type: 'service',
    })
    const { data } = (await as(auth.client_token).get('auth/token/lookup-self')).body
    expect(data).toMatchObject({ path: 'auth/userpass/login/ada', display_name: 'userpass-ada' })
  })

  test('are refused without the right password', async () => {
    for (const [dialect, status] of dialects) {
      const { login } = await userServer({}, { dialect })
      expect(seen(await login('no'))).toEqual(wrong)
      expect(seen(await login('pw', 'eve'))).toEqual(wrong)
      expect(seen(await login(''))).toEqual(error(status, 'missing password'))
    }
  })

  test('are refused from outside the networks of the tokens', async () => {
    const { login } = await userServer({ token_bound_cidrs: '10.0.0.0/8' })
    expect(seen(await login())).toEqual(error(403, 'permission denied'))
    expect((await login('pw', 'ada', { peer: '10.0.0.9' })).status).toBe(200)
  })

  test('renewals fail once the user is gone or grants other policies', async () => {
    for (const [dialect, status] of dialects) {
      const { secrets, login, as } = await userServer({ token_policies: 'a' }, { dialect })
      const { client_token } = (await login()).body.auth
      const renew = () => as(client_token).post('auth/token/renew-self', {})
      await secrets.post(ada, { token_policies: 'A,default', token_ttl: 60 })
      expect((await renew()).body.auth.lease_duration).toBe(60)
      const refused = raisedError(
        status,
        'failed to renew entry: policies have changed, not renewing',
      )
      await secrets.post(ada, { token_policies: 'b' })
      expect(seen(await renew())).toEqual(refused)
      await secrets.delete(ada)
      expect(seen(await renew())).toEqual(refused)
    }
  })
})

describe('behaviour/secrets#lockout', () => {
  const locked = error(403, 'permission denied')

  test('after five wrong passwords nobody gets in for a quarter of an hour', async () => {
    const { login, clock, secrets } = await userServer()
    for (let n = 0; n < 5; n += 1) {
      expect(seen(await login('no'))).toEqual(wrong)
      clock.advance(60_000)
    }
    expect(seen(await login('no'))).toEqual(locked)
    expect(seen(await login())).toEqual(locked)
    const { accessor } = (await secrets.get('sys/auth')).body['userpass/']
    expect((await secrets.get('sys/locked-users')).body.data).toEqual({
      by_namespace: [
        {
          namespace_id: 'root',
          namespace_path: '',
          counts: 1,
          mount_accessors: [{ mount_accessor: accessor, counts: 1, alias_identifiers: ['ada'] }],
        },
      ],
      total: 1,
    })
    clock.advance(14 * 60_000 - 1)
    expect(seen(await login())).toEqual(locked)
    clock.advance(1)
    expect((await login()).status).toBe(200)
    expect((await secrets.get('sys/locked-users')).body.data.total).toBe(0)
  })

  test('a good login starts the count anew, and so does a quarter of an hour', async () => {
    const { login, clock } = await userServer()
    const fail = async (times: number) => {
      for (let n = 0; n < times; n += 1) expect(seen(await login('no'))).toEqual(wrong)
    }
    await fail(4)
    expect((await login()).status).toBe(200)
    await fail(4)
    clock.advance(15 * 60_000)
    await fail(4)
    expect((await login()).status).toBe(200)
  })

  test('an operator unlocks; others stay locked', async () => {
    const { login, secrets } = await userServer()
    await secrets.post('auth/userpass/users/bob', { password: 'pw' })
    for (const name of ['ada', 'bob']) {
      for (let n = 0; n < 5; n += 1) await login('no', name)
    }
    const { accessor } = (await secrets.get('sys/auth')).body['userpass/']
    const unlock = `sys/locked-users/${accessor}/unlock/ada`
    expect(seen(await secrets.post(unlock, {}))).toEqual(noContent)
    expect((await login()).status).toBe(200)
    expect(seen(await login('pw', 'bob'))).toEqual(locked)
  })

  test('who does not exist is never locked; the option turns it off', async () => {
    const { login } = await userServer()
    for (let n = 0; n < 7; n += 1) expect(seen(await login('no', 'eve'))).toEqual(wrong)
    const open = await userServer({}, { secrets: { userLockout: false } })
    for (let n = 0; n < 7; n += 1) expect(seen(await open.login('no'))).toEqual(wrong)
  })

  test('wrong secret ids of an AppRole count as well', async () => {
    const { login, roleId, secretId } = await approleServer()
    const [role_id, { secret_id }] = [await roleId(), await secretId()]
    for (let n = 0; n < 5; n += 1) {
      expect((await login({ role_id, secret_id: 'no' })).status).toBe(400)
    }
    expect(seen(await login({ role_id, secret_id }))).toEqual(locked)
  })
})
