import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, statusAndBody } from '../replies.ts'

const open = { token: null }
const callback = 'http://localhost:8250/oidc/callback'

/** Starts a server whose login method `oidc` trusts the server's own provider. */
async function oidcServer(dialect: 'neutral' | 'vendor' = 'neutral') {
  const server = await servedSecrets({ dialect, secrets: { oidcLogin: 'ann' } })
  const { secrets, app } = server
  const { id } = (await secrets.post('identity/entity', { name: 'ann' })).body.data
  const write = (path: string, body: object) => secrets.post(`identity/oidc/${path}`, body)
  await write('key/k', { algorithm: 'EdDSA', allowed_client_ids: '*' })
  await write('scope/who', { template: '{"name": {{identity.entity.name}}}' })
  await write('client/c', { key: 'k', redirect_uris: callback, assignments: 'allow_all' })
  const client = (await secrets.get('identity/oidc/client/c')).body.data
  await write('provider/p', { allowed_client_ids: client.client_id, scopes_supported: 'who' })
  const { issuer } = (await secrets.get('identity/oidc/provider/p')).body.data
  await secrets.post('sys/auth/oidc', { type: 'oidc' })
  const configure = (changes: object = {}) =>
    secrets.post('auth/oidc/config', {
      oidc_discovery_url: issuer,
      oidc_client_id: client.client_id,
      oidc_client_secret: client.client_secret,
      default_role: 'dev',
      ...changes,
    })
  await configure()
  const role = {
    user_claim: 'name',
    allowed_redirect_uris: 'http://localhost/oidc/callback',
    oidc_scopes: 'who',
    token_policies: 'dev',
  }
  await secrets.post('auth/oidc/role/dev', role)
  const authUrl = async (body: object = {}) => {
    const asked = { redirect_uri: callback, client_nonce: 'mine', ...body }
    return await secrets.post('auth/oidc/oidc/auth_url', asked, open)
  }
  return {
    ...server,
    id,
    configure,
    authUrl,
    /** Opens the page as a browser does, and returns what it sends back. */
    async openPage(url: string, entity?: string) {
      const at = new URL(url)
      const page = await app.inject({
        method: entity === undefined ? 'GET' : 'POST',
        url: at.pathname + at.search,
        ...(entity === undefined
          ? {}
          : {
              payload: `entity=${entity}`,
              headers: { 'content-type': 'application/x-www-form-urlencoded' },
            }),
      })
      const location = page.headers.location
      const sent = location === undefined ? undefined : new URL(String(location))
      return { page, query: Object.fromEntries(sent?.searchParams ?? []) }
    },
    complete: (query: Record<string, string>) =>
      secrets.get('auth/oidc/oidc/callback', { ...open, query }),
  }
}

