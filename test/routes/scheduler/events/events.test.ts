import { describe, expect, test } from 'vitest'
import { exportWorld } from '../../../../state/kernel/worlds/document.ts'
import { listenToEvents } from '../../../../state/scheduler/events/log.ts'
import type { EventLine } from '../../../../state/scheduler/events/stream-events.ts'
import { scheduler, type TestScheduler } from '../../../support/scheduler/scheduler.ts'
import { streaming } from '../../../support/scheduler/scheduler-events.ts'
import { allocationOf, allocationsOf, mockJob } from '../cluster/support.ts'
import { exampleJob, frozenScheduler, register, requireSuccess } from '../support.ts'

/** Records the topics of each write in a world from now on, by event type. */
function recordEvents({ world }: Pick<TestScheduler, 'world'>) {
  const recorded: string[] = []
  const onEvents = (lines: readonly EventLine[]) => {
    for (const { type, events } of lines) {
      const topics = new Set(events.map(({ topic }) => topic))
      recorded.push(`${type}: ${[...topics].join(' ')}`)
    }
  }
  listenToEvents(world, Number.MAX_SAFE_INTEGER, {
    onEvents,
    onRightsChanged: () => {},
    onEnd: () => {},
  })
  recorded.length = 0
  /** Returns the events since the last call. */
  return () => recorded.splice(0)
}

const second = 1_000_000_000
const rolling = (V: string, more: object = {}) =>
  mockJob(
    { t: { Env: { V } } },
    {
      Count: 2,
      Update: { MaxParallel: 1, MinHealthyTime: second, HealthCheck: 'manual', ...more },
    },
  )

/** Registers a job whose second version is being rolled out. */
async function rollingOut(more: object = {}) {
  const served = await scheduler()
  const { scheduler: api, clock } = served
  const health = async (ids: readonly string[]) => {
    const { ID } = (await api.get('job/example/deployment')).body
    const sent = { DeploymentID: ID, HealthyAllocationIDs: ids }
    await requireSuccess(api.post(`deployment/allocation-health/${ID}`, sent))
  }
  await register(api, rolling('1', more))
  clock.advance(5000)
  await health((await allocationsOf(api)).map(({ ID }) => ID))
  clock.advance(5000)
  await register(api, rolling('2', more))
  clock.advance(5000)
  const { ID } = (await api.get('job/example/deployment')).body
  const fresh = (await allocationsOf(api)).filter(({ JobVersion }) => JobVersion === 1)
  return { ...served, api, health, ID: String(ID), fresh, told: recordEvents(served) }
}

