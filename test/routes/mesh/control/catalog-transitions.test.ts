import { expect, test } from 'vitest'
import { checkTransition } from '../../../../state/mesh/catalog/check-transition.ts'
import { flappingTransition } from '../../../../state/mesh/catalog/flapping.ts'
import { nodeTransition } from '../../../../state/mesh/catalog/node-transition.ts'
import { sessionTransition } from '../../../../state/mesh/kv/session-transition.ts'
import { mesh } from '../../../support/mesh/mesh.ts'

test('behaviour/mesh#catalog: nodes fail, come back and leave, as the gossip sees them', async () => {
  const { mesh: client, world } = await mesh()
  await client.put('catalog/register', { Node: 'n1', Address: 'a', Service: { Service: 'web' } })
  await client.put('session/create', { LockDelay: '0s' })
  const states = () => nodeTransition.items(world).map(({ id, state, to }) => [id, state, ...to])
  expect(states()).toEqual([
    ['mesh-1', 'alive', 'failed'],
    ['n1', 'alive', 'alive', 'failed', 'left'],
  ])
  nodeTransition.force(world, 'mesh-1', 'failed', {})
  nodeTransition.force(world, 'N1', 'failed', {})
  expect((await client.get('session/list')).text).toBe('[]')
  const [own, external] = (await client.get('health/state/critical')).body
  const output = 'Agent not live or unreachable'
  expect(own).toMatchObject({ Node: 'mesh-1', CheckID: 'serfHealth', Output: output })
  expect(external).toMatchObject({ Node: 'n1', Name: 'Serf Health Status', Output: output })
  expect((await client.get('agent/members')).body[0].Status).toBe(4)
  expect((await client.put('agent/force-leave/n1')).status).toBe(200)
  nodeTransition.force(world, 'mesh-1', 'alive', {})
  expect((await client.get('agent/members')).body[0].Status).toBe(1)
  expect(states()).toEqual([
    ['mesh-1', 'alive', 'failed'],
    ['n1', 'failed', 'alive', 'left'],
  ])
  nodeTransition.force(world, 'n1', 'left', {})
  expect((await client.get('catalog/service/web')).text).toBe('[]')
  expect(() => nodeTransition.force(world, 'mesh-1', 'left', {})).toThrow('cannot leave')
  expect(() => nodeTransition.force(world, 'n1', 'alive', {})).toThrow('there is no node "n1"')
})

test('behaviour/mesh#sessions: a forced end of a session releases its keys, with their delay', async () => {
  const { mesh: client, world } = await mesh()
  await client.put('namespace', { Name: 'team' })
  const { ID } = (await client.put('session/create?ns=team', {})).body
  expect((await client.put(`kv/lock?ns=team&acquire=${ID}`, 'v')).text).toBe('true')
  expect(sessionTransition.items(world)).toEqual([{ id: ID, state: 'active', to: ['invalidated'] }])
  sessionTransition.force(world, ID, 'invalidated', {})
  expect((await client.get('kv/lock?ns=team')).body[0].Session).toBeUndefined()
  expect(() => sessionTransition.force(world, ID, 'invalidated', {})).toThrow('there is no session')
})

test('behaviour/mesh#agent-checks: a forced status has an output; services flap on the clock', async () => {
  const { mesh: client, world, clock } = await mesh()
  for (const Name of ['web', 'db']) {
    await client.put('agent/service/register', {
      ...{ Name, Check: { CheckID: Name, TTL: '1h', Status: 'passing' } },
    })
  }
  checkTransition.force(world, 'mesh-1:db', 'warning', { output: 'slow' })
  expect((await client.get('agent/checks')).body.db).toMatchObject({
    ...{ Status: 'warning', Output: 'slow' },
  })
  const statuses = async () => {
    const { body } = await client.get('health/state/any')
    return body.map(({ Status }: { Status: string }) => Status[0]).join('')
  }
  flappingTransition.force(world, 'web', 'flapping', { interval: 5_000 })
  expect(await statuses()).toBe('wpc')
  clock.advance(4_999)
  expect(await statuses()).toBe('wpc')
  clock.advance(1)
  expect(await statuses()).toBe('wpp')
  clock.advance(5_000)
  expect(await statuses()).toBe('wpc')
  expect(flappingTransition.items(world)).toContainEqual({
    ...{ id: 'web', state: 'flapping', to: ['steady'] },
  })
  flappingTransition.force(world, 'web', 'steady', {})
  clock.advance(60_000)
  expect(await statuses()).toBe('wpp')
  flappingTransition.force(world, '', 'flapping', { interval: 5_000 })
  expect(await statuses()).toBe('cpc')
})
