import { describe, expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { allocationsOf } from '../../../../state/scheduler/cluster/allocations/allocations.ts'
import { deploymentsOf } from '../../../../state/scheduler/cluster/deployments/deployments.ts'
import { decodeBody } from '../../../../state/scheduler/decoding.ts'
import { evaluateShape, scaleShape } from '../../../../state/scheduler/jobs/request-shapes.ts'
import { scaleJob } from '../../../../state/scheduler/jobs/scale.ts'
import { scaleStatus } from '../../../../state/scheduler/jobs/scale-status.ts'
import { jobStatuses } from '../../../../state/scheduler/jobs/statuses.ts'
import { evaluateJob, stopJob } from '../../../../state/scheduler/jobs/stop.ts'
import { childrenOf, findJob } from '../../../../state/scheduler/records/store.ts'
import { schedulerWorld } from '../../../support/scheduler/scheduler-world.ts'
import { malformed } from '../support.ts'
import { inputBatchJob, inputJob, job, register } from './support.ts'

const second = 1000
const minute = 60 * second

const scale = (world: World, Count: number) =>
  scaleJob(
    world,
    'default',
    'web',
    decodeBody(JSON.stringify({ Count, Target: { Group: 'app' } }), scaleShape),
  )

/** Returns a world with a rollout of the service job `web`. */
function rolledOut(): World {
  const world = schedulerWorld()
  register(world, inputJob())
  world.advance(minute)
  return world
}

describe('behaviour/scheduler#beyond: jobs whose allocations change', () => {
  test('scaling is blocked while a deployment is under way', () => {
    const world = schedulerWorld()
    register(world, inputJob())
    world.advance(second)
    expect(() => scale(world, 2)).toThrow(malformed('job scaling blocked due to active deployment'))
    world.advance(minute)
    scale(world, 2)
    expect(job(world, 'web')).toMatchObject({ Version: 1, Status: 'running' })
  })

  test.each([
    ['service', inputJob({ Meta: { mock_start_error: 'no such image' } }), 'web'],
    ['batch', inputBatchJob({ Meta: { mock_start_error: 'no such image' } }), 'batch'],
  ])(
    'purge: failures of a %s job do not affect its successor (behaviour/scheduler#versions: everything new)',
    (_type, sent, id) => {
      const world = schedulerWorld()
      register(world, sent)
      world.advance(second)
      stopJob(world, 'default', id, { purge: true })
      world.advance(second)
      register(world, sent)
      world.advance(second)
      const ofNew = allocationsOf(world, 'default', id, false)
      expect(ofNew.map(({ Name, ClientStatus }) => [Name, ClientStatus])).toEqual([
        [`${id}.app[0]`, 'failed'],
      ])
      expect(allocationsOf(world, 'default', id, true)).toEqual(ofNew)
    },
  )

  test('GET scale counts placed, running and healthy allocations', () => {
    const world = rolledOut()
    expect(scaleStatus(world, 'default', 'web').TaskGroups).toEqual({
      app: { Desired: 1, Placed: 1, Running: 1, Healthy: 1, Unhealthy: 0, Events: null },
    })
    stopJob(world, 'default', 'web')
    world.advance(minute)
    expect(scaleStatus(world, 'default', 'web')).toMatchObject({
      JobStopped: true,
      TaskGroups: { app: { Desired: 1, Placed: 0, Running: 0, Healthy: 0 } },
    })
  })

  test('statuses show allocations and the newest deployment', () => {
    const world = rolledOut()
    const [allocation] = allocationsOf(world, 'default', 'web', true)
    const [deployment] = deploymentsOf(world, 'default', 'web')
    const [status] = jobStatuses(world, { namespaces: new Set(['default']) }).items
    expect(status).toMatchObject({
      Status: 'running',
      Allocs: [
        {
          ID: allocation?.ID,
          Group: 'app',
          ClientStatus: 'running',
          NodeID: allocation?.NodeID,
          DeploymentStatus: { Canary: false, Healthy: true },
          JobVersion: 0,
          FollowupEvalID: '',
        },
      ],
      LatestDeployment: {
        ID: deployment?.ID,
        IsActive: false,
        JobVersion: 0,
        Status: 'successful',
        StatusDescription: 'Deployment completed successfully',
        AllAutoPromote: false,
        RequiresPromotion: false,
      },
    })
  })

  test.each([false, true])('statuses show canaries (auto_promote: %s)', (auto_promote) => {
    const world = schedulerWorld()
    const canaries = (image: string) =>
      inputJob({
        Update: { MaxParallel: 1, Canary: 1, AutoPromote: auto_promote },
        TaskGroups: [
          { Name: 'app', Tasks: [{ Name: 'main', Driver: 'docker', Config: { image } }] },
        ],
      })
    register(world, canaries('web:1'))
    world.advance(minute)
    register(world, canaries('web:2'))
    world.advance(second)
    const [status] = jobStatuses(world, { namespaces: new Set(['default']) }).items
    expect(status?.LatestDeployment).toMatchObject({
      IsActive: true,
      JobVersion: 1,
      AllAutoPromote: auto_promote,
      RequiresPromotion: true,
    })
    expect(status?.Allocs?.map(({ DeploymentStatus }) => DeploymentStatus.Canary)).toContain(true)
  })

  test('a deployment that succeeds makes its version stable (behaviour/scheduler#versions)', () => {
    expect(job(rolledOut(), 'web')).toMatchObject({ Stable: true, Version: 0 })
  })

  test('a stopped job is dead once its allocations are (behaviour/scheduler#versions)', () => {
    const world = rolledOut()
    stopJob(world, 'default', 'web')
    world.advance(minute)
    expect(job(world, 'web')).toMatchObject({ Status: 'dead', Stop: true, Version: 1 })
  })

  test('a purge deletes allocations', () => {
    const world = rolledOut()
    stopJob(world, 'default', 'web', { purge: true })
    world.advance(minute)
    expect(findJob(world, 'default', 'web')).toBeUndefined()
    expect(allocationsOf(world, 'default', 'web', true)).toEqual([])
  })

  test('with ProhibitOverlap a job is launched again once its child is dead (behaviour/scheduler#versions)', () => {
    const world = schedulerWorld()
    const sent = (Spec: string) =>
      inputBatchJob({
        Periodic: { Spec, ProhibitOverlap: true },
        TaskGroups: [
          {
            Name: 'app',
            Tasks: [{ Name: 'main', Driver: 'mock', Config: { run_for: '90s' } }],
          },
        ],
      })
    register(world, sent('* * * * *'))
    world.advance(5 * minute)
    const launched = Array.from(childrenOf(world, 'default', 'batch'), ({ ID }) =>
      Number(ID.slice('batch/periodic-'.length)),
    )
    const first = launched[0] ?? 0
    expect(launched).toEqual([first, first + 120, first + 240])
  })

  test.each([
    ['replaces allocations that failed permanently', 1, 2, 3],
    ['does nothing where the policy is off', 0, 1, 1],
  ])('ForceReschedule %s', (_, Attempts, placed, forced) => {
    const world = schedulerWorld()
    const task = { Name: 'main', Driver: 'mock', Config: { run_for: '1s', exit_code: 1 } }
    const policy = { Attempts, Interval: 3600 * 1e9, Delay: 5e9, DelayFunction: 'constant' }
    const group = {
      Name: 'app',
      RestartPolicy: { Attempts: 0, Mode: 'fail' },
      ReschedulePolicy: { ...policy, Unlimited: false },
      Tasks: [task],
    }
    register(world, inputBatchJob({ TaskGroups: [group] }))
    world.advance(10 * minute)
    const failed = allocationsOf(world, 'default', 'batch', false)
    expect(failed.map(({ ClientStatus }) => ClientStatus)).toEqual(Array(placed).fill('failed'))
    const evaluate = (ForceReschedule: boolean) => {
      const body = { JobID: 'batch', EvalOptions: { ForceReschedule } }
      evaluateJob(world, 'default', 'batch', decodeBody(JSON.stringify(body), evaluateShape))
      world.advance(minute)
      return allocationsOf(world, 'default', 'batch', false).length
    }
    expect(evaluate(false)).toBe(placed)
    expect(evaluate(true)).toBe(forced)
  })
})

describe('behaviour/scheduler#conventions: region', () => {
  // choice/scheduler#region-of-jobs
  test('a job gets that of the cluster', () => {
    const world = schedulerWorld({ region: 'west' })
    for (const Region of [undefined, '', 'global', 'west']) {
      register(world, inputJob({ Region }))
      expect(job(world, 'web')).toMatchObject({ Region: 'west', Version: 0 })
    }
  })
})
