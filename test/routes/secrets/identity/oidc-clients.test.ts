import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, noContent, ok, statusAndBody } from '../replies.ts'

const oidc = 'identity/oidc'

/** Starts a server with a fast key. */
async function serverWithKey(dialect: 'neutral' | 'vendor' = 'neutral') {
  const server = await servedSecrets({ dialect })
  await server.secrets.post(`${oidc}/key/k`, { algorithm: 'EdDSA', verification_ttl: '2h' })
  return server
}

const client = { key: 'k', redirect_uris: 'http://a/cb', id_token_ttl: '1h' }

describe('behaviour/secrets#oidc-clients', () => {
  test.each([
    ['neutral', 'so_secret_'],
    ['vendor', 'hvo_secret_'],
  ] as const)('a client has an id and a secret, %s', async (dialect, prefix) => {
    const { secrets } = await serverWithKey(dialect)
    const path = `${oidc}/client/app`
    expect(statusAndBody(await secrets.post(path, client))).toEqual(noContent)
    const { data } = (await secrets.get(path)).body
    const shown = {
      access_token_ttl: 86_400,
      assignments: [],
      client_id: expect.stringMatching(/^[0-9A-Za-z]{32}$/),
      client_type: 'confidential',
      id_token_ttl: 3600,
      key: 'k',
      redirect_uris: ['http://a/cb'],
    }
    const client_secret = expect.stringMatching(new RegExp(`^${prefix}[0-9A-Za-z]{64}$`))
    expect(data).toEqual({ ...shown, client_secret })
    await secrets.post(path, { assignments: 'allow_all,allow_all' })
    expect((await secrets.get(path)).body.data).toEqual({ ...data, assignments: ['allow_all'] })
    const listed = { keys: ['app'], key_info: { app: { ...shown, assignments: ['allow_all'] } } }
    expect(statusAndBody(await secrets.list(`${oidc}/client`))).toEqual(ok({ data: listed }))
    await secrets.post(`${oidc}/client/spa`, { ...client, client_type: 'public' })
    expect((await secrets.get(`${oidc}/client/spa`)).body.data).toEqual({
      ...shown,
      client_type: 'public',
    })
    expect(statusAndBody(await secrets.delete(path))).toEqual(noContent)
    expect(statusAndBody(await secrets.get(path))).toEqual(error(404))
  })

  test('a provider has its issuer, and lists the providers of a client', async () => {
    const { secrets } = await serverWithKey()
    await secrets.post(`${oidc}/scope/a`, { template: '{"x": 1}', description: 'first' })
    await secrets.post(`${oidc}/scope/b`, { template: '{"x": {{time.now}}}' })
    expect((await secrets.get(`${oidc}/scope/a`)).body.data).toEqual({
      template: '{"x": 1}',
      description: 'first',
    })
    const conflict = await secrets.post(`${oidc}/provider/p`, { scopes_supported: 'a,b' })
    expect(conflict.body.warnings).toEqual([
      'Found scope templates with conflicting top-level keys: conflict "x" in scopes "b", "a". This may result in an error if the scopes are requested in an OIDC Authentication Request.',
    ])
    const body = { issuer: 'https://id.test', allowed_client_ids: 'c', scopes_supported: 'a' }
    expect((await secrets.post(`${oidc}/provider/p`, body)).body.warnings).toHaveLength(1)
    const shown = {
      allowed_client_ids: ['c'],
      issuer: 'https://id.test/v1/identity/oidc/provider/p',
      scopes_supported: ['a'],
    }
    expect((await secrets.get(`${oidc}/provider/p`)).body.data).toEqual(shown)
    const all = (await secrets.list(`${oidc}/provider`)).body.data
    expect(all).toEqual({
      keys: ['default', 'p'],
      key_info: { default: expect.anything(), p: shown },
    })
    const query = { allowed_client_id: 'd' }
    expect((await secrets.list(`${oidc}/provider`, { query })).body.data.keys).toEqual(['default'])
    expect(statusAndBody(await secrets.delete(`${oidc}/provider/p`))).toEqual(noContent)
    expect(statusAndBody(await secrets.get(`${oidc}/provider/p`))).toEqual(error(404))
  })

  test('objects in use are not deleted, and bad values are refused', async () => {
    const { secrets } = await serverWithKey()
    await secrets.post(`${oidc}/assignment/team`, { entity_ids: ['A', 'a'], group_ids: 'G' })
    expect((await secrets.get(`${oidc}/assignment/team`)).body.data).toEqual({
      entity_ids: ['a'],
      group_ids: ['g'],
    })
    expect((await secrets.list(`${oidc}/assignment`)).body.data.keys).toEqual(['allow_all', 'team'])
    await secrets.post(`${oidc}/scope/s`, {})
    await secrets.post(`${oidc}/client/c`, { ...client, assignments: 'team' })
    await secrets.post(`${oidc}/provider/p`, { scopes_supported: 's' })
    const used = 'because it is currently referenced by these'
    for (const [path, text] of [
      ['assignment/team', `unable to delete assignment "team" ${used} clients: c`],
      ['assignment/allow_all', 'deletion of assignment "allow_all" not allowed'],
      ['scope/s', `unable to delete scope "s" ${used} providers: p`],
      ['key/k', `unable to delete key "k" ${used} clients: c`],
      ['provider/default', 'deletion of OIDC provider "default" not allowed'],
    ] as const) {
      expect(statusAndBody(await secrets.delete(`${oidc}/${path}`))).toEqual(error(400, text))
    }
    for (const [path, body, text] of [
      ['assignment/allow_all', {}, 'modification of assignment "allow_all" not allowed'],
      ['scope/openid', {}, 'the "openid" scope name is reserved'],
      ['provider/p', { scopes_supported: 'none' }, 'scope "none" does not exist'],
      ['client/c', { key: 'default' }, 'key modification is not allowed'],
      ['client/c', { client_type: 'public' }, 'client_type modification is not allowed'],
      ['client/d', { assignments: 'zz' }, 'assignment "zz" does not exist'],
      ['client/d', { key: 'zz' }, 'key "zz" does not exist'],
      ['client/d', { key: 'k', id_token_ttl: 60, client_type: 'zz' }, 'invalid client_type "zz"'],
      [
        'client/d',
        { key: 'k' },
        "a client's id_token_ttl cannot be greater than the verification_ttl of the key it references",
      ],
      [
        'key/k',
        { verification_ttl: 60 },
        'unable to update key "k" because it is currently referenced by one or more clients with an id_token_ttl greater than 60 seconds',
      ],
    ] as const) {
      expect(statusAndBody(await secrets.post(`${oidc}/${path}`, body))).toEqual(error(400, text))
    }
  })

  test('a new client or provider needs create, a known one update', async () => {
    const { secrets, as } = await serverWithKey()
    const policy = 'path "identity/oidc/*" { capabilities = ["create"] }'
    await secrets.post('sys/policies/acl/makes', { policy })
    const { auth } = (await secrets.post('auth/token/create', { policies: ['makes'] })).body
    for (const [path, body] of [
      ['client/c', client],
      ['provider/p', {}],
    ] as const) {
      expect(statusAndBody(await as(auth.client_token).post(`${oidc}/${path}`, body))).toEqual(
        noContent,
      )
      expect((await as(auth.client_token).post(`${oidc}/${path}`, body)).status).toBe(403)
    }
  })
})
