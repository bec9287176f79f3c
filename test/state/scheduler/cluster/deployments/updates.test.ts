import { describe, expect, test } from 'vitest'
import type { World } from '../../../../../state/kernel/worlds/world.ts'
import {
  activeDeployment,
  deploymentsOf,
} from '../../../../../state/scheduler/cluster/deployments/deployments.ts'
import { promoteDeployment } from '../../../../../state/scheduler/cluster/deployments/rollout.ts'
import type { Deployment } from '../../../../../state/scheduler/cluster/model/placement-shapes.ts'
import { nodes } from '../../../../../state/scheduler/cluster/model/tables.ts'
import { putNode, writeNode } from '../../../../../state/scheduler/cluster/nodes/nodes.ts'
import { requiresReplacement } from '../../../../../state/scheduler/cluster/placement/destructive-changes.ts'
import type { Job, TaskGroup } from '../../../../../state/scheduler/job/job-shape.ts'
import type { Update } from '../../../../../state/scheduler/job/scheduling-shapes.ts'
import type { Task } from '../../../../../state/scheduler/job/task-shape.ts'
import { findJobVersion } from '../../../../../state/scheduler/records/store.ts'
import { start } from '../../../../support/kernel.ts'
import {
  alloc,
  allocationOverview,
  allocs,
  clusterWorld,
  currentJob,
  evalOverview,
  forceTransition,
  register,
} from '../../../../support/scheduler/scheduler-cluster.ts'
import {
  storedGroup,
  storedServiceJob,
  storedTask,
} from '../../../../support/scheduler/scheduler-jobs.ts'

/** Returns a job with one group, which has the given members. */
function jobWith(group: Partial<TaskGroup>, task: Partial<Task> = {}, job: Partial<Job> = {}): Job {
  const Tasks = [{ ...storedTask(), ...task }]
  return { ...storedServiceJob(), TaskGroups: [{ ...storedGroup(), Tasks, ...group }], ...job }
}

