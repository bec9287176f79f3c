import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { runParts } from '../../../../../state/kernel/parts.ts'
import type { TableDefinition } from '../../../../../state/kernel/store/table.ts'
import type { World } from '../../../../../state/kernel/worlds/world.ts'
import { relevantAllocationsOf } from '../../../../../state/scheduler/cluster/allocations/allocations.ts'
import { latestDeployment } from '../../../../../state/scheduler/cluster/deployments/deployments.ts'
import { planRegistration } from '../../../../../state/scheduler/cluster/evaluations/decision.ts'
import {
  createEvaluation,
  evaluationsOf,
} from '../../../../../state/scheduler/cluster/model/evaluations.ts'
import { clusterTables } from '../../../../../state/scheduler/cluster/model/tables.ts'
import { addOutcomeRule } from '../../../../../state/scheduler/cluster/model/task-outcomes.ts'
import { putNode } from '../../../../../state/scheduler/cluster/nodes/nodes.ts'
import { dataIndex, lastIndex } from '../../../../../state/scheduler/indexes.ts'
import type { Job, TaskGroup } from '../../../../../state/scheduler/job/job-shape.ts'
import type { Constraint } from '../../../../../state/scheduler/job/scheduling-shapes.ts'
import type { Task } from '../../../../../state/scheduler/job/task-shape.ts'
import { summaryOf } from '../../../../../state/scheduler/records/store.ts'
import { start } from '../../../../support/kernel.ts'
import {
  allocationOverview,
  allocs,
  clusterWorld,
  counters,
  currentJob,
  evalOverview,
  evals,
  forceTransition,
  nodeId,
  register,
} from '../../../../support/scheduler/scheduler-cluster.ts'
import {
  storedBatchGroup,
  storedBatchJob,
  storedGroup,
  storedServiceJob,
  storedTask,
} from '../../../../support/scheduler/scheduler-jobs.ts'

/** Returns a reference to a target in the syntax of jobs. */
const target = (name: string): string => `\${${name}}`

const constraint = (LTarget: string, Operand: string, RTarget: string): Constraint => ({
  LTarget,
  Operand,
  RTarget,
})

const plannedRegistration = (world: World, job: Job) => runParts(planRegistration(world, job))

/** Returns a batch job with `Count` allocations that last for hours. */
function batch(Count: number, change: Partial<Job> = {}): Job {
  const Tasks = [{ ...storedTask({ Driver: 'mock' }), Config: { run_for: '9h' } }]
  return { ...storedBatchJob(), TaskGroups: [{ ...storedBatchGroup(), Count, Tasks }], ...change }
}

const noReschedule = {
  Attempts: 0,
  Interval: 0,
  Delay: 5e9,
  DelayFunction: 'constant',
  MaxDelay: 0,
  Unlimited: true,
}

const windows = [constraint(target('attr.kernel.name'), '=', 'windows')]

const noMetrics = {
  NodesEvaluated: 3,
  NodesFiltered: 0,
  NodesInPool: 3,
  NodesAvailable: { dc1: 3 },
  ClassFiltered: null,
  ConstraintFiltered: null,
  NodesExhausted: 0,
  ClassExhausted: null,
  DimensionExhausted: null,
  QuotaExhausted: null,
  ResourcesExhausted: null,
  Scores: null,
  ScoreMetaData: null,
  AllocationTime: 0,
  CoalescedFailures: 0,
}

