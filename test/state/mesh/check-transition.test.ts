import { expect, test } from 'vitest'
import { checkTransition } from '../../../state/mesh/catalog/check-transition.ts'
import { mesh } from '../../support/mesh/mesh.ts'

test('behaviour/mesh#agent-checks: a forced transition sets any check and restarts its TTL', async () => {
  const { mesh: client, world, clock } = await mesh()
  await client.put('agent/service/register', { Name: 'web', Check: { TTL: '30s' } })
  await client.put('catalog/register', { Node: 'n1', Address: 'a', Check: { Name: 'up' } })
  const states = () => checkTransition.items(world).map(({ id, state }) => [id, state])
  expect(states()).toEqual([
    ['mesh-1:serfHealth', 'passing'],
    ['mesh-1:service:web', 'critical'],
    ['n1:up', 'critical'],
  ])
  clock.advance(20_000)
  checkTransition.force(world, 'mesh-1:service:web', 'passing', {})
  checkTransition.force(world, 'n1:up', 'warning', {})
  const session = (await client.put('session/create', {})).body.ID
  expect(session).toBeDefined()
  checkTransition.force(world, 'mesh-1:serfHealth', 'critical', {})
  expect((await client.get('session/list')).text).toBe('[]')
  clock.advance(29_000)
  expect(states().map(([, state]) => state)).toEqual(['critical', 'passing', 'warning'])
  clock.advance(1_000)
  expect((await client.get('agent/checks')).body['service:web'].Status).toBe('critical')
  expect(() => checkTransition.force(world, 'n1:x', 'passing', {})).toThrow(
    'there is no check "n1:x"',
  )
})
