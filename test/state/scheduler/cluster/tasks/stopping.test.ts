import { describe, expect, test } from 'vitest'
import { runParts } from '../../../../../state/kernel/parts.ts'
import type { World } from '../../../../../state/kernel/worlds/world.ts'
import {
  allocationStub,
  allocationsOf,
  allocationsOfEvaluation,
} from '../../../../../state/scheduler/cluster/allocations/allocations.ts'
import { allDeployments } from '../../../../../state/scheduler/cluster/deployments/deployments.ts'
import { createEvaluation } from '../../../../../state/scheduler/cluster/model/evaluations.ts'
import { countChild } from '../../../../../state/scheduler/cluster/model/job-summaries.ts'
import {
  allocations,
  taskLogs,
  taskRuntimes,
} from '../../../../../state/scheduler/cluster/model/tables.ts'
import {
  forceReschedule,
  removePurgedJob,
  stopAllocation,
} from '../../../../../state/scheduler/cluster/tasks/stopping.ts'
import { jobKey } from '../../../../../state/scheduler/keys.ts'
import { summaryOf } from '../../../../../state/scheduler/records/store.ts'
import { jobSummaries, jobs } from '../../../../../state/scheduler/records/tables.ts'
import {
  alloc,
  allocationOverview,
  allocs,
  clusterWorld,
  counters,
  currentJob,
  evalOverview,
  evals,
  forceTransition,
  register,
} from '../../../../support/scheduler/scheduler-cluster.ts'
import { storedBatchJob, storedServiceJob } from '../../../../support/scheduler/scheduler-jobs.ts'

/** Deletes a job's own rows, as a purge does. */
function purge(world: World): void {
  world.write(() => {
    world.table(jobs).delete(jobKey('default', 'example'))
    world.table(jobSummaries).delete(jobKey('default', 'example'))
    runParts(removePurgedJob(world, 'default', 'example'))
  })
}

describe('purge (behaviour/scheduler#beyond; behaviour/scheduler#evaluations)', () => {
  test('deployments and allocations go at once, evaluations are complete and stay', () => {
    const world = clusterWorld()
    const job = register(world, storedServiceJob())
    world.advance(1_000)
    world.write(() => createEvaluation(world, { job, triggeredBy: 'job-register' }))
    purge(world)
    expect([allDeployments(world), allocs(world)]).toEqual([[], []])
    expect(evals(world).at(-1)).toMatchObject({
      Status: 'complete',
      StatusDescription: 'job example deleted',
    })
    world.advance(60_000)
    expect(evalOverview(world)).toEqual(['job-register complete', 'job-register complete'])
    expect([...world.table(taskRuntimes).rows(), ...world.table(taskLogs).rows()]).toEqual([])
  })

  test('a new job under the ID has its own allocations and counters (behaviour/scheduler#jobs, all)', () => {
    const world = clusterWorld()
    register(world, storedServiceJob())
    world.advance(1_000)
    purge(world)
    register(world, storedServiceJob())
    world.advance(1_000)
    expect(allocationsOf(world, 'default', 'example', true)).toEqual([alloc(world)])
    expect(counters(world)).toEqual({ Running: 1 })
  })
})

describe('stopping an allocation (behaviour/scheduler#beyond)', () => {
  test('an alloc-stop evaluation replaces it', () => {
    const world = clusterWorld()
    register(world, storedServiceJob())
    world.advance(60_000)
    expect(stopAllocation(world, alloc(world).ID)).toMatchObject({
      TriggeredBy: 'alloc-stop',
      Status: 'pending',
    })
    world.advance(1_000)
    expect(allocationOverview(world)).toEqual([
      'example.cache[0] v0 stop/complete',
      'example.cache[0] v0 run/running',
    ])
    expect(alloc(world, 1).PreviousAllocation).toBe(alloc(world).ID)
  })

  test('an unknown one is refused', () => {
    expect(() => stopAllocation(clusterWorld(), 'x')).toThrow('alloc not found')
  })

  test('a stopped allocation of a removed job is not replaced', () => {
    const world = clusterWorld()
    register(world, storedServiceJob())
    world.advance(1_000)
    world.write(() => world.table(jobs).delete(jobKey('default', 'example')))
    expect(stopAllocation(world, alloc(world).ID)).toBeUndefined()
    world.advance(1_000)
    expect(allocationOverview(world)).toEqual(['example.cache[0] v0 stop/complete'])
  })
})

test.each([
  ['attempts are used up', { Attempts: 1, Unlimited: false }, ['stop/failed', 'run/pending']],
  ['it is off', { Attempts: 0, Unlimited: false }, ['run/failed']],
] as const)(
  'ForceReschedule obeys the policy: %s (behaviour/scheduler#beyond)',
  (_when, policy, states) => {
    const world = clusterWorld()
    const job = storedBatchJob()
    const registered = register(world, {
      ...job,
      TaskGroups: (job.TaskGroups ?? []).map((group) => ({
        ...group,
        ReschedulePolicy: {
          Interval: 3600e9,
          Delay: 5e9,
          DelayFunction: 'constant',
          MaxDelay: 0,
          ...policy,
        },
      })),
    })
    world.advance(1_000)
    const { ID } = alloc(world)
    world.write(() => {
      const Events = [
        { PrevAllocID: '', PrevNodeID: '', RescheduleTime: world.clock.now() * 1e6, Delay: 5e9 },
      ]
      world.table(allocations).put(ID, { ...alloc(world), RescheduleTracker: { Events } })
    })
    forceTransition(world, 'scheduler.allocation', ID, 'failed')
    world.write(() => {
      forceReschedule(world, 'default', 'example')
      createEvaluation(world, { job: registered, triggeredBy: 'job-register' })
    })
    world.advance(60)
    expect(allocationOverview(world)).toEqual(states.map((state) => `example.cache[0] v0 ${state}`))
  },
)