describe('evaluations (behaviour/scheduler#evaluations)', () => {
  test('a new evaluation has all members', () => {
    const world = clusterWorld()
    register(world, storedServiceJob({ Priority: 70 }))
    const [evaluation] = evals(world)
    const now = start * 1_000_000
    expect(evaluation).toEqual({
      ID: evaluation?.ID,
      Namespace: 'default',
      Priority: 70,
      Type: 'service',
      TriggeredBy: 'job-register',
      JobID: 'example',
      JobModifyIndex: 11,
      NodeID: '',
      NodeModifyIndex: 0,
      Status: 'pending',
      StatusDescription: '',
      Wait: 0,
      NextEval: '',
      PreviousEval: '',
      BlockedEval: '',
      FailedTGAllocs: null,
      ClassEligibility: null,
      EscapedComputedClass: false,
      AnnotatePlan: false,
      QueuedAllocations: null,
      SnapshotIndex: 0,
      CreateIndex: 11,
      ModifyIndex: 11,
      CreateTime: now,
      ModifyTime: now,
    })
    expect(currentJob(world).Status).toBe('pending')
  })

  test('after evalDelay it is complete', () => {
    const world = clusterWorld()
    register(world, batch(2))
    world.advance(49)
    expect(evalOverview(world)).toEqual(['job-register pending'])
    world.advance(1)
    expect(evals(world)[0]).toMatchObject({
      Status: 'complete',
      SnapshotIndex: 11,
      QueuedAllocations: { cache: 0 },
      FailedTGAllocs: null,
      BlockedEval: '',
      ModifyIndex: 12,
      ModifyTime: (start + 50) * 1_000_000,
    })
    expect(currentJob(world).Status).toBe('running')
    expect([dataIndex(world, 'evaluations'), dataIndex(world, 'allocations')]).toEqual([12, 12])
  })

  test('of a deregistration the type is service', () => {
    const world = clusterWorld()
    const job = register(world, batch(1))
    const made = world.write(() => createEvaluation(world, { job, triggeredBy: 'job-deregister' }))
    expect([made.Type, made.Priority]).toEqual(['service', 50])
  })

  test('a job lists its evaluations by status, then ID', () => {
    const world = clusterWorld()
    const job = register(world, batch(1))
    world.advance(1_000)
    world.write(() => createEvaluation(world, { job, triggeredBy: 'job-register' }))
    world.write(() => createEvaluation(world, { job, triggeredBy: 'job-register' }))
    const listed = evaluationsOf(world, 'default', 'example')
    expect(listed.map(({ Status }) => Status)).toEqual(['complete', 'pending', 'pending'])
    const [, second = { ID: '' }, third = { ID: '' }] = listed
    expect(second.ID < third.ID).toBe(true)
  })
})

