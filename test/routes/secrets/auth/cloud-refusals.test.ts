import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { secretsApi } from '../../../../routes/secrets/index.ts'
import { buildApp } from '../../../../src/server/app.ts'
import { logOptions } from '../../../../src/server/log.ts'
import { Refusal } from '../../../../state/kernel/refusal.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { cloudLogin } from '../../../../state/secrets/cloud/login.ts'
import { cloudUsers } from '../../../../state/secrets/cloud/principals.ts'
import { mountOf } from '../../../../state/secrets/mounts/mounts.ts'
import { rootNamespace } from '../../../../state/secrets/namespaces/namespaces.ts'
import { tokens } from '../../../../state/secrets/tokens/rows.ts'
import {
  cloudServer,
  foreignRsaKey as foreign,
  instanceKeyId,
  rsaKey as key,
  type LoginParts,
  loginBody,
  securityToken,
  userKeyId,
} from '../../../support/secrets/cloud.ts'
import { SecretsClient } from '../../../support/secrets/secrets.ts'
import { error, statusAndBody } from '../replies.ts'

const keyId = userKeyId(key)
const noToken = { token: null }

type Headers = Record<string, string[]>

const headersOf = (changes: Partial<LoginParts> = {}): Headers =>
  loginBody({ keyId, key: key.privateKey, ...changes }).request_headers

/** Returns headers with a changed authorization. */
const rewritten = (change: (text: string) => string): Headers => {
  const headers = headersOf()
  return { ...headers, authorization: [change(headers['authorization']?.[0] ?? '')] }
}

/** Returns headers without one of them. */
const withoutHeader = (name: string): Headers => {
  const { [name]: _, ...rest } = headersOf()
  return rest
}

/** Logs in, expects that no token was created, and returns the failed check. */
function failedCheck(world: World, role: string, headers: Headers): unknown {
  const mount = mountOf(world, rootNamespace, 'auth/cloud/')
  if (mount === undefined) throw new Error('the method is not mounted')
  const before = world.table(tokens).size
  try {
    cloudLogin(world, { namespace: rootNamespace, mount, role, headers })
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown
    expect(world.table(tokens).size).toBe(before)
    return { name: thrown.rule, why: thrown.detail['why'] }
  }
  throw new Error('the login was let in')
}

interface RefusalCase {
  readonly what: string
  readonly headers: Headers
  /** Name of the failed check, and its message. */
  readonly check: string
  readonly why: string
}

/**
 * Logins without a valid proof of identity. All fail in step 3 of behaviour/secrets#cloud-login,
 * with one text.
 */
