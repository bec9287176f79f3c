import { describe, expect, test } from 'vitest'
import { mesh } from '../../../support/mesh/mesh.ts'

describe.each([
  ['neutral', 'mesh'],
  ['vendor', 'consul'],
] as const)('behaviour/mesh#consistency: without a leader (%s)', (dialect, product) => {
  // choice/mesh#no-leader
  test('requests that need the leader are 500, writes and reads', async () => {
    const { mesh: client } = await mesh({ dialect, options: { noLeader: true } })
    for (const reply of [
      await client.put('kv/a', 'v'),
      await client.put('kv/a?stale', 'v'),
      await client.get('namespaces'),
      await client.get('catalog/nodes?consistent'),
      await client.get('health/service/web'),
      await client.put('catalog/register', { Node: 'n1', Address: 'a' }),
      await client.put('txn', [{ Node: { Verb: 'get', Node: { Node: 'n1' } } }]),
      await client.put('session/create', {}),
      await client.put('event/fire/a'),
    ]) {
      expect([reply.status, reply.text]).toEqual([500, 'No cluster leader'])
    }
  })

  // choice/mesh#no-leader
  test('stale reads, the agent and the status work and report the missing leader', async () => {
    const { mesh: client } = await mesh({ dialect, options: { noLeader: true } })
    const stale = await client.get('namespaces?stale')
    expect([stale.status, stale.headers[`x-${product}-knownleader`]]).toEqual([200, 'false'])
    expect((await client.get('status/leader')).text).toBe('""')
    const check = { TTL: '1m', Status: 'passing' }
    await client.put('agent/service/register', { Name: 'web', Check: check })
    expect((await client.put('agent/check/warn/service:web')).status).toBe(200)
    expect((await client.get('health/service/web?stale')).body).toHaveLength(1)
    expect((await client.get('event/list')).status).toBe(200)
    const { Stats } = (await client.get('agent/self')).body
    expect(Stats[product]).toMatchObject({ leader: 'false', leader_addr: '' })
    expect(Stats.raft).toMatchObject({ last_contact: 'never', state: 'Follower' })
  })
})
