import { describe, expect, test } from 'vitest'
import { type MeshClient, mesh } from '../../../support/mesh/mesh.ts'

async function withLock(body: object, before: (client: MeshClient) => Promise<unknown>) {
  const started = await mesh()
  const { mesh: client } = started
  await before(client)
  const { body: created } = await client.put('session/create', body)
  expect((await client.put(`kv/lock?acquire=${created.ID}`, 'v')).text).toBe('true')
  const holder = async () => (await client.get('kv/lock')).body?.[0]?.Session
  return { ...started, id: created.ID, holder }
}

const service = (client: MeshClient) =>
  client.put('agent/service/register', { Name: 'web', Check: { TTL: '30s', Status: 'passing' } })

const named = { NodeChecks: [], ServiceChecks: [{ ID: 'service:web' }] }

describe('behaviour/mesh#sessions: sessions that depend on checks', () => {
  const ends: Readonly<Record<string, (client: MeshClient) => Promise<unknown>>> = {
    'turns critical': (client) => client.put('agent/check/fail/service:web'),
    'is removed': (client) => client.put('agent/check/deregister/service:web'),
    'goes with its service': (client) => client.put('agent/service/deregister/web'),
  }
  test.for(Object.entries(ends))('a session ends when its check %s', async ([, end]) => {
    const { mesh: client, id, holder } = await withLock(named, service)
    expect((await client.get(`session/info/${id}`)).body[0].ServiceChecks).toEqual([
      { ID: 'service:web', Namespace: '' },
    ])
    await client.put('agent/check/warn/service:web')
    await client.put('agent/maintenance?enable=true')
    expect(await holder()).toBe(id)
    const index = Number((await client.get('agent/self')).body.Stats.raft.applied_index)
    await end(client)
    expect(await holder()).toBeUndefined()
    expect((await client.get('session/list')).text).toBe('[]')
    // The session ends in the same write as the check.
    expect((await client.get('agent/self')).body.Stats.raft.applied_index).toBe(String(index + 1))
    expect((await client.get('kv/lock')).body[0]).toMatchObject({
      LockIndex: 1,
      ModifyIndex: index + 1,
    })
  })

  test('a TTL that runs out ends the session, and its lock is delayed', async () => {
    const {
      mesh: client,
      clock,
      holder,
    } = await withLock({ ...named, LockDelay: '10s', Behavior: 'delete' }, service)
    clock.advance(30_000)
    expect((await client.get('kv/lock')).status).toBe(404)
    const next = (await client.put('session/create', {})).body.ID
    expect((await client.put(`kv/lock?acquire=${next}`)).text).toBe('false')
    clock.advance(10_000)
    expect((await client.put(`kv/lock?acquire=${next}`)).text).toBe('true')
    expect(await holder()).toBe(next)
  })

  test('a session of an external node ends with the node', async () => {
    const node = { Node: 'n1', Address: 'a' }
    const { mesh: client, holder } = await withLock({ Node: 'n1', NodeChecks: [] }, (each) =>
      each.put('catalog/register', node),
    )
    await client.put('catalog/deregister', { Node: 'n1' })
    expect(await holder()).toBeUndefined()
  })

  test.for([
    [{ Node: 'n9' }, 'apply failed: Missing node registration'],
    [{ NodeChecks: ['x'] }, "apply failed: Missing check 'x' registration"],
    [named, "apply failed: Check 'service:web' is in critical state"],
    [{ Node: 'n1' }, "apply failed: Missing check 'serfHealth' registration"],
  ] as const)('the session %j is 500: %s', async ([body, expected]) => {
    const { mesh: client } = await mesh()
    await service(client)
    await client.put('catalog/register', { Node: 'n1', Address: 'a' })
    await client.put('agent/check/fail/service:web')
    const { status, text } = await client.put('session/create', body)
    expect([status, text]).toEqual([500, expected])
  })
})
