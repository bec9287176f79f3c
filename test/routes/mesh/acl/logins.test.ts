import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { mesh } from '../../../support/mesh/mesh.ts'
import { meshWithAcls } from '../../../support/mesh/mesh-acl.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Returns a JWT with the claims, signed by a key. */
function jwt(claims: object, key = privateKey): string {
  const signed = `${encode({ alg: 'ES256', typ: 'JWT' })}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}

const later = Math.floor(Date.now() / 1_000) + 3_600
const claims = {
  iss: 'issuer',
  aud: ['mesh'],
  sub: 'Ada',
  groups: ['g1'],
  exp: later,
  nbf: 1,
  n: 3.5,
}

const config = {
  JWTValidationPubKeys: [pem],
  BoundIssuer: 'issuer',
  BoundAudiences: ['mesh'],
  ClaimMappings: { sub: 'user', n: 'n' },
  ListClaimMappings: { groups: 'groups' },
}

async function meshWithMethod(more: object = {}) {
  const { manager, mesh: anonymous, ...others } = await meshWithAcls()
  const method = { Name: 'jwt-1', Type: 'jwt', Config: config, ...more }
  const { status, text } = await manager.put('acl/auth-method', method)
  expect([status, text]).toEqual([200, text])
  const login = (sent: object = {}, key = privateKey, body: object = {}) =>
    anonymous.post('acl/login', {
      AuthMethod: 'jwt-1',
      BearerToken: jwt({ ...claims, ...sent }, key),
      ...body,
    })
  const bind = async (rule: object) => {
    const reply = await manager.put('acl/binding-rule', { AuthMethod: 'jwt-1', ...rule })
    expect([reply.status, reply.text]).toEqual([200, reply.text])
    return reply.body.ID as string
  }
  return { manager, anonymous, login, bind, ...others }
}

const user = `\${value.user}`

describe('behaviour/mesh#auth-methods', () => {
  test('auth methods are stored, listed without their configuration, and replaced', async () => {
    const { manager } = await meshWithMethod({ MaxTokenTTL: '10m', Description: 'd' })
    const { body } = await manager.get('acl/auth-method/jwt-1')
    expect(body).toMatchObject({ MaxTokenTTL: '10m0s', Name: 'jwt-1', Type: 'jwt', Config: config })
    const { body: listed } = await manager.get('acl/auth-methods')
    expect(listed).toMatchObject([{ Name: 'jwt-1', Description: 'd' }])
    expect(listed[0]).not.toHaveProperty('Config')
    const other = await manager.put('acl/auth-method/jwt-1', { Type: 'kubernetes' })
    expect([other.status, other.text]).toEqual([
      500,
      'the Type field of an Auth Method is immutable',
    ])
  })

  test.each([
    [
      { Name: 'a b' },
      "Invalid Auth Method: invalid Name. Only alphanumeric characters, '-' and '_' are allowed",
    ],
    [
      { Name: 'a', Type: 'x' },
      'Invalid Auth Method: Type should be one of: [aws-iam jwt kubernetes]',
    ],
    [
      { Name: 'a', Type: 'jwt' },
      `Invalid Auth Method: exactly one of 'JWTValidationPubKeys', 'JWKSURL', or 'OIDCDiscoveryURL' must be set for type "jwt"`,
    ],
    [{ Name: 'a', Type: 'kubernetes', Config: {} }, 'Invalid Auth Method: Config.Host is required'],
    [{ Name: 'a', Type: 'jwt', MaxTokenTTL: '1s' }, 'MaxTokenTTL 1s cannot be less than 1m0s'],
  ])('the method %j is refused: %s', async (method, text) => {
    const { manager } = await meshWithAcls()
    const reply = await manager.put('acl/auth-method', method)
    expect([reply.status, reply.text]).toEqual([500, text])
  })

  test.each([
    [{ BindType: 'x', BindName: 'y' }, /unknown BindType "x"$/],
    [{ BindType: 'service', BindName: 'A B' }, /invalid bind name: "A B"$/],
    [{ BindType: 'service', BindName: 'x', Selector: 'zz.x == 1' }, /Selector is invalid/],
    [{ BindType: 'service', BindName: 'x', BindVars: { Name: 'x' } }, /BindVars cannot be set/],
    [{ BindType: 'templated-policy', BindName: 'x' }, /does not match existing template name: x$/],
    [{ AuthMethod: 'none', BindType: 'role', BindName: 'x' }, /cannot find auth method/],
  ])('the rule %j is refused', async (rule, problem) => {
    const { manager } = await meshWithMethod()
    const { status, text } = await manager.put('acl/binding-rule', { AuthMethod: 'jwt-1', ...rule })
    expect([status, text]).toEqual([500, expect.stringMatching(problem)])
  })

  test('an auth method takes its binding rules and tokens with it', async () => {
    const { manager, login, bind, as } = await meshWithMethod()
    await bind({ BindType: 'service', BindName: user })
    const { body } = await login()
    const { body: made } = await manager.get('acl/tokens?authmethod=jwt-1')
    expect(made).toMatchObject([{ AccessorID: body.AccessorID, AuthMethod: 'jwt-1' }])
    expect((await manager.delete('acl/auth-method/jwt-1')).status).toBe(200)
    expect((await manager.get('acl/binding-rules')).body).toEqual([])
    expect((await as(body.SecretID).get('acl/token/self')).status).toBe(403)
    expect((await manager.delete('acl/auth-method/jwt-1')).status).toBe(404)
  })
})

describe('behaviour/mesh#login', () => {
  test('a login binds the names of the matching rules, and a logout deletes its token', async () => {
    const { manager, login, bind, as } = await meshWithMethod({ MaxTokenTTL: '10m' })
    expect((await login()).text).toBe('Permission denied')
    // The token of the request does not matter.
    const unknown = await as('bad').post('acl/login', { AuthMethod: 'none', BearerToken: 'x' })
    expect(unknown.text).toBe('ACL not found: auth method "none" not found')
    await manager.put('acl/role', { Name: 'ada' })
    const Selector = 'value.user == Ada and "g1" in list.groups and value.n == "3"'
    await bind({ BindType: 'service', BindName: `${user}-web`, Selector })
    await bind({ BindType: 'role', BindName: user })
    await bind({ BindType: 'policy', BindName: 'absent' })
    await bind({ BindType: 'service', BindName: 'never', Selector: 'value.user == Bob' })
    const { status, body } = await login({}, privateKey, { Meta: { host: 'h' } })
    expect([status, body]).toEqual([200, body])
    expect(body).toMatchObject({
      Description: 'token created via login: {"host":"h"}',
      Roles: [{ Name: 'ada' }],
      ServiceIdentities: [{ ServiceName: 'ada-web' }],
      Local: true,
      AuthMethod: 'jwt-1',
    })
    expect(Date.parse(body.ExpirationTime) - Date.parse(body.CreateTime)).toBe(600_000)
    const mine = as(body.SecretID)
    expect((await mine.post('acl/logout')).text).toBe('true')
    expect((await mine.get('acl/token/self')).status).toBe(403)
    const refusal = await manager.post('acl/logout')
    expect([refusal.status, refusal.text]).toEqual([
      403,
      "Permission denied: token wasn't created via login",
    ])
  })

  test.each([
    [
      { iss: 'x' },
      'error validating claims: go-jose/go-jose/jwt: validation failed, invalid issuer claim (iss)',
    ],
    [{ aud: 'x' }, 'error validating claims: aud claim does not match any bound audience'],
    [
      { exp: 1 },
      'error validating claims: go-jose/go-jose/jwt: validation failed, token is expired (exp)',
    ],
    [
      { nbf: later },
      'error validating claims: go-jose/go-jose/jwt: validation failed, token not valid yet (nbf)',
    ],
    [{ exp: 0, nbf: 0 }, 'no issue time, notbefore, or expiration time encoded in token'],
  ])('the claims %j are refused: %s', async (sent, text) => {
    const { login } = await meshWithMethod()
    const reply = await login(sent)
    expect([reply.status, reply.text]).toEqual([500, text])
  })

  test('a login with another key, or with no JWT, is refused', async () => {
    const { login, anonymous } = await meshWithMethod()
    const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    expect((await login({}, stranger)).text).toBe(
      'no known key successfully validated the token signature',
    )
    const none = await anonymous.post('acl/login', { AuthMethod: 'jwt-1', BearerToken: 'a.b' })
    expect(none.text).toBe(
      'error parsing token: go-jose/go-jose: compact JWS format must have three parts',
    )
  })

  test('keys of a key set come from an option', async () => {
    const url = 'https://issuer.example/keys'
    const key = { ...publicKey.export({ format: 'jwk' }), kid: 'k1' }
    const { mesh: client, manager } = await mesh({
      options: { aclEnabled: true, jwtKeys: { [url]: { keys: [key] } } },
    })
    const { JWTValidationPubKeys: _, ...others } = config
    const Config = { ...others, JWKSURL: url }
    await manager.put('acl/auth-method', { Name: 'jwt-1', Type: 'jwt', Config })
    await manager.put('acl/binding-rule', {
      AuthMethod: 'jwt-1',
      BindType: 'node',
      BindName: 'n-1',
    })
    const reply = await client.post('acl/login', { AuthMethod: 'jwt-1', BearerToken: jwt(claims) })
    expect(reply.body.NodeIdentities).toEqual([{ NodeName: 'n-1', Datacenter: 'dc1' }])
  })

  // choice/mesh#namespace-rules
  test('the first namespace rule that fits says where the token is made', async () => {
    const rules = [
      { Selector: 'value.user == Ada', BindNamespace: `of-${user}` },
      { Selector: 'g1 in list.groups', BindNamespace: 'team' },
    ]
    const { manager, login, bind } = await meshWithMethod({ NamespaceRules: rules })
    expect((await manager.get('acl/auth-method/jwt-1')).body.NamespaceRules).toEqual(rules)
    for (const Name of ['of-ada', 'team']) await manager.put('namespace', { Name })
    await manager.put('acl/policy?ns=team', { Name: 'p' })
    await bind({ BindType: 'policy', BindName: 'p' })
    await bind({ BindType: 'service', BindName: user })
    const own = (await login()).body
    expect([own.Namespace, own.Policies, own.ServiceIdentities]).toEqual([
      ...['of-ada', undefined],
      [{ ServiceName: 'ada' }],
    ])
    const ofTeam = (await login({ sub: 'Bob' })).body
    expect([ofTeam.Namespace, ofTeam.Policies]).toEqual([
      'team',
      [{ ID: expect.any(String), Name: 'p' }],
    ])
    expect((await login({ sub: 'Bob', groups: [] })).body.Namespace).toBe('default')
    await manager.delete('acl/auth-method/jwt-1')
    expect((await manager.get('acl/tokens?ns=team')).body).toEqual([])
  })

  test('a namespace rule that names no namespace refuses the login', async () => {
    const { login, bind } = await meshWithMethod({ NamespaceRules: [{ BindNamespace: 'none' }] })
    await bind({ BindType: 'service', BindName: 'a' })
    const { status, text } = await login()
    expect([status, text]).toEqual([403, 'Permission denied'])
  })

  test('a decision shows which permissions a token has', async () => {
    const { manager, mesh: anonymous, clientWithRules } = await meshWithAcls()
    const own = await clientWithRules('service "web" { policy = "write" }')
    const needs = [
      { Resource: 'service', Segment: 'web', Access: 'write' },
      { Resource: 'acl', Access: 'read' },
    ]
    const { body } = await own.post('internal/acl/authorize', needs)
    expect(body).toEqual([
      { Resource: 'service', Segment: 'web', Access: 'write', Allow: true },
      { Resource: 'acl', Access: 'read', Allow: false },
    ])
    const many = await manager.post('internal/acl/authorize', new Array(65).fill(needs[1]))
    expect([many.status, many.text]).toEqual([
      400,
      'Refusing to process more than 64 authorizations at once',
    ])
    const odd = await anonymous.post('internal/acl/authorize', [{ Resource: 'x' }])
    expect([odd.status, odd.text]).toEqual([400, 'Invalid ACL resource requested: "x"'])
  })
})