describe('replaced or changed in place (behaviour/scheduler#updates)', () => {
  const two = [storedTask(), storedTask({ Name: 'second' })]
  const network = {
    Device: '',
    CIDR: '',
    IP: '',
    MBits: 0,
    Mode: 'host',
    DNS: null,
    ReservedPorts: null,
    DynamicPorts: null,
  }
  const resources = storedTask().Resources
  const log = storedTask().LogConfig
  const secrets = {
    Policies: ['p'],
    Role: '',
    Namespace: '',
    Env: true,
    ChangeMode: 'restart',
    ChangeSignal: '',
  }
  const volume = {
    Name: 'v',
    Type: 'host',
    Source: 's',
    ReadOnly: false,
    AccessMode: '',
    AttachmentMode: '',
    MountOptions: null,
    PerAlloc: false,
  }
  const template = {
    SourcePath: '',
    DestPath: 'd',
    EmbeddedTmpl: 'x',
    ChangeMode: 'restart',
    ChangeSignal: '',
    Splay: 0,
    Perms: '0644',
  }

  test.each<[string, Job]>([
    ['number of tasks', jobWith({ Tasks: two })],
    ['name of a task', jobWith({}, { Name: 'other' })],
    ['driver', jobWith({}, { Driver: 'exec' })],
    ['user', jobWith({}, { User: 'root' })],
    ['Config', jobWith({}, { Config: { image: 'redis:8' } })],
    ['Env', jobWith({}, { Env: { A: 'b' } })],
    ['Meta of the task', jobWith({}, { Meta: { a: 'b' } })],
    ['Meta of the group', jobWith({ Meta: { a: 'b' } })],
    ['Meta of the job', jobWith({}, {}, { Meta: { a: 'b' } })],
    [
      'Artifacts',
      jobWith({}, { Artifacts: [{ GetterSource: 'a', GetterOptions: null, RelativeDest: 'l' }] }),
    ],
    ['Templates', jobWith({}, { Templates: [template] })],
    ['Secrets', jobWith({}, { Secrets: secrets })],
    [
      'Resources',
      jobWith({}, { Resources: resources === null ? null : { ...resources, CPU: 200 } }),
    ],
    ['Networks', jobWith({ Networks: [network] })],
    ['Volumes', jobWith({ Volumes: { v: volume } })],
    [
      'VolumeMounts',
      jobWith(
        {},
        {
          VolumeMounts: [
            { Volume: 'v', Destination: '/v', ReadOnly: false, PropagationMode: 'private' },
          ],
        },
      ),
    ],
    ['EphemeralDisk', jobWith({ EphemeralDisk: { Sticky: true, SizeMB: 300, Migrate: false } })],
    [
      'LogConfig.Disabled',
      jobWith({}, { LogConfig: log === null ? null : { ...log, Disabled: true } }),
    ],
  ])('%s: replaced', (_what, next) => {
    expect(requiresReplacement(jobWith({}), next, 'cache')).toBe(true)
    expect(requiresReplacement(jobWith({}), jobWith({}), 'cache')).toBe(false)
  })

  test.each<[string, Job]>([
    ['Count', jobWith({ Count: 2 })],
    ['Priority', jobWith({}, {}, { Priority: 60 })],
    ['KillTimeout', jobWith({}, { KillTimeout: 9e9 })],
    ['RestartPolicy', jobWith({ RestartPolicy: null })],
    ['Update', jobWith({ Update: null })],
    ['MaxFiles', jobWith({}, { LogConfig: log === null ? null : { ...log, MaxFiles: 3 } })],
    ['Meta that comes to the same', jobWith({ Meta: null }, { Meta: {} })],
  ])('%s: in place', (_what, next) => {
    expect(requiresReplacement(jobWith({}), next, 'cache')).toBe(false)
  })

  test('an update in place keeps the ID, changes JobVersion and restarts nothing', () => {
    const world = clusterWorld()
    register(world, jobWith({}))
    world.advance(60_000)
    const before = alloc(world)
    register(world, jobWith({}, { KillTimeout: 9e9 }))
    world.advance(60_000)
    expect(allocationOverview(world)).toEqual(['example.cache[0] v1 run/running'])
    expect(alloc(world)).toMatchObject({
      ID: before.ID,
      TaskStates: before.TaskStates,
      DeploymentStatus: { Healthy: true },
    })
    expect(alloc(world).ModifyIndex).toBeGreaterThan(before.ModifyIndex)
    expect(currentJob(world).Stable).toBe(true)
  })

  test('replaced: the old one stops, the new one has its name', () => {
    const world = clusterWorld()
    register(world, jobWith({}))
    world.advance(60_000)
    register(world, jobWith({}, { Env: { A: 'b' } }))
    world.advance(60_000)
    const [old, fresh] = allocs(world)
    expect(allocationOverview(world)).toEqual([
      'example.cache[0] v0 stop/complete',
      'example.cache[0] v1 run/running',
    ])
    expect(old?.DesiredDescription).toBe('alloc is being updated due to job update')
    expect([old?.NextAllocation, fresh?.PreviousAllocation]).toEqual([fresh?.ID, old?.ID])
  })

  test('an allocation without a possible replacement stays', () => {
    const world = clusterWorld()
    register(world, jobWith({}))
    world.advance(60_000)
    const Constraints = [{ LTarget: 'a', Operand: '=', RTarget: 'b' }]
    register(world, jobWith({}, { Env: { A: 'b' } }, { Constraints }))
    world.advance(60_000)
    expect(allocationOverview(world)).toEqual(['example.cache[0] v0 run/running'])
    expect(evalOverview(world)).toContain('queued-allocs blocked')
  })
})

const update = storedGroup().Update

/** Returns a job with `Count` allocations and the given update settings. */
function rolling(Count: number, change: Partial<Update>, env = ''): Job {
  const Update = update === null ? null : { ...update, ...change }
  return jobWith({ Count, Update }, { Env: env === '' ? null : { A: env } })
}

function deployment(world: World, position = 0): Deployment {
  const found = deploymentsOf(world, 'default', 'example')[position]
  if (found === undefined) throw new Error('no deployment')
  return found
}

const said = (world: World, position = 0): string[] => {
  const { Status, StatusDescription } = deployment(world, position)
  return [Status, StatusDescription]
}

