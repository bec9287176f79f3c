import { describe, expect, test } from 'vitest'
import { unsealKeys } from '../../../../state/secrets/seal/seal.ts'
import { secretsInfo } from '../../../../state/secrets/service.ts'
import { servedSecrets } from '../../../support/secrets/secrets.ts'

const developmentServer = () => servedSecrets({ secrets: { start: 'dev' } })

describe('behaviour/secrets#start-state: option `start` at `dev`', () => {
  test('has the mounts of a development server', async () => {
    const { secrets } = await developmentServer()
    const mounts = (await secrets.get('sys/mounts')).body.data
    expect(Object.keys(mounts)).toEqual(['cubbyhole/', 'identity/', 'secret/', 'sys/'])
    expect(mounts['secret/']).toMatchObject({
      type: 'kv',
      description: 'key/value secret storage',
      options: { version: '2' },
    })
    expect(Object.keys((await secrets.get('sys/auth')).body.data)).toEqual(['token/'])
    expect((await secrets.get('kv/a')).status).toBe(404)
  })

  test('has one key share, which unseals it', async () => {
    const { secrets, world } = await developmentServer()
    const status = { t: 1, n: 1, type: 'shamir', storage_type: 'inmem' }
    expect((await secrets.get('sys/seal-status')).body).toMatchObject({ sealed: false, ...status })
    const [key] = unsealKeys(world).keys
    await secrets.put('sys/seal', {})
    expect((await secrets.get('sys/seal-status')).body).toMatchObject({ sealed: true, ...status })
    expect((await secrets.put('sys/unseal', { key })).body).toMatchObject({ sealed: false })
    const base64 = Buffer.from(key ?? '', 'hex').toString('base64')
    await secrets.put('sys/seal', {})
    expect((await secrets.put('sys/unseal', { key: base64 })).body.sealed).toBe(false)
  })

  test('has a root token that the call for creating tokens created', async () => {
    const { secrets } = await developmentServer()
    const { data } = (await secrets.get('auth/token/lookup-self')).body
    expect(data).toMatchObject({
      path: 'auth/token/create',
      display_name: 'token',
      policies: ['root'],
      issue_time: '2026-01-01T00:00:00Z',
      renewable: false,
      creation_ttl: 0,
      meta: null,
      orphan: true,
    })
    const renewed = await secrets.post('auth/token/renew-self', {})
    expect([renewed.status, renewed.body]).toEqual([400, { errors: ['lease is not renewable'] }])
  })

  test('has a random root token of its initialization, if the options name none', async () => {
    const options = { start: 'dev', randomRootToken: true } as const
    const { world, as } = await servedSecrets({ secrets: options, dialect: 'vendor' })
    const { token } = secretsInfo(world)
    expect(token).toMatch(/^hvs\.[0-9A-Za-z]{24}$/)
    const client = as(token)
    const { data } = (await client.get('auth/token/lookup-self')).body
    expect(data).toMatchObject({
      id: token,
      path: 'auth/token/root',
      display_name: 'root',
      policies: ['root'],
    })
    const renewed = await client.post('auth/token/renew-self', {})
    expect([renewed.status, renewed.body]).toEqual([400, { errors: ['invalid lease ID'] }])
    expect((await as('root').get('auth/token/lookup-self')).status).toBe(403)
  })

  test('has no other nodes', async () => {
    const { secrets, world } = await developmentServer()
    const reply = await secrets.get('sys/leader', { token: null })
    expect(reply.body).toEqual({
      ha_enabled: false,
      is_self: false,
      active_time: '0001-01-01T00:00:00Z',
      leader_address: '',
      leader_cluster_address: '',
      performance_standby: false,
      performance_standby_last_remote_wal: 0,
      last_wal: world.store.index('secrets'),
    })
    const [node] = world.transitions.get('secrets.node')?.items(world) ?? []
    expect(node?.to).toEqual(['active', 'sealed', 'uninitialized'])
    const { nodes } = (await secrets.get('sys/ha-status')).body.data
    expect(nodes).toMatchObject([{ active_node: true, last_echo: null }])
    expect((await secrets.put('sys/step-down', {})).status).toBe(204)
    expect((await secrets.get('sys/health')).status).toBe(200)
  })
})
