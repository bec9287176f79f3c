import { createSign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { cloudUsers } from '../../../../state/secrets/cloud/principals.ts'
import { findToken } from '../../../../state/secrets/tokens/rows.ts'
import {
  cloudDocument,
  cloudServer,
  identities,
  instanceKeyId,
  rsaKey as key,
  type LoginParts,
  loginBody,
  securityToken,
  userKeyId,
} from '../../../support/secrets/cloud.ts'
import { follow, promote, twoClusters, waitForSync } from '../../../support/secrets/replication.ts'
import { testTime } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, ok, statusAndBody } from '../replies.ts'

const login = 'auth/cloud/login/dev'
const keyId = userKeyId(key)
const noToken = { token: null }

const body = (changes: Partial<LoginParts> = {}) =>
  loginBody({ keyId, key: key.privateKey, ...changes })

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Returns the expected reply to a login as `dev`. */
const loggedIn = (token = /^s\.[0-9A-Za-z]{24}$/) =>
  ok({
    auth: {
      client_token: expect.stringMatching(token),
      accessor: expect.stringMatching(/^[0-9A-Za-z]{24}$/),
      policies: ['default', 'p'],
      token_policies: ['default', 'p'],
      metadata: { role_name: 'dev' },
      lease_duration: 2_764_800,
      renewable: false,
      entity_id: expect.stringMatching(uuid),
      token_type: 'service',
      orphan: true,
      mfa_requirement: null,
      num_uses: 0,
    },
  })

describe('behaviour/secrets#api-cloud: signed with node:crypto from its description', () => {
  // choice/secrets#cloud-fingerprints
  test('a user with an API key, written out step by step', async () => {
    const { secrets } = await cloudServer(key)
    const date = new Date(testTime).toUTCString()
    const lines = [
      `date: ${date}`,
      '(request-target): get /v1/auth/cloud/login/dev',
      'host: 127.0.0.1:4600',
    ]
    const signature = createSign('RSA-SHA256')
      .update(lines.join('\n'))
      .sign(key.privatePem, 'base64')
    const request_headers = {
      date: [date],
      '(request-target)': ['get /v1/auth/cloud/login/dev'],
      host: ['127.0.0.1:4600'],
      'content-type': ['application/json'],
      authorization: [
        `Signature version="1",headers="date (request-target) host",keyId="home/ada/${key.fingerprint}",algorithm="rsa-sha256",signature="${signature}"`,
      ],
    }
    const reply = await secrets.post(login, { request_headers }, noToken)
    expect(statusAndBody(reply)).toEqual(loggedIn())
  })

  test('an instance with a security token', async () => {
    const { secrets } = await cloudServer(key)
    const reply = await secrets.post(login, body({ keyId: instanceKeyId() }), noToken)
    expect(statusAndBody(reply)).toEqual(loggedIn())
  })

  // choice/secrets#cloud-security-tokens
  test('a user with a security token: any of the API keys', async () => {
    const { secrets } = await cloudServer(key)
    const token = securityToken({ tenant: 'home', sub: 'ada', ptype: 'user' })
    const reply = await secrets.post(login, body({ keyId: token }), noToken)
    expect(statusAndBody(reply)).toEqual(loggedIn())
  })

  test('vendor: the login works under the vendor names', async () => {
    const { secrets } = await cloudServer(key, { dialect: 'vendor' })
    const signed = body({ target: 'get /v1/auth/oci/login/dev' })
    const reply = await secrets.post('auth/oci/login/dev', signed, noToken)
    expect(statusAndBody(reply)).toEqual(loggedIn(/^hvs\.CAES[\w-]{87}$/))
  })

  test('the token works, has the policies and knows where it is from', async () => {
    const { secrets, as, world } = await cloudServer(key)
    await secrets.post('sys/policies/acl/p', {
      policy: 'path "kv/*" { capabilities = ["create"] }',
    })
    const { client_token: id, accessor } = (await secrets.post(login, body())).body.auth
    expect((await as(id).post('kv/a', { b: 1 })).status).toBe(204)
    expect((await as(id).get('kv/a')).status).toBe(403)
    const { data } = (await as(id).get('auth/token/lookup-self')).body
    expect(data).toEqual({
      accessor,
      creation_time: testTime / 1000,
      creation_ttl: 2_764_800,
      display_name: 'cloud-dev',
      entity_id: expect.stringMatching(uuid),
      expire_time: '2026-02-02T00:00:00Z',
      explicit_max_ttl: 0,
      id,
      issue_time: '2026-01-01T00:00:00Z',
      meta: { role_name: 'dev' },
      num_uses: 0,
      orphan: true,
      path: 'auth/cloud/login/dev',
      policies: ['default', 'p'],
      renewable: false,
      ttl: 2_764_800,
      type: 'service',
    })
    expect(findToken(world, id)?.parent).toBe(null)
  })
})

