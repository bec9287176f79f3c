import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import {
  everyEngine,
  type Reply,
  type SecretsClient,
  servedSecrets,
  type TestSecrets,
} from '../../../support/secrets/secrets.ts'
import { callOf, type Declared, declaredOperations, pathOf } from '../declared-operations.ts'
import { error, multierrorReply, noContent, statusAndBody } from '../replies.ts'

const operations = declaredOperations()
const named = (list: readonly Declared[]) =>
  list.map((declared) => [declared.name, declared] as const)
const unauthenticated = operations.filter(({ operation }) => operation.access === 'anyone')
const needingAnyToken = operations.filter(({ operation }) => operation.access === 'token')
/** Operations that refuse wrapping tokens first, with texts that sys/wrapping.test.ts tests. */
const resolvingToken = operations.filter(
  ({ operation }) => operation.resolveToken !== undefined && operation.access !== 'anyone',
)
const needingCapability = operations.filter(
  (declared) =>
    !unauthenticated.includes(declared) &&
    !needingAnyToken.includes(declared) &&
    !resolvingToken.includes(declared),
)
const sudo = operations.filter(({ operation }) => operation.access === 'sudo')

const denied = multierrorReply(403, 'permission denied')
const deniedReply = error(403, 'permission denied')

const all = ['create', 'read', 'update', 'patch', 'delete', 'list']

/** Returns a client whose token has these capabilities at a path, by default everywhere. */
async function clientWith(
  { secrets, as }: TestSecrets,
  capabilities: readonly string[],
  path = '*',
): Promise<SecretsClient> {
  const policy = `path "${path}" { capabilities = ${JSON.stringify(capabilities)} }`
  await secrets.post('sys/policies/acl/only', { policy })
  const body = { policies: ['only'], no_default_policy: true }
  const created = await secrets.post('auth/token/create', body)
  return as(created.body.auth.client_token)
}

/**
 * Sends one request to each operation. Returns the replies that are not as expected, by the names of
 * their operations. A refused request changes nothing, so all are sent to one server.
 */
async function repliesOtherThan(
  expected: unknown,
  list: readonly Declared[],
  send: (declared: Declared) => Promise<Reply>,
) {
  const others: [name: string, reply: unknown][] = []
  for (const declared of list) {
    const reply = statusAndBody(await send(declared))
    if (!isDeepStrictEqual(reply, expected)) others.push([declared.name, reply])
  }
  return others
}

describe('behaviour/secrets#api-authentication: a client token is required', () => {
  test('more than 80 operations need a capability', () =>
    expect(needingCapability.length).toBeGreaterThan(80))

  test('every operation refuses a missing and an unknown token', async () => {
    const { secrets } = await servedSecrets()
    const guarded = [...needingCapability, ...needingAnyToken]
    for (const token of [null, 'wrong']) {
      const send = (declared: Declared) => secrets.request({ ...callOf(declared), token })
      expect(await repliesOtherThan(deniedReply, guarded, send)).toEqual([])
    }
  })
})