const unprovenCases: readonly RefusalCase[] = [
  {
    what: 'no authorization',
    headers: withoutHeader('authorization'),
    check: 'login-authorization-missing',
    why: 'there is no authorization header',
  },
  {
    what: 'another scheme',
    headers: { ...headersOf(), authorization: ['Bearer s.abc'] },
    check: 'login-authorization-form',
    why: 'the authorization header is malformed: it does not begin with "Signature"',
  },
  {
    what: 'the authorization twice',
    headers: rewritten((text) => `${text}, ${text}`),
    check: 'login-authorization-form',
    why: expect.stringMatching('^the authorization header is malformed: there is no parameter at'),
  },
  ...['algorithm', 'headers', 'keyId', 'signature'].flatMap((name) => [
    {
      what: `no ${name}`,
      headers: headersOf({ parameters: { [name]: undefined } }),
      check: 'login-authorization-parameter',
      why: `the authorization header has no ${name}`,
    },
    {
      what: `an empty ${name}`,
      headers: headersOf({ parameters: { [name]: '' } }),
      check: 'login-authorization-parameter',
      why: `the authorization header has no ${name}`,
    },
  ]),
  {
    what: 'another version',
    headers: headersOf({ parameters: { version: '2' } }),
    check: 'login-version',
    why: `the signature's version is "2", not "1"`,
  },
  {
    what: 'another algorithm',
    headers: headersOf({ parameters: { algorithm: 'hmac-sha256' } }),
    check: 'login-algorithm',
    why: 'the algorithm is "hmac-sha256", not "rsa-sha256"',
  },
  ...['date', '(request-target)', 'host'].map((name) => ({
    what: `a signature that does not cover ${name}`,
    headers: headersOf({
      covered: ['date', '(request-target)', 'host'].filter((each) => each !== name),
    }),
    check: 'login-signed-headers',
    why: `the signature does not cover ${name}`,
  })),
  {
    what: 'a header covered twice',
    headers: headersOf({ covered: ['date', '(request-target)', 'host', 'host'] }),
    check: 'login-signed-headers',
    why: 'the signature covers a header twice',
  },
  ...['date', 'host'].map((name) => ({
    what: `no ${name}`,
    headers: withoutHeader(name),
    check: 'login-header-missing',
    why: `the signature covers ${name}, which was not sent`,
  })),
  {
    what: 'a covered header that is not there',
    headers: headersOf({ parameters: { headers: 'date (request-target) host x-more' } }),
    check: 'login-header-missing',
    why: 'the signature covers x-more, which was not sent',
  },
  {
    what: 'a date of another form',
    headers: headersOf({ date: '2026-01-01T00:00:00Z' }),
    check: 'login-date-form',
    why: '"2026-01-01T00:00:00Z" is not an HTTP date',
  },
  {
    what: 'two dates',
    headers: { ...headersOf(), date: ['Thu, 01 Jan 2026 00:00:00 GMT', 'x'] },
    check: 'login-date-form',
    why: '"Thu, 01 Jan 2026 00:00:00 GMT, x" is not an HTTP date',
  },
  {
    what: 'an expired date',
    headers: headersOf({ date: 'Wed, 31 Dec 2025 23:54:59 GMT' }),
    check: 'login-date-skew',
    why: 'the date "Wed, 31 Dec 2025 23:54:59 GMT" is more than five minutes from Thu, 01 Jan 2026 00:00:00 GMT',
  },
  {
    what: 'a date to come',
    headers: headersOf({ date: 'Thu, 01 Jan 2026 00:05:01 GMT' }),
    check: 'login-date-skew',
    why: 'the date "Thu, 01 Jan 2026 00:05:01 GMT" is more than five minutes from Thu, 01 Jan 2026 00:00:00 GMT',
  },
  {
    what: 'a signature that is not base64',
    headers: headersOf({ parameters: { signature: '!' } }),
    check: 'login-signature-form',
    why: 'the signature is not base64: illegal base64 data at input byte 0',
  },
  ...['ada', 'home/ada', `home/ada/${key.fingerprint}/more`, '//', ''].flatMap((id) =>
    id === ''
      ? []
      : [
          {
            what: `the key id ${id}`,
            headers: headersOf({ keyId: id }),
            check: 'login-key-id-form',
            why: `the key id "${id}" is not of the form <tenancy>/<user>/<fingerprint>`,
          },
        ],
  ),
  ...['ST$', 'ST$nothing', 'ST$a.b.c', 'ST$a.W10.c', 'ST$a.e30'].map((id) => ({
    what: `the key id ${id}`,
    headers: headersOf({ keyId: id }),
    check: 'login-key-id-form',
    why: 'the key id begins with ST$, but no token follows',
  })),
  ...[{ tenant: 'home', sub: 'box' }, { sub: 'box', ptype: 'instance' }, { tenant: 1 }, {}].map(
    (claims) => ({
      what: `a token that claims ${JSON.stringify(claims)}`,
      headers: headersOf({ keyId: securityToken(claims) }),
      check: 'login-token-claims',
      why: 'the token lacks one of the claims tenant, sub and ptype',
    }),
  ),
  {
    what: 'an expired token',
    headers: headersOf({
      keyId: securityToken({ tenant: 'home', sub: 'box', ptype: 'instance', exp: 1_767_225_600 }),
    }),
    check: 'login-token-expired',
    why: 'the token of "box" has expired',
  },
  {
    what: 'an unknown user',
    headers: headersOf({ keyId: `home/bob/${key.fingerprint}` }),
    check: 'login-key-unknown',
    why: 'there is no user "bob" in the tenancy "home"',
  },
  {
    what: "a user of another tenancy than the key id's",
    headers: headersOf({ keyId: `elsewhere/ada/${key.fingerprint}` }),
    check: 'login-key-unknown',
    why: 'there is no user "ada" in the tenancy "elsewhere"',
  },
  {
    what: 'an instance in the form of users',
    headers: headersOf({ keyId: `home/box/${key.fingerprint}` }),
    check: 'login-key-unknown',
    why: 'there is no user "box" in the tenancy "home"',
  },
  {
    what: 'an unknown fingerprint',
    headers: headersOf({ keyId: `home/ada/${foreign.fingerprint}`, key: foreign.privateKey }),
    check: 'login-key-unknown',
    why: `the user "ada" has no key "${foreign.fingerprint}"`,
  },
  {
    what: 'a fingerprint that every object has',
    headers: headersOf({ keyId: 'home/ada/constructor' }),
    check: 'login-key-unknown',
    why: 'the user "ada" has no key "constructor"',
  },
  {
    what: 'an unknown instance',
    headers: headersOf({
      keyId: securityToken({ tenant: 'home', sub: 'bix', ptype: 'instance' }),
    }),
    check: 'login-key-unknown',
    why: 'there is no instance "bix" in the tenancy "home"',
  },
  {
    what: 'a token of an instance of another tenancy',
    headers: headersOf({
      keyId: securityToken({ tenant: 'elsewhere', sub: 'box', ptype: 'instance' }),
    }),
    check: 'login-key-unknown',
    why: 'there is no instance "box" in the tenancy "elsewhere"',
  },
  {
    what: 'a user who claims to be an instance',
    headers: headersOf({
      keyId: securityToken({ tenant: 'home', sub: 'ada', ptype: 'instance' }),
    }),
    check: 'login-key-unknown',
    why: 'there is no instance "ada" in the tenancy "home"',
  },
  {
    what: 'an unknown user with a token',
    headers: headersOf({ keyId: securityToken({ tenant: 'home', sub: 'bob', ptype: 'user' }) }),
    check: 'login-key-unknown',
    why: 'there is no user "bob" in the tenancy "home"',
  },
  {
    what: 'an instance without a key',
    headers: headersOf({
      keyId: securityToken({ tenant: 'home', sub: 'blank', ptype: 'instance' }),
    }),
    check: 'login-key-unknown',
    why: '"blank" has no public key that can be used',
  },
  ...[
    { what: 'a signature with another key', headers: headersOf({ key: foreign.privateKey }) },
    {
      what: 'a signature of another date',
      headers: { ...headersOf(), date: ['Thu, 01 Jan 2026 00:00:01 GMT'] },
    },
    {
      what: 'a signature of another host',
      headers: { ...headersOf(), host: ['elsewhere.example.com'] },
    },
    {
      what: 'a re-targeted login: the signature was for another role',
      headers: {
        ...headersOf({ target: 'get /v1/auth/cloud/login/ops' }),
        '(request-target)': ['get /v1/auth/cloud/login/dev'],
      },
    },
    {
      what: 'a re-targeted login: the signature was for another mount',
      headers: {
        ...headersOf({ target: 'get /v1/auth/other/login/dev' }),
        '(request-target)': ['get /v1/auth/cloud/login/dev'],
      },
    },
    {
      what: 'a signature in another order than listed',
      headers: headersOf({
        covered: ['host', 'date', '(request-target)'],
        parameters: { headers: 'date (request-target) host' },
      }),
    },
    { what: 'an empty signature', headers: headersOf({ parameters: { signature: 'AA==' } }) },
  ].map((one) => ({
    ...one,
    check: 'login-signature',
    why: 'the signature is not one of "ada" over these headers',
  })),
  {
    what: 'an instance that signs with another key',
    headers: headersOf({ keyId: instanceKeyId(), key: foreign.privateKey }),
    check: 'login-signature',
    why: 'the signature is not one of "box" over these headers',
  },
]