describe('allocations that cannot be placed (behaviour/scheduler#evaluations)', () => {
  // choice/scheduler#placements-at-once
  test.each([
    { fits: 0, constraints: windows },
    { fits: 3, constraints: [constraint('', 'distinct_hosts', 'true')] },
  ])('two thousand million where $fits fit are not tried one by one', ({ fits, constraints }) => {
    const world = clusterWorld()
    const count = 2_000_000_000
    register(world, batch(count, { Constraints: constraints }))
    world.advance(1_000)
    const [first] = evals(world).sort((a) => (a.TriggeredBy === 'job-register' ? -1 : 1))
    expect(allocs(world)).toHaveLength(fits)
    expect(first?.QueuedAllocations).toEqual({ cache: count - fits })
    expect(first?.FailedTGAllocs?.['cache']?.CoalescedFailures).toBe(count - fits - 1)
    const more = plannedRegistration(world, batch(count + 1, { Constraints: constraints }))
    expect(more.desired['cache']?.Place).toBe(count + 1 - fits)
  })

  // choice/scheduler#cluster-metrics
  test('complete, with the reasons and a blocked evaluation', () => {
    const world = clusterWorld()
    register(world, batch(3, { Constraints: windows }))
    world.advance(1_000)
    const [first, blocked] = evals(world).sort((a) => (a.TriggeredBy === 'job-register' ? -1 : 1))
    const metrics = {
      ...noMetrics,
      NodesFiltered: 3,
      ConstraintFiltered: { [`${target('attr.kernel.name')} = windows`]: 3 },
      CoalescedFailures: 2,
    }
    expect(first).toMatchObject({
      Status: 'complete',
      QueuedAllocations: { cache: 3 },
      FailedTGAllocs: { cache: metrics },
      BlockedEval: blocked?.ID,
    })
    expect(blocked).toMatchObject({
      Status: 'blocked',
      TriggeredBy: 'queued-allocs',
      StatusDescription: 'created to place remaining allocations',
      PreviousEval: first?.ID,
      FailedTGAllocs: { cache: metrics },
    })
    expect(counters(world)).toEqual({ Queued: 3 })
    expect(currentJob(world).Status).toBe('pending')
  })

  test('a later success cancels it', () => {
    const world = clusterWorld()
    register(world, batch(1, { Constraints: windows }))
    world.advance(1_000)
    register(world, batch(1))
    world.advance(1_000)
    const canceled = evals(world).find(({ Status }) => Status === 'canceled')
    const success = evals(world).findLast(({ TriggeredBy }) => TriggeredBy === 'job-register')
    expect(canceled?.StatusDescription).toBe(`evaluation "${success?.ID}" successful`)
    expect(counters(world)).toEqual({ Running: 1 })
  })

  // choice/scheduler#cluster-blocked-again
  test('a later failure leaves one that is blocked', () => {
    const world = clusterWorld()
    register(world, batch(1, { Constraints: windows }))
    world.advance(1_000)
    register(world, batch(2, { Constraints: windows }))
    world.advance(1_000)
    const waiting = evals(world).filter(({ TriggeredBy }) => TriggeredBy === 'queued-allocs')
    expect(waiting.map(({ Status }) => Status).sort()).toEqual(['blocked', 'canceled'])
    expect(waiting.find(({ Status }) => Status === 'canceled')?.StatusDescription).toBe(
      'existing blocked evaluation exists for job "example"',
    )
  })

  test('a new node unblocks the evaluation', () => {
    const world = clusterWorld({ nodes: [{ name: 'away', status: 'down' }] })
    register(world, batch(1))
    world.advance(1_000)
    expect(evalOverview(world).toSorted()).toEqual([
      'job-register complete',
      'queued-allocs blocked',
    ])
    forceTransition(world, 'scheduler.node', 'away', 'ready')
    world.advance(1_000)
    expect(evalOverview(world).toSorted()).toEqual([
      'job-register complete',
      'queued-allocs complete',
    ])
    expect(allocationOverview(world)).toEqual(['example.cache[0] v0 run/running'])
    expect(counters(world)).toEqual({ Running: 1 })
  })

  // choice/scheduler#cluster-blocked-again
  test('an evaluation that still finds no room keeps waiting', () => {
    const world = clusterWorld()
    register(world, batch(1, { Constraints: windows }))
    world.advance(1_000)
    forceTransition(world, 'scheduler.node', 'sched-client-1', 'down')
    forceTransition(world, 'scheduler.node', 'sched-client-1', 'ready')
    world.advance(1_000)
    expect(evalOverview(world).toSorted()).toEqual([
      'job-register complete',
      'queued-allocs blocked',
    ])
  })

  // choice/scheduler#cluster-metrics
  test.each([
    [
      'no nodes at all',
      [],
      {},
      { ...noMetrics, NodesEvaluated: 0, NodesInPool: 0, NodesAvailable: {} },
    ],
    [
      'another datacenter',
      [{ name: 'a' }],
      { Datacenters: ['eu-*'] },
      { ...noMetrics, NodesEvaluated: 0, NodesInPool: 0, NodesAvailable: {} },
    ],
    [
      'another pool',
      [{ name: 'a', pool: 'gpu' }],
      {},
      { ...noMetrics, NodesEvaluated: 0, NodesInPool: 0, NodesAvailable: {} },
    ],
    [
      'no driver',
      [{ name: 'a', class: 'small', drivers: ['exec'] }],
      {},
      {
        ...noMetrics,
        NodesEvaluated: 1,
        NodesInPool: 1,
        NodesAvailable: { dc1: 1 },
        NodesFiltered: 1,
        ClassFiltered: { small: 1 },
        ConstraintFiltered: { 'missing drivers': 1 },
      },
    ],
    [
      'no memory',
      [{ name: 'a', class: 'small', capacity: { cpu: 1_000, memory: 100, disk: 1_000 } }],
      {},
      {
        ...noMetrics,
        NodesEvaluated: 1,
        NodesInPool: 1,
        NodesAvailable: { dc1: 1 },
        NodesExhausted: 1,
        ClassExhausted: { small: 1 },
        DimensionExhausted: { memory: 1 },
      },
    ],
  ])('%s', (_what, nodes, change, expected) => {
    const world = clusterWorld({ nodes })
    register(world, batch(1, change))
    world.advance(1_000)
    const failed = evals(world).find(({ TriggeredBy }) => TriggeredBy === 'job-register')
    expect(failed?.FailedTGAllocs).toEqual({ cache: expected })
  })

  test('the pool all has every node', () => {
    const world = clusterWorld({ nodes: [{ name: 'a', pool: 'gpu' }] })
    register(world, batch(1, { NodePool: 'all' }))
    world.advance(1_000)
    expect(allocationOverview(world)).toEqual(['example.cache[0] v0 run/running'])
  })

  test('room that becomes free is taken', () => {
    const capacity = { cpu: 1_000, memory: 500, disk: 1_000 }
    const world = clusterWorld({ nodes: [{ name: 'a', capacity }] })
    register(world, batch(2))
    world.advance(1_000)
    expect(allocationOverview(world)).toEqual(['example.cache[0] v0 run/running'])
    forceTransition(world, 'scheduler.allocation', allocs(world)[0]?.ID ?? '', 'complete')
    world.advance(1_000)
    expect(allocationOverview(world)).toEqual([
      'example.cache[0] v0 run/complete',
      'example.cache[1] v0 run/running',
    ])
  })
})

