import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { multierrorReply, statusAndBody } from '../replies.ts'
import { identityServer } from './identity-server.ts'

const provider = 'identity/oidc/provider/p'

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

const digestOf = (text: string) => createHash('sha256').update(text).digest()

/** Starts a server with a provider, a confidential and a public client, and a logged-in person. */
async function serverWithProvider(dialect: 'neutral' | 'vendor' = 'neutral') {
  const server = await identityServer({ dialect })
  const { secrets } = server
  const caller = await server.login('ann')
  await secrets.post(`identity/entity/id/${caller['entity_id']}`, {
    name: 'ann',
    metadata: { mail: 'ann@x' },
    policies: ['everything'],
  })
  const everything = 'path "*" { capabilities = ["read", "update", "list"] }'
  await secrets.post('sys/policies/acl/everything', { policy: everything })
  const write = (path: string, body: object) => secrets.post(`identity/oidc/${path}`, body)
  await write('key/k', { algorithm: 'ES256', allowed_client_ids: '*' })
  const mail = '{"mail": {{identity.entity.metadata.mail}}}'
  await write('scope/mail', { template: mail })
  await write('assignment/ann', { entity_ids: caller['entity_id'] })
  const client = {
    key: 'k',
    assignments: 'ann',
    redirect_uris: 'https://app/cb,http://127.0.0.1/cb',
  }
  await write('client/app', client)
  await write('client/spa', { ...client, client_type: 'public' })
  await write('client/closed', { ...client, assignments: '' })
  const idOf = async (name: string) =>
    (await secrets.get(`identity/oidc/client/${name}`)).body.data as {
      client_id: string
      client_secret: string
    }
  const [app, spa, closed] = [await idOf('app'), await idOf('spa'), await idOf('closed')]
  const allowed_client_ids = [app.client_id, spa.client_id, closed.client_id]
  await write('provider/p', { allowed_client_ids, scopes_supported: 'mail' })
  const request = {
    client_id: app.client_id,
    redirect_uri: 'https://app/cb',
    response_type: 'code',
    scope: 'openid mail other',
    state: 'st',
  }
  const person = { token: caller.client_token }
  return {
    ...server,
    app,
    spa,
    closed,
    caller,
    person,
    request,
    authorize: (changes: object = {}) =>
      secrets.post(`${provider}/authorize`, { ...request, ...changes }, person),
    exchange: (body: Record<string, string>, headers: Record<string, string> = {}) =>
      secrets.post(`${provider}/token`, new URLSearchParams(body).toString(), {
        token: null,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      }),
  }
}