describe('the type of an event names the write (behaviour/scheduler#event-stream)', () => {
  test('of jobs: registering, stopping and purging; scaling registers', async () => {
    const served = await frozenScheduler()
    const { scheduler: api } = served
    const takeEvents = recordEvents(served)
    await register(api, exampleJob({ Type: 'batch' }))
    const registered = ['JobRegistered: Job', 'JobRegistered: Evaluation']
    expect(takeEvents()).toEqual(registered)
    await requireSuccess(api.post('job/example/scale', { Count: 2, Target: { Group: 'cache' } }))
    expect(takeEvents()).toEqual(['JobRegistered: Job', 'EvaluationUpdated: Evaluation'])
    for (const EvalOptions of [{}, { ForceReschedule: true }]) {
      await requireSuccess(api.post('job/example/evaluate', { JobID: 'example', EvalOptions }))
      expect(takeEvents()).toEqual(['AllocationUpdateDesiredStatus: Evaluation'])
    }
    const deregistered = ['JobDeregistered: Job', 'JobDeregistered: Evaluation']
    await requireSuccess(api.delete('job/example'))
    expect(takeEvents()).toEqual(deregistered)
    await requireSuccess(api.delete('job/example?purge=true'))
    // A purge completes the evaluations that are pending.
    expect(takeEvents()).toEqual(['JobDeregistered: Job Evaluation', deregistered[1]])
  })

  test('tags, stability, namespaces and scaling policies create no events', async () => {
    const served = await frozenScheduler()
    const { scheduler: api } = served
    await register(api, exampleJob())
    const takeEvents = recordEvents(served)
    await requireSuccess(api.post('job/example/versions/t/tag', {}))
    await requireSuccess(api.post('job/example/stable', { JobID: 'example', Stable: true }))
    await requireSuccess(api.post('namespace', { Name: 'x' }))
    expect(takeEvents()).toEqual([])
  })

  // choice/scheduler#cluster-event-types
  test('of the cluster: plans, then reports of clients', async () => {
    const served = await scheduler()
    const takeEvents = recordEvents(served)
    await register(served.scheduler, mockJob({ t: {} }))
    takeEvents()
    served.clock.advance(60_000)
    const types = takeEvents()
    // The deployment has its own commit, before the evaluation completes
    // (behaviour/scheduler#cluster).
    expect(types.slice(0, 3)).toEqual([
      'PlanResult: Deployment',
      'PlanResult: Evaluation Allocation Deployment Job',
      'EvaluationUpdated: Evaluation',
    ])
    expect(types.slice(3)).toContain('AllocationUpdated: Allocation Node')
    // A client reports the health; the watcher of deployments follows with an evaluation.
    expect(types.slice(-4)).toEqual([
      'AllocationUpdated: Allocation Deployment Node',
      'AllocationUpdateDesiredStatus: Evaluation',
      // The deployment ends with an evaluation.
      'PlanResult: Evaluation Deployment Job',
      'EvaluationUpdated: Evaluation',
    ])
  })

  test('of failed placements: only the evaluations', async () => {
    const served = await scheduler()
    const takeEvents = recordEvents(served)
    await register(served.scheduler, mockJob({ t: {} }, {}, { Type: 'batch', Datacenters: ['x'] }))
    takeEvents()
    served.clock.advance(1000)
    expect(takeEvents()).toEqual(['EvaluationUpdated: Evaluation'])
  })

  test('of changes to deployments', async () => {
    const { api, ID, fresh, health, told: takeEvents } = await rollingOut()
    const pause = (Pause: boolean) =>
      requireSuccess(api.post(`deployment/pause/${ID}`, { DeploymentID: ID, Pause }))
    await pause(true)
    expect(takeEvents()).toEqual(['DeploymentStatusUpdate: Deployment'])
    await pause(false)
    expect(takeEvents()).toEqual(['DeploymentStatusUpdate: Evaluation Deployment'])
    await health(fresh.map(({ ID: id }) => id))
    expect(takeEvents()).toEqual(['DeploymentAllocHealth: Allocation Deployment'])
    await requireSuccess(api.post(`deployment/fail/${ID}`))
    expect(takeEvents()).toEqual(['DeploymentStatusUpdate: Deployment'])
  })

  test('of a promotion', async () => {
    const { api, ID, fresh, health, told: takeEvents } = await rollingOut({ Canary: 1 })
    await health(fresh.map(({ ID: id }) => id))
    takeEvents()
    await requireSuccess(api.post(`deployment/promote/${ID}`, { DeploymentID: ID, All: true }))
    expect(takeEvents()).toEqual(['DeploymentPromotion: Allocation Deployment'])
  })

  test('of an allocation that a client stops', async () => {
    const served = await scheduler()
    const { scheduler: api, clock } = served
    await register(api, mockJob({ t: {} }))
    clock.advance(1000)
    const takeEvents = recordEvents(served)
    const { ID } = await allocationOf(api)
    await requireSuccess(api.post(`allocation/${ID}/stop`))
    expect(takeEvents()).toEqual(['AllocationUpdateDesiredStatus: Evaluation Allocation'])
  })

  test('of a failing task: its evaluation is a separate line', async () => {
    const served = await scheduler()
    const { scheduler: api, clock } = served
    const Config = { run_for: '5s', exit_code: 1 }
    const RestartPolicy = { Attempts: 0, Mode: 'fail', Interval: 60 * second, Delay: second }
    await register(api, mockJob({ t: { Config } }, { RestartPolicy }))
    clock.advance(4000)
    const takeEvents = recordEvents(served)
    clock.advance(2000)
    const types = takeEvents()
    const at = types.findIndex((each) => each.startsWith('AllocationUpdated: Allocation'))
    expect(types[at + 1]).toBe('AllocationUpdated: Evaluation')
  })

  test('of services and nodes', async () => {
    const served = await scheduler()
    const { scheduler: api, clock, world } = served
    const Services = [{ Name: 'web', Provider: 'sched' }]
    await register(api, mockJob({ t: {} }, { Services }))
    clock.advance(1000)
    const takeEvents = recordEvents(served)
    const [{ ID }] = (await api.get('service/web')).body
    await requireSuccess(api.delete(`service/web/${ID}`))
    expect(takeEvents()).toEqual(['ServiceDeregistration: Service'])
    const { NodeID } = await allocationOf(api)
    const push = world.transitions.get('scheduler.node')?.force
    expect(push).toBeDefined()
    world.write(() => push?.(world, NodeID, 'down', {}))
    expect(takeEvents()[0]).toBe('NodeStreamEvent: Node')
  })

  test('of an unhealthy allocation: the report, then the end of its deployment', async () => {
    const served = await scheduler()
    const { scheduler: api, clock } = served
    const Update = { MinHealthyTime: second, HealthyDeadline: 5 * second, ProgressDeadline: 0 }
    await register(api, mockJob({ t: { Config: { start_error: 'no' } } }, { Update }))
    const takeEvents = recordEvents(served)
    clock.advance(60_000)
    const types = takeEvents()
    const failed = types.findIndex((each) => each.startsWith('DeploymentStatusUpdate'))
    expect(types.slice(failed - 1, failed + 1)).toEqual([
      'AllocationUpdated: Allocation Node',
      'DeploymentStatusUpdate: Evaluation Deployment Job',
    ])
  })

  test('the bootstrap of ACLs creates no events', async () => {
    const served = await scheduler({ options: { aclEnabled: true, bootstrap: 'open' } })
    const takeEvents = recordEvents(served)
    const { SecretID } = (await requireSuccess(served.scheduler.post('acl/bootstrap'))).body
    expect(takeEvents()).toEqual([])
    await requireSuccess(served.as(SecretID).post('acl/token', { Type: 'management' }))
    expect(takeEvents()).toEqual(['ACLTokenUpserted: ACLToken'])
  })

  // choice/scheduler#cluster-event-buffer
  test('a document contains no events, and replaces rows without any', async () => {
    const served = await scheduler()
    await register(served.scheduler, mockJob({ t: {} }))
    const document = exportWorld(served.world)
    const imported = await scheduler({ document })
    const lines: EventLine[] = []
    listenToEvents(imported.world, 0, {
      onEvents: (more) => void lines.push(...more),
      onRightsChanged: () => {},
      onEnd: () => {},
    })
    expect(lines).toEqual([])
  })
})

describe('allocations in events (behaviour/scheduler#event-stream, behaviour/scheduler#vendor-names)', () => {
  const parts = ['Resources', 'SharedResources', 'SigningKeyID', 'TaskResources']

  test.each(['neutral', 'vendor'] as const)(
    'are whole, without their job (%s)',
    async (dialect) => {
      const { scheduler: api, clock, stream } = await streaming(await scheduler({ dialect }))
      const reader = await stream('?topic=Allocation')
      await register(api, exampleJob())
      clock.advance(50)
      const line = await reader.line()
      const Allocation = line?.Events?.[0]?.Payload['Allocation'] ?? {}
      for (const part of parts) expect(Allocation).toHaveProperty(part)
      expect('Job' in Allocation).toBe(dialect === 'neutral')
      expect(Allocation['Job'] ?? null).toBeNull()
      expect('NextAllocation' in Allocation).toBe(dialect === 'neutral')
    },
  )
})