describe('behaviour/secrets#unauthenticated', () => {
  const listed = [
    /^sys\/(health|init|seal-status|unseal|leader|decode-token|wrapping\/lookup)$/,
    /^sys\/(replication(\/dr)?\/status|replication\/dr\/secondary\/.*)$/,
    /^sys\/internal\/ui\/(mounts(\/x)?|namespaces|feature-flags)$/,
    /^sys\/generate-root\/(attempt|update)$/,
    /^sys\/mfa\/validate$/,
    /^auth\/[^/]+\/(login(\/|$)|oidc\/(auth_url|callback)$)/,
    /^pki\/(issuers|ca(\/pem)?|ca_chain|crl(\/delta)?(\/pem)?|ocsp(\/.*)?|cert\/.*)$/,
    /^pki\/issuer\/[^/]+\/(json|der|pem|(crl(\/delta)?)(\/(der|pem))?)$/,
    /^auth\/okta\/verify\/x$/,
    /^ssh\/(public_key|verify)$/,
    /^identity\/oidc\/(provider\/x\/)?(\.well-known\/(openid-configuration|keys)|token|userinfo)$/,
  ]
  const isListed = (path: string) => listed.some((form) => form.test(path))

  test('no other operation is open', () => {
    expect(
      unauthenticated.map((declared) => pathOf(declared)).filter((path) => !isListed(path)),
    ).toEqual([])
  })

  test.each(['health', 'init', 'seal-status', 'unseal', 'leader'])('sys/%s is', (name) => {
    expect(unauthenticated.map((declared) => pathOf(declared))).toContain(`sys/${name}`)
  })

  /** Operations that check the token themselves, without using it up. */
  const checkingToken = unauthenticated.filter((declared) =>
    /ui\/(mounts|namespaces)/.test(pathOf(declared)),
  )

  test.each(named(checkingToken))('%s refuses an invalid token itself', async (_, declared) => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.request({ ...callOf(declared), token: 'wrong' }))).toEqual(
      deniedReply,
    )
  })

  /** Operations that take an access token of OIDC, which oidc-provider.test.ts tests. */
  const takingAccessToken = /\/userinfo$/
  const needingNoToken = unauthenticated.filter(
    (declared) => !checkingToken.includes(declared) && !takingAccessToken.test(pathOf(declared)),
  )
  test.each(named(needingNoToken))('%s asks for no token', async (_, declared) => {
    const { secrets } = await servedSecrets({ document: everyEngine })
    for (const token of [null, 'wrong']) {
      const { status, body } = await secrets.request({ ...callOf(declared), token })
      expect([status, body]).not.toEqual([403, deniedReply.body])
      expect(status).not.toBe(401)
    }
  })

  test('only unwrapping and rewrapping resolve their token before other checks', () => {
    expect(resolvingToken.map(({ name }) => name)).toEqual([
      'write sys/wrapping/unwrap',
      'write sys/wrapping/rewrap',
    ])
  })

  test('operations whose reply is limited to the policies accept any valid token', () => {
    expect(needingAnyToken.map((declared) => pathOf(declared))).toEqual([
      'sys/internal/specs/openapi',
      'sys/internal/specs/openapi',
    ])
  })
})

describe('behaviour/secrets#refusals: the ACL denies', () => {
  test('every operation without any capability', async () => {
    const client = await clientWith(await servedSecrets(), all, 'other/*')
    const send = (declared: Declared) => client.request(callOf(declared))
    expect(await repliesOtherThan(denied, needingCapability, send)).toEqual([])
  })

  test.each([...new Set(needingCapability.map(({ operation }) => operation.verb))])(
    'every operation that needs %s, with all other capabilities',
    async (verb) => {
      const needing = needingCapability.filter(({ operation }) => operation.verb === verb)
      const own: readonly string[] = verb === 'write' ? ['create', 'update'] : [verb]
      const others = [...all, 'sudo'].filter((capability) => !own.includes(capability))
      const client = await clientWith(await servedSecrets(), others)
      const send = (declared: Declared) => client.request(callOf(declared))
      expect(await repliesOtherThan(denied, needing, send)).toEqual([])
    },
  )

  test('every operation denied outright', async () => {
    const client = await clientWith(await servedSecrets(), ['deny'])
    const send = (declared: Declared) => client.request(callOf(declared))
    expect(await repliesOtherThan(denied, needingCapability, send)).toEqual([])
  })

  test.each(named(needingCapability))('%s passes with its own capability', async (_, declared) => {
    const server = await servedSecrets()
    const own =
      declared.operation.verb === 'write' ? ['create', 'update'] : [declared.operation.verb]
    const client = await clientWith(
      server,
      declared.operation.access === 'sudo' ? [...own, 'sudo'] : own,
    )
    expect(statusAndBody(await client.request(callOf(declared)))).not.toEqual(denied)
  })
})

