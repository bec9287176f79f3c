import { describe, expect, test } from 'vitest'
import { TransitionControl } from '../../../../routes/control/clock/transition-control.ts'
import { controlTools } from '../../../../routes/control/state/seeding.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { mesh } from '../../../support/mesh/mesh.ts'

function transitions(world: World): TransitionControl {
  return new TransitionControl(world, controlTools())
}

const missing = (name: string) => [404, `Namespace "${name}" does not exist`]

describe('deletion in the background (behaviour/mesh#removal)', () => {
  test('removes the data kind by kind, raising the index each time, then the namespace', async () => {
    const { manager, world, clock } = await mesh({ options: { aclEnabled: true } })
    const inside = { query: { ns: 'x' } }
    await manager.put('namespace', { Name: 'x' })
    await manager.put('kv/a', '1', inside)
    await manager.put('kv/b', '2', inside)
    await manager.put('acl/policy', { Name: 'p', Rules: '' }, inside)
    await manager.put('acl/role', { Name: 'r' }, inside)
    const token = await manager.put('acl/token', {}, inside)
    const before = world.store.index('mesh')
    await manager.delete('namespace/x')

    clock.advance(499)
    expect((await manager.get('kv/a?raw', inside)).text).toBe('1')
    expect((await manager.get('namespace/x')).status).toBe(200)
    const fired = world.advance(1)

    // Keys, tokens, roles, policies, and the namespace itself.
    expect(fired).toHaveLength(5)
    expect(new Set(fired.map(({ kind, id }) => `${kind} ${id}`))).toEqual(
      new Set(['mesh.namespace x']),
    )
    expect(world.store.index('mesh')).toBe(before + 1 + 5)
    const read = await manager.get('namespace/x')
    expect([read.status, read.text]).toEqual(missing('x'))
    expect(read.headers['x-mesh-index']).toBe(String(before + 6))
    const data = await manager.get('kv/a', inside)
    expect([data.status, data.text]).toEqual([500, 'Namespace "x" does not exist'])
    const late = await manager.get('namespaces', { token: token.body.SecretID })
    expect([late.status, late.text]).toEqual([403, 'ACL not found'])
  })

  test('a recreated namespace is empty and has a new CreateIndex', async () => {
    const { mesh: client, clock } = await mesh()
    await client.put('namespace', { Name: 'X', Meta: { a: 'b' } })
    await client.put('kv/a', '1', { query: { ns: 'x' } })
    await client.delete('namespace/x')
    clock.advance(500)
    expect((await client.put('namespace', { Name: 'x' })).body).toEqual({
      Name: 'x',
      CreateIndex: 12,
      ModifyIndex: 12,
    })
    expect((await client.get('kv/?keys', { query: { ns: 'x' } })).status).toBe(200)
    expect((await client.get('kv/a', { query: { ns: 'x' } })).status).toBe(404)
  })

  test('namespaces with the same prefix keep their data', async () => {
    const { mesh: client, clock } = await mesh()
    for (const Name of ['team', 'team-1']) {
      await client.put('namespace', { Name })
      await client.put('kv/a', Name, { query: { ns: Name } })
    }
    await client.delete('namespace/team')
    clock.advance(500)
    expect((await client.get('kv/a?raw&ns=team-1')).text).toBe('team-1')
  })

  test('a marked namespace is read-only', async () => {
    const { mesh: client } = await mesh()
    await client.put('namespace', { Name: 'x' })
    await client.put('kv/a', '1', { query: { ns: 'x' } })
    await client.delete('namespace/x')
    for (const reply of [
      await client.put('kv/a?ns=x', '2'),
      await client.put('kv/new?ns=x', '2'),
      await client.put('kv/a?ns=x&cas=99', '2'),
      await client.delete('kv/a?ns=x'),
      await client.delete('kv/?recurse&ns=x'),
    ]) {
      expect([reply.status, reply.text]).toEqual([
        500,
        'Namespace "x" is marked for deletion and cannot be modified',
      ])
    }
    expect((await client.get('kv/a?raw&ns=x')).text).toBe('1')
  })

  test.for([
    ['0', 0],
    ['0s', 0],
    ['500ms', 500],
    ['1h30m', 5_400_000],
  ] as const)('namespaceRemovalDelay %s is %i ms', async ([namespaceRemovalDelay, delay]) => {
    const { mesh: client, clock } = await mesh({ options: { namespaceRemovalDelay } })
    await client.put('namespace', { Name: 'x' })
    await client.delete('namespace/x')
    if (delay > 0) {
      clock.advance(delay - 1)
      expect((await client.get('namespace/x')).status).toBe(200)
      clock.advance(1)
    }
    expect((await client.get('namespace/x')).status).toBe(404)
  })

  test('a running clock removes namespaces', async () => {
    const { mesh: client } = await mesh({ clock: { mode: 'scaled', rate: 1000 } })
    await client.put('namespace', { Name: 'x' })
    await client.delete('namespace/x')
    const { headers } = await client.get('namespace/x')
    const removed = await client.get(`namespace/x?index=${headers['x-mesh-index']}`)
    expect([removed.status, removed.text]).toEqual(missing('x'))
  })

  test('snapshots preserve a pending removal (behaviour/program#worlds)', async () => {
    const { mesh: client, worlds } = await mesh()
    await client.put('namespace', { Name: 'x' })
    await client.delete('namespace/x')
    const fork = worlds.create({ id: 'fork', from: 'default' })
    fork.advance(500)
    expect((await client.get('/_world/fork/v1/namespace/x')).status).toBe(404)
    expect((await client.get('namespace/x')).status).toBe(200)
  })
})

