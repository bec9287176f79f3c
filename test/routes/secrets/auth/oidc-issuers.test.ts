import { createHash } from 'node:crypto'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { noContent, statusAndBody } from '../replies.ts'

const open = { token: null }
const url = 'https://login.example.com'
const callback = 'http://localhost:8250/oidc/callback'

/** Starts a server with an issuer, which a mount of the login method `oidc` trusts. */
async function issuerServer() {
  const ann = { claims: { email: 'ann@example.com', groups: ['dev'] } }
  const bob = { claims: { sub: 'b-1', email: 'bob@example.com' } }
  const issuer = { clients: { app: 'pw' }, users: { ann, bob }, login: 'ann', scopes: ['email'] }
  const server = await servedSecrets({ secrets: { oidcIssuers: { [url]: issuer } } })
  const { secrets, app } = server
  await secrets.post('sys/auth/oidc', { type: 'oidc' })
  const client = { oidc_client_id: 'app', oidc_client_secret: 'pw', default_role: 'dev' }
  const config = { oidc_discovery_url: url, ...client }
  expect(statusAndBody(await secrets.post('auth/oidc/config', config))).toEqual(noContent)
  const role = { user_claim: 'email', token_policies: 'dev', bound_audiences: 'app' }
  const browser = { allowed_redirect_uris: callback, oidc_scopes: 'email', groups_claim: 'groups' }
  await secrets.post('auth/oidc/role/dev', { ...role, ...browser })
  await secrets.post('auth/oidc/role/jwt', { ...role, role_type: 'jwt' })
  const authUrl = async () => {
    const begun = await secrets.post('auth/oidc/oidc/auth_url', { redirect_uri: callback }, open)
    return new URL(begun.body.data.auth_url)
  }
  /** Opens a page of the issuer, or sends a form, as a browser or a client does. */
  const send = async (target: URL | string, form?: Record<string, string>, authorization = '') => {
    const at = new URL(target, 'http://localhost/_mock/secrets/oidc/1/')
    const type = 'application/x-www-form-urlencoded'
    const reply = await app.inject({
      method: form === undefined ? 'GET' : 'POST',
      url: at.pathname + at.search,
      headers: { authorization, ...(form === undefined ? {} : { 'content-type': type }) },
      ...(form === undefined ? {} : { payload: new URLSearchParams(form).toString() }),
    })
    const { location = callback } = reply.headers
    const query = Object.fromEntries(new URL(String(location)).searchParams)
    return { status: reply.statusCode, text: reply.body, query }
  }
  const complete = (query: Record<string, string>) =>
    secrets.get('auth/oidc/oidc/callback', { ...open, query })
  return { ...server, issuer, authUrl, send, complete }
}

describe('behaviour/secrets#oidc-issuers', () => {
  test('a browser logs in at an issuer of the options, without a network', async () => {
    const { world, issuer, authUrl, send, complete } = await issuerServer()
    const page = await authUrl()
    expect(page.pathname).toBe('/_mock/secrets/oidc/1/authorize')
    const { status, query } = await send(page)
    expect(status).toBe(302)
    expect((await complete(query)).body.auth).toMatchObject({
      metadata: { role: 'dev' },
      token_policies: ['default', 'dev'],
    })
    expect((await complete(query)).body.errors[0]).toContain('OAuth state')
    // Without `login` the user chooses; claims that the role needs may be missing.
    const { login, ...choice } = issuer
    world.changeOptions({ secrets: { oidcIssuers: { [url]: choice } } })
    const chosen = await authUrl()
    expect((await send(chosen)).text).toContain('<button name="entity" value="bob">bob</button>')
    const asBob = await send(chosen, { entity: 'bob' })
    expect((await complete(asBob.query)).body.errors[0]).toContain('groups')
    const wrong = await send(chosen, { entity: 'ann' })
    expect((await complete({ ...wrong.query, code: 'x' })).status).toBe(400)
  })

  test('choice/secrets#oidc-issuer-redirects: a client of its own gets tokens at any address', async () => {
    const { secrets, world, send } = await issuerServer()
    const discovery = JSON.parse((await send('.well-known/openid-configuration')).text)
    expect(discovery).toMatchObject({ issuer: url, scopes_supported: ['openid', 'email'] })
    const verifier = 'v'.repeat(43)
    const authorization = new URL(discovery.authorization_endpoint)
    const parameters = {
      client_id: 'app',
      redirect_uri: 'https://app.test/back',
      response_type: 'code',
      scope: 'openid email',
      state: 's',
      nonce: 'n',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }
    const ask = (changes: Partial<typeof parameters> = {}) => {
      authorization.search = new URLSearchParams({ ...parameters, ...changes }).toString()
      return send(authorization)
    }
    expect((await ask({ client_id: 'other' })).status).toBe(400)
    expect((await ask({ redirect_uri: 'x' })).status).toBe(400)
    expect((await ask({ scope: 'email' })).query).toMatchObject({ error: 'invalid_request' })
    expect((await ask({ response_type: 'token' })).query).toMatchObject({
      error: 'unsupported_response_type',
      state: 's',
    })
    const basic = `Basic ${Buffer.from('app:pw').toString('base64')}`
    const grant = { grant_type: 'authorization_code', redirect_uri: parameters.redirect_uri }
    const exchange = async (changes: object = {}, credentials = basic) => {
      const { code = '' } = (await ask()).query
      const form = { ...grant, code, code_verifier: verifier, ...changes }
      const { status, text } = await send(discovery.token_endpoint, form, credentials)
      return { status, body: JSON.parse(text) }
    }
    const refusals = [
      [{}, 'Basic YXBwOng=', 401, 'invalid_client'],
      [{ grant_type: 'password' }, basic, 400, 'unsupported_grant_type'],
      [{ code: 'x' }, basic, 400, 'invalid_grant'],
      [{ redirect_uri: callback }, basic, 400, 'invalid_grant'],
      [{ code_verifier: 'w' }, basic, 400, 'invalid_grant'],
    ] as const
    for (const [changes, credentials, status, error] of refusals) {
      const refused = await exchange(changes, credentials)
      expect(refused).toMatchObject({ status, body: { error } })
    }
    const { status, body } = await exchange({ client_id: 'app', client_secret: 'pw' }, '')
    expect(status).toBe(200)
    const keys = createLocalJWKSet(JSON.parse((await send(discovery.jwks_uri)).text))
    const currentDate = new Date(world.clock.now())
    const verified = { issuer: url, audience: 'app', currentDate }
    const { payload } = await jwtVerify(body.id_token, keys, verified)
    expect(payload).toMatchObject({ sub: 'ann', email: 'ann@example.com', nonce: 'n' })
    const login = await secrets.post('auth/oidc/login', { role: 'jwt', jwt: body.id_token }, open)
    expect(login.body.auth.metadata).toEqual({ role: 'jwt' })
    const info = await send(discovery.userinfo_endpoint, undefined, `Bearer ${body.access_token}`)
    expect(JSON.parse(info.text)).toMatchObject({ sub: 'ann', groups: ['dev'] })
    expect((await send('userinfo', undefined, 'Bearer x')).status).toBe(401)
    expect((await send('nothing')).status).toBe(404)
    expect((await send('../2/keys')).status).toBe(404)
    world.advance(3_601_000)
    const late = await send('userinfo', undefined, `Bearer ${body.access_token}`)
    expect(late.status).toBe(401)
  })
})
