import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { type SecretsClient, servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, statusAndBody } from '../replies.ts'

const denied = multierrorReply(403, 'permission denied')
const refused = error(403, 'permission denied')

describe('behaviour/secrets#token', () => {
  const self = 'auth/token/lookup-self'
  const bearer = (client: SecretsClient, authorization: string, more: object = {}) =>
    client.get(self, { token: null, headers: { authorization, ...more } })

  test.each(['x-secrets-token', 'x-vault-token'])('%s is read in either dialect', async (name) => {
    for (const dialect of ['neutral', 'vendor'] as const) {
      const { secrets } = await servedSecrets({ dialect })
      const { status } = await secrets.get(self, { token: null, headers: { [name]: 'root' } })
      expect([dialect, status]).toEqual([dialect, 200])
    }
  })

  test('a bearer token is one, its blanks cut', async () => {
    const { secrets } = await servedSecrets()
    for (const value of ['Bearer root', 'Bearer   root ']) {
      expect((await bearer(secrets, value)).status).toBe(200)
    }
  })

  test.each([
    'bearer root',
    'BEARER root',
    'Bearer',
    'Bearerroot',
    'Token root',
    'root',
    'Basic cm9vdA==',
  ])('Authorization %s is not a token', async (value) => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await bearer(secrets, value))).toEqual(refused)
  })

  test('of several Authorization headers the first bearer counts', async () => {
    const { app } = await servedSecrets()
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    const ask = (...authorization: string[]) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = authorization.flatMap((value) => ['Authorization', value])
        request(`${origin}/v1/${self}`, {
          headers: ['Host', 'localhost', ...headers],
          agent: false,
        })
          .on('response', (response) => {
            response.resume()
            resolve(response.statusCode)
          })
          .on('error', reject)
          .end()
      })
    expect(await ask('Basic cm9vdA==', 'Bearer root')).toBe(200)
    expect(await ask('Bearer root', 'Bearer wrong')).toBe(200)
    expect(await ask('Bearer wrong', 'Bearer root')).toBe(403)
    expect(await ask('Basic cm9vdA==', 'bearer root')).toBe(403)
  })

  test("the API's header takes precedence unless it is empty", async () => {
    const { secrets } = await servedSecrets()
    expect(
      statusAndBody(await bearer(secrets, 'Bearer root', { 'x-secrets-token': 'wrong' })),
    ).toEqual(refused)
    expect((await bearer(secrets, 'Bearer wrong', { 'x-secrets-token': 'root' })).status).toBe(200)
    expect((await bearer(secrets, 'Bearer root', { 'x-secrets-token': '' })).status).toBe(200)
  })

  test.each(['sys/health', 'sys/init', 'sys/seal-status', 'sys/leader'])(
    'a bad token is ignored on the open path %s',
    async (path) => {
      const { secrets } = await servedSecrets()
      for (const token of ['wrong', '', null]) {
        expect((await secrets.get(path, { token })).status).toBe(200)
      }
    },
  )

  test('open paths count no use', async () => {
    const { secrets, as } = await servedSecrets()
    const { body } = await secrets.post('auth/token/create', { num_uses: 1 })
    const client = as(body.auth.client_token)
    for (let n = 0; n < 3; n++) await client.get('sys/health')
    expect((await client.get(self)).body.data.num_uses).toBe(-1)
    expect(statusAndBody(await client.get(self))).toEqual(refused)
  })

  test('refused calls count as uses', async () => {
    const { secrets, as } = await servedSecrets()
    const created = await secrets.post('auth/token/create', { num_uses: 2, policies: ['default'] })
    const client = as(created.body.auth.client_token)
    expect(statusAndBody(await client.get('secret/data/a'))).toEqual(denied)
    expect(statusAndBody(await client.get('kv/a'))).toEqual(denied)
    expect(statusAndBody(await client.get('kv/a'))).toEqual(refused)
  })
})

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/secrets#unauthenticated, %s: logins and the paths beside them',
  (dialect) => {
    test.each([
      ['approle', 'LIST', 'login', 403],
      ['approle', 'POST', 'login/x', 403],
      ['jwt', 'LIST', 'login', 403],
      ['jwt', 'POST', 'login/x', 403],
      ['jwt', 'LIST', 'oidc/auth_url', 403],
      ['orch', 'POST', 'login/x', 403],
      ['jwt', 'GET', 'login', 405],
      ['userpass', 'POST', 'login/a.', 404],
      ['cloud', 'POST', 'login/a/b', 404],
      ['cloud', 'LIST', 'login/a/b', 404],
    ])('%s: %s %s without a token is %i', async (type, method, path, status) => {
      const { secrets } = await servedSecrets({ dialect })
      await secrets.post('sys/auth/x', { type })
      const [at, options] = [`auth/x/${path}`, { token: null }]
      const reply =
        method === 'LIST'
          ? await secrets.list(at, options)
          : await secrets.request({ method, path: at, ...options })
      expect(reply.status).toBe(status)
    })

    test('LIST of the look-up of secret ids is 405', async () => {
      const { secrets } = await servedSecrets({ dialect })
      await secrets.post('sys/auth/approle', { type: 'approle' })
      await secrets.post('auth/approle/role/app', {})
      for (const end of ['secret-id/lookup', 'secret-id-accessor/destroy']) {
        const path = `auth/approle/role/app/${end}`
        expect((await secrets.list(path)).status).toBe(405)
        expect((await secrets.get(`${path}/`)).status).toBe(405)
      }
    })
  },
)