describe('transitions of kind mesh.namespace (behaviour/program#control-plane)', () => {
  test('lists namespaces, their states and possible transitions', async () => {
    const { mesh: client, world } = await mesh()
    for (const Name of ['B', 'a', 'c']) await client.put('namespace', { Name })
    await client.delete('namespace/b')
    await client.delete('namespace/c')
    const control = transitions(world)
    expect(control.push('mesh.namespace', 'c', 'held')).toEqual({
      id: 'c',
      state: 'held',
      to: ['removed'],
    })
    expect(control.list().filter(({ kind }) => kind === 'mesh.namespace')).toEqual([
      {
        kind: 'mesh.namespace',
        summary:
          'Namespaces marked for deletion; unless a pace is set, namespaceRemovalDelay says when.',
        targets: ['held', 'removed'],
        pace: { after: '500ms' },
        items: [
          { id: 'B', state: 'removing', to: ['held', 'removed'] },
          { id: 'a', state: 'active', to: [] },
          { id: 'c', state: 'held', to: ['removed'] },
          { id: 'default', state: 'active', to: [] },
        ],
      },
    ])
  })

  // choice/mesh#removal-by-hand
  test('held stops the removal until removed runs it step by step', async () => {
    const { mesh: client, world, clock } = await mesh()
    await client.put('namespace', { Name: 'x' })
    await client.put('kv/a', '1', { query: { ns: 'x' } })
    await client.delete('namespace/x')
    const control = transitions(world)
    control.push('mesh.namespace', 'X', 'held')
    clock.advance(3_600_000)
    expect((await client.get('kv/a?raw&ns=x')).text).toBe('1')
    const repeated = await client.delete('namespace/x')
    expect(repeated.status).toBe(200)
    clock.advance(3_600_000)
    expect((await client.get('namespace/x')).status).toBe(200)

    const index = world.store.index('mesh')
    expect(control.push('mesh.namespace', 'x', 'removed')).toBeUndefined()
    expect(world.store.index('mesh')).toBe(index + 2)
    expect((await client.get('namespace/x')).status).toBe(404)
  })

  // choice/mesh#removal-by-hand
  test('removed does not wait for the schedule', async () => {
    const { mesh: client, world, clock } = await mesh()
    await client.put('namespace', { Name: 'x' })
    await client.delete('namespace/x')
    transitions(world).push('mesh.namespace', 'x', 'removed')
    expect((await client.get('namespace/x')).status).toBe(404)
    await client.put('namespace', { Name: 'x' })
    clock.advance(1000)
    expect((await client.get('namespace/x')).status).toBe(200)
  })

  test.for([
    ['default', 'removed', 'a namespace that is active cannot become removed'],
    ['x', 'held', 'a namespace that is active cannot become held'],
    ['held', 'held', 'a namespace that is held cannot become held'],
    ['none', 'removed', 'there is no namespace "none"'],
  ] as const)('%s cannot be forced to %s', async ([id, to, message]) => {
    const { mesh: client, world } = await mesh({ options: { namespaceRemovalDelay: 'manual' } })
    await client.put('namespace', { Name: 'x' })
    await client.put('namespace', { Name: 'held' })
    await client.delete('namespace/held')
    expect(() => transitions(world).push('mesh.namespace', id, to)).toThrow(message)
  })

  // choice/mesh#removal-by-hand
  test('a configured timing takes precedence over the option', async () => {
    const { mesh: client, world, clock } = await mesh()
    const control = transitions(world)
    const remove = async (name: string) => {
      await client.put('namespace', { Name: name })
      await client.delete(`namespace/${name}`)
    }
    control.setPaces({ 'mesh.namespace': 'immediate' })
    await remove('now')
    expect((await client.get('namespace/now')).status).toBe(404)

    control.setPaces({ 'mesh.namespace': { after: '1m' } })
    await remove('later')
    clock.advance(59_999)
    expect((await client.get('namespace/later')).status).toBe(200)
    clock.advance(1)
    expect((await client.get('namespace/later')).status).toBe(404)

    control.setPaces({ 'mesh.namespace': 'manual' })
    await remove('never')
    clock.advance(86_400_000)
    expect((await client.get('namespace/never')).status).toBe(200)
  })
})
