import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../support/secrets/secrets.ts'
import { callOf, declaredOperations } from './declared-operations.ts'
import { error, multierrorReply, noContent, ok, statusAndBody } from './replies.ts'

const inNamespace = (path: string) => ({ headers: { 'x-secrets-namespace': path } })
const inTeam = inNamespace('team')

/**
 * Starts a server with the namespaces `team/` and `team/inner/`, each with a key-value engine
 * `store/`.
 */
async function withTeam() {
  const server = await servedSecrets()
  const { secrets } = server
  const created = await secrets.post('sys/namespaces/team')
  await secrets.post('sys/namespaces/inner', {}, inTeam)
  for (const path of ['team', 'team/inner']) {
    expect(
      statusAndBody(await secrets.post('sys/mounts/store', { type: 'kv' }, inNamespace(path))),
    ).toEqual(noContent)
  }
  /** Returns a token with policies, created in a namespace. */
  const tokenIn = async (path: string, body: object) => {
    const reply = await secrets.post('auth/token/create', body, inNamespace(path))
    return reply.body.auth as { client_token: string; accessor: string }
  }
  const policyIn = (path: string, name: string, policy: string) =>
    secrets.post(`sys/policies/acl/${name}`, { policy }, inNamespace(path))
  return { ...server, id: String(created.body.data.id), tokenIn, policyIn }
}

const denied = multierrorReply(403, 'permission denied')
const refused = error(403, 'permission denied')

describe('behaviour/secrets#api-namespaces: however a path is split', () => {
  const parts = ['team', 'inner', 'store', 'folder', 'k']
  const slashes = fc.constantFrom('', '/')
  const split = fc.record({ at: fc.integer({ min: 0, max: 2 }), before: slashes, after: slashes })

  test('header and path together decide', async () => {
    const { secrets } = await withTeam()
    const request = (at: number, before: string, after: string, method: string, value: number) => {
      const header = at === 0 ? before : before + parts.slice(0, at).join('/') + after
      return secrets.request({
        method,
        path: parts.slice(at).join('/'),
        ...inNamespace(header),
        ...(method === 'GET' || method === 'DELETE' ? {} : { payload: { value } }),
      })
    }
    const method = fc.constantFrom('GET', 'GET', 'POST', 'PUT', 'DELETE')
    const steps = fc.array(fc.tuple(split, method, fc.nat(9)), { minLength: 1, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        await secrets.delete(parts.join('/'))
        let held: number | undefined
        for (const [{ at, before, after }, verb, value] of all) {
          const reply = await request(at, before, after, verb, value)
          if (verb === 'GET') {
            const found = ok({ data: { value: held }, lease_duration: 2_764_800 })
            expect(statusAndBody(reply)).toEqual(held === undefined ? error(404) : found)
          } else {
            expect(statusAndBody(reply)).toEqual(noContent)
            held = verb === 'DELETE' ? undefined : value
          }
        }
      }),
      { numRuns: 40 },
    )
  })

  test('lists and the namespaces themselves are isolated as well', async () => {
    const { secrets } = await withTeam()
    await secrets.post('team/inner/sys/namespaces/most')
    for (const [header, path] of [
      ['team/inner', 'sys/namespaces'],
      ['team', 'inner/sys/namespaces'],
      ['', 'team/inner/sys/namespaces'],
    ] as const) {
      const { body } = await secrets.list(path, inNamespace(header))
      expect(body.data.keys).toEqual(['most/'])
      expect(body.data.key_info['most/'].path).toBe('team/inner/most/')
    }
  })
})