describe('behaviour/secrets#policies: sudo', () => {
  const listed = [
    'read sys/auth/*path',
    'write sys/auth/*path',
    'delete sys/auth/*path',
    'read sys/auth/*path/tune',
    'write sys/auth/*path/tune',
    'write sys/rotate',
    'list sys/leases/lookup',
    'list sys/leases/lookup/*prefix',
    'write sys/leases/revoke-prefix/*prefix',
    'write sys/leases/revoke-force/*prefix',
    'write sys/revoke-prefix/*prefix',
    'write sys/revoke-force/*prefix',
    'write sys/seal',
    'write sys/step-down',
    'read sys/config/cors',
    'write sys/config/cors',
    'delete sys/config/cors',
    'list auth/token/accessors',
    'list sys/plugins/catalog/:type',
    'read sys/plugins/catalog/:type/:name',
    'read sys/config/auditing/request-headers',
    'read sys/config/auditing/request-headers/*header',
    'write sys/config/auditing/request-headers/*header',
    'delete sys/config/auditing/request-headers/*header',
  ]

  test.each(['read sys/host-info', 'write auth/token/tidy'])('%s does not need it', (name) => {
    expect(operations.map((declared) => declared.name)).toContain(name)
    expect(sudo.map((declared) => declared.name)).not.toContain(name)
  })

  test.each([
    ['GET', 'sys/raw'],
    ['GET', 'sys/raw/core/x'],
    ['GET', 'sys/raw/core?list=true'],
    ['GET', 'sys/rotate'],
  ])('%s %s is decided by the path', async (method, path) => {
    const server = await servedSecrets()
    const weak = await clientWith(server, all)
    expect(statusAndBody(await weak.request({ method, path }))).toEqual(denied)
    const strong = await clientWith(server, [...all, 'sudo'])
    expect((await strong.request({ method, path })).status).toBe(path === 'sys/rotate' ? 405 : 404)
  })

  test.each(listed)('%s needs it', (name) => {
    expect(sudo.map((declared) => declared.name)).toContain(name)
  })

  test.each(named(sudo))('%s is refused without', async (_, declared) => {
    const server = await servedSecrets({ document: everyEngine })
    const client = await clientWith(server, all)
    expect(statusAndBody(await client.request(callOf(declared)))).toEqual(denied)
  })

  test.each(named(sudo))('%s is refused with sudo alone', async (_, declared) => {
    const server = await servedSecrets()
    const client = await clientWith(server, ['sudo'])
    expect(statusAndBody(await client.request(callOf(declared)))).toEqual(denied)
  })

  test.each(named(needingCapability.filter((declared) => !sudo.includes(declared))))(
    '%s does not need it',
    async (_, declared) => {
      const server = await servedSecrets()
      const client = await clientWith(server, all)
      expect(statusAndBody(await client.request(callOf(declared)))).not.toEqual(denied)
    },
  )
})