describe('deployments (behaviour/scheduler#updates)', () => {
  test('a new deployment has all members', () => {
    const world = clusterWorld()
    const job = register(world, rolling(2, {}))
    expect(activeDeployment(world, 'default', 'example')).toBeUndefined()
    world.advance(50)
    expect(deployment(world)).toEqual({
      ID: deployment(world).ID,
      Namespace: 'default',
      JobID: 'example',
      JobVersion: 0,
      JobModifyIndex: job.ModifyIndex,
      JobSpecModifyIndex: job.JobModifyIndex,
      JobCreateIndex: job.CreateIndex,
      TaskGroups: {
        cache: {
          AutoRevert: false,
          AutoPromote: false,
          Promoted: false,
          PlacedCanaries: null,
          DesiredCanaries: 0,
          DesiredTotal: 2,
          PlacedAllocs: 2,
          HealthyAllocs: 0,
          UnhealthyAllocs: 0,
          ProgressDeadline: 600e9,
          RequireProgressBy: '2026-01-01T00:10:00.05Z',
        },
      },
      Status: 'running',
      StatusDescription: 'Deployment is running',
      EvalPriority: 50,
      IsMultiregion: false,
      CreateTime: (start + 50) * 1e6,
      ModifyTime: (start + 50) * 1e6,
      CreateIndex: 12,
      ModifyIndex: 13,
    })
    expect(activeDeployment(world, 'default', 'example')).toEqual(deployment(world))
    world.advance(20_000)
    expect(said(world)).toEqual(['successful', 'Deployment completed successfully'])
    expect(deployment(world).TaskGroups?.['cache']).toMatchObject({
      HealthyAllocs: 2,
      RequireProgressBy: '2026-01-01T00:10:10.35Z',
    })
    expect(alloc(world).DeploymentStatus).toEqual({
      Healthy: true,
      Timestamp: '2026-01-01T00:00:10.35Z',
      Canary: false,
      ModifyIndex: expect.any(Number),
    })
    expect(findJobVersion(world, 'default', 'example', 0)?.Stable).toBe(true)
    expect(activeDeployment(world, 'default', 'example')).toBeUndefined()
  })

  test('a deployment without a placed allocation starts without a deadline (behaviour/scheduler#cluster)', () => {
    const world = clusterWorld({ nodes: [] })
    register(world, rolling(2, {}))
    world.advance(60_000)
    expect(said(world)).toEqual(['running', 'Deployment is running'])
    expect(deployment(world).TaskGroups?.['cache']).toMatchObject({
      PlacedAllocs: 0,
      RequireProgressBy: null,
    })
    // Waiting allocations decide the status before the rollout does
    // (behaviour/scheduler#job-status).
    expect(currentJob(world).Status).toBe('pending')
    world.advance(700_000)
    expect(said(world)[0]).toBe('running')
    world.write(() => putNode(world, { name: 'late', status: 'down' }))
    forceTransition(world, 'scheduler.node', 'late', 'ready')
    world.advance(50)
    expect(deployment(world).TaskGroups?.['cache']).toMatchObject({
      PlacedAllocs: 2,
      RequireProgressBy: '2026-01-01T00:22:40.05Z',
    })
  })

  test('MaxParallel at a time, the next when those are healthy', () => {
    const world = clusterWorld()
    register(world, rolling(3, { MaxParallel: 2 }))
    world.advance(60_000)
    register(world, rolling(3, { MaxParallel: 2 }, 'b'))
    world.advance(5_000)
    expect(allocationOverview(world).toSorted()).toEqual([
      'example.cache[0] v0 stop/complete',
      'example.cache[0] v1 run/running',
      'example.cache[1] v0 stop/complete',
      'example.cache[1] v1 run/running',
      'example.cache[2] v0 run/running',
    ])
    world.advance(60_000)
    const running = allocationOverview(world).filter((line) => line.endsWith('run/running'))
    expect(running).toEqual([0, 1, 2].map((index) => `example.cache[${index}] v1 run/running`))
    expect(said(world)).toEqual(['successful', 'Deployment completed successfully'])
  })

  test('without MaxParallel there is no deployment, and all allocations are replaced together', () => {
    const world = clusterWorld()
    register(world, rolling(3, { MaxParallel: 0 }))
    world.advance(1_000)
    register(world, rolling(3, { MaxParallel: 0 }, 'b'))
    world.advance(1_000)
    expect(allocationOverview(world).filter((line) => line.includes('v1'))).toHaveLength(3)
    expect(deploymentsOf(world, 'default', 'example')).toEqual([])
  })

  test('MinHealthyTime counts as timeScale says', () => {
    const world = clusterWorld({ options: { timeScale: 0.1 } })
    register(world, rolling(1, {}))
    world.advance(1_030)
    expect(said(world)[0]).toBe('running')
    world.advance(20)
    expect(said(world)[0]).toBe('successful')
  })

  test('a deployment that exceeds the progress deadline fails', () => {
    const world = clusterWorld()
    register(world, rolling(1, { HealthCheck: 'manual' }))
    world.advance(600_049)
    expect(said(world)).toEqual(['running', 'Deployment is running'])
    world.advance(1)
    expect(said(world)).toEqual(['failed', 'Failed due to progress deadline'])
    expect(currentJob(world).Stable).toBe(false)
    world.advance(1_000)
    expect(evalOverview(world)).toContain('deployment-watcher complete')
  })

  test('a push makes it healthy by hand', () => {
    const world = clusterWorld()
    register(world, rolling(1, { HealthCheck: 'manual' }))
    world.advance(1_000)
    forceTransition(world, 'scheduler.allocation', alloc(world).ID, 'healthy')
    world.advance(100)
    expect(said(world)).toEqual(['successful', 'Deployment completed successfully'])
  })

  // choice/scheduler#cluster-health-evaluations
  test('a deployment succeeds in the evaluation after its last health report', () => {
    const world = clusterWorld()
    register(world, rolling(2, { HealthCheck: 'manual' }))
    world.advance(1_000)
    for (const { ID } of allocs(world))
      forceTransition(world, 'scheduler.allocation', ID, 'healthy')
    expect(said(world)).toEqual(['running', 'Deployment is running'])
    const awaited = evalOverview(world).filter((line) => line === 'deployment-watcher pending')
    expect(awaited).toHaveLength(1)
    world.advance(50)
    expect(said(world)).toEqual(['successful', 'Deployment completed successfully'])
  })

  test('tasks that clean up are not waited for', () => {
    const world = clusterWorld()
    const clean = {
      ...storedTask({ Name: 'clean' }),
      Lifecycle: { Hook: 'poststop', Sidecar: false },
    }
    const job = rolling(1, {})
    const [group = storedGroup()] = job.TaskGroups ?? []
    register(world, { ...job, TaskGroups: [{ ...group, Tasks: [storedTask(), clean] }] })
    world.advance(20_000)
    expect(said(world)).toEqual(['successful', 'Deployment completed successfully'])
  })

  test('unhealthy: without a progress deadline the first one fails it', () => {
    const world = clusterWorld()
    register(world, rolling(1, { ProgressDeadline: 0 }))
    world.advance(1_000)
    forceTransition(world, 'scheduler.task', `${alloc(world).ID}:redis`, 'failed', {
      exitCode: 137,
    })
    expect(said(world)).toEqual(['failed', 'Failed due to unhealthy allocations'])
    expect(deployment(world).TaskGroups?.['cache']).toMatchObject({
      HealthyAllocs: 0,
      UnhealthyAllocs: 1,
    })
    expect(alloc(world).DeploymentStatus?.Healthy).toBe(false)
  })

  test('with one, a failed allocation is replaced, and the deployment can still succeed', () => {
    const world = clusterWorld()
    register(world, rolling(1, {}))
    world.advance(1_000)
    forceTransition(world, 'scheduler.task', `${alloc(world).ID}:redis`, 'failed')
    world.advance(100_000)
    expect(said(world)).toEqual(['successful', 'Deployment completed successfully'])
    expect(deployment(world).TaskGroups?.['cache']).toMatchObject({
      PlacedAllocs: 2,
      HealthyAllocs: 1,
      UnhealthyAllocs: 1,
    })
  })

  test('an unhealthy allocation that becomes healthy stays counted as unhealthy', () => {
    const world = clusterWorld()
    register(world, rolling(2, { MinHealthyTime: 3600e9, HealthyDeadline: 7200e9 }))
    world.advance(1_000)
    const counts = (healthy: number, unhealthy: number) =>
      expect(deployment(world).TaskGroups?.['cache']).toMatchObject({
        HealthyAllocs: healthy,
        UnhealthyAllocs: unhealthy,
      })
    const [first = alloc(world), second = alloc(world)] = allocs(world)
    forceTransition(world, 'scheduler.allocation', first.ID, 'unhealthy')
    counts(0, 1)
    forceTransition(world, 'scheduler.allocation', first.ID, 'healthy')
    counts(0, 1)
    expect(allocs(world)[0]?.DeploymentStatus?.Healthy).toBe(true)
    forceTransition(world, 'scheduler.allocation', second.ID, 'healthy')
    counts(1, 1)
    forceTransition(world, 'scheduler.allocation', second.ID, 'unhealthy')
    counts(0, 2)
  })

  test('an allocation that does not run by HealthyDeadline is unhealthy', () => {
    const world = clusterWorld({ options: { startedDelay: '1h' } })
    register(world, rolling(1, { ProgressDeadline: 0, HealthyDeadline: 60e9 }))
    world.advance(60_049)
    expect(said(world)[0]).toBe('running')
    world.advance(1)
    expect(said(world)).toEqual(['failed', 'Failed due to unhealthy allocations'])
  })

  test('a newer version cancels it', () => {
    const world = clusterWorld()
    register(world, rolling(1, {}))
    world.advance(1_000)
    register(world, rolling(1, {}, 'b'))
    world.advance(50)
    expect(said(world, 1)).toEqual(['cancelled', 'Cancelled due to newer version of job'])
    expect(said(world, 0)).toEqual(['running', 'Deployment is running'])
  })

  test('stopping the job cancels it', () => {
    const world = clusterWorld()
    const job = register(world, rolling(1, {}))
    world.advance(1_000)
    register(world, { ...job, Stop: true })
    world.advance(50)
    expect(said(world)).toEqual(['cancelled', 'Cancelled because job is stopped'])
  })

  // choice/scheduler#cluster-auto-revert
  test('AutoRevert reverts to the last stable version', () => {
    const world = clusterWorld()
    register(world, rolling(1, { AutoRevert: true }))
    world.advance(60_000)
    register(world, rolling(1, { AutoRevert: true, ProgressDeadline: 0 }, 'bad'))
    world.advance(1_000)
    forceTransition(world, 'scheduler.task', `${alloc(world, 1).ID}:redis`, 'failed')
    expect(said(world)).toEqual([
      'failed',
      'Failed due to unhealthy allocations - rolling back to job version 0',
    ])
    expect(currentJob(world)).toMatchObject({ Version: 2, Stable: false })
    expect(currentJob(world).TaskGroups?.[0]?.Tasks?.[0]?.Env).toBeNull()
    world.advance(60_000)
    expect(allocationOverview(world).at(-1)).toBe('example.cache[0] v2 run/running')
    expect(said(world)).toEqual(['successful', 'Deployment completed successfully'])
  })

  // choice/scheduler#cluster-auto-revert
  test('AutoRevert without a stable version mentions it in the description', () => {
    const world = clusterWorld()
    register(world, rolling(1, { AutoRevert: true, ProgressDeadline: 0 }))
    world.advance(1_000)
    forceTransition(world, 'scheduler.allocation', alloc(world).ID, 'unhealthy')
    expect(said(world)).toEqual([
      'failed',
      'Failed due to unhealthy allocations - no stable job version to auto revert to',
    ])
  })
})