describe('behaviour/secrets#namespace-header: the header', () => {
  test('is echoed as sent, with answers and refusals, in the dialect', async () => {
    const { secrets } = await withTeam()
    const header = async (name: string, path: string) =>
      (await secrets.get(path, inNamespace(name))).headers['x-secrets-namespace']
    expect(await header('team/', 'sys/mounts')).toBe('team/')
    expect(await header('/team', 'sys/nothing')).toBe('/team')
    expect(await header('nowhere', 'sys/mounts')).toBe('nowhere')
    expect((await secrets.get('sys/mounts')).headers['x-secrets-namespace']).toBeUndefined()
    const vendor = await servedSecrets({ dialect: 'vendor' })
    await vendor.secrets.post('sys/namespaces/team')
    const { headers } = await vendor.secrets.get('sys/mounts', inTeam)
    expect(headers['x-vault-namespace']).toBe('team')
  })

  test('of an unknown namespace is 404 before the token is looked at', async () => {
    const { secrets } = await withTeam()
    for (const token of ['root', 'wrong', null]) {
      expect(
        statusAndBody(await secrets.get('sys/mounts', { ...inNamespace('team/x'), token })),
      ).toEqual(error(404, 'namespace not found'))
    }
  })

  const rootOnly = /^(init|seal|unseal|health|rekey|replication)(\/|$)/
  const whole = declaredOperations().filter(
    ({ mountedAt, operation }) => mountedAt === 'sys/' && rootOnly.test(operation.path),
  )

  test('health, sealing and unsealing are operations on the whole cluster', () => {
    expect(whole.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['read sys/health', 'write sys/seal', 'write sys/unseal']),
    )
  })

  test.each(whole.map((declared) => [declared.name, declared] as const))(
    '%s is unavailable',
    async (_, declared) => {
      const { secrets } = await withTeam()
      const call = callOf(declared)
      const unavailable = error(400, 'operation unavailable in namespaces')
      expect(
        statusAndBody(
          await secrets.request({ ...call, headers: { ...call.headers, ...inTeam.headers } }),
        ),
      ).toEqual(unavailable)
      expect(statusAndBody(await secrets.request({ ...call, path: `team/${call.path}` }))).toEqual(
        unavailable,
      )
    },
  )
})