describe('which node (behaviour/scheduler#nodes: Fit)', () => {
  test('allocations of a group spread over the nodes', () => {
    const world = clusterWorld()
    register(world, batch(6))
    world.advance(1_000)
    const nodes = allocs(world).map(({ NodeName }) => NodeName)
    expect(nodes.toSorted()).toEqual([1, 1, 2, 2, 3, 3].map((number) => `sched-client-${number}`))
  })

  test.each([
    ['the job', { Constraints: [constraint('', 'distinct_hosts', 'true')] }, 3],
    ['the job, switched off', { Constraints: [constraint('', 'distinct_hosts', 'false')] }, 4],
    [
      'each property',
      { Constraints: [constraint(target('meta.rack'), 'distinct_property', '')] },
      2,
    ],
    [
      'two of each',
      { Constraints: [constraint(target('meta.rack'), 'distinct_property', '2')] },
      4,
    ],
    ['an unknown one', { Constraints: [constraint(target('meta.x'), 'distinct_property', '')] }, 0],
  ])('distinct: %s', (_what, change, expected) => {
    const nodes = [
      { name: 'a', meta: { rack: 'r1' } },
      { name: 'b', meta: { rack: 'r1' } },
      { name: 'c', meta: { rack: 'r2' } },
    ]
    const world = clusterWorld({ nodes })
    register(world, batch(4, change))
    world.advance(1_000)
    expect(allocs(world)).toHaveLength(expected)
  })

  test('metrics name the reasons of distinct constraints', () => {
    const world = clusterWorld({ nodes: [{ name: 'a', meta: { rack: 'r1' } }] })
    const reason = (id: string, Constraints: Constraint[]) => {
      register(world, batch(2, { ID: id, Constraints }))
      world.advance(1_000)
      return evals(world, id)[0]?.FailedTGAllocs?.['cache']?.ConstraintFiltered
    }
    const rack = target('meta.rack')
    expect(reason('hosts', [constraint('', 'distinct_hosts', 'true')])).toEqual({
      distinct_hosts: 1,
    })
    expect(reason('property', [constraint(rack, 'distinct_property', '')])).toEqual({
      [`distinct_property: ${rack}=r1 used by 1 allocs`]: 1,
    })
    expect(reason('none', [constraint(target('meta.x'), 'distinct_property', '')])).toEqual({
      [`missing property "${target('meta.x')}"`]: 1,
    })
  })

  // choice/scheduler#cluster-left-out
  test('devices, volumes and AllAtOnce are not looked at, and nothing is collected by itself', () => {
    const world = clusterWorld()
    const Volumes = {
      v: { Name: 'v', Type: 'host', Source: 'nowhere', ReadOnly: false },
    } as unknown as TaskGroup['Volumes']
    const Resources = {
      ...storedTask().Resources,
      Devices: [{ Name: 'gpu', Count: 9, Constraints: null, Affinities: null }],
    } as Task['Resources']
    const Tasks = [{ ...storedTask({ Driver: 'mock' }), Config: { run_for: '1s' }, Resources }]
    const group = { ...storedBatchGroup(), Tasks, Volumes }
    register(world, { ...storedBatchJob(), AllAtOnce: true, TaskGroups: [group] })
    world.advance(30 * 86_400_000)
    expect(allocationOverview(world)).toEqual(['example.cache[0] v0 run/complete'])
    expect(currentJob(world).Status).toBe('dead')
  })

  test('affinities attract allocations', () => {
    const world = clusterWorld()
    const Affinities = [
      { LTarget: target('node.unique.name'), Operand: '=', RTarget: 'sched-client-2', Weight: 100 },
    ]
    register(world, batch(1, { Affinities }))
    world.advance(1_000)
    expect(allocs(world)[0]?.NodeName).toBe('sched-client-2')
  })

  test('spreads are kept to', () => {
    const nodes = [
      { name: 'a', datacenter: 'east' },
      { name: 'b', datacenter: 'west' },
    ]
    const world = clusterWorld({ nodes })
    const SpreadTarget = [
      { Value: 'east', Percent: 75 },
      { Value: 'west', Percent: 25 },
    ]
    const Spreads = [{ Attribute: target('node.datacenter'), Weight: 100, SpreadTarget }]
    register(world, batch(4, { Spreads }))
    world.advance(1_000)
    expect(
      allocs(world)
        .map(({ NodeName }) => NodeName)
        .toSorted(),
    ).toEqual(['a', 'a', 'a', 'b'])
  })
})

