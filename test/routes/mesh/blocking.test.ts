import { describe, expect, test } from 'vitest'
import { blockingReader, drainEventLoop } from '../../support/blocked-reads.ts'
import { mesh } from '../../support/mesh/mesh.ts'

const waiting = blockingReader('x-mesh-index')

const noJitter = { options: { waitJitter: false } }
const builtin = {
  Name: 'default',
  Description: 'Builtin Default Namespace',
  CreateIndex: 6,
  ModifyIndex: 6,
}

describe('blocking queries (behaviour/mesh#reads)', () => {
  test.for([
    'namespaces',
    'namespaces?index=0&wait=1m',
    'namespaces?index=5',
    'namespaces?wait=10m',
    'namespace/default?index=0',
    'namespace/absent?wait=1m',
  ])('%s does not wait', async (path) => {
    const { mesh: client } = await mesh()
    expect((await waiting(client, path)).state).not.toBe('waits')
  })

  test('a read of one namespace wakes for its creation, update, mark and removal only', async () => {
    const { mesh: client, clock } = await mesh(noJitter)
    const other = () => client.put('namespace', { Name: 'other' })
    const namespace = { Name: 'x', CreateIndex: 7 }

    const created = await waiting(client, 'namespace/X?index=6')
    await client.put('namespace', { Name: 'x' })
    await drainEventLoop()
    expect(created.state).toEqual([200, '7', { ...namespace, ModifyIndex: 7 }])

    const updated = await waiting(client, 'namespace/x?index=7')
    await other()
    await client.put('namespace/default', {})
    await drainEventLoop()
    expect(updated.state).toBe('waits')
    await client.put('namespace/x', {})
    await drainEventLoop()
    expect(updated.state).toEqual([200, '10', { ...namespace, ModifyIndex: 10 }])

    const marked = await waiting(client, 'namespace/x?index=10')
    await other()
    await client.delete('namespace/x')
    await drainEventLoop()
    const DeletedAt = '2026-01-01T00:00:00Z'
    expect(marked.state).toEqual([200, '12', { ...namespace, DeletedAt, ModifyIndex: 12 }])

    const removed = await waiting(client, 'namespace/x?index=12')
    await other()
    await drainEventLoop()
    expect(removed.state).toBe('waits')
    clock.advance(500)
    await drainEventLoop()
    expect(removed.state).toEqual([404, '14', 'Namespace "x" does not exist'])
  })

  test('a read with an index in the past answers at once', async () => {
    const { mesh: client } = await mesh(noJitter)
    await client.put('namespace', { Name: 'other' })
    expect((await waiting(client, 'namespace/default?index=6')).state).toEqual([200, '7', builtin])
  })

  test('the list wakes for any namespace and for nothing else', async () => {
    const { mesh: client } = await mesh(noJitter)
    const list = await waiting(client, 'namespaces?index=6')
    await client.put('kv/a', 'value')
    await drainEventLoop()
    expect(list.state).toBe('waits')
    await client.put('namespace', { Name: 'x' })
    await drainEventLoop()
    expect(list.state).toEqual([200, '8', [builtin, { Name: 'x', CreateIndex: 8, ModifyIndex: 8 }]])
  })

  test('an index in the future waits like any other', async () => {
    const { mesh: client } = await mesh(noJitter)
    const list = await waiting(client, 'namespaces?index=7')
    await client.put('namespace', { Name: 'x' })
    await drainEventLoop()
    expect(list.state).toBe('waits')
    await client.put('namespace', { Name: 'x' })
    await drainEventLoop()
    expect(list.state).toMatchObject([200, '8', [builtin, { ModifyIndex: 8 }]])
  })

  // choice/mesh#blocked-read-answers-its-moment
  test('a reply shows the write that woke it, not later ones', async () => {
    const { mesh: client } = await mesh(noJitter)
    const read = await waiting(client, 'namespace/x?index=6')
    await Promise.all([
      client.put('namespace/x', { Description: 'first' }),
      client.put('namespace/x', { Description: 'second' }),
    ])
    await drainEventLoop()
    expect(read.state).toEqual([
      200,
      '7',
      { Name: 'x', Description: 'first', CreateIndex: 7, ModifyIndex: 7 },
    ])
  })

  test.for([
    ['', 300_000],
    ['&wait=10s', 10_000],
    ['&wait=300ms', 300],
    ['&wait=2h', 600_000],
    ['&wait=0', 300_000],
    ['&wait=-1s', 300_000],
  ] as const)(
    'index=6%s waits %i ms of a frozen clock, then returns the initial state',
    async ([query, milliseconds]) => {
      const { mesh: client, clock } = await mesh(noJitter)
      const list = await waiting(client, `namespaces?index=6${query}`)
      const absent = await waiting(client, `namespace/absent?index=6${query}`)
      clock.advance(milliseconds - 1)
      await drainEventLoop()
      expect([list.state, absent.state]).toEqual(['waits', 'waits'])
      clock.advance(1)
      await drainEventLoop()
      expect(list.state).toEqual([200, '6', [builtin]])
      expect(absent.state).toEqual([404, '6', 'Namespace "absent" does not exist'])
    },
  )

  test('a wait that times out during an advance shows the state of that instant', async () => {
    const { mesh: client, clock } = await mesh(noJitter)
    await client.put('namespace', { Name: 'x' })
    await client.delete('namespace/x')
    const early = await waiting(client, 'namespace/x?index=8&wait=499ms')
    const late = await waiting(client, 'namespace/x?index=8&wait=501ms')
    clock.advance(10_000)
    await drainEventLoop()
    expect(early.state).toMatchObject([200, '8', { Name: 'x' }])
    expect(late.state).toEqual([404, '9', 'Namespace "x" does not exist'])
  })

  test('a wait is extended by up to a sixteenth unless the option waitJitter is off', async () => {
    const { mesh: client, clock } = await mesh()
    const reads = await Promise.all(
      Array.from({ length: 40 }, () => waiting(client, 'namespaces?index=6&wait=16s')),
    )
    const answered = () => reads.filter(({ state }) => state !== 'waits').length
    clock.advance(15_999)
    await drainEventLoop()
    expect(answered()).toBe(0)
    clock.advance(500)
    await drainEventLoop()
    expect(answered()).toBeGreaterThan(5)
    expect(answered()).toBeLessThan(35)
    clock.advance(501)
    await drainEventLoop()
    expect(answered()).toBe(40)
  })

  test('a client that disconnects ends only its own wait', async () => {
    const { mesh: client } = await mesh(noJitter)
    const errors: unknown[] = []
    const controller = new AbortController()
    const missing = client
      .get('namespaces?index=6', { signal: controller.signal })
      .catch((error: unknown) => errors.push(error))
    const stays = await waiting(client, 'namespaces?index=6')
    controller.abort()
    await missing
    expect(errors).toHaveLength(1)
    await client.put('namespace', { Name: 'x' })
    await drainEventLoop()
    expect(stays.state).toMatchObject([200, '7', [builtin, { Name: 'x' }]])
    expect((await client.get('namespaces')).body).toHaveLength(2)
  })

  // choice/mesh#blocked-read-of-denied
  test('a wait ends when the caller loses access', async () => {
    const { manager, as } = await mesh({
      options: { waitJitter: false, aclEnabled: true, defaultPolicy: 'deny' },
    })
    await manager.put('acl/policy', { Name: 'readers', Rules: 'operator = "read"' })
    const { body } = await manager.put('acl/token', { Policies: [{ Name: 'readers' }] })
    const read = await waiting(as(body.SecretID), 'namespaces?index=6')
    await manager.delete(`acl/token/${body.AccessorID}`)
    await drainEventLoop()
    expect(read.state).toBe('waits')
    await manager.put('namespace', { Name: 'x' })
    await drainEventLoop()
    expect(read.state).toEqual([403, undefined, 'ACL not found'])
  })

  // choice/mesh#blocked-reads-and-restores
  test('a reset and the end of a world release blocked readers (behaviour/program#worlds)', async () => {
    const { mesh: client, world, worlds } = await mesh(noJitter)
    await client.put('namespace', { Name: 'x' })
    const reset = await waiting(client, 'namespace/x?index=7')
    world.reset()
    await drainEventLoop()
    expect(reset.state).toEqual([404, '6', 'Namespace "x" does not exist'])

    const before = world.snapshot()
    await client.put('namespace', { Name: 'x' })
    const restored = await waiting(client, 'namespace/x?index=7')
    world.restore(before)
    await drainEventLoop()
    expect(restored.state).toEqual([404, '6', 'Namespace "x" does not exist'])

    worlds.create({ id: 'other' })
    const ended = await waiting(client, '/_world/other/v1/namespaces?index=6')
    worlds.delete('other')
    await drainEventLoop()
    expect(ended.state).toEqual([200, '6', [builtin]])
  })

  test('a running clock ends a wait', async () => {
    const { mesh: client } = await mesh({
      ...noJitter,
      clock: { mode: 'scaled', rate: 1000 },
    })
    const reply = await client.get('namespaces?index=6&wait=10s')
    expect([reply.status, reply.headers['x-mesh-index']]).toEqual([200, '6'])
  })
})
