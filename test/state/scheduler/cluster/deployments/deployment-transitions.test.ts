import { describe, expect, test } from 'vitest'
import type { World } from '../../../../../state/kernel/worlds/world.ts'
import {
  clusterWorld,
  forceTransition,
  register,
} from '../../../../support/scheduler/scheduler-cluster.ts'
import {
  storedGroup,
  storedServiceJob,
  storedTask,
} from '../../../../support/scheduler/scheduler-jobs.ts'

/**
 * Returns a world with a rollout of a second version, one allocation at a time or after a canary.
 */
function rollout(Canary = 0): World {
  const world = clusterWorld()
  const version = (command: string) => {
    const Tasks = [storedTask({ Config: { command } })]
    const group = storedGroup({ Count: 2, Tasks, Update: { Canary, MaxParallel: 1 } })
    register(world, storedServiceJob({ TaskGroups: [group] }))
  }
  version('a')
  world.advance(30_000)
  version('b')
  world.advance(1_000)
  return world
}

const kind = 'scheduler.deployment'
const items = (world: World) => world.transitions.get(kind)?.items(world) ?? []

describe('scheduler.deployment (behaviour/program#control-plane, behaviour/scheduler#deployments)', () => {
  test('active deployments are listed with their progress', () => {
    const [first, ...others] = items(rollout())
    expect(others).toEqual([])
    expect(first).toMatchObject({ state: 'running', to: ['paused', 'failed'] })
    expect(first?.detail).toMatch(/, version 1: 0 of 2 allocations are healthy$/)
  })

  test('paused and resumed', () => {
    const world = rollout()
    const id = items(world)[0]?.id ?? ''
    forceTransition(world, kind, id, 'paused')
    expect(items(world)).toMatchObject([{ id, state: 'paused', to: ['running', 'failed'] }])
    expect(() => forceTransition(world, kind, id, 'paused')).toThrow(
      'a deployment that is paused cannot become paused',
    )
    forceTransition(world, kind, id, 'running')
    expect(items(world)).toMatchObject([{ id, state: 'running' }])
  })

  test('failed: it is over, and nothing more can be pushed', () => {
    const world = rollout()
    const id = items(world)[0]?.id ?? ''
    forceTransition(world, kind, id, 'failed')
    expect(items(world)).toEqual([])
    expect(() => forceTransition(world, kind, id, 'running')).toThrow(
      'a deployment that is failed cannot become running',
    )
    expect(() => forceTransition(world, kind, 'x', 'failed')).toThrow('there is no deployment "x"')
  })

  test('promoted once its canaries are healthy', () => {
    const world = rollout(1)
    const id = items(world)[0]?.id ?? ''
    expect(items(world)[0]?.to).toEqual(['paused', 'failed'])
    world.advance(15_000)
    expect(items(world)[0]?.to).toEqual(['paused', 'promoted', 'failed'])
    forceTransition(world, kind, id, 'promoted')
    expect(items(world)[0]?.to).toEqual(['paused', 'failed'])
    world.advance(60_000)
    expect(items(world)).toEqual([])
  })
})
