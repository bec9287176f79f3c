import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { addNamespace } from '../namespace-rows.ts'

const refusedAt = (path: string) => [
  403,
  {
    errors: [
      `preflight capability check returned 403, please ensure client's policies grant access to path "${path}"`,
    ],
  },
]

/** Starts a server and a caller whose policy only grants access below `secret/team/`. */
async function member() {
  const { secrets, as } = await servedSecrets()
  const policy = 'path "secret/data/team/*" { capabilities = ["read"] }'
  await secrets.post('sys/policies/acl/team', { policy })
  const created = await secrets.post('auth/token/create', {
    policies: ['team'],
    no_default_policy: true,
  })
  return { secrets, caller: as(created.body.auth.client_token) }
}

describe('behaviour/secrets#preflight: CLI preflight', () => {
  test.each(['secret', 'secret/', 'secret/data/a/b'])('the mount at %s', async (path) => {
    const { secrets } = await servedSecrets()
    const mount = (await secrets.get('sys/mounts/secret')).body.data
    const reply = await secrets.get(`sys/internal/ui/mounts/${path}`)
    expect([reply.status, reply.body.data]).toEqual([200, { ...mount, path: 'secret/' }])
    expect(Object.keys(reply.body)).toHaveLength(8)
  })

  test.each(['auth/cloud', 'auth/cloud/login/dev'])('the login method at %s', async (path) => {
    const { secrets } = await servedSecrets()
    const method = (await secrets.get('sys/auth/cloud')).body.data
    const reply = await secrets.get(`sys/internal/ui/mounts/${path}`)
    expect([reply.status, reply.body.data]).toEqual([200, { ...method, path: 'cloud/' }])
  })

  test('a path without a mount is 403', async () => {
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

  test('the list has the mounts that the caller may reach', async () => {
    const { secrets, caller } = await member()
    const seen = (await caller.get('sys/internal/ui/mounts')).body.data
    expect(Object.keys(seen.secret)).toEqual(['secret/'])
    expect(seen.auth).toEqual({})
    const all = (await secrets.get('sys/internal/ui/mounts')).body.data
    expect(all.secret).toEqual((await secrets.get('sys/mounts')).body.data)
    expect(all.auth).toEqual((await secrets.get('sys/auth')).body.data)
  })

  test.each(['neutral', 'vendor'] as const)(
    '%s: without a token the list has the mounts that are visible to everyone',
    async (dialect) => {
      const { secrets } = await servedSecrets({ dialect })
      const list = async (token: string | null) => {
        const { status, body } = await secrets.get('sys/internal/ui/mounts', { token })
        return [status, body.data ?? body]
      }
      expect(await list(null)).toEqual([200, { auth: {}, secret: {} }])
      const orch = dialect === 'vendor' ? 'kubernetes' : 'orch'
      await secrets.post('sys/mounts/shown', { type: orch, description: 'd' })
      await secrets.post('sys/mounts/shown/tune', { listing_visibility: 'unauth' })
      await secrets.post('sys/auth/cloud/tune', { listing_visibility: 'unauth' })
      const cloud = dialect === 'vendor' ? 'oci/' : 'cloud/'
      await secrets.post(`sys/auth/${cloud}tune`, { listing_visibility: 'unauth' })
      expect(await list(null)).toEqual([
        200,
        {
          auth: { [cloud]: { type: cloud.slice(0, -1), description: '', options: {} } },
          secret: { 'shown/': { type: orch, description: 'd', options: {} } },
        },
      ])
      expect(await list('unknown')).toEqual([403, { errors: ['permission denied'] }])
    },
  )

  test('a token also sees those without spending a use', async () => {
    const { secrets, as } = await servedSecrets()
    await secrets.post('sys/mounts/kv/tune', { listing_visibility: 'unauth' })
    const fields = { policies: ['none'], no_default_policy: true, num_uses: 1 }
    const created = await secrets.post('auth/token/create', fields)
    const caller = as(created.body.auth.client_token)
    for (let n = 0; n < 2; n++) {
      const { status, body } = await caller.get('sys/internal/ui/mounts')
      expect([status, Object.keys(body.data.secret)]).toEqual([200, ['kv/']])
    }
  })

  test('a namespace in the path is one as in any path', async () => {
    const { secrets, world } = await servedSecrets()
    addNamespace(world, 'ns1/')
    await secrets.post('ns1/sys/mounts/kk', { type: 'kv' })
    const pathAt = async (path: string, headers = {}) => {
      const { status, body } = await secrets.get(path, { headers })
      return [status, body.data?.path]
    }
    expect(await pathAt('sys/internal/ui/mounts/ns1/kk/a')).toEqual([200, 'ns1/kk/'])
    expect(await pathAt('ns1/sys/internal/ui/mounts/kk/a')).toEqual([200, 'kk/'])
    const headers = { 'x-secrets-namespace': 'ns1' }
    expect(await pathAt('sys/internal/ui/mounts/kk/a', headers)).toEqual([200, 'kk/'])
    const none = await secrets.get('sys/internal/ui/mounts/ns1/no')
    expect([none.status, none.body]).toEqual(refusedAt('ns1/no/'))
  })

  test('a token is needed', async () => {
    const { secrets } = await servedSecrets()
    const reply = await secrets.get('sys/internal/ui/mounts/secret', { token: null })
    expect([reply.status, reply.body]).toEqual([403, { errors: ['permission denied'] }])
  })
})