describe('names (behaviour/scheduler#nodes: Allocation name)', () => {
  test('free numbers are taken again', () => {
    const world = clusterWorld()
    register(
      world,
      storedServiceJob({ TaskGroups: [{ ...storedGroup(), Count: 3, Update: null }] }),
    )
    world.advance(1_000)
    const second = allocs(world).find(({ Name }) => Name === 'example.cache[1]')
    forceTransition(world, 'scheduler.allocation', second?.ID ?? '', 'complete')
    const job = currentJob(world)
    world.write(() => createEvaluation(world, { job, triggeredBy: 'job-register' }))
    world.advance(1_000)
    expect(allocationOverview(world)).toEqual([
      'example.cache[0] v0 run/running',
      'example.cache[1] v0 run/complete',
      'example.cache[2] v0 run/running',
      'example.cache[1] v0 run/running',
    ])
  })

  test('a lower count stops the highest numbers', () => {
    const world = clusterWorld()
    register(world, batch(3))
    world.advance(1_000)
    register(world, batch(1))
    world.advance(1_000)
    expect(allocationOverview(world)).toEqual([
      'example.cache[0] v1 run/running',
      'example.cache[1] v0 stop/complete',
      'example.cache[2] v0 stop/complete',
    ])
    expect(allocs(world)[1]?.DesiredDescription).toBe('alloc not needed due to job update')
  })

  // choice/scheduler#cluster-fewer-allocations
  test('a lower count drops failed allocations: a higher one places new ones', () => {
    const world = clusterWorld()
    const failing = (Count: number) => ({
      ...storedServiceJob(),
      TaskGroups: [{ ...storedGroup(), Count, ReschedulePolicy: null }],
    })
    register(world, failing(2))
    world.advance(1_000)
    forceTransition(world, 'scheduler.allocation', allocs(world)[1]?.ID ?? '', 'failed')
    for (const count of [1, 2]) {
      register(world, failing(count))
      world.advance(1_000)
    }
    expect(allocationOverview(world)).toEqual([
      'example.cache[0] v2 run/running',
      'example.cache[1] v0 stop/failed',
      'example.cache[1] v2 run/running',
    ])
    expect(allocs(world)[1]?.DesiredDescription).toBe('alloc not needed due to job update')
  })

  test('a removed group stops its allocations; its counters stay', () => {
    const world = clusterWorld()
    register(world, batch(1))
    world.advance(1_000)
    const [group] = batch(1).TaskGroups ?? []
    register(world, {
      ...batch(1),
      TaskGroups: group === undefined ? [] : [{ ...group, Name: 'new' }],
    })
    world.advance(1_000)
    expect(allocationOverview(world)).toEqual([
      'example.cache[0] v0 stop/complete',
      'example.new[0] v1 run/running',
    ])
    expect(summaryOf(world, 'default', 'example')?.Summary).toEqual({
      cache: { Queued: 0, Complete: 1, Failed: 0, Running: 0, Starting: 0, Lost: 0, Unknown: 0 },
      new: { Queued: 0, Complete: 0, Failed: 0, Running: 1, Starting: 0, Lost: 0, Unknown: 0 },
    })
  })
})

