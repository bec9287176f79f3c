import { describe, expect, test } from 'vitest'
import { error, multierrorReply, noContent, ok, statusAndBody } from '../replies.ts'
import { ada, userServer, wrong } from './user-server.ts'

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
const dialects = [
  ['neutral', 400],
  ['vendor', 500],
] as const

describe('behaviour/secrets#login-token: userpass', () => {
  test('a login warns that the default TTL is above the maximum of the mount', async () => {
    const { secrets, login } = await userServer()
    await secrets.post('sys/auth/userpass/tune', { max_lease_ttl: '2h' })
    const { auth, warnings } = (await login()).body
    expect([auth.lease_duration, warnings]).toEqual([
      7200,
      ['TTL of "768h" exceeded the effective max_ttl of "2h"; TTL value is capped accordingly'],
    ])
  })
})

describe('behaviour/secrets#lockout: userpass', () => {
  test('a login with an impossible name is refused before its path', async () => {
    for (const [dialect, status] of dialects) {
      const { secrets } = await userServer({}, { dialect })
      const post = async (path: string) =>
        statusAndBody(await secrets.post(`auth/userpass/login/${path}`, {}, { token: null }))
      const nameless = error(status, 'failed to determine alias name from login request')
      for (const path of ['a/b', 'u@x', '-a']) expect(await post(path)).toEqual(nameless)
      const list = await secrets.list('auth/userpass/login/ada', { token: null })
      expect(statusAndBody(list)).toEqual(nameless)
      const user_lockout_config = { lockout_disable: true }
      await secrets.post('sys/auth/userpass/tune', { user_lockout_config })
      expect(await post('u@x')).toEqual(error(404, 'unsupported path'))
    }
  })
})

describe('behaviour/secrets#userpass: users', () => {
  test('are read without their password, by name in any letter case, with the old field names that were written', async () => {
    const { secrets } = await userServer({ policies: 'b,A', ttl: '1m', bound_cidrs: '10.0.0.1/32' })
    expect(statusAndBody(await secrets.get('auth/userpass/users/ADA'))).toEqual(
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
    expect(statusAndBody(await secrets.delete(ada))).toEqual(noContent)
    expect(statusAndBody(await secrets.delete(ada))).toEqual(noContent)
    expect(statusAndBody(await secrets.get(ada))).toEqual(error(404))
    expect(statusAndBody(await secrets.list('auth/userpass/users'))).toEqual(error(404))
    expect(statusAndBody(await login())).toEqual(wrong)
  })

  test('need a password of at most 72 bytes, and names without strange letters', async () => {
    for (const [dialect, status] of dialects) {
      const { secrets } = await userServer({}, { dialect })
      expect(statusAndBody(await secrets.post('auth/userpass/users/eve', {}))).toEqual(
        error(400, 'missing password'),
      )
      expect(statusAndBody(await secrets.post(ada, { password: 'ä'.repeat(37) }))).toEqual(
        multierrorReply(status, 'bcrypt: password length exceeds 72 bytes'),
      )
      expect(
        statusAndBody(await secrets.post('auth/userpass/users/u@x', { password: 'x' })),
      ).toEqual(multierrorReply(404, 'unsupported path'))
      expect(statusAndBody(await secrets.post(ada, { token_num_uses: -1 }))).toEqual(
        error(400, "'token_num_uses' cannot be negative"),
      )
    }
  })

  test('a new user without a password is refused before its token fields are checked', async () => {
    const { secrets } = await userServer()
    const eve = 'auth/userpass/users/eve'
    for (const fields of [{ bound_cidrs: 'x' }, { token_num_uses: -1 }]) {
      const missing = error(400, 'missing password')
      expect(statusAndBody(await secrets.post(eve, fields))).toEqual(missing)
    }
  })

  test('a change checks new names, then the password, then old names', async () => {
    const { secrets } = await userServer()
    const refusal = async (fields: object) =>
      (await secrets.post(ada, { password: '', bound_cidrs: 'x', ...fields })).body.errors[0]
    expect(await refusal({ token_num_uses: -1 })).toBe("'token_num_uses' cannot be negative")
    expect(await refusal({})).toBe('missing password')
    expect(await refusal({ password: 'pw' })).toContain('error parsing address "x"')
  })

  test('change password and policies by themselves', async () => {
    for (const [dialect, status] of dialects) {
      const { secrets, login } = await userServer({}, { dialect })
      expect(statusAndBody(await secrets.post(`${ada}/password`, { password: 'new' }))).toEqual(
        noContent,
      )
      expect(statusAndBody(await login())).toEqual(wrong)
      expect((await login('new')).status).toBe(200)
      expect(statusAndBody(await secrets.post(`${ada}/password`, {}))).toEqual(
        error(400, 'missing password'),
      )
      expect(statusAndBody(await secrets.post(`${ada}/policies`, { policies: 'B' }))).toEqual(
        noContent,
      )
      expect(statusAndBody(await secrets.post(`${ada}/policies`, {}))).toEqual(noContent)
      expect((await secrets.get(ada)).body.data).toMatchObject({ policies: ['b'] })
      const absent = multierrorReply(status, 'username does not exist')
      const none = 'auth/userpass/users/none'
      expect(statusAndBody(await secrets.post(`${none}/policies`, {}))).toEqual(absent)
      expect(statusAndBody(await secrets.post(`${none}/password`, { password: 'x' }))).toEqual(
        absent,
      )
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
    expect(data).toMatchObject({ path: 'auth/userpass/login/ADA', display_name: 'userpass-ada' })
  })

  test('are refused without the right password', async () => {
    for (const [dialect, status] of dialects) {
      const { login } = await userServer({}, { dialect })
      expect(statusAndBody(await login('no'))).toEqual(wrong)
      expect(statusAndBody(await login('pw', 'eve'))).toEqual(wrong)
      expect(statusAndBody(await login(''))).toEqual(error(status, 'missing password'))
    }
  })

  test('are refused from outside the networks of the tokens', async () => {
    const { login } = await userServer({ token_bound_cidrs: '10.0.0.0/8' })
    expect(statusAndBody(await login())).toEqual(error(403, 'permission denied'))
    expect((await login('pw', 'ada', { peer: '10.0.0.9' })).status).toBe(200)
  })

  test('renewals fail once the user is gone or grants other policies', async () => {
    for (const [dialect, status] of dialects) {
      const { secrets, login, as } = await userServer({ token_policies: 'a' }, { dialect })
      const { client_token } = (await login()).body.auth
      const renew = () => as(client_token).post('auth/token/renew-self', {})
      await secrets.post(ada, { token_policies: 'A,default', token_ttl: 60 })
      expect((await renew()).body.auth.lease_duration).toBe(60)
      const refused = multierrorReply(
        status,
        'failed to renew entry: policies have changed, not renewing',
      )
      await secrets.post(ada, { token_policies: 'b' })
      expect(statusAndBody(await renew())).toEqual(refused)
      await secrets.delete(ada)
      expect(statusAndBody(await renew())).toEqual(refused)
    }
  })

  test('renewals of a token without any policies fail, with default alone they do not', async () => {
    for (const [dialect, status] of dialects) {
      const { secrets, login } = await userServer({}, { dialect })
      const renew = async () => {
        const { client_token: token } = (await login()).body.auth
        return secrets.post('auth/token/renew', { token })
      }
      expect((await renew()).status).toBe(200)
      await secrets.post(ada, { token_no_default_policy: true })
      expect(statusAndBody(await renew())).toEqual(
        multierrorReply(status, 'failed to renew entry: policies have changed, not renewing'),
      )
    }
  })
})