test('a deployment is not successful while an old allocation waits for its turn (behaviour/scheduler#updates)', () => {
  const world = clusterWorld()
  register(world, rolling(3, {}))
  world.advance(60_000)
  register(world, rolling(3, {}, 'b'))
  world.advance(1_000)
  const healthy = () => deployment(world).TaskGroups?.['cache']?.HealthyAllocs ?? 0
  while (healthy() < 2) world.advance(1_000)
  // An allocation that counted as healthy is lost; its replacement also counts.
  const counted = allocs(world).find(({ DeploymentStatus, DesiredStatus, JobVersion }) => {
    return JobVersion === 1 && DesiredStatus === 'run' && DeploymentStatus?.Healthy === true
  })
  forceTransition(world, 'scheduler.allocation', counted?.ID ?? '', 'lost')
  while (deployment(world).Status === 'running') world.advance(1_000)
  expect(said(world)).toEqual(['successful', 'Deployment completed successfully'])
  const runs = allocationOverview(world).filter((line) => line.includes(' run/'))
  expect(runs.toSorted()).toEqual([
    'example.cache[0] v1 run/running',
    'example.cache[1] v1 run/running',
    'example.cache[2] v1 run/running',
  ])
})

describe('canaries (behaviour/scheduler#updates: roughly)', () => {
  function withCanary(autoPromote: boolean) {
    const world = clusterWorld()
    register(world, rolling(2, { Canary: 1, AutoPromote: autoPromote }))
    world.advance(60_000)
    register(world, rolling(2, { Canary: 1, AutoPromote: autoPromote }, 'b'))
    world.advance(1_000)
    return world
  }

  test('canaries are added to the old allocations and wait for promotion', () => {
    const world = withCanary(false)
    expect(allocationOverview(world)).toEqual([
      'example.cache[0] v0 run/running',
      'example.cache[1] v0 run/running',
      'example.cache[0] v1 run/running',
    ])
    const canary = alloc(world, 2)
    expect(canary.DeploymentStatus).toMatchObject({ Healthy: null, Canary: true })
    expect(said(world)).toEqual(['running', 'Deployment is running but requires manual promotion'])
    expect(() => promoteDeployment(world, deployment(world).ID)).toThrow(
      '1 error occurred:\n\t* Task group "cache" has 0/1 healthy allocations\n\n',
    )
    world.advance(20_000)
    expect(allocationOverview(world)).toHaveLength(3)
    promoteDeployment(world, deployment(world).ID)
    world.advance(60_000)
    expect(allocationOverview(world).filter((line) => line.includes(' run/'))).toEqual([
      'example.cache[0] v1 run/running',
      'example.cache[1] v1 run/running',
    ])
    expect(deployment(world)).toMatchObject({
      Status: 'successful',
      TaskGroups: {
        cache: {
          Promoted: true,
          DesiredCanaries: 1,
          PlacedCanaries: [canary.ID],
          HealthyAllocs: 2,
        },
      },
    })
    expect(() => promoteDeployment(world, deployment(world).ID)).toThrow(
      "can't promote terminal deployment",
    )
  })

  test('AutoPromote promotes canaries once they are healthy', () => {
    const world = withCanary(true)
    expect(said(world)).toEqual(['running', 'Deployment is running pending automatic promotion'])
    world.advance(60_000)
    expect(said(world)).toEqual(['successful', 'Deployment completed successfully'])
    expect(allocationOverview(world).filter((line) => line.includes(' run/'))).toHaveLength(2)
  })

  // choice/scheduler#cluster-lost-canaries
  test('a lost or failed canary is replaced, and the old allocations stay', () => {
    const world = withCanary(false)
    world.advance(20_000)
    const old = ['example.cache[0] v0 run/running', 'example.cache[1] v0 run/running']
    const first = alloc(world, 2)
    forceTransition(world, 'scheduler.node', first.NodeID, 'down')
    world.advance(20_000)
    const second = alloc(world, 3)
    expect(allocationOverview(world)).toEqual([
      ...old,
      'example.cache[0] v1 stop/lost',
      'example.cache[0] v1 run/running',
    ])
    expect(second.PreviousAllocation).toBe(first.ID)
    forceTransition(world, 'scheduler.allocation', second.ID, 'failed')
    expect(() => promoteDeployment(world, deployment(world).ID)).toThrow(
      '1 error occurred:\n\t* Task group "cache" has 0/1 healthy allocations\n\n',
    )
    world.advance(60_000)
    expect(allocationOverview(world)).toEqual([
      ...old,
      'example.cache[0] v1 stop/lost',
      'example.cache[0] v1 stop/failed',
      'example.cache[0] v1 run/running',
    ])
    const third = alloc(world, 4)
    expect(third).toMatchObject({
      PreviousAllocation: second.ID,
      DeploymentStatus: { Healthy: true, Canary: true },
      RescheduleTracker: { Events: [{ PrevAllocID: second.ID }] },
    })
    expect(deployment(world).TaskGroups?.['cache']?.PlacedCanaries).toEqual([
      first.ID,
      second.ID,
      third.ID,
    ])
  })

  test('a canary of a superseded version is stopped on any node', () => {
    const world = withCanary(false)
    world.advance(20_000)
    world.write(() => {
      const node = world.table(nodes).get(alloc(world, 2).NodeID)
      if (node !== undefined) writeNode(world, { ...node, Status: 'down' })
    })
    register(world, rolling(2, { Canary: 1, AutoPromote: false }))
    world.advance(60_000)
    expect(allocationOverview(world)).toEqual([
      'example.cache[0] v2 run/running',
      'example.cache[1] v2 run/running',
      'example.cache[0] v1 stop/lost',
    ])
    expect(alloc(world, 2).DesiredDescription).toBe('alloc not needed due to job update')
  })

  test('canaries of a failed version are stopped', () => {
    const world = withCanary(false)
    forceTransition(world, 'scheduler.deployment', deployment(world).ID, 'failed')
    world.advance(60_000)
    expect(said(world)).toEqual(['failed', 'Deployment marked as failed'])
    expect(allocationOverview(world)).toEqual([
      'example.cache[0] v0 run/running',
      'example.cache[1] v0 run/running',
      'example.cache[0] v1 stop/complete',
    ])
  })
})