describe('members of evaluations about their job (behaviour/scheduler#jobs and behaviour/scheduler#cluster)', () => {
  test('only evaluations from a write of the job, and delayed ones, have JobModifyIndex', () => {
    const world = clusterWorld()
    const job = register(world, storedServiceJob())
    world.advance(20_000)
    forceTransition(world, 'scheduler.allocation', allocs(world)[0]?.ID ?? '', 'failed')
    world.advance(1_000)
    forceTransition(world, 'scheduler.node', 'sched-client-1', 'down')
    forceTransition(world, 'scheduler.node', 'sched-client-1', 'ready')
    const triggeredBy = (trigger: string) => {
      const found = evals(world).filter(({ TriggeredBy }) => TriggeredBy === trigger)
      return found.map(({ JobModifyIndex, WaitUntil }) => [JobModifyIndex, WaitUntil !== undefined])
    }
    world.advance(60_000)
    expect(triggeredBy('job-register')).toEqual([[job.JobModifyIndex, false]])
    expect(triggeredBy('alloc-failure').toSorted()).toEqual([
      [0, false],
      [job.JobModifyIndex, true],
    ])
    expect(new Set(triggeredBy('deployment-watcher').map(([index]) => index))).toEqual(new Set([0]))
  })

  test('completed evaluations have the latest deployment, active or ended; those of batch jobs have none', () => {
    const world = clusterWorld()
    const job = register(world, storedServiceJob())
    const deploymentIds = () => evals(world).map(({ DeploymentID }) => DeploymentID)
    expect(deploymentIds()).toEqual([undefined])
    world.advance(20_000)
    const latest = latestDeployment(world, 'default', 'example')
    expect(latest?.Status).toBe('successful')
    world.write(() => createEvaluation(world, { job, triggeredBy: 'job-deregister' }))
    world.advance(1_000)
    expect(new Set(deploymentIds())).toEqual(new Set([latest?.ID]))
    register(world, batch(1, { ID: 'batch' }))
    world.advance(1_000)
    expect(evals(world, 'batch')[0]).not.toHaveProperty('DeploymentID')
  })
})

