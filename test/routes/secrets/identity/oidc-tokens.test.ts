import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { error, noContent, ok, statusAndBody } from '../replies.ts'
import { identityServer } from './identity-server.ts'

const oidc = 'identity/oidc'

/** Returns the parts of a JWT as JSON. */
function jwtParts(token: string): {
  header: Record<string, string>
  claims: Record<string, unknown>
} {
  const [header = '', claims = ''] = token.split('.')
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  return { header: decode(header), claims: decode(claims) }
}

/** Starts a server with a caller who has an entity. */
async function serverWithCaller() {
  const server = await identityServer()
  const { secrets } = server
  const caller = await server.login('ann')
  const entity = `identity/entity/id/${caller['entity_id']}`
  const policy = 'path "identity/oidc/token/*" { capabilities = ["read"] }'
  await secrets.post('sys/policies/acl/tokens', { policy })
  await secrets.post(entity, { metadata: { team: 'a"b' }, policies: ['tokens'] })
  return {
    secrets,
    as: server.as,
    world: server.world,
    caller,
    entity,
    keySet: async () => (await secrets.get(`${oidc}/.well-known/keys`)).body.keys,
    async callerToken(role: string) {
      const { client_token: token } = caller
      const reply = await secrets.get(`${oidc}/token/${role}`, { token })
      expect(reply.status).toBe(200)
      return reply.body.data as { client_id: string; token: string; ttl: number }
    },
  }
}

