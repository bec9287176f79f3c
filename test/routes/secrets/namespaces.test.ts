import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../support/secrets/secrets.ts'
import { addNamespace } from './namespace-rows.ts'
import { error, noContent, ok, statusAndBody } from './replies.ts'

const inNamespace = (name: string) => ({ headers: { 'x-secrets-namespace': name } })

/**
 * Starts a server with the namespaces `team/` and `team/inner/`, each with a key-value engine
 * `store/`.
 */
async function withNamespaces() {
  const server = await servedSecrets()
  for (const path of ['team/', 'team/inner/']) {
    addNamespace(server.world, path)
    const mounted = await server.secrets.post('sys/mounts/store', { type: 'kv' }, inNamespace(path))
    expect(statusAndBody(mounted)).toEqual(noContent)
  }
  return server
}

describe('behaviour/secrets#api-namespaces: header and path', () => {
  test.each([
    ['team/inner', 'store/a'],
    ['team/inner/', 'store/a'],
    ['/team/inner', 'store/a'],
    ['/team/inner/', 'store/a'],
    ['team', 'inner/store/a'],
    ['team/', 'inner/store/a'],
    ['', 'team/inner/store/a'],
    ['/', 'team/inner/store/a'],
    ['root', 'team/inner/store/a'],
    ['root/', 'team/inner/store/a'],
  ])('%j and %s are team/inner/store/a', async (name, path) => {
    const { secrets } = await withNamespaces()
    await secrets.post('store/a', { of: 'inner' }, inNamespace('team/inner'))
    await secrets.post('store/a', { of: 'team' }, inNamespace('team'))
    const options = inNamespace(name)

    const read = await secrets.get(path, options)
    expect(statusAndBody(read)).toEqual(ok({ data: { of: 'inner' }, lease_duration: 2_764_800 }))
    expect(statusAndBody(await secrets.list(path.slice(0, -2), options))).toEqual(
      ok({ data: { keys: ['a'] } }),
    )
    expect(statusAndBody(await secrets.post(path, { of: 'changed' }, options))).toEqual(noContent)
    expect((await secrets.get('team/inner/store/a')).body.data).toEqual({ of: 'changed' })
    expect(statusAndBody(await secrets.delete(path, options))).toEqual(noContent)
    expect(statusAndBody(await secrets.get('team/inner/store/a'))).toEqual(error(404))
    expect((await secrets.get('team/store/a')).body.data).toEqual({ of: 'team' })
  })

  test('the namespace can be named in the path instead of the header', async () => {
    const { secrets } = await withNamespaces()
    await secrets.post('team/store/a', { of: 'team' })
    expect((await secrets.get('team/store/a')).body.data).toEqual({ of: 'team' })
    expect((await secrets.get('store/a', inNamespace('team'))).body.data).toEqual({ of: 'team' })
  })

  test('the vendor’s spelling of the header names the namespace', async () => {
    const { secrets } = await withNamespaces()
    await secrets.post('team/store/a', { of: 'team' })
    const headers = { 'x-vault-namespace': 'team' }
    expect((await secrets.get('store/a', { headers })).body.data).toEqual({ of: 'team' })
  })

  test('the ACL sees the path from the root', async () => {
    const { secrets, as } = await withNamespaces()
    await secrets.post('team/store/a', { of: 'team' })
    const policy = 'path "team/store/*" { capabilities = ["read"] }'
    await secrets.post('sys/policies/acl/reads', { policy })
    const created = await secrets.post('auth/token/create', { policies: ['reads'] })
    const client = as(created.body.auth.client_token)
    expect((await client.get('store/a', inNamespace('team'))).body.data).toEqual({ of: 'team' })
    expect((await client.get('team/store/a')).status).toBe(200)
    expect((await client.get('store/a', inNamespace('team/inner'))).status).toBe(403)
  })

  test('mounts, policies and data of a namespace are its own', async () => {
    const { secrets } = await withNamespaces()
    const mounts = await secrets.get('sys/mounts', inNamespace('team'))
    expect(Object.keys(mounts.body.data)).toEqual(['cubbyhole/', 'identity/', 'store/', 'sys/'])
    expect((await secrets.get('sys/mounts')).body.data).not.toHaveProperty('store/')
    const policy = 'path "a" { policy = "read" }'
    await secrets.post('sys/policies/acl/own', { policy }, inNamespace('team'))
    expect(statusAndBody(await secrets.get('sys/policies/acl/own'))).toEqual(error(404))
    expect(statusAndBody(await secrets.get('sys/policies/acl/own', inNamespace('team')))).toEqual(
      ok({ data: { name: 'own', policy } }),
    )
  })
})

describe('behaviour/secrets#namespace-header: unknown ones', () => {
  test.each(['nowhere', 'tea', 'teams', 'team/nowhere', 'inner', 'team/inner/more', 'Team'])(
    '%s is 404',
    async (name) => {
      const { secrets } = await withNamespaces()
      const options = inNamespace(name)
      const wanted = error(404, 'namespace not found')
      expect(statusAndBody(await secrets.get('store/a', options))).toEqual(wanted)
      expect(statusAndBody(await secrets.get('store/a', { ...options, token: null }))).toEqual(
        wanted,
      )
      expect(statusAndBody(await secrets.post('auth/token/create', {}, options))).toEqual(wanted)
    },
  )

  test('an unknown namespace in a path is an unknown mount', async () => {
    const { secrets } = await withNamespaces()
    expect(statusAndBody(await secrets.get('nowhere/store/a'))).toEqual(
      error(404, 'no handler for route "nowhere/store/a". route entry not found.'),
    )
  })
})

describe('behaviour/secrets#namespace-header: operations on the whole cluster', () => {
  const calls = [
    ['GET', 'sys/health'],
    ['GET', 'sys/init'],
    ['POST', 'sys/init'],
    ['POST', 'sys/unseal'],
    ['POST', 'sys/seal'],
  ] as const
  const unavailable = error(400, 'operation unavailable in namespaces')

  test.each(calls)('%s %s is unavailable', async (method, path) => {
    const { secrets } = await withNamespaces()
    for (const token of ['root', null]) {
      const request = { method, token, ...(method === 'POST' ? { payload: '{}' } : {}) }
      expect(
        statusAndBody(await secrets.request({ ...request, path, ...inNamespace('team') })),
      ).toEqual(unavailable)
      expect(statusAndBody(await secrets.request({ ...request, path: `team/${path}` }))).toEqual(
        unavailable,
      )
    }
    expect((await secrets.get('sys/seal-status')).body.sealed).toBe(false)
  })

  test.each(calls)('%s %s is, whether the namespace exists or not', async (method, path) => {
    const { secrets } = await withNamespaces()
    const request = { method, path, ...(method === 'POST' ? { payload: '{}' } : {}) }
    expect(statusAndBody(await secrets.request({ ...request, ...inNamespace('nowhere') }))).toEqual(
      unavailable,
    )
  })

  test.each(['root', '/', ''])('the root namespace as %j needs no feature', async (name) => {
    const { secrets } = await withNamespaces()
    expect((await secrets.get('sys/health', inNamespace(name))).status).toBe(200)
    expect(statusAndBody(await secrets.post('sys/seal', {}, inNamespace(name)))).toEqual(noContent)
  })
})