describe('system and sysbatch jobs (behaviour/scheduler#nodes)', () => {
  const systemJob = (type: string, change: Partial<Job> = {}): Job => {
    const group = { ...storedGroup(), Update: null, ReschedulePolicy: null, Migrate: null }
    return { ...storedServiceJob(), Type: type, TaskGroups: [group], ...change }
  }

  test('each feasible node gets one allocation, with number 0', () => {
    const world = clusterWorld()
    register(world, systemJob('system'))
    world.advance(1_000)
    expect(allocationOverview(world)).toEqual(Array(3).fill('example.cache[0] v0 run/running'))
    expect(new Set(allocs(world).map(({ NodeID }) => NodeID)).size).toBe(3)
    expect(currentJob(world).Status).toBe('running')
  })

  test('a new node gets one too, and one that is lost loses it', () => {
    const world = clusterWorld()
    register(world, systemJob('system'))
    world.advance(1_000)
    world.write(() => putNode(world, { name: 'new', status: 'down' }))
    forceTransition(world, 'scheduler.node', 'new', 'ready')
    forceTransition(world, 'scheduler.node', 'sched-client-1', 'down')
    world.advance(1_000)
    const lost = allocs(world).filter(({ ClientStatus }) => ClientStatus === 'lost')
    expect(lost.map(({ NodeName }) => NodeName)).toEqual(['sched-client-1'])
    expect(counters(world)).toEqual({ Running: 3, Lost: 1 })
  })

  test('nodes that do not fit are left out; where none fits, nothing waits (behaviour/scheduler#cluster)', () => {
    const world = clusterWorld()
    const only = [constraint(target('node.unique.name'), '=', 'sched-client-2')]
    register(world, systemJob('system', { Constraints: only }))
    world.advance(1_000)
    expect(allocs(world).map(({ NodeName }) => NodeName)).toEqual(['sched-client-2'])
    expect(evalOverview(world)).toEqual(['job-register complete'])
    register(world, systemJob('system', { ID: 'none', Constraints: windows }))
    register(world, systemJob('sysbatch', { ID: 'once', Constraints: windows }))
    world.advance(1_000)
    for (const id of ['none', 'once']) {
      expect(evals(world, id)).toMatchObject([
        {
          Status: 'complete',
          BlockedEval: '',
          QueuedAllocations: { cache: 0 },
          FailedTGAllocs: {
            cache: {
              ...noMetrics,
              NodesFiltered: 3,
              NodesAvailable: null,
              NodesInPool: 0,
              ConstraintFiltered: { [`${target('attr.kernel.name')} = windows`]: 3 },
            },
          },
        },
      ])
    }
    expect([currentJob(world, 'none').Status, currentJob(world, 'once').Status]).toEqual([
      'running',
      'dead',
    ])
  })

  test.each([
    ['no nodes', { nodes: [] }, {}],
    ['none in the datacenter', {}, { Datacenters: ['dc9'] }],
  ])(
    '%s: complete, and nothing failed or waits (behaviour/scheduler#cluster)',
    (_what, cluster, change) => {
      const world = clusterWorld(cluster)
      register(world, systemJob('system', change))
      register(world, systemJob('sysbatch', { ID: 'once', ...change }))
      world.advance(1_000)
      for (const id of ['example', 'once']) {
        expect(evals(world, id)).toMatchObject([
          { Status: 'complete', FailedTGAllocs: null, QueuedAllocations: { cache: 0 } },
        ])
      }
      expect([currentJob(world).Status, currentJob(world, 'once').Status]).toEqual([
        'running',
        'dead',
      ])
    },
  )

  test('a full node is waited for by itself (behaviour/scheduler#cluster)', () => {
    const capacity = { cpu: 4000, memory: 100, disk: 100_000 }
    const world = clusterWorld({
      nodes: [{ name: 'large' }, { name: 'a', capacity }, { name: 'b', capacity }],
    })
    register(world, systemJob('system'))
    world.advance(1_000)
    const [first, ...blocked] = evals(world).toSorted((a, b) => (a.Status < b.Status ? 1 : -1))
    expect(first).toMatchObject({
      Status: 'complete',
      BlockedEval: '',
      QueuedAllocations: { cache: 2 },
      FailedTGAllocs: { cache: { NodesExhausted: 1, DimensionExhausted: { memory: 1 } } },
    })
    expect(
      blocked.map(({ Status, NodeID, PreviousEval }) => [Status, NodeID, PreviousEval]),
    ).toEqual(
      expect.arrayContaining(['a', 'b'].map((name) => ['blocked', nodeId(world, name), first?.ID])),
    )
    expect(blocked).toHaveLength(2)
    forceTransition(world, 'scheduler.node', 'large', 'ineligible')
    forceTransition(world, 'scheduler.node', 'large', 'eligible')
    world.advance(1_000)
    expect(evals(world).filter(({ Status }) => Status === 'blocked')).toHaveLength(2)
    expect(allocs(world)).toHaveLength(1)
  })

  test('sysbatch: each node has its turn once', () => {
    const world = clusterWorld()
    const job = register(world, systemJob('sysbatch'))
    world.advance(5_000)
    expect(allocationOverview(world)).toEqual(Array(3).fill('example.cache[0] v0 run/complete'))
    world.write(() => createEvaluation(world, { job, triggeredBy: 'job-register' }))
    world.advance(5_000)
    expect(allocs(world)).toHaveLength(3)
    expect(currentJob(world).Status).toBe('dead')
  })

  test('a drained node loses its allocation, a stopped one is replaced, a stopped job has none', () => {
    const world = clusterWorld()
    const job = register(world, systemJob('system'))
    world.advance(1_000)
    forceTransition(world, 'scheduler.node', 'sched-client-1', 'drained')
    const other = allocs(world).find(({ NodeName }) => NodeName === 'sched-client-2')
    forceTransition(world, 'scheduler.allocation', other?.ID ?? '', 'stop')
    world.advance(1_000)
    const gone = allocs(world).filter(({ DesiredStatus }) => DesiredStatus === 'stop')
    expect(gone.map(({ NodeName, DesiredDescription }) => [NodeName, DesiredDescription])).toEqual(
      expect.arrayContaining([
        ['sched-client-1', 'alloc not needed as node is tainted'],
        ['sched-client-2', 'alloc not needed as node is tainted'],
      ]),
    )
    expect(counters(world)).toEqual({ Complete: 2, Running: 2 })
    register(world, { ...job, Stop: true })
    world.advance(1_000)
    expect(counters(world)).toEqual({ Complete: 4 })
  })

  test('an allocation that no longer fits its node is stopped', () => {
    const world = clusterWorld()
    const only = [constraint(target('node.unique.name'), '=', 'sched-client-2')]
    register(world, systemJob('system'))
    world.advance(1_000)
    register(world, systemJob('system', { Constraints: only }))
    world.advance(1_000)
    const running = allocs(world).filter(({ ClientStatus }) => ClientStatus === 'running')
    expect(running.map(({ NodeName, JobVersion }) => [NodeName, JobVersion])).toEqual([
      ['sched-client-2', 1],
    ])
  })

  test('a changed one is replaced or changed in place', () => {
    const world = clusterWorld()
    register(world, systemJob('system'))
    world.advance(1_000)
    register(world, systemJob('system', { Priority: 60 }))
    world.advance(1_000)
    expect(allocationOverview(world)).toEqual(Array(3).fill('example.cache[0] v1 run/running'))
    register(world, systemJob('system', { Meta: { a: 'b' } }))
    world.advance(1_000)
    expect(allocationOverview(world).toSorted()).toEqual(
      [
        ...Array(3).fill('example.cache[0] v1 stop/complete'),
        ...Array(3).fill('example.cache[0] v2 run/running'),
      ].toSorted(),
    )
  })
})