/** Logins that fail a later check, each with its own text. */
const refused: readonly (RefusalCase & { readonly text: string; readonly vendorText?: string })[] =
  [
    {
      what: '(4) a principal of another type',
      headers: headersOf({
        keyId: securityToken({ tenant: 'home', sub: 'box', ptype: 'service' }),
      }),
      text: 'Wrong principal type',
      check: 'login-principal-type',
      why: '"box" is of the type "service", neither user nor instance',
    },
    {
      what: '(5) an identity of another tenancy',
      headers: headersOf({ keyId: `elsewhere/eve/${key.fingerprint}` }),
      text: 'Invalid Tenancy',
      check: 'login-tenancy',
      why: 'the tenancy "elsewhere" is not the home tenancy "home"',
    },
    {
      what: '(6) an identity in no group',
      headers: headersOf({ keyId: `home/hermit/${key.fingerprint}` }),
      text: 'No membership CIDs found',
      vendorText: 'No membership OCIDs found',
      check: 'login-no-memberships',
      why: '"hermit" is in no group',
    },
  ]

describe('behaviour/secrets#cloud-login (3): proofs that are not valid', () => {
  // choice/secrets#cloud-signed-values
  test.each(unprovenCases)('$what', async ({ headers, check, why }) => {
    const { secrets, world } = await cloudServer(key)
    const before = world.table(tokens).size
    const reply = await secrets.post('auth/cloud/login/dev', { request_headers: headers }, noToken)
    expect(statusAndBody(reply)).toEqual(error(403, 'Cloud authentication failed'))
    expect(world.table(tokens).size).toBe(before)
    expect(failedCheck(world, 'dev', headers)).toEqual({ name: check, why })
  })

  test('the vendor answers all of it with 400 and its name', async () => {
    const { secrets } = await cloudServer(key, { dialect: 'vendor' })
    for (const { headers } of unprovenCases) {
      const body = { request_headers: headers }
      expect(statusAndBody(await secrets.post('auth/oci/login/dev', body, noToken))).toEqual(
        error(400, 'OCI authentication failed'),
      )
    }
  })

  test('a key of imported state that cannot be used', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { secrets, world } = await cloudServer(key)
    const users = world.table(cloudUsers)
    const ada = users.get('ada')
    if (ada === undefined) throw new Error('ada is not there')
    for (const pem of ['nonsense', publicKey.export({ type: 'spki', format: 'pem' }).toString()]) {
      world.write(() => users.put('ada', { ...ada, keys: { [key.fingerprint]: pem } }))
      const headers = headersOf({ key: pem === 'nonsense' ? key.privateKey : privateKey })
      const body = { request_headers: headers }
      expect(statusAndBody(await secrets.post('auth/cloud/login/dev', body, noToken))).toEqual(
        error(403, 'Cloud authentication failed'),
      )
    }
  })
})

