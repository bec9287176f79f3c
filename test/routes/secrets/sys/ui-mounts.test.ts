import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets.ts'

const refusedAt = (path: string) => [
  403,
  {
    errors: [
      `preflight capability check returned 403, please ensure client's policies grant access to path "${path}"`,
    ],
  },
]

/** A server and a caller whose policy grants something below `secret/team/` only. */
async function member() {
  const { secrets, as } = await servedSecrets()
  const policy = 'path "secret/data/team/*" { capabilities = ["read"] }'
  await secrets.post('sys/policies/acl/team', { policy })
  const made = await secrets.post('auth/token/create', {
    policies: ['team'],
    no_default_policy: true,
  })
  return { secrets, caller: as(made.body.auth.client_token) }
}

describe('1-secrets-decisions.md section 3: CLI preflight', () => {
  test.each(['secret', 'secret/', 'secret/data/a/b'])('the mount at %s', async (path) => {
    const { secrets } = await servedSecrets()
    const mount = (await secrets.get('sys/mounts/secret')).body.data
    const reply = await secrets.get(`sys/internal/ui/mounts/${path}`)
    expect([reply.status, reply.body.data]).toEqual([200, { ...mount, path: 'secret/' }])
    expect(Object.keys(reply.body)).toHaveLength(8)
  })

  test('nothing mounted', async () => {
    const { secrets } = await servedSecrets()
    const reply = await secrets.get('sys/internal/ui/mounts/no/such')
    expect([reply.status, reply.body]).toEqual(refusedAt('no/such/'))
  })

  test('a caller sees the mounts under which it may do something', async () => {
    const { caller } = await member()
    expect((await caller.get('sys/internal/ui/mounts/secret/team/x')).body.data.options).toEqual({
      version: '2',
    })
    const other = await caller.get('sys/internal/ui/mounts/kv/a')
    expect([other.status, other.body]).toEqual(refusedAt('kv/a/'))
  })

  test('the list holds what the caller may reach', async () => {
    const { secrets, caller } = await member()
    const seen = (await caller.get('sys/internal/ui/mounts')).body.data
    expect(Object.keys(seen.secret)).toEqual(['secret/'])
    expect(seen.auth).toEqual({})
    const all = (await secrets.get('sys/internal/ui/mounts')).body.data
    expect(all.secret).toEqual((await secrets.get('sys/mounts')).body.data)
    expect(all.auth).toEqual((await secrets.get('sys/auth')).body.data)
  })

  test('a token is needed', async () => {
    const { secrets } = await servedSecrets()
    const reply = await secrets.get('sys/internal/ui/mounts/secret', { token: null })
    expect([reply.status, reply.body]).toEqual([403, { errors: ['permission denied'] }])
  })
})