test('stubs omit members that lists do not show (behaviour/scheduler#jobs, allocations)', () => {
  const world = clusterWorld()
  register(world, storedServiceJob())
  world.advance(1_000)
  const shown = Object.keys(allocationStub(alloc(world)))
  const hidden = Object.keys(alloc(world)).filter((name) => !shown.includes(name))
  expect(hidden).toEqual([
    'Job',
    'DeploymentID',
    'AllocatedResources',
    'NetworkStatus',
    'Metrics',
    'AllocModifyIndex',
  ])
  expect(allocationsOfEvaluation(world, evals(world)[0]?.ID ?? '')).toEqual(allocs(world))
})

describe('counters (behaviour/scheduler#summary)', () => {
  test('a new job has 0 for every counter of every group', () => {
    const world = clusterWorld()
    const { CreateIndex } = register(world, storedServiceJob())
    expect(summaryOf(world, 'default', 'example')).toEqual({
      JobID: 'example',
      Namespace: 'default',
      Summary: {
        cache: { Queued: 0, Complete: 0, Failed: 0, Running: 0, Starting: 0, Lost: 0, Unknown: 0 },
      },
      Children: { Pending: 0, Running: 0, Dead: 0 },
      CreateIndex,
      ModifyIndex: CreateIndex,
    })
  })

  test('Complete and Failed add up over the life of a job', () => {
    const world = clusterWorld()
    register(world, storedServiceJob())
    world.advance(60_000)
    for (const to of ['complete', 'failed', 'complete']) {
      const { ID } = allocs(world).at(-1) ?? alloc(world)
      forceTransition(world, 'scheduler.allocation', ID, to)
      world.write(() =>
        createEvaluation(world, { job: currentJob(world), triggeredBy: 'job-register' }),
      )
      world.advance(60_000)
    }
    expect(counters(world)).toEqual({ Complete: 2, Failed: 1, Running: 1 })
  })

  test('children are counted by status, including new and purged children', () => {
    const world = clusterWorld()
    register(world, storedServiceJob())
    const child = { Namespace: 'default', ParentID: 'example' }
    const children = () => summaryOf(world, 'default', 'example')?.Children
    const change = (before: string | undefined, after: string) => {
      world.write(() => countChild(world, child, before, after))
    }
    change(undefined, 'pending')
    change(undefined, 'pending')
    expect(children()).toEqual({ Pending: 2, Running: 0, Dead: 0 })
    change('pending', 'running')
    expect(children()).toEqual({ Pending: 1, Running: 1, Dead: 0 })
    change('running', 'dead')
    change('pending', 'pending')
    expect(children()).toEqual({ Pending: 1, Running: 0, Dead: 1 })
  })

  test('a child of an unknown parent is not counted', () => {
    const world = clusterWorld()
    world.write(() => {
      countChild(world, { Namespace: 'default', ParentID: '' }, undefined, 'pending')
      countChild(world, { Namespace: 'default', ParentID: 'gone' }, undefined, 'pending')
    })
    expect(summaryOf(world, 'default', 'gone')).toBeUndefined()
  })
})

describe('status of jobs (behaviour/scheduler#job-status)', () => {
  test('periodic and parameterized jobs run until they are stopped', () => {
    const world = clusterWorld()
    const Periodic = {
      Enabled: true,
      Spec: '@daily',
      SpecType: 'cron',
      ProhibitOverlap: false,
      TimeZone: 'UTC',
    }
    const job = register(world, { ...storedBatchJob(), Periodic })
    expect(job.Status).toBe('running')
    expect(register(world, { ...job, Stop: true }).Status).toBe('dead')
  })

  test('only ModifyIndex changes, also in the stored version', () => {
    const world = clusterWorld()
    const job = register(world, storedServiceJob())
    world.advance(50)
    // The deployment has a commit of its own, before the commit of its placements.
    expect(currentJob(world)).toEqual({
      ...job,
      Status: 'running',
      ModifyIndex: job.ModifyIndex + 2,
    })
  })

  test("a change of a child's status changes the parent", () => {
    const world = clusterWorld()
    register(world, storedServiceJob())
    world.write(() => {
      countChild(world, { Namespace: 'default', ParentID: 'example' }, undefined, 'pending')
    })
    register(world, storedBatchJob({ ID: 'child', ParentID: 'example' }))
    world.advance(50)
    expect(summaryOf(world, 'default', 'example')?.Children).toMatchObject({ Running: 1 })
    world.advance(60_000)
    expect(summaryOf(world, 'default', 'example')?.Children).toMatchObject({ Running: 0, Dead: 1 })
  })
})