describe('behaviour/secrets#namespace-header: tokens', () => {
  test('tokens, accessors and leases made inside end in the id', async () => {
    const { secrets, id, tokenIn } = await withTeam()
    const { client_token, accessor } = await tokenIn('team', { policies: ['default'] })
    expect(client_token.endsWith(`.${id}`)).toBe(true)
    expect(accessor.endsWith(`.${id}`)).toBe(true)
    const leases = await secrets.list('sys/leases/lookup/auth/token/create', inTeam)
    expect(leases.body.data.keys).toEqual([expect.stringMatching(new RegExp(`\\.${id}$`))])
    expect((await secrets.list('auth/token/accessors', inTeam)).body.data.keys).toEqual([accessor])
    expect((await secrets.list('auth/token/accessors')).body.data.keys).not.toContain(accessor)
  })

  // choice/secrets#namespace-tokens
  test('a token of a namespace works in it and below, not above or beside it, with any policies', async () => {
    const { secrets, as, tokenIn, policyIn } = await withTeam()
    await secrets.post('sys/namespaces/other')
    const everything =
      'path "*" { capabilities = ["create", "read", "update", "delete", "list", "sudo"] }'
    await policyIn('team', 'all', everything)
    const client = as((await tokenIn('team', { policies: ['all'] })).client_token)
    expect(statusAndBody(await client.post('store/a', { b: 1 }, inTeam))).toEqual(noContent)
    expect(statusAndBody(await client.post('team/inner/store/a', { b: 2 }))).toEqual(noContent)
    expect(statusAndBody(await client.get('sys/mounts'))).toEqual(denied)
    expect(statusAndBody(await client.get('secret/data/a'))).toEqual(denied)
    expect(statusAndBody(await client.get('sys/mounts', inNamespace('other')))).toEqual(denied)
    // Open to everyone, so errors come without the multierror text (behaviour/secrets#notation).
    expect(statusAndBody(await client.get('sys/internal/ui/mounts'))).toEqual(refused)
    expect((await client.get('sys/internal/ui/mounts', inTeam)).status).toBe(200)
    expect((await client.get('sys/internal/ui/mounts', inNamespace('team/inner'))).status).toBe(200)
  })

  test("a parent's token works below by policies on the path from its own namespace", async () => {
    const { as, tokenIn, policyIn } = await withTeam()
    await policyIn(
      '',
      'from-root',
      'path "team/inner/store/*" { capabilities = ["update", "read"] }',
    )
    await policyIn(
      'team',
      'from-team',
      'path "inner/store/*" { capabilities = ["update", "read"] }',
    )
    await policyIn('team/inner', 'own', 'path "store/*" { capabilities = ["create", "read"] }')
    const root = as((await tokenIn('', { policies: ['from-root'] })).client_token)
    const team = as((await tokenIn('team', { policies: ['from-team'] })).client_token)
    const inner = as((await tokenIn('team/inner', { policies: ['own'] })).client_token)
    const there = inNamespace('team/inner')
    expect(statusAndBody(await inner.post('store/a', { by: 'inner' }, there))).toEqual(noContent)
    for (const client of [root, team]) {
      expect((await client.get('store/a', there)).body.data).toEqual({ by: 'inner' })
      expect((await client.get('team/inner/store/a')).body.data).toEqual({ by: 'inner' })
      expect(statusAndBody(await client.post('store/a', { by: 'inner' }, there))).toEqual(noContent)
      expect(statusAndBody(await client.get('store/a', inTeam))).toEqual(denied)
      expect(statusAndBody(await client.delete('store/a', there))).toEqual(denied)
    }
  })

  test('policies of another namespace give nothing, though they have the same name', async () => {
    const { as, tokenIn, policyIn } = await withTeam()
    await policyIn('', 'reads', 'path "*" { capabilities = ["read"] }')
    const client = as((await tokenIn('team', { policies: ['reads'] })).client_token)
    expect(statusAndBody(await client.get('store/a', inTeam))).toEqual(denied)
    await policyIn('team', 'reads', 'path "store/a" { capabilities = ["read"] }')
    expect(statusAndBody(await client.get('store/a', inTeam))).toEqual(error(404))
  })

  // choice/secrets#namespace-tokens
  test('requests in a namespace find only its own tokens and those of the namespaces below', async () => {
    const { secrets, tokenIn } = await withTeam()
    const above = await tokenIn('', { policies: ['default'] })
    const below = await tokenIn('team/inner', { policies: ['default'] })
    const ask = (path: string, body: object) => secrets.post(path, body, inTeam).then(statusAndBody)
    const { client_token: token, accessor } = above
    expect(await ask('auth/token/lookup', { token })).toEqual(error(403, 'bad token'))
    expect(await ask('auth/token/renew', { token })).toEqual(error(400, 'token not found'))
    expect(await ask('auth/token/revoke', { token })).toEqual(noContent)
    expect(await ask('auth/token/revoke-orphan', { token })).toEqual(
      error(400, 'token to revoke not found'),
    )
    expect(await ask('auth/token/lookup-accessor', { accessor })).toEqual(
      multierrorReply(400, 'invalid accessor'),
    )
    expect(await ask('auth/token/revoke-accessor', { accessor })).toEqual(
      ok({ warnings: ['No token found with this accessor'] }),
    )
    expect(await ask('sys/capabilities', { token, paths: ['a'] })).toEqual(
      multierrorReply(400, 'invalid token'),
    )
    expect(await ask('sys/capabilities-accessor', { accessor, paths: ['a'] })).toEqual(
      multierrorReply(400, 'invalid accessor'),
    )
    expect((await secrets.post('auth/token/lookup', { token })).status).toBe(200)
    const found = await secrets.post('auth/token/lookup', { token: below.client_token }, inTeam)
    expect(found.body.data.namespace_path).toBe('team/inner/')
    expect((await secrets.get('auth/token/lookup-self', inTeam)).body.data.id).toBe('root')
  })

  test('capabilities of a token are relative to its namespace', async () => {
    const { secrets, as, tokenIn, policyIn } = await withTeam()
    await policyIn('team', 'reads', 'path "inner/store/*" { capabilities = ["read"] }')
    const { client_token, accessor } = await tokenIn('team', { policies: ['default', 'reads'] })
    const read = { capabilities: ['read'] }
    const self = await as(client_token).post(
      'sys/capabilities-self',
      { paths: ['inner/store/a'] },
      inTeam,
    )
    expect(self.body.data).toEqual({ 'inner/store/a': ['read'], ...read })
    const inner = await secrets.post('sys/capabilities', {
      token: client_token,
      paths: ['team/inner/store/a'],
    })
    expect(inner.body.data).toEqual({ 'team/inner/store/a': ['read'], ...read })
    const elsewhere = await secrets.post('sys/capabilities-accessor', {
      accessor,
      paths: ['inner/store/a'],
    })
    expect(elsewhere.body.data.capabilities).toEqual(['deny'])
  })

  test('tokens are revoked with their namespace, endless and batch tokens included', async () => {
    const { secrets, as, tokenIn } = await withTeam()
    await secrets.post('sys/namespaces/other')
    const created = [
      await tokenIn('other', { policies: ['default'] }),
      await tokenIn('other', { policies: ['default'], period: '1h' }),
      await tokenIn('other', { policies: ['default'], type: 'batch' }),
    ]
    expect((await secrets.delete('sys/namespaces/other')).body.data.status).toBe('in-progress')
    await secrets.post('sys/namespaces/other')
    for (const { client_token } of created) {
      expect(
        statusAndBody(await as(client_token).get('auth/token/lookup-self', inNamespace('other'))),
      ).toEqual(refused)
      expect(
        statusAndBody(await secrets.post('auth/token/lookup', { token: client_token })),
      ).toEqual(error(403, 'bad token'))
    }
    expect(statusAndBody(await secrets.list('auth/token/accessors', inNamespace('other')))).toEqual(
      error(404),
    )
  })
})