describe('behaviour/secrets#cloud-login (1), (2) and (5): 400 in either dialect', () => {
  const noTarget = 'no (request-target) specified in header'
  const wrongTarget = 'incorrect (request-target) specified in header'
  const targets = [
    'get',
    '/v1/auth/cloud/login/dev',
    'get /v1/auth/cloud/login/dev HTTP/1.1',
    'post /v1/auth/cloud/login/dev',
    'get /v2/auth/cloud/login/dev',
    'get /v1/cloud/login/dev',
    'get /v1/auth/login/dev',
    'get /v1/auth/cloud/login/ops',
    'get /v1/auth/cloud/login/DEV',
    'get /v1/auth/cloud/login/dev/',
    'get /v1/auth/cloud/login/dev?list=true',
    'get /v1/auth/cloud/log-in/dev',
    'get http://host/v1/auth/cloud/login/dev',
    'get /_world/v1/auth/cloud/login/dev',
    'get /v1/ns/auth/cloud/login/dev',
    '',
  ]

  test.each<[string, string, Headers | undefined, string, string]>([
    ['(1) an unknown role', 'none', headersOf(), 'Role is not found', 'login-role'],
    ['(1) before anything else', 'none', {}, 'Role is not found', 'login-role'],
    ['(2) no headers', 'dev', undefined, noTarget, 'login-request-target-missing'],
    ['(2) empty headers', 'dev', {}, noTarget, 'login-request-target-missing'],
    [
      '(2) no target',
      'dev',
      withoutHeader('(request-target)'),
      noTarget,
      'login-request-target-missing',
    ],
    [
      '(2) an empty list of targets',
      'dev',
      { ...headersOf(), '(request-target)': [] },
      noTarget,
      'login-request-target-missing',
    ],
    [
      '(2) two targets',
      'dev',
      { ...headersOf(), '(request-target)': Array(2).fill('get /v1/auth/cloud/login/dev') },
      wrongTarget,
      'login-request-target',
    ],
    ...targets.map((target): [string, string, Headers, string, string] => [
      `(2) the target ${target}`,
      'dev',
      headersOf({ target }),
      wrongTarget,
      'login-request-target',
    ]),
  ])('%s', async (_, role, request_headers, text, check) => {
    const { secrets, world } = await cloudServer(key)
    const body = request_headers === undefined ? {} : { request_headers }
    expect(statusAndBody(await secrets.post(`auth/cloud/login/${role}`, body, noToken))).toEqual(
      error(400, text),
    )
    expect(failedCheck(world, role, request_headers ?? {})).toEqual({
      name: check,
      why: expect.any(String),
    })
    const vendor = await cloudServer(key, { dialect: 'vendor' })
    expect(
      statusAndBody(await vendor.secrets.post(`auth/oci/login/${role}`, body, noToken)),
    ).toEqual(error(400, text))
  })

  test('(5) a missing configuration is refused', async () => {
    for (const dialect of ['neutral', 'vendor'] as const) {
      const { secrets } = await cloudServer(key, { dialect })
      const mount = dialect === 'vendor' ? 'auth/oci' : 'auth/cloud'
      await secrets.delete(`${mount}/config`)
      const body = { request_headers: headersOf() }
      expect(statusAndBody(await secrets.post(`${mount}/login/dev`, body, noToken))).toEqual(
        error(400, 'Home Tenancy is invalid'),
      )
    }
  })

  test.each<[string, unknown, string]>([
    [
      'a number',
      5,
      'Field validation failed: error converting input 5 for field "request_headers": invalid key pair ""',
    ],
    [
      'a header that is not a string',
      { date: { a: 1 } },
      'Field validation failed: error converting input map[date:map[a:1]] for field "request_headers": unrecognized type for map[a:1]',
    ],
    [
      'a header with something else in its list',
      { date: [true] },
      'Field validation failed: error converting input map[date:[true]] for field "request_headers": received non-string value for header key:date, val:[true]',
    ],
  ])('headers that are %s', async (_, request_headers, text) => {
    const { secrets } = await cloudServer(key)
    const reply = await secrets.post('auth/cloud/login/dev', { request_headers }, noToken)
    expect(statusAndBody(reply)).toEqual(error(400, text))
  })
})