describe('dry runs (behaviour/scheduler#plan)', () => {
  const none = {
    Ignore: 0,
    Place: 0,
    Migrate: 0,
    Stop: 0,
    InPlaceUpdate: 0,
    DestructiveUpdate: 0,
    Canary: 0,
    Preemptions: 0,
  }

  test('each kind of change, and nothing is stored', () => {
    const world = clusterWorld()
    const plan = (job: Job) => plannedRegistration(world, job).desired
    expect(plan(batch(2))).toEqual({ cache: { ...none, Place: 2 } })
    register(world, batch(2))
    world.advance(1_000)
    const before = lastIndex(world)
    expect(plan(batch(2))).toEqual({ cache: { ...none, Ignore: 2 } })
    expect(plan(batch(1))).toEqual({ cache: { ...none, InPlaceUpdate: 1, Stop: 1 } })
    expect(plan(batch(3))).toEqual({ cache: { ...none, InPlaceUpdate: 2, Place: 1 } })
    expect(plan(batch(2, { Meta: { a: 'b' } }))).toEqual({
      cache: { ...none, DestructiveUpdate: 2 },
    })
    expect(lastIndex(world)).toBe(before)
  })

  test('why groups would not be placed', () => {
    const world = clusterWorld()
    expect(plannedRegistration(world, batch(1)).failed).toBeNull()
    expect(plannedRegistration(world, batch(2, { Constraints: windows })).failed).toEqual({
      cache: {
        ...noMetrics,
        NodesFiltered: 3,
        ConstraintFiltered: { [`${target('attr.kernel.name')} = windows`]: 3 },
        CoalescedFailures: 1,
      },
    })
  })

  test('rolling updates show waiting allocations as ignored', () => {
    const world = clusterWorld()
    register(world, storedServiceJob({ TaskGroups: [{ ...storedGroup(), Count: 3 }] }))
    world.advance(60_000)
    const next = storedServiceJob({
      Meta: { a: 'b' },
      TaskGroups: [{ ...storedGroup(), Count: 3 }],
    })
    expect(plannedRegistration(world, next).desired).toEqual({
      cache: { ...none, DestructiveUpdate: 1, Ignore: 2 },
    })
  })
})

test('rows fit the forms in which they are exported (behaviour/program#fresh-world)', () => {
  const world = clusterWorld({ nodes: [{ name: 'a' }, { name: 'b', status: 'down' }] })
  const group = { ...storedGroup(), Count: 2 }
  register(world, storedServiceJob({ TaskGroups: [group] }))
  register(world, batch(1, { ID: 'none', Constraints: windows }))
  world.advance(110)
  addOutcomeRule(world, { job: 'x', run_for: '1s' })
  forceTransition(world, 'scheduler.allocation', allocs(world)[0]?.ID ?? '', 'failed')
  world.changeOptions({ scheduler: { schedulerMode: 'manual' } })
  world.advance(60_000)
  const ajv = new Ajv({ allowUnionTypes: true })
  const tables: readonly TableDefinition[] = clusterTables
  for (const definition of tables) {
    const isRow = ajv.compile(definition.schema)
    for (const row of world.table(definition).rows()) {
      expect([isRow(row), isRow.errors, definition.name]).toEqual([true, null, definition.name])
    }
  }
})

test('evaluations do not count allocations that were replaced (behaviour/scheduler#allocations)', () => {
  const world = clusterWorld()
  const policy = { ...storedGroup().ReschedulePolicy, Delay: 5e9, DelayFunction: 'constant' }
  addOutcomeRule(world, { start_error: 'no such image' })
  register(world, {
    ...storedServiceJob(),
    TaskGroups: [{ ...storedGroup(), ReschedulePolicy: { ...noReschedule, ...policy } }],
  })
  world.advance(600_000)
  const all = allocs(world)
  expect(all.length).toBeGreaterThan(80)
  const counted = relevantAllocationsOf(
    world,
    'default',
    currentJob(world).ID,
    currentJob(world),
  ).map(({ ID }) => ID)
  expect(counted).toEqual([all.at(-1)?.ID])
})

test('ten thousand allocations are evaluated without trouble', () => {
  const world = clusterWorld()
  register(world, batch(10_000))
  world.advance(1_000)
  expect(counters(world)).toEqual({ Running: 10_000 })
  expect(nodeId(world, 'sched-client-1')).not.toBe('')
}, 60_000)