describe('behaviour/secrets#cloud-login: variations without effect', () => {
  const headersOf = (parts: Partial<LoginParts> = {}) => body(parts).request_headers
  const entries = Object.entries(headersOf())
  const authorization = headersOf()['authorization']?.[0] ?? ''

  // choice/secrets#cloud-authorization-form choice/secrets#cloud-signed-values
  test.each<[string, unknown]>([
    ['values as texts', Object.fromEntries(entries.map(([name, [value]]) => [name, value]))],
    ['names in capitals', Object.fromEntries(entries.map(([name, v]) => [name.toUpperCase(), v]))],
    ['names in title case', { ...headersOf(), date: [], Date: headersOf()['date'] }],
    ['blanks around values', { ...headersOf(), host: ['  secrets.example.com:8200\t'] }],
    ['the headers as JSON text', JSON.stringify(headersOf())],
    ['the headers as base64 of JSON', Buffer.from(JSON.stringify(headersOf())).toString('base64')],
    ['further headers', { ...headersOf(), 'x-more': ['1', '2'], accept: '*/*' }],
    [
      'the order of the parameters',
      {
        ...headersOf(),
        authorization: `Signature ${authorization.slice('Signature '.length).split(',').toReversed().join(' , ')}`,
      },
    ],
    [
      'further parameters and the case of names',
      {
        ...headersOf(),
        authorization: authorization
          .replace('Signature ', 'signature created="1", ')
          .replace('keyId=', 'KEYID='),
      },
    ],
    [
      'parameters without quotes',
      {
        ...headersOf(),
        authorization: authorization
          .replace('"rsa-sha256"', 'rsa-sha256')
          .replace('version="1"', 'version=1'),
      },
    ],
  ])('%s', async (_, request_headers) => {
    const { secrets } = await cloudServer(key)
    expect(statusAndBody(await secrets.post(login, { request_headers }, noToken))).toEqual(
      loggedIn(),
    )
  })

  const covered = (names: string) => ({ covered: names.split(' ') })

  // choice/secrets#cloud-request-target-world choice/secrets#cloud-dates choice/secrets#cloud-host
  test.each<[string, Partial<LoginParts>]>([
    ['the order of the headers', covered('host (request-target) date')],
    ['further covered headers', covered('date (request-target) host content-type')],
    ['no version', { parameters: { version: undefined } }],
    ['the algorithm in capitals', { parameters: { algorithm: 'RSA-SHA256' } }],
    ['covered names in capitals', { parameters: { headers: 'Date (REQUEST-target) Host' } }],
    ['the fingerprint in capitals', { keyId: `home/ada/${key.fingerprint.toUpperCase()}` }],
    ['the method in capitals', { target: 'GET /v1/auth/cloud/login/dev' }],
    ['another mount in the target', { target: 'get /v1/auth/oci/login/dev' }],
    ['a deep mount in the target', { target: 'get /v1/auth/a/b/c/login/dev' }],
    ['a world before the target', { target: 'get /_world/mine/v1/auth/cloud/login/dev' }],
    ['another host', { host: 'elsewhere.example.com' }],
    ['a date of five minutes ago', { date: 'Wed, 31 Dec 2025 23:55:00 GMT' }],
    ['a date five minutes ahead', { date: 'Thu, 01 Jan 2026 00:05:00 GMT' }],
    ['a date in the old form', { date: 'Thursday, 01-Jan-26 00:00:00 GMT' }],
    ['a date in the form of C', { date: 'Thu Jan  1 00:00:00 2026' }],
  ])('%s', async (_, parts) => {
    const { secrets } = await cloudServer(key)
    expect(statusAndBody(await secrets.post(login, body(parts), noToken))).toEqual(loggedIn())
  })

  // choice/secrets#cloud-role-names
  test('the case of the role in the path; the target names it in lower case', async () => {
    const { secrets } = await cloudServer(key)
    const path = 'auth/cloud/login/DEV'
    expect(statusAndBody(await secrets.post(path, body(), noToken))).toEqual(loggedIn())
    const upperCaseTarget = body({ target: 'get /v1/auth/cloud/login/DEV' })
    expect(statusAndBody(await secrets.post(path, upperCaseTarget, noToken))).toEqual(
      error(400, 'incorrect (request-target) specified in header'),
    )
  })

  test('the token of the caller: a bad one, a weak one', async () => {
    const { secrets } = await cloudServer(key)
    for (const token of ['wrong', 'root']) {
      expect(statusAndBody(await secrets.post(login, body(), { token }))).toEqual(loggedIn())
    }
  })

  test("the accepted time is that of the world's clock", async () => {
    const { secrets, clock } = await cloudServer(key)
    clock.advance(40 * 86_400_000)
    const date = 'Tue, 10 Feb 2026 00:00:00 GMT'
    expect((await secrets.post(login, body(), noToken)).status).toBe(403)
    expect((await secrets.post(login, body({ date }), noToken)).status).toBe(200)
  })

  test('the edition has no effect on logins', async () => {
    const { secrets } = await cloudServer(key, { secrets: { edition: 'community' } })
    expect(statusAndBody(await secrets.post(login, body(), noToken))).toEqual(loggedIn())
  })

  test('PUT is the same', async () => {
    const { secrets } = await cloudServer(key)
    expect(statusAndBody(await secrets.put(login, body(), noToken))).toEqual(loggedIn())
  })
})