describe('behaviour/secrets#cloud-login (4) to (7): refused callers', () => {
  // choice/secrets#cloud-security-tokens
  test.each(refused)('$what', async ({ headers, text, vendorText = text, check, why }) => {
    const body = { request_headers: headers }
    const { secrets, world } = await cloudServer(key)
    const before = world.table(tokens).size
    expect(statusAndBody(await secrets.post('auth/cloud/login/dev', body, noToken))).toEqual(
      error(403, text),
    )
    expect(world.table(tokens).size).toBe(before)
    expect(failedCheck(world, 'dev', headers)).toEqual({ name: check, why })
    const vendor = await cloudServer(key, { dialect: 'vendor' })
    expect(statusAndBody(await vendor.secrets.post('auth/oci/login/dev', body, noToken))).toEqual(
      error(400, vendorText),
    )
  })

  test.each([
    ['(6) other groups', 'g-other,d-other', '[g-other d-other]'],
    ['(6) an empty cid_list', '', '[]'],
    ['(6) a group whose name only begins so', 'g-de', '[g-de]'],
  ])('%s', async (_, cid_list, listed) => {
    const body = { request_headers: headersOf() }
    const { secrets, world } = await cloudServer(key)
    await secrets.post('auth/cloud/role/dev', { cid_list })
    expect(statusAndBody(await secrets.post('auth/cloud/login/dev', body, noToken))).toEqual(
      error(403, 'Entity not a part of any of the Role CIDs'),
    )
    expect(failedCheck(world, 'dev', headersOf())).toEqual({
      name: 'login-membership',
      why: `"ada" is in [g-dev g-ops], the role is for ${listed}`,
    })
    const vendor = await cloudServer(key, { dialect: 'vendor' })
    await vendor.secrets.post('auth/oci/role/dev', { ocid_list: cid_list })
    expect(statusAndBody(await vendor.secrets.post('auth/oci/login/dev', body, noToken))).toEqual(
      error(400, 'Entity not a part of any of the Role OCIDs'),
    )
  })

  // choice/secrets#cloud-response-wrapping-role
  test.each([
    ['root', 'auth methods cannot create root tokens', 'login-root'],
    ['a, ROOT', 'auth methods cannot create root tokens', 'login-root'],
    ['response-wrapping', 'cannot assign policy "response-wrapping"', 'login-policy'],
  ])('(7) a role that grants %s', async (token_policies, text, name) => {
    for (const dialect of ['neutral', 'vendor'] as const) {
      const { secrets, world } = await cloudServer(key, { dialect })
      const mount = dialect === 'vendor' ? 'auth/oci' : 'auth/cloud'
      await secrets.post(`${mount}/role/dev`, { token_policies })
      const body = { request_headers: headersOf() }
      expect(statusAndBody(await secrets.post(`${mount}/login/dev`, body, noToken))).toEqual(
        error(400, text),
      )
      if (dialect === 'vendor') continue
      expect(failedCheck(world, 'dev', headersOf())).toMatchObject({ name })
    }
  })

  test('the order of the checks: each mistake mended shows the next', async () => {
    const { secrets, world } = await cloudServer(key)
    await secrets.delete('auth/cloud/config')
    await secrets.delete('auth/cloud/role/dev')
    const observedChecks: unknown[] = []
    const look = (headers: Headers) =>
      observedChecks.push((failedCheck(world, 'dev', headers) as { name: string }).name)
    const instanceToken = securityToken({ tenant: 'home', sub: 'box', ptype: 'service' })
    look({})
    await secrets.post('auth/cloud/role/dev', { token_policies: 'root' })
    look({})
    look({ '(request-target)': ['get /v1/auth/cloud/login/dev'] })
    look(headersOf({ keyId: instanceToken }))
    look(headersOf({ keyId: `elsewhere/eve/${key.fingerprint}` }))
    await secrets.post('auth/cloud/config', { home_tenancy_id: 'home' })
    look(headersOf({ keyId: `elsewhere/eve/${key.fingerprint}` }))
    look(headersOf({ keyId: `home/hermit/${key.fingerprint}` }))
    look(headersOf())
    await secrets.post('auth/cloud/role/dev', { cid_list: 'g-dev' })
    look(headersOf())
    expect(observedChecks).toEqual([
      'login-role',
      'login-request-target-missing',
      'login-authorization-missing',
      'login-principal-type',
      'login-config',
      'login-tenancy',
      'login-no-memberships',
      'login-membership',
      'login-root',
    ])
  })
})

describe('issue 4, Bad input gets: an explanation of which check failed', () => {
  async function logged(level: 'debug' | 'info'): Promise<object[]> {
    const { worlds } = await cloudServer(key)
    const lines: string[] = []
    const stream = { write: (line: string) => void lines.push(line) }
    const log = await logOptions({ logLevel: level, logFormat: 'json' }, stream)
    const app = buildApp({ worlds, apis: [secretsApi({ dialect: 'neutral' })], log })
    await app.ready()
    const headers = headersOf({ key: foreign.privateKey })
    await new SecretsClient(app).post('auth/cloud/login/dev', { request_headers: headers }, noToken)
    await app.close()
    return lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'refused by a check')
  }

  test('the log has it, at the level debug', async () => {
    expect(await logged('debug')).toEqual([
      expect.objectContaining({
        level: expect.anything(),
        check: {
          name: 'login-signature',
          why: 'the signature is not one of "ada" over these headers',
        },
      }),
    ])
    expect(await logged('info')).toEqual([])
  })
})
