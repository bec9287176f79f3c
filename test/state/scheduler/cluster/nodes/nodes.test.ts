import { describe, expect, test } from 'vitest'
import { createEvaluation } from '../../../../../state/scheduler/cluster/model/evaluations.ts'
import {
  allNodePools,
  hasNodePool,
} from '../../../../../state/scheduler/cluster/nodes/node-pools.ts'
import {
  allNodes,
  defaultDrivers,
  requireNode,
} from '../../../../../state/scheduler/cluster/nodes/nodes.ts'
import type { Job } from '../../../../../state/scheduler/job/job-shape.ts'
import {
  alloc,
  allocationOverview,
  allocs,
  clusterWorld,
  counters,
  currentJob,
  evalOverview,
  evals,
  eventsOf,
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

/** Returns a service with `Count` allocations and without deployments. */
function service(Count: number, MaxClientDisconnect: number | null = null): Job {
  const group = { ...storedGroup(), Count, Update: null, MaxClientDisconnect }
  return { ...storedServiceJob(), TaskGroups: [group] }
}

describe('nodes (behaviour/scheduler#nodes)', () => {
  test('the default ones', () => {
    const world = clusterWorld()
    const nodes = allNodes(world).toSorted((a, b) => (a.Name < b.Name ? -1 : 1))
    expect(nodes.map(({ Name }) => Name)).toEqual([1, 2, 3].map((one) => `sched-client-${one}`))
    expect(nodes[0]).toMatchObject({
      Address: '127.0.0.1',
      Datacenter: 'dc1',
      NodePool: 'default',
      NodeClass: '',
      Drain: false,
      SchedulingEligibility: 'eligible',
      Status: 'ready',
      StatusDescription: '',
      HostVolumes: null,
      LastDrain: null,
      Capacity: null,
      CreateIndex: 10,
      ModifyIndex: 10,
    })
    expect(Object.keys(nodes[0]?.Drivers ?? {})).toEqual(defaultDrivers)
    expect(nodes[0]?.Attributes).toMatchObject({
      'kernel.name': 'linux',
      'cpu.arch': 'amd64',
      'os.name': 'debian',
      'driver.docker': '1',
      'unique.hostname': 'sched-client-1',
    })
  })

  test('pools', () => {
    const pools = allNodePools(clusterWorld({ nodes: [{ name: 'a', pool: 'gpu' }] }))
    expect(pools.map(({ Name, Description }) => [Name, Description])).toEqual([
      ['all', 'Node pool with all nodes in the cluster.'],
      ['default', 'Default node pool.'],
      ['gpu', ''],
    ])
    expect(hasNodePool(clusterWorld(), 'gpu')).toBe(false)
  })

  test('an unknown one is refused', () => {
    expect(() => requireNode(clusterWorld(), 'x')).toThrow('node not found')
  })
})

describe('a node that is lost', () => {
  test('allocations of the node are lost and placed elsewhere', () => {
    const world = clusterWorld()
    register(world, service(1))
    world.advance(1_000)
    const node = alloc(world).NodeID
    forceTransition(world, 'scheduler.node', node, 'down')
    expect(evals(world).find(({ TriggeredBy }) => TriggeredBy === 'node-update')).toMatchObject({
      Status: 'pending',
      NodeID: node,
      NodeModifyIndex: requireNode(world, node).ModifyIndex,
    })
    world.advance(1_000)
    const [lost, fresh] = allocs(world)
    expect(allocationOverview(world)).toEqual([
      'example.cache[0] v0 stop/lost',
      'example.cache[0] v0 run/running',
    ])
    expect(lost?.DesiredDescription).toBe('alloc is lost since its node is down')
    // The last description from the client stays.
    expect(lost?.ClientDescription).toBe('Tasks are running')
    expect(fresh?.PreviousAllocation).toBe(lost?.ID)
    expect(fresh?.NodeID).not.toBe(node)
    expect(fresh?.RescheduleTracker).toBeNull()
    expect(counters(world)).toEqual({ Running: 1, Lost: 1 })
  })

  test('with nowhere to go it waits', () => {
    const world = clusterWorld({ nodes: [{ name: 'only' }] })
    register(world, service(1))
    world.advance(1_000)
    forceTransition(world, 'scheduler.node', 'only', 'down')
    world.advance(1_000)
    expect(counters(world)).toEqual({ Queued: 1, Lost: 1 })
    expect(currentJob(world).Status).toBe('pending')
    forceTransition(world, 'scheduler.node', 'only', 'ready')
    world.advance(1_000)
    expect(allocationOverview(world)).toEqual([
      'example.cache[0] v0 stop/lost',
      'example.cache[0] v0 run/running',
    ])
    expect(evalOverview(world)).toContain('queued-allocs complete')
  })

  // choice/scheduler#cluster-disconnected-nodes
  test('a node that may come back: unknown until it does', () => {
    const world = clusterWorld()
    register(world, service(1, 3_600e9))
    world.advance(1_000)
    const node = alloc(world).NodeID
    forceTransition(world, 'scheduler.node', node, 'disconnected')
    world.advance(1_000)
    expect(allocationOverview(world)).toEqual([
      'example.cache[0] v0 run/unknown',
      'example.cache[0] v0 run/running',
    ])
    const [away] = allocs(world)
    expect(away?.ClientDescription).toBe('alloc is unknown since its node is disconnected')
    expect(counters(world)).toEqual({ Running: 1, Unknown: 1 })
    // The later status `down` changes nothing.
    forceTransition(world, 'scheduler.node', node, 'down')
    world.advance(1_000)
    expect(allocationOverview(world)[0]).toBe('example.cache[0] v0 run/unknown')
    forceTransition(world, 'scheduler.node', node, 'ready')
    world.advance(1_000)
    expect(allocationOverview(world)).toEqual([
      'example.cache[0] v0 run/running',
      'example.cache[0] v0 stop/complete',
    ])
    expect(allocs(world)[1]?.DesiredDescription).toBe(
      'alloc not needed due to disconnected client reconnect',
    )
  })

  test.each([
    ['MaxClientDisconnect', { MaxClientDisconnect: 60e9 }],
    ['LostAfter', { Disconnect: { LostAfter: 60e9 } }],
  ])('an evaluation waits for %s to be over', (_, change) => {
    const world = clusterWorld()
    const job = service(2)
    const [group = storedGroup()] = job.TaskGroups ?? []
    register(world, { ...job, TaskGroups: [{ ...group, ...change }] })
    world.advance(1_000)
    const node = alloc(world).NodeID
    forceTransition(world, 'scheduler.node', node, 'disconnected')
    world.advance(50)
    const made = evals(world).filter(({ TriggeredBy }) => TriggeredBy === 'max-disconnect-timeout')
    const before = evals(world).find(({ TriggeredBy }) => TriggeredBy === 'node-update')
    expect(made).toMatchObject([
      {
        Status: 'pending',
        StatusDescription: 'created for delayed disconnect timeout',
        WaitUntil: expect.any(String),
        PreviousEval: before?.ID,
      },
    ])
    const away = allocs(world).filter(({ ClientStatus }) => ClientStatus === 'unknown')
    expect(away.map(({ FollowupEvalID }) => FollowupEvalID)).toEqual([made[0]?.ID])
    world.advance(60_000)
    expect(allocs(world).find(({ ID }) => ID === away[0]?.ID)).toMatchObject({
      ClientStatus: 'lost',
      ClientDescription: 'alloc is unknown since its node is disconnected',
      DesiredStatus: 'stop',
      DesiredDescription: 'alloc is lost since its node is down',
    })
    expect(counters(world)).toEqual({ Running: 2, Lost: 1 })
  })

  test('an allocation that must not be replaced while unknown is replaced after its time', () => {
    const world = clusterWorld()
    const job = service(1)
    const [group = storedGroup()] = job.TaskGroups ?? []
    const Disconnect = { LostAfter: 60e9, Replace: false }
    register(world, { ...job, TaskGroups: [{ ...group, Disconnect }] })
    world.advance(1_000)
    forceTransition(world, 'scheduler.node', alloc(world).NodeID, 'disconnected')
    world.advance(59_000)
    expect(allocationOverview(world)).toEqual(['example.cache[0] v0 run/unknown'])
    world.advance(2_000)
    expect(allocationOverview(world)).toEqual([
      'example.cache[0] v0 stop/lost',
      'example.cache[0] v0 run/running',
    ])
  })

  test('an allocation that has not started is lost at once', () => {
    const world = clusterWorld()
    register(world, service(1, 3_600e9))
    world.advance(110)
    forceTransition(world, 'scheduler.node', alloc(world).NodeID, 'disconnected')
    world.advance(1_000)
    expect(allocationOverview(world)).toEqual([
      'example.cache[0] v0 stop/lost',
      'example.cache[0] v0 run/running',
    ])
  })

  // choice/scheduler#cluster-disconnected-nodes
  test('an allocation whose node does not return in time is lost', () => {
    const world = clusterWorld()
    register(world, service(1, 60e9))
    world.advance(1_000)
    const node = alloc(world).NodeID
    forceTransition(world, 'scheduler.node', node, 'disconnected')
    world.advance(60_049)
    expect(allocationOverview(world)[0]).toBe('example.cache[0] v0 run/unknown')
    world.advance(1)
    expect(allocationOverview(world)).toEqual([
      'example.cache[0] v0 stop/lost',
      'example.cache[0] v0 run/running',
    ])
  })

  test('tasks do not change while their node is disconnected', () => {
    const world = clusterWorld({ nodes: [{ name: 'only' }] })
    const job = service(1, 3_600e9)
    const [group = storedGroup()] = job.TaskGroups ?? []
    const Tasks = [{ ...storedTask({ Driver: 'mock' }), Config: { run_for: '10s' } }]
    register(world, { ...job, TaskGroups: [{ ...group, Tasks }] })
    world.advance(1_000)
    forceTransition(world, 'scheduler.node', 'only', 'disconnected')
    world.advance(60_000)
    expect(eventsOf(alloc(world)).at(-1)).toBe('Started')
    forceTransition(world, 'scheduler.node', 'only', 'ready')
    world.advance(10_000)
    expect(eventsOf(alloc(world))).toContain('Terminated')
  })

  // choice/scheduler#cluster-disconnected-nodes
  test('disconnected without permission to be: lost', () => {
    const world = clusterWorld()
    register(world, service(1))
    world.advance(1_000)
    forceTransition(world, 'scheduler.node', alloc(world).NodeID, 'disconnected')
    world.advance(1_000)
    expect(allocationOverview(world)[0]).toBe('example.cache[0] v0 stop/lost')
  })
})

describe('a node that is drained', () => {
  // choice/scheduler#cluster-drain
  test('allocations of the node move', () => {
    const world = clusterWorld()
    register(world, service(1))
    world.advance(1_000)
    const node = alloc(world).NodeID
    forceTransition(world, 'scheduler.node', node, 'drained')
    expect(requireNode(world, node)).toMatchObject({
      Drain: true,
      SchedulingEligibility: 'ineligible',
      LastDrain: { Status: 'draining' },
    })
    world.advance(1_000)
    const [old, fresh] = allocs(world)
    expect(allocationOverview(world)).toEqual([
      'example.cache[0] v0 stop/complete',
      'example.cache[0] v0 run/running',
    ])
    expect(old?.DesiredDescription).toBe('alloc is being migrated')
    expect(fresh?.NodeID).not.toBe(node)
    expect(requireNode(world, node)).toMatchObject({
      Drain: false,
      SchedulingEligibility: 'ineligible',
      LastDrain: { Status: 'complete' },
    })
  })

  // choice/scheduler#cluster-drain
  test('all allocations move at once, whatever Migrate says', () => {
    const world = clusterWorld({ nodes: [{ name: 'a' }, { name: 'b' }] })
    register(world, service(6))
    world.advance(1_000)
    const node = nodeId(world, 'a')
    forceTransition(world, 'scheduler.node', 'a', 'drained')
    world.advance(50)
    const leaving = allocs(world).filter(
      ({ NodeID, DesiredStatus }) => NodeID === node && DesiredStatus === 'stop',
    )
    expect(leaving).toHaveLength(3)
  })

  // choice/scheduler#cluster-ended-services
  test('a completed allocation of a service is replaced in the next evaluation', () => {
    const world = clusterWorld()
    const job = register(world, service(1))
    world.advance(1_000)
    forceTransition(world, 'scheduler.allocation', alloc(world).ID, 'complete')
    world.advance(600_000)
    expect(allocationOverview(world)).toEqual(['example.cache[0] v0 run/complete'])
    world.write(() => createEvaluation(world, { job, triggeredBy: 'job-register' }))
    world.advance(1_000)
    expect(allocationOverview(world).at(-1)).toBe('example.cache[0] v0 run/running')
  })

  test('an allocation of a batch job moves once', () => {
    const world = clusterWorld()
    const Tasks = [{ ...storedTask({ Driver: 'mock' }), Config: { run_for: '9h' } }]
    const job = register(world, storedBatchJob({ TaskGroups: [{ ...storedBatchGroup(), Tasks }] }))
    world.advance(1_000)
    forceTransition(world, 'scheduler.node', alloc(world).NodeID, 'drained')
    world.advance(1_000)
    world.write(() => createEvaluation(world, { job, triggeredBy: 'job-register' }))
    world.advance(1_000)
    expect(allocationOverview(world)).toEqual([
      'example.cache[0] v0 stop/complete',
      'example.cache[0] v0 run/running',
    ])
  })

  test('an empty node is drained at once', () => {
    const world = clusterWorld()
    forceTransition(world, 'scheduler.node', 'sched-client-1', 'drained')
    expect(requireNode(world, nodeId(world, 'sched-client-1'))).toMatchObject({
      Drain: false,
      LastDrain: { Status: 'complete' },
    })
  })
})

test('an ineligible node gets no new allocations and keeps its own', () => {
  const world = clusterWorld({ nodes: [{ name: 'a' }, { name: 'b' }] })
  register(world, service(2))
  world.advance(1_000)
  forceTransition(world, 'scheduler.node', 'a', 'ineligible')
  register(world, service(4))
  world.advance(1_000)
  const on = (name: string) => allocs(world).filter(({ NodeName }) => NodeName === name).length
  expect([on('a'), on('b')]).toEqual([1, 3])
  forceTransition(world, 'scheduler.node', 'a', 'eligible')
  register(world, service(5))
  world.advance(1_000)
  expect(on('a')).toBe(2)
})