describe('behaviour/secrets#oidc-login', () => {
  test.each([
    ['neutral', 'service'],
    ['vendor', 'vault'],
  ] as const)('a browser logs in at a provider of the world, %s', async (dialect, product) => {
    const { authUrl, openPage, complete } = await oidcServer(dialect)
    const { auth_url } = (await authUrl()).body.data
    const url = new URL(auth_url)
    expect(url.pathname).toBe(`/ui/${product}/identity/oidc/provider/p/authorize`)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      code_challenge_method: 'S256',
      nonce: expect.stringMatching(/^n_[0-9A-Za-z]{20}$/),
      redirect_uri: callback,
      response_type: 'code',
      scope: 'openid who',
      state: expect.stringMatching(/^st_[0-9A-Za-z]{20}$/),
    })
    const { page, query } = await openPage(auth_url)
    expect(page.statusCode).toBe(302)
    expect(Object.keys(query)).toEqual(['code', 'state'])
    const { status, body } = await complete({ ...query, client_nonce: 'mine' })
    expect(status).toBe(200)
    expect(body.auth).toMatchObject({
      metadata: { role: 'dev' },
      token_policies: ['default', 'dev'],
    })
    const name = dialect === 'vendor' ? 'Vault' : 'Service'
    const used = error(400, `${name} login failed. Expired or missing OAuth state.`)
    expect(statusAndBody(await complete({ ...query, client_nonce: 'mine' }))).toEqual(used)
  })

  test('choice/secrets#login-page-entity: without the option the user chooses, and refusals are returned to the client', async () => {
    const { authUrl, openPage, complete, world, secrets } = await oidcServer()
    world.changeOptions({ secrets: { oidcLogin: '' } })
    const { auth_url } = (await authUrl({ client_nonce: '' })).body.data
    const { page } = await openPage(auth_url)
    expect(page.body).toContain('<button name="entity" value="ann">ann</button>')
    const { query } = await openPage(auth_url, 'ann')
    expect((await complete(query)).status).toBe(200)
    expect((await openPage(auth_url, 'nobody')).query).toMatchObject({
      error: 'access_denied',
      state: new URL(auth_url).searchParams.get('state'),
    })
    const elsewhere = auth_url.replace('8250%2Foidc', '8250%2Felsewhere')
    expect((await openPage(elsewhere, 'ann')).page.statusCode).toBe(400)
    await secrets.delete('identity/oidc/provider/p')
    expect((await openPage(auth_url)).page.statusCode).toBe(404)
  })

  test('requests are refused in the order of the checks', async () => {
    const { authUrl, openPage, complete, secrets, world, configure } = await oidcServer()
    const url = async (body: object) => (await authUrl(body)).body
    expect((await url({ redirect_uri: 'http://x.test' })).data).toEqual({ auth_url: '' })
    expect((await url({ redirect_uri: '' })).errors).toEqual(['missing redirect_uri'])
    expect((await url({ role: 'none' })).errors).toEqual(['role "none" could not be found'])
    const started = async () => {
      const { auth_url } = (await url({})).data
      return (await openPage(auth_url)).query as { code: string; state: string }
    }
    const { state } = await started()
    expect(statusAndBody(await complete({ state }))).toEqual(
      error(400, 'Service login failed. No code or id_token received.'),
    )
    // The refused login has used the state up.
    expect((await complete({ state, code: 'x' })).body.errors[0]).toContain('OAuth state')
    expect((await complete(await started())).body.errors).toEqual(['invalid client_nonce'])
    const wrong = { ...(await started()), code: 'x', client_nonce: 'mine' }
    expect(statusAndBody(await complete(wrong))).toEqual(
      error(
        400,
        String.raw`Service login failed. Error exchanging oidc code: "Provider.Exchange: unable to exchange auth code with provider: oauth2: \"invalid_grant\" \"authorization grant is invalid or expired\"".`,
      ),
    )
    const late = { ...(await started()), client_nonce: 'mine' }
    world.advance(301_000)
    expect((await complete(late)).body.errors[0]).toContain('OAuth state')
    await configure({ oidc_client_id: '', oidc_client_secret: '' })
    expect((await url({})).errors).toEqual(['OIDC login is not configured for this mount'])
    await secrets.post('sys/auth/other', { type: 'jwt' })
    const other = await secrets.post('auth/other/oidc/auth_url', {}, open)
    expect(statusAndBody(other)).toEqual(error(400, 'could not load configuration'))
  })

  test('a forced transition chooses the user who logs in, or refuses the login', async () => {
    const { authUrl, openPage, complete, world, secrets } = await oidcServer()
    await secrets.post('identity/entity', { name: 'bob' })
    const logins = world.transitions.get('secrets.oidcLogin')
    if (logins === undefined) throw new Error('there is no such kind')
    const begin = async () => {
      const { auth_url } = (await authUrl()).body.data
      return { auth_url, state: String(new URL(auth_url).searchParams.get('state')) }
    }
    const { auth_url, state } = await begin()
    expect(logins.items(world)).toEqual([{ id: state, state: 'waiting', to: ['agreed', 'denied'] }])
    const end = { at: world.clock.now() + 300_000, id: state, to: 'expired' }
    expect(logins.pending?.(world)).toEqual({ total: 1, inOrder: [end] })
    logins.force(world, state, 'agreed', { entity: 'bob' })
    expect(logins.items(world)).toMatchObject([{ state: 'agreed' }])
    const { query } = await openPage(auth_url)
    const login = await complete({ ...query, client_nonce: 'mine' })
    expect(login.body.auth.metadata).toEqual({ role: 'dev' })
    const self = await secrets.get('auth/token/lookup-self', {
      token: login.body.auth.client_token,
    })
    expect(self.body.data.display_name).toBe('oidc-bob')
    expect(logins.items(world)).toEqual([])

    const second = await begin()
    logins.force(world, second.state, 'denied', {})
    expect((await openPage(second.auth_url)).query).toEqual({
      error: 'access_denied',
      error_description: 'the user denied the login',
      state: second.state,
    })
    expect(() => logins.force(world, 'st_none', 'denied', {})).toThrow(
      'there is no secrets.oidcLogin "st_none"',
    )
  })
})