describe('behaviour/secrets#cloud-login: requirements of roles', () => {
  test('one shared group is enough: a static or a dynamic group', async () => {
    const { secrets } = await cloudServer(key)
    const status = async (cid_list: string, id = keyId) => {
      await secrets.post('auth/cloud/role/dev', { cid_list })
      return (await secrets.post(login, body({ keyId: id }), noToken)).status
    }
    expect([await status('g-ops'), await status('x,g-dev,y'), await status('x')]).toEqual([
      200, 200, 403,
    ])
    expect([
      await status('d-web', instanceKeyId()),
      await status('g-dev', instanceKeyId()),
    ]).toEqual([200, 403])
  })

  test('behaviour/secrets#api-cloud: many roles for one identity, many identities for one role', async () => {
    const { secrets } = await cloudServer(key)
    await secrets.post('auth/cloud/role/ops', { cid_list: 'g-ops', token_policies: 'o' })
    const target = 'get /v1/auth/cloud/login/ops'
    const { auth } = (await secrets.post('auth/cloud/login/ops', body({ target }))).body
    expect([auth.policies, auth.metadata]).toEqual([['default', 'o'], { role_name: 'ops' }])
    expect((await secrets.post(login, body())).status).toBe(200)
    expect((await secrets.post(login, body({ keyId: instanceKeyId() }))).status).toBe(200)
  })

  // choice/secrets#cloud-entity-id
  test('entity_id is the same for each login of an identity, another for others', async () => {
    const { secrets, clock } = await cloudServer(key)
    const entity = async (parts: Partial<LoginParts> = {}, path = login) =>
      (await secrets.post(path, body(parts))).body.auth.entity_id
    await secrets.post('auth/cloud/role/ops', { cid_list: 'g-ops' })
    const first = await entity()
    clock.advance(1000)
    expect(await entity()).toBe(first)
    const target = 'get /v1/auth/cloud/login/ops'
    expect(await entity({ target }, 'auth/cloud/login/ops')).toBe(first)
    const other = await entity({ keyId: instanceKeyId() })
    expect(other).toMatch(uuid)
    expect(other).not.toBe(first)
  })

  // choice/secrets#cloud-entity-id
  test('the entity belongs to the accessor of the mount (behaviour/secrets#cloud, behaviour/secrets#identity)', async () => {
    const { secrets } = await cloudServer(key)
    const entity = async (path = login, parts: Partial<LoginParts> = {}) =>
      (await secrets.post(path, body(parts))).body.auth.entity_id
    const first = await entity()
    await secrets.post('sys/remount', { from: 'auth/cloud', to: 'auth/sky' })
    const target = 'get /v1/auth/sky/login/dev'
    expect(await entity('auth/sky/login/dev', { target })).toBe(first)
    await secrets.post('sys/auth/cloud', { type: 'cloud' })
    await secrets.post('auth/cloud/config', { home_tenancy_id: 'home' })
    await secrets.post('auth/cloud/role/dev', { cid_list: 'g-dev' })
    const other = await entity()
    expect(other).toMatch(uuid)
    expect(other).not.toBe(first)
  })

  // choice/secrets#cloud-display-name choice/secrets#cloud-identities-world
  test('an identity can log in at a mount with another path and in a namespace', async () => {
    const { secrets, as } = await cloudServer(key)
    await secrets.post('sys/namespaces/ns')
    await secrets.post('ns/sys/auth/team/cloud', { type: 'cloud' })
    await secrets.post('ns/auth/team/cloud/config', { home_tenancy_id: 'home' })
    await secrets.post('ns/auth/team/cloud/role/dev', { cid_list: 'g-dev' })
    const signed = body({ target: 'get /v1/auth/team/cloud/login/dev' })
    const reply = await secrets.post('auth/team/cloud/login/dev', signed, {
      token: null,
      headers: { 'x-secrets-namespace': 'ns' },
    })
    expect(reply.status).toBe(200)
    const { client_token: id } = reply.body.auth
    expect(id).toMatch(/^s\.[0-9A-Za-z]{24}\.[0-9A-Za-z]{5}$/)
    const { data } = (await as(id).get('ns/auth/token/lookup-self')).body
    expect([data.display_name, data.path, data.namespace_path]).toEqual([
      'ns-auth-team-cloud-dev',
      'auth/team/cloud/login/dev',
      'ns/',
    ])
  })
})