describe('behaviour/secrets#identity-tokens', () => {
  test('tokens of each algorithm are signed by a key of the key set', async () => {
    const { secrets, world, caller, keySet, callerToken } = await serverWithCaller()
    expect((await secrets.get(`${oidc}/.well-known/keys`)).body).toEqual({ keys: [] })
    const digests = {
      ES256: 'sha256',
      ES384: 'sha384',
      ES512: 'sha512',
      EdDSA: null,
      RS256: 'sha256',
    }
    for (const [algorithm, digest] of Object.entries(digests)) {
      // choice/secrets#default-key-pairs: the key default signs with RS256, and has its pairs only now.
      const key = algorithm === 'RS256' ? 'default' : algorithm
      if (key !== 'default') {
        const body = { algorithm, allowed_client_ids: '*' }
        expect(statusAndBody(await secrets.post(`${oidc}/key/${key}`, body))).toEqual(noContent)
      }
      const role = { key, ttl: '1h', template: '{"team": {{identity.entity.metadata.team}}}' }
      expect(statusAndBody(await secrets.post(`${oidc}/role/${key}`, role))).toEqual(noContent)
      const { token, client_id, ttl } = await callerToken(key)
      const { header, claims } = jwtParts(token)
      const now = Math.floor(world.clock.now() / 1000)
      expect(header).toEqual({ alg: algorithm, kid: expect.any(String) })
      expect(claims).toEqual({
        iss: expect.stringMatching(/^http:\/\/[^/]+\/v1\/identity\/oidc$/),
        sub: caller['entity_id'],
        aud: client_id,
        iat: now,
        exp: now + ttl,
        namespace: 'root',
        team: 'a"b',
      })
      const jwk = (await keySet()).find(({ kid }: { kid: string }) => kid === header['kid'])
      expect(jwk).toMatchObject({ use: 'sig', alg: algorithm })
      const dot = token.lastIndexOf('.')
      const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
      const signature = Buffer.from(token.slice(dot + 1), 'base64url')
      const options = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
      expect(verify(digest, Buffer.from(token.slice(0, dot)), options, signature)).toBe(true)
      const introspected = await secrets.post(`${oidc}/introspect`, { token, client_id })
      expect(introspected.body).toEqual({ active: true })
    }
  })

  test('a key rotates by the clock; its next pair is published before it signs', async () => {
    const { secrets, world, keySet, callerToken } = await serverWithCaller()
    const body = { algorithm: 'ES256', rotation_period: '1h', verification_ttl: '30m' }
    await secrets.post(`${oidc}/key/hourly`, body)
    await secrets.post(`${oidc}/role/hourly`, { key: 'hourly', ttl: '10m', client_id: 'me' })
    await secrets.post(`${oidc}/key/hourly`, { allowed_client_ids: ['me'] })
    const kids = async () => (await keySet()).map(({ kid }: { kid: string }) => kid)
    const kidOf = async () => jwtParts((await callerToken('hourly')).token).header['kid']
    const [first, before] = [await kidOf(), await kids()]
    expect((await secrets.get(`${oidc}/.well-known/keys`)).headers['cache-control']).toBe(
      'max-age=3600',
    )
    world.advance(3_600_000)
    const second = await kidOf()
    expect(second).not.toBe(first)
    expect(before).toContain(second)
    expect(await kids()).toContain(first)
    world.advance(1_801_000)
    expect(await kids()).not.toContain(first)
    await secrets.post(`${oidc}/key/hourly/rotate`, { verification_ttl: 0 })
    world.advance(1000)
    expect(await kids()).not.toContain(second)
    expect(statusAndBody(await secrets.post(`${oidc}/key/none/rotate`, {}))).toEqual(
      error(400, 'no named key found at "none"'),
    )
  })

  test('keys and roles are read, listed and deleted when nothing uses them', async () => {
    const { secrets } = await serverWithCaller()
    await secrets.post(`${oidc}/key/k`, { algorithm: 'EdDSA' })
    await secrets.post(`${oidc}/role/r`, { key: 'k', client_id: 'c', template: 'e30=' })
    expect(statusAndBody(await secrets.get(`${oidc}/key/k`))).toEqual(
      ok({
        data: {
          algorithm: 'EdDSA',
          allowed_client_ids: [],
          rotation_period: 86_400,
          verification_ttl: 86_400,
        },
      }),
    )
    expect(statusAndBody(await secrets.get(`${oidc}/role/r`))).toEqual(
      ok({ data: { client_id: 'c', key: 'k', template: '{}', ttl: 86_400 } }),
    )
    expect((await secrets.list(`${oidc}/key`)).body.data.keys).toEqual(
      expect.arrayContaining(['default', 'k']),
    )
    expect((await secrets.list(`${oidc}/role`)).body.data.keys).toContain('r')
    expect(statusAndBody(await secrets.delete(`${oidc}/key/k`))).toEqual(
      error(400, 'unable to delete key "k" because it is currently referenced by these roles: r'),
    )
    expect(statusAndBody(await secrets.delete(`${oidc}/role/r`))).toEqual(noContent)
    expect(statusAndBody(await secrets.delete(`${oidc}/key/k`))).toEqual(noContent)
    expect(statusAndBody(await secrets.get(`${oidc}/key/k`))).toEqual(error(404))
    expect(statusAndBody(await secrets.delete(`${oidc}/key/default`))).toEqual(
      error(400, 'deletion of key "default" not allowed'),
    )
  })

  test('bad keys, roles and issuers are refused with the text of the product', async () => {
    const { secrets } = await serverWithCaller()
    await secrets.post(`${oidc}/key/e`, { algorithm: 'EdDSA' })
    const restricted = 'iat, aud, exp, iss, sub, namespace, nonce, auth_time, at_hash, c_hash'
    const refused = [
      ['key/x', { algorithm: 'zz' }, 'unknown signing algorithm "zz"'],
      ['key/x', { rotation_period: 59 }, 'rotation_period must be at least one minute'],
      [
        'key/x',
        { rotation_period: 60, verification_ttl: 601 },
        'verification_ttl cannot be longer than 10x rotation_period',
      ],
      ['role/x', {}, 'the key parameter is required'],
      ['role/x', { key: 'none' }, 'cannot find key "none"'],
      [
        'role/x',
        { key: 'e', template: 'zz' },
        "error parsing template JSON: invalid character 'z' looking for beginning of value",
      ],
      [
        'role/x',
        { key: 'e', template: '[]' },
        'error parsing template JSON: json: cannot unmarshal array into Go value of type map[string]interface {}',
      ],
      [
        'role/x',
        { key: 'e', template: '{"a": {{identity.entity.id}' },
        'error parsing template: unbalanced templating characters',
      ],
      [
        'role/x',
        { key: 'e', template: '{"a": {{identity.entity.zz}}}' },
        'error parsing template: no value could be found for one of the template directives',
      ],
      [
        'role/x',
        { key: 'e', template: '{"aud": "x"}' },
        `top level key "aud" not allowed. Restricted keys: ${restricted}`,
      ],
      [
        'role/x',
        { key: 'e', ttl: '25h' },
        "a role's token ttl cannot be longer than the verification_ttl of the key it references",
      ],
      [
        'config',
        { issuer: 'http://a/b' },
        'invalid issuer, which must include only a scheme, host, and optional port (e.g. https://example.com:8200)',
      ],
    ] as const
    for (const [path, body, text] of refused) {
      expect(statusAndBody(await secrets.post(`${oidc}/${path}`, body))).toEqual(error(400, text))
    }
    await secrets.post(`${oidc}/role/long`, { key: 'e', ttl: '24h' })
    expect(statusAndBody(await secrets.post(`${oidc}/key/e`, { verification_ttl: 60 }))).toEqual(
      error(
        400,
        'unable to update key "e" because it is currently referenced by one or more roles with a token ttl greater than 60 seconds',
      ),
    )
    expect(statusAndBody(await secrets.get(`${oidc}/token/none`))).toEqual(
      error(400, 'role "none" not found'),
    )
    expect(statusAndBody(await secrets.get(`${oidc}/token/long`))).toEqual(
      error(
        400,
        'the key "e" does not list the client ID of the role "long" as an allowed client ID',
      ),
    )
    await secrets.post(`${oidc}/key/e`, { allowed_client_ids: '*' })
    expect(statusAndBody(await secrets.get(`${oidc}/token/long`))).toEqual(
      error(400, "no entity associated with the request's token"),
    )
  })

  test('a new key or role needs create, a known one update', async () => {
    const { secrets, as } = await serverWithCaller()
    const policy = 'path "identity/oidc/*" { capabilities = ["create"] }'
    await secrets.post('sys/policies/acl/makes', { policy })
    const { auth } = (await secrets.post('auth/token/create', { policies: ['makes'] })).body
    const client = as(auth.client_token)
    for (const [path, body] of [
      ['key/c', { algorithm: 'EdDSA' }],
      ['role/c', { key: 'c' }],
    ] as const) {
      expect(statusAndBody(await client.post(`${oidc}/${path}`, body))).toEqual(noContent)
      expect((await client.post(`${oidc}/${path}`, body)).status).toBe(403)
    }
  })

  test('introspection names the error in a token', async () => {
    const { secrets, world, entity, callerToken } = await serverWithCaller()
    const inactive = async (token: string, client_id = '') =>
      (await secrets.post(`${oidc}/introspect`, { token, client_id })).body.error
    await secrets.post(`${oidc}/key/i`, { algorithm: 'ES256', allowed_client_ids: '*' })
    await secrets.post(`${oidc}/role/i`, { key: 'i', ttl: 60 })
    const { token } = await callerToken('i')
    expect(await inactive('x')).toBe(
      'error parsing token: go-jose/go-jose: compact JWS format must have three parts',
    )
    expect(await inactive(`${token.slice(0, -4)}AAAA`)).toBe(
      'unable to validate the token signature',
    )
    expect(await inactive(token, 'other')).toBe(
      'error validating claims: go-jose/go-jose/jwt: validation failed, invalid audience claim (aud)',
    )
    world.advance(121_000)
    expect(await inactive(token)).toBe(
      'error validating claims: go-jose/go-jose/jwt: validation failed, token is expired (exp)',
    )
    const fresh = await callerToken('i')
    await secrets.post(entity, { disabled: true })
    expect(await inactive(fresh.token)).toBe('entity is disabled')
  })

  test('the issuer is the configured one or the address of the request', async () => {
    const { secrets } = await serverWithCaller()
    const discovery = `${oidc}/.well-known/openid-configuration`
    const given = 'https://id.example.com:8200'
    const configured = await secrets.post(`${oidc}/config`, { issuer: given })
    expect(configured.body.warnings).toEqual([expect.stringContaining('is set explicitly')])
    expect((await secrets.get(`${oidc}/config`)).body.data).toEqual({ issuer: given })
    const { body, headers } = await secrets.get(discovery, { token: null })
    const issuer = `${given}/v1/identity/oidc`
    expect(body).toMatchObject({ issuer, jwks_uri: `${issuer}/.well-known/keys` })
    expect(headers['cache-control']).toBe('max-age=3600')
    expect(statusAndBody(await secrets.post(`${oidc}/config`, { issuer: '' }))).toEqual(noContent)
    expect((await secrets.get(discovery, { token: null })).body.issuer).toMatch(/^http:/)
    expect(statusAndBody(await secrets.get(`${oidc}/.well-known/zz`, { token: null }))).toEqual(
      error(404, 'unsupported path'),
    )
  })
})
