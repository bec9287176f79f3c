import { describe, expect, test } from 'vitest'
import type { World } from '../../../../../state/kernel/worlds/world.ts'
import { setAllocationHealth } from '../../../../../state/scheduler/cluster/deployments/deployment-transitions.ts'
import { deploymentsOf } from '../../../../../state/scheduler/cluster/deployments/deployments.ts'
import { evaluationsOf } from '../../../../../state/scheduler/cluster/model/evaluations.ts'
import type { Deployment } from '../../../../../state/scheduler/cluster/model/placement-shapes.ts'
import type { Job } from '../../../../../state/scheduler/job/job-shape.ts'
import type {
  ReschedulePolicy,
  Update,
} from '../../../../../state/scheduler/job/scheduling-shapes.ts'
import {
  alloc,
  allocs,
  clusterWorld,
  forceTransition,
  register,
} from '../../../../support/scheduler/scheduler-cluster.ts'
import {
  storedGroup,
  storedServiceJob,
  storedTask,
} from '../../../../support/scheduler/scheduler-jobs.ts'

/** Returns a service job with one group whose reschedule policy is changed. */
function rolling(Count: number, policy: Partial<ReschedulePolicy>, env = ''): Job {
  const group = storedGroup()
  const ReschedulePolicy = group.ReschedulePolicy && { ...group.ReschedulePolicy, ...policy }
  const Tasks = [{ ...storedTask(), Env: env === '' ? null : { A: env } }]
  return { ...storedServiceJob(), TaskGroups: [{ ...group, Count, Tasks, ReschedulePolicy }] }
}

/** Returns a job with changed update blocks. */
function withUpdate(job: Job, change: Partial<Update>): Job {
  const groups = (job.TaskGroups ?? []).map((group) => ({
    ...group,
    Update: group.Update && { ...group.Update, ...change },
  }))
  return { ...job, TaskGroups: groups }
}

function withAutoRevert(job: Job): Job {
  return withUpdate(job, { AutoRevert: true })
}

/** Returns the newest deployment of the job. */
function deployment(world: World): Deployment {
  const [found] = deploymentsOf(world, 'default', 'example')
  if (found === undefined) throw new Error('no deployment')
  return found
}

/** Returns status and description of the newest deployment. */
function outcome(world: World): readonly string[] {
  const { Status, StatusDescription } = deployment(world)
  return [Status, StatusDescription]
}

describe('deployments that fail early (behaviour/scheduler#updates)', () => {
  test('the first allocation that cannot be rescheduled any more fails the deployment', () => {
    const world = clusterWorld()
    const policy = { Attempts: 1, Interval: 3600e9, Unlimited: false, Delay: 5e9 }
    register(world, rolling(1, policy))
    world.advance(1_000)
    forceTransition(world, 'scheduler.task', `${alloc(world).ID}:redis`, 'failed')
    expect(alloc(world).DesiredTransition.Reschedule).toBe(true)
    const triggers = evaluationsOf(world, 'default', 'example').map((one) => one.TriggeredBy)
    expect(triggers).toContain('deployment-watcher')
    world.advance(10_000)
    expect(outcome(world)[0]).toBe('running')
    expect(alloc(world, 1).DesiredTransition.Reschedule).toBeNull()
    forceTransition(world, 'scheduler.task', `${alloc(world, 1).ID}:redis`, 'failed')
    expect(outcome(world)).toEqual(['failed', 'Failed due to unhealthy allocations'])
    expect(deployment(world).TaskGroups?.['cache']?.UnhealthyAllocs).toBe(2)
  })

  test.each([
    ['no attempts', { Attempts: 0, Unlimited: false }, 'failed'],
    ['unlimited attempts', { Attempts: 0, Unlimited: true }, 'running'],
    ['attempts left', { Attempts: 1, Unlimited: false }, 'running'],
  ])('%s: a deployment with an unhealthy allocation', (_, policy, expected) => {
    const world = clusterWorld()
    register(world, rolling(2, policy))
    world.advance(1_000)
    forceTransition(world, 'scheduler.task', `${alloc(world).ID}:redis`, 'failed')
    expect(outcome(world)[0]).toBe(expected)
  })

  test('only the group with the unhealthy allocation decides whether the job is reverted', () => {
    const never = { Attempts: 0, Unlimited: false }
    const job = (env: string, reverting: number) => {
      const plain = rolling(1, never, env)
      const [group = storedGroup()] = plain.TaskGroups ?? []
      const groups = ['cache', 'other'].map((Name, at) => ({
        ...group,
        Name,
        Update: group.Update && { ...group.Update, AutoRevert: at === reverting },
      }))
      return { ...plain, TaskGroups: groups }
    }
    for (const [reverting, expected] of [
      [0, 'Failed due to unhealthy allocations - rolling back to job version 0'],
      [1, 'Failed due to unhealthy allocations'],
    ] as const) {
      const world = clusterWorld()
      register(world, job('good', reverting))
      world.advance(60_000)
      register(world, job('bad', reverting))
      world.advance(1_000)
      const failing = allocs(world).find(
        ({ JobVersion, TaskGroup }) => JobVersion === 1 && TaskGroup === 'cache',
      )
      forceTransition(world, 'scheduler.task', `${failing?.ID}:redis`, 'failed')
      expect(outcome(world)).toEqual(['failed', expected])
    }
  })

  test('a report of an unhealthy allocation does not mention that there is no stable version', () => {
    const world = clusterWorld()
    register(world, withAutoRevert(rolling(1, {})))
    world.advance(1_000)
    const report = { healthy: [], unhealthy: [alloc(world).ID] }
    const { revertedTo } = setAllocationHealth(world, deployment(world).ID, report)
    expect(revertedTo).toBeNull()
    expect(outcome(world)).toEqual(['failed', 'Failed due to unhealthy allocations'])
  })

  test('a report reverts the job for the group of its allocation', () => {
    const world = clusterWorld()
    register(world, withAutoRevert(rolling(1, {})))
    world.advance(60_000)
    register(world, withAutoRevert(rolling(1, {}, 'bad')))
    world.advance(1_000)
    const report = { healthy: [], unhealthy: [alloc(world, 1).ID] }
    expect(setAllocationHealth(world, deployment(world).ID, report).revertedTo).toBe(0)
  })
})

describe('progress deadlines (behaviour/scheduler#updates)', () => {
  test('healthy canaries wait for their promotion beyond the deadline', () => {
    const world = clusterWorld()
    register(world, rolling(2, {}))
    world.advance(60_000)
    register(world, withUpdate(rolling(2, {}, 'new'), { Canary: 1 }))
    world.advance(3_600_000)
    expect(outcome(world)).toEqual([
      'running',
      'Deployment is running but requires manual promotion',
    ])
  })
})