describe('behaviour/secrets#token: a login is an open path with one operation', () => {
  // Errors on open paths are never wrapped in a multierror.
  // choice/secrets#cloud-login-verbs
  test.each([
    ['GET', error(405, 'unsupported operation')],
    ['DELETE', error(405, 'unsupported operation')],
    ['PATCH', error(405, 'unsupported operation')],
    ['LIST', error(404, 'unsupported path')],
  ])('%s is refused, with and without a token', async (verb, refused) => {
    const { secrets } = await cloudServer(key)
    for (const token of [null, 'root']) {
      const reply = await secrets.request({
        method: verb === 'LIST' ? 'GET' : verb,
        path: login,
        token,
        ...(verb === 'LIST' ? { query: { list: 'true' } } : {}),
        ...(verb === 'PATCH'
          ? { payload: '{}', headers: { 'content-type': 'application/merge-patch+json' } }
          : {}),
      })
      expect(statusAndBody(reply)).toEqual(refused)
    }
  })

  test('without a role, the path does not exist and needs a token with access', async () => {
    const { secrets } = await cloudServer(key)
    expect(statusAndBody(await secrets.post('auth/cloud/login', body()))).toEqual(
      multierrorReply(404, 'unsupported path'),
    )
    expect((await secrets.post('auth/cloud/login', body(), noToken)).status).toBe(403)
  })

  test.each(['dev.', 'd%20v', 'dev/more'])(
    'behaviour/secrets#api-periods: the role %s is an unsupported path, with and without a token',
    async (role) => {
      const { secrets } = await cloudServer(key)
      for (const token of [null, 'root', 'unknown']) {
        const reply = await secrets.post(`auth/cloud/login/${role}`, body(), { token })
        expect(statusAndBody(reply)).toEqual(error(404, 'unsupported path'))
      }
    },
  )

  test('a sealed node answers 503', async () => {
    const { secrets } = await cloudServer(key)
    await secrets.post('sys/seal')
    expect(statusAndBody(await secrets.post(login, body(), noToken))).toEqual(
      error(503, 'Service is sealed'),
    )
  })

  test('unknown parameters cause warnings, also those of the path', async () => {
    const { secrets } = await cloudServer(key)
    const reply = await secrets.post(login, { ...body(), role: 'dev', more: 1 }, noToken)
    expect([reply.status, reply.body.warnings]).toEqual([
      200,
      [
        'Endpoint ignored these unrecognized parameters: [more]',
        "Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [role]",
      ],
    ])
  })

  test('the answer can be wrapped', async () => {
    const { secrets } = await cloudServer(key)
    const headers = { 'x-secrets-wrap-ttl': '60' }
    const wrapped = await secrets.post(login, body(), { token: null, headers })
    expect([wrapped.status, wrapped.body.auth]).toEqual([200, null])
    const { token, wrapped_accessor } = wrapped.body.wrap_info
    const { auth } = (await secrets.post('sys/wrapping/unwrap', undefined, { token })).body
    expect([auth.accessor, auth.policies]).toEqual([wrapped_accessor, ['default', 'p']])
  })
})

describe('behaviour/secrets#replication: identities on a DR secondary', () => {
  // choice/secrets#cloud-identities-world
  test('a secondary refuses all logins; after promotion it accepts the users of its primary', async () => {
    const { first: primary, second: secondary } = await twoClusters({
      document: cloudDocument(identities(key)),
    })
    await primary.secrets.post('auth/cloud/config', { home_tenancy_id: 'home' })
    await primary.secrets.post('auth/cloud/role/dev', { cid_list: 'g-dev', token_policies: 'p' })
    secondary.world.write(() => secondary.world.table(cloudUsers).delete('ada'))
    await follow(primary, secondary)
    await waitForSync(primary, secondary)
    expect(statusAndBody(await secondary.secrets.post(login, body(), noToken))).toEqual(
      error(400, 'path disabled in replication DR secondary mode'),
    )
    await promote(secondary)
    expect(statusAndBody(await secondary.secrets.post(login, body(), noToken))).toEqual(loggedIn())
  })
})