describe('behaviour/secrets#oidc-provider', () => {
  test.each(['neutral', 'vendor'] as const)('an authorization code flow, %s', async (dialect) => {
    const server = await serverWithProvider(dialect)
    const { secrets, app, request, person, caller } = server
    const { body: described, headers: cache } = await secrets.get(
      `${provider}/.well-known/openid-configuration`,
      { token: null },
    )
    expect(cache['cache-control']).toBe('max-age=3600')
    const product = dialect === 'vendor' ? 'vault' : 'service'
    expect(described).toMatchObject({
      authorization_endpoint: described.issuer.replace('/v1/', `/ui/${product}/`) + '/authorize',
      token_endpoint: `${described.issuer}/token`,
      scopes_supported: ['mail', 'openid'],
    })
    const query = { ...request, nonce: 'n', max_age: '60' }
    const { body: authorized } = await secrets.get(`${provider}/authorize`, { ...person, query })
    expect(authorized).toEqual({ code: expect.stringMatching(/^[0-9A-Za-z]{32}$/), state: 'st' })
    const form = {
      grant_type: 'authorization_code',
      code: authorized.code,
      redirect_uri: request.redirect_uri,
    }
    const basic = Buffer.from(`${app.client_id}:${app.client_secret}`).toString('base64')
    const { status, body, headers } = await server.exchange(form, {
      authorization: `Basic ${basic}`,
    })
    expect([status, headers['cache-control'], headers['pragma']]).toEqual([
      200,
      'no-store',
      'no-cache',
    ])
    expect(body).toMatchObject({ expires_in: 86_400, token_type: 'Bearer' })
    const half = (text: string) => digestOf(text).subarray(0, 16).toString('base64url')
    const now = Math.floor(server.world.clock.now() / 1000)
    expect(claimsOf(body.id_token)).toEqual({
      iss: described.issuer,
      sub: caller['entity_id'],
      aud: app.client_id,
      iat: now,
      exp: now + 86_400,
      namespace: 'root',
      nonce: 'n',
      auth_time: now,
      at_hash: half(body.access_token),
      c_hash: half(authorized.code),
      mail: 'ann@x',
    })
    const { keys } = (await secrets.get(`${provider}/.well-known/keys`, { token: null })).body
    const dot = body.id_token.lastIndexOf('.')
    const signature = Buffer.from(body.id_token.slice(dot + 1), 'base64url')
    const isSigned = keys.some((jwk: JsonWebKey) =>
      verify(
        'sha256',
        Buffer.from(body.id_token.slice(0, dot)),
        { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
        signature,
      ),
    )
    expect(isSigned).toBe(true)
    const bearer = { token: null, headers: { authorization: `Bearer ${body.access_token}` } }
    const info = { sub: caller['entity_id'], mail: 'ann@x' }
    expect((await secrets.get(`${provider}/userinfo`, bearer)).body).toEqual(info)
    expect((await secrets.post(`${provider}/userinfo`, {}, bearer)).body).toEqual(info)
    // The policies of the entity do not apply to the access token.
    expect(statusAndBody(await secrets.get('secret/data/a', bearer))).toEqual(
      multierrorReply(403, 'permission denied'),
    )
    expect((await server.exchange({ ...form, ...app })).body.error).toBe('invalid_grant')
  })

  test('a public client needs PKCE, whose verifier must match', async () => {
    const { authorize, exchange, spa, request } = await serverWithProvider()
    const verifier = 'v'.repeat(43)
    const redirect_uri = 'http://127.0.0.1:5555/cb'
    const code_challenge = digestOf(verifier).toString('base64url')
    const { client_id } = spa
    const pkce = { client_id, redirect_uri, code_challenge, code_challenge_method: 'S256' }
    expect((await authorize({ client_id })).body.error_description).toBe(
      'PKCE is required for public clients',
    )
    const form = { grant_type: 'authorization_code', client_id, redirect_uri }
    const errorOf = async (changes: Record<string, string>) => {
      const { code } = (await authorize(pkce)).body
      return (await exchange({ ...form, code, ...changes })).body.error_description
    }
    expect(await errorOf({ code_verifier: verifier })).toBeUndefined()
    expect(await errorOf({ code_verifier: 'x'.repeat(43) })).toBe(
      'invalid code_verifier for token exchange',
    )
    expect(await errorOf({})).toBe('expected code_verifier for token exchange')
    expect(await errorOf({ redirect_uri: request.redirect_uri })).toBe(
      'authorization grant is invalid or expired',
    )
  })

  test('a code is used even if its scopes define the same claim', async () => {
    const { secrets, authorize, exchange, app, request } = await serverWithProvider()
    await secrets.post('identity/oidc/scope/other', { template: '{"mail": 1}' })
    await secrets.post(provider, { scopes_supported: 'mail,other' })
    const { code } = (await authorize()).body
    const { client_id, client_secret } = app
    const { redirect_uri } = request
    const form = { grant_type: 'authorization_code', client_id, client_secret, redirect_uri, code }
    const errorOf = async () => (await exchange(form)).body.error_description
    expect(await errorOf()).toBe(
      'found scopes with conflicting top-level claim: claim "mail" in scopes "other", "mail"',
    )
    expect(await errorOf()).toBe('authorization grant is invalid or expired')
  })

  test('requests are refused in the form of OAuth, in the order of the checks', async () => {
    const server = await serverWithProvider()
    const { authorize, exchange, app, closed, secrets, request, world } = server
    const faults = [
      [{ client_id: '' }, 'invalid_client_id', 'client_id parameter is required'],
      [{ client_id: 'x' }, 'invalid_client_id', 'client with client_id not found'],
      [{ redirect_uri: '' }, 'invalid_request', 'redirect_uri parameter is required'],
      [
        { redirect_uri: 'https://x/' },
        'invalid_redirect_uri',
        'redirect_uri is not allowed for the client',
      ],
      [{ scope: 'mail' }, 'invalid_request', 'scope parameter must contain the "openid" value'],
      [{ response_type: '' }, 'invalid_request', 'response_type parameter is required'],
      [{ response_type: 'x' }, 'unsupported_response_type', 'unsupported response_type value'],
      [
        { client_id: closed.client_id },
        'access_denied',
        'identity entity not authorized by client assignment',
      ],
      [
        { code_challenge: 'c', code_challenge_method: 'x' },
        'invalid_request',
        'invalid code_challenge_method',
      ],
      [{ code_challenge: 'c' }, 'invalid_request', 'invalid code_challenge'],
      [{ max_age: 0 }, 'invalid_request', 'max_age must be greater than zero'],
    ] as const
    for (const [changes, error, error_description] of faults) {
      expect(statusAndBody(await authorize(changes))).toEqual({
        status: 400,
        body: { error, error_description, state: 'st' },
      })
    }
    for (const name of ['request', 'request_uri']) {
      expect((await authorize({ [name]: 'x' })).body).toEqual({
        error: `${name}_not_supported`,
        error_description: `${name} parameter is not supported`,
        state: '',
      })
    }
    const asRoot = await secrets.post(`${provider}/authorize`, request)
    expect(asRoot.body.error_description).toBe(
      'identity entity must be associated with the request',
    )
    world.advance(61_000)
    expect((await authorize({ max_age: 60 })).body.error).toBe('max_age_violation')

    const { code } = (await authorize()).body
    const { client_id, client_secret } = app
    const { redirect_uri } = request
    const form = { grant_type: 'authorization_code', client_id, client_secret, code, redirect_uri }
    const without = (name: keyof typeof form) => exchange({ ...form, [name]: '' })
    const refused = async (reply: Awaited<ReturnType<typeof exchange>>) => [
      reply.status,
      reply.body.error,
      reply.body.error_description,
    ]
    expect(await refused(await without('client_id'))).toEqual([
      400,
      'invalid_request',
      'client_id parameter is required',
    ])
    const unauthenticated = await without('client_secret')
    expect(unauthenticated.headers['www-authenticate']).toBe('Basic')
    expect(await refused(unauthenticated)).toEqual([
      401,
      'invalid_client',
      'client failed to authenticate',
    ])
    for (const [changes, error, text] of [
      [{ grant_type: '' }, 'invalid_request', 'grant_type parameter is required'],
      [{ grant_type: 'x' }, 'unsupported_grant_type', 'unsupported grant_type value'],
      [{ code: '' }, 'invalid_request', 'code parameter is required'],
      [{ redirect_uri: '' }, 'invalid_request', 'redirect_uri parameter is required'],
      // The exchange above has used the code up.
      [{}, 'invalid_grant', 'authorization grant is invalid or expired'],
    ] as const) {
      expect(await refused(await exchange({ ...form, ...changes }))).toEqual([400, error, text])
    }
    const { code: old } = (await authorize()).body
    world.advance(301_000)
    expect((await exchange({ ...form, code: old })).body.error).toBe('invalid_grant')
  })

  test('user information needs an access token as a bearer token', async () => {
    const { secrets, person } = await serverWithProvider()
    const inHeader = await secrets.get(`${provider}/userinfo`, person)
    expect(statusAndBody(inHeader)).toEqual({
      status: 401,
      body: {
        error: 'invalid_token',
        error_description: 'access token must be sent as a Bearer token',
      },
    })
    const headers = { authorization: 'Bearer x' }
    const unknown = await secrets.get(`${provider}/userinfo`, { token: null, headers })
    expect(unknown.headers['www-authenticate']).toBe(
      'Bearer error="invalid_token",error_description="permission denied"',
    )
    expect((await secrets.get('identity/oidc/provider/zz/.well-known/keys')).status).toBe(404)
  })
})
