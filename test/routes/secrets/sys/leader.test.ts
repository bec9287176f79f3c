import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'

describe('behaviour/secrets#leader: GET sys/leader', () => {
  // choice/secrets#leader-address
  test('the active node reports its addresses', async () => {
    const { secrets, world } = await servedSecrets()
    const headers = { host: 'secrets.test:4600' }
    const reply = await secrets.get('sys/leader', { token: null, headers })
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        ha_enabled: true,
        is_self: true,
        active_time: '2026-01-01T00:00:00Z',
        leader_address: 'http://secrets.test:4600',
        leader_cluster_address: 'https://secrets.test:4601',
        performance_standby: false,
        performance_standby_last_remote_wal: 0,
        last_wal: world.store.index('secrets'),
      },
    ])
  })

  // choice/secrets#leader-address
  test('a standby, on the usual port: `last_wal` is missing if it is 0', async () => {
    const { secrets, world } = await servedSecrets()
    world.transitions.get('secrets.node')?.force(world, 'self', 'standby', {})
    const reply = await secrets.get('sys/leader', { token: null, headers: { host: 'a.test' } })
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        ha_enabled: true,
        is_self: false,
        active_time: '0001-01-01T00:00:00Z',
        leader_address: 'http://a.test',
        leader_cluster_address: 'https://a.test:81',
        performance_standby: false,
        performance_standby_last_remote_wal: 0,
      },
    ])
  })

  // choice/secrets#standby-serves
  test('a standby serves requests itself, writes included', async () => {
    const { secrets, world } = await servedSecrets()
    world.transitions.get('secrets.node')?.force(world, 'self', 'standby', {})
    expect((await secrets.post('kv/a', { x: 1 })).status).toBe(204)
    expect((await secrets.get('kv/a')).body.data).toEqual({ x: 1 })
  })

  test('a sealed node answers 503', async () => {
    const { secrets } = await servedSecrets({ secrets: { sealed: true } })
    const reply = await secrets.get('sys/leader', { token: null })
    expect([reply.status, reply.body]).toEqual([503, { errors: ['Service is sealed'] }])
  })
})