describe('behaviour/secrets#api-writes: create or update by existence', () => {
  const write = {
    data: { a: 1 },
    max_versions: 1,
    orphan: true,
    home_tenancy_id: 'home',
    allowed_orch_namespaces: 'a',
    service_account_name: 'a',
    plaintext: '',
    password: 'p',
    role_type: 'jwt',
    user_claim: 'sub',
    bound_subject: 'a',
    bound_service_account_names: '*',
    bound_service_account_namespaces: '*',
    plugin_name: 'postgresql-database-plugin',
    connection_url: 'postgresql://db:5432/app',
    verify_connection: false,
    db_name: 'a',
  }
  const paths: readonly (readonly [string, string])[] = [
    ['kv-v1', 'kv/a'],
    ['kv-v1, deep', 'kv/a/b/c'],
    ['kv-v2 data', 'secret/data/a'],
    ['kv-v2 data, deep', 'secret/data/a/b/c'],
    ['kv-v2 metadata', 'secret/metadata/a'],
    ['cubbyhole', 'cubbyhole/a'],
    ['a token role', 'auth/token/roles/a'],
    ['the configuration of the cloud method', 'auth/cloud/config'],
    ['a role of the cloud method', 'auth/cloud/role/a'],
    ['a role of AppRole', 'auth/approle/role/a'],
    ['a user', 'auth/userpass/users/a'],
    ['a role of jwt', 'auth/jwt/role/a'],
    ['a role of the orchestrator login', 'auth/orch/role/a'],
    ['a role of the orchestrator engine', 'orch/roles/a'],
    ['a connection to a database', 'database/config/a'],
    ['a role of the database engine', 'database/roles/a'],
    ['a key to encrypt with', 'transit/encrypt/a'],
    ['an assignment', 'identity/oidc/assignment/a'],
    ['a scope', 'identity/oidc/scope/a'],
  ]

  // choice/secrets#existence-checks
  test('every existence check that is declared is tried here', () => {
    const declared = operations.filter(({ operation }) => operation.exists !== undefined)
    const tried = new Set([
      'kv/*path',
      'secret/data/*path',
      'secret/metadata/*path',
      'cubbyhole/*path',
      'auth/token/roles/:name',
      'auth/cloud/config',
      'auth/cloud/role/:name',
      'auth/approle/role/:role_name',
      'auth/userpass/users/:username',
      'auth/jwt/role/:name',
      'auth/orch/role/:name',
      'orch/roles/:name',
      'transit/encrypt/:name',
      'database/config/:name',
      'database/roles/:name',
      // Tried in database-static.test.ts, because it needs a database with a user.
      'database/static-roles/:name',
      // Tried in ssh.test.ts, because each key_type has its own members.
      'ssh/roles/:role',
      'identity/oidc/assignment/:name',
      'identity/oidc/scope/:name',
      // Tried in oidc-tokens.test.ts and oidc-clients.test.ts, because they need keys.
      'identity/oidc/key/:name',
      'identity/oidc/role/:name',
      'identity/oidc/client/:name',
      'identity/oidc/provider/:name',
    ])
    expect(
      declared
        .map(({ mountedAt, operation }) => mountedAt + operation.path)
        .filter((path) => !tried.has(path)),
    ).toEqual([])
  })

  // choice/secrets#existence-checks
  test.each(paths)('%s: the capability create permits creation, not changes', async (_, path) => {
    const client = await clientWith(await servedSecrets({ document: everyEngine }), [
      'create',
      'read',
    ])
    expect((await client.post(path, write)).status).toBeLessThan(300)
    const before = (await client.get(path)).body.data
    expect(statusAndBody(await client.post(path, { ...write, max_versions: 2 }))).toEqual(denied)
    expect(statusAndBody(await client.put(path, { ...write, max_versions: 2 }))).toEqual(denied)
    expect((await client.get(path)).body.data).toEqual(before)
  })

  test.each(paths)('%s: update changes, and does not make', async (_, path) => {
    const server = await servedSecrets({ document: everyEngine })
    const client = await clientWith(server, ['update', 'read'])
    expect(statusAndBody(await client.post(path, write))).toEqual(denied)
    expect(statusAndBody(await client.get(path.replace('/encrypt/', '/keys/')))).toEqual(error(404))
    if (path.startsWith('cubbyhole/')) return
    await server.secrets.post(path, write)
    expect((await client.post(path, write)).status).toBeLessThan(300)
  })

  test("a cubbyhole's entry exists for its own token only", async () => {
    const server = await servedSecrets({ document: everyEngine })
    const client = await clientWith(server, ['create'])
    await server.secrets.post('cubbyhole/a', { b: 1 })
    expect(statusAndBody(await client.post('cubbyhole/a', { b: 2 }))).toEqual(noContent)
    expect(statusAndBody(await client.post('cubbyhole/a', { b: 3 }))).toEqual(denied)
  })

  test('a deleted version still exists, as does a key without versions', async () => {
    const server = await servedSecrets({ document: everyEngine })
    const client = await clientWith(server, ['create'])
    await server.secrets.post('secret/data/gone', { data: {} })
    await server.secrets.delete('secret/data/gone')
    await server.secrets.post('secret/metadata/bare', { max_versions: 1 })
    for (const path of ['secret/data/gone', 'secret/data/bare', 'secret/metadata/gone']) {
      expect(statusAndBody(await client.post(path, write))).toEqual(denied)
    }
    await server.secrets.delete('secret/metadata/gone')
    expect((await client.post('secret/data/gone', write)).status).toBe(200)
  })

  // choice/secrets#existence-checks
  test('a write without an existence check needs update', async () => {
    const creates = await clientWith(await servedSecrets({ document: everyEngine }), ['create'])
    const updates = await clientWith(await servedSecrets({ document: everyEngine }), ['update'])
    for (const path of ['secret/config', 'sys/mounts/new', 'sys/policies/acl/new']) {
      const body = { type: 'kv', policy: 'path "a" {}' }
      expect(statusAndBody(await creates.post(path, body))).toEqual(denied)
      expect(statusAndBody(await updates.post(path, body))).toEqual(noContent)
    }
  })
})