describe('behaviour/secrets#mounts: engines in namespaces', () => {
  test('the command line finds the mounts of a namespace', async () => {
    const { secrets } = await withTeam()
    const { body } = await secrets.get('sys/internal/ui/mounts', inTeam)
    expect(Object.keys(body.data.secret)).toEqual(['cubbyhole/', 'identity/', 'store/', 'sys/'])
    expect(Object.keys(body.data.auth)).toEqual(['token/'])
    const one = await secrets.get('sys/internal/ui/mounts/store/a', inTeam)
    expect([one.body.data.path, one.body.data.type]).toEqual(['store/', 'kv'])
    expect((await secrets.get('sys/internal/ui/mounts/store/a')).status).toBe(403)
  })

  test('versioned secrets, with create and update by existence', async () => {
    const { secrets, as, tokenIn, policyIn } = await withTeam()
    await secrets.post('sys/mounts/kv2', { type: 'kv', options: { version: '2' } }, inTeam)
    await policyIn('team', 'creates', 'path "kv2/data/*" { capabilities = ["create"] }')
    const client = as((await tokenIn('team', { policies: ['creates'] })).client_token)
    expect((await client.post('kv2/data/a', { data: { b: 1 } }, inTeam)).body.data.version).toBe(1)
    expect(statusAndBody(await client.post('kv2/data/a', { data: { b: 2 } }, inTeam))).toEqual(
      denied,
    )
    expect((await secrets.get('team/kv2/data/a')).body.data.data).toEqual({ b: 1 })
    expect((await secrets.list('kv2/metadata/', inTeam)).body.data.keys).toEqual(['a'])
  })

  test('password policies are their own', async () => {
    const { secrets } = await withTeam()
    const policy = 'length = 8 rule "charset" { charset = "ab" }'
    await secrets.post('sys/policies/password/own', { policy }, inTeam)
    expect((await secrets.get('sys/policies/password/own/generate', inTeam)).body.password).toMatch(
      /^[ab]{8}$/,
    )
    expect(statusAndBody(await secrets.get('sys/policies/password/own'))).toEqual(
      multierrorReply(404, 'policy does not exist'),
    )
  })

  test('a cubbyhole belongs to its token in every namespace', async () => {
    const { as, tokenIn } = await withTeam()
    const client = as((await tokenIn('team', { policies: ['default'] })).client_token)
    expect(statusAndBody(await client.post('cubbyhole/a', { b: 1 }, inTeam))).toEqual(noContent)
    expect((await client.get('team/cubbyhole/a')).body.data).toEqual({ b: 1 })
    expect(statusAndBody(await client.get('cubbyhole/a'))).toEqual(denied)
  })

  test('a mount moves from one namespace to another with its data', async () => {
    const { secrets } = await withTeam()
    await secrets.post('team/store/a', { b: 1 })
    const moved = await secrets.post('sys/remount', { from: 'team/store', to: 'team/inner/moved' })
    expect(moved.status).toBe(200)
    const status = await secrets.get(`sys/remount/status/${moved.body.data.migration_id}`)
    expect(status.body.data.migration_info).toEqual({
      source_mount: 'team/store/',
      target_mount: 'team/inner/moved/',
      status: 'success',
    })
    expect((await secrets.get('moved/a', inNamespace('team/inner'))).body.data).toEqual({ b: 1 })
    expect(statusAndBody(await secrets.get('store/a', inTeam))).toEqual(
      error(404, 'no handler for route "store/a". route entry not found.'),
    )
    expect((await secrets.delete('sys/namespaces/inner', inTeam)).body.data.status).toBe(
      'in-progress',
    )
    expect(statusAndBody(await secrets.get('team/inner/moved/a'))).toEqual(
      error(404, 'no handler for route "inner/moved/a". route entry not found.'),
    )
  })

  test('leases of a namespace are revoked by prefix in it alone', async () => {
    const { secrets, tokenIn } = await withTeam()
    const inside = await tokenIn('team', { policies: ['default'] })
    const outside = await tokenIn('', { policies: ['default'] })
    const path = 'sys/leases/revoke-prefix/auth/token'
    expect(statusAndBody(await secrets.post(path, {}, inTeam))).toEqual(noContent)
    const lookup = (token: string) => secrets.post('auth/token/lookup', { token })
    expect((await lookup(inside.client_token)).status).toBe(403)
    expect((await lookup(outside.client_token)).status).toBe(200)
  })
})
