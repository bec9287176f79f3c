import { describe, expect, test } from 'vitest'
import { eventLogOf } from '../../../../state/scheduler/events/log.ts'
import type { EventLine } from '../../../../state/scheduler/events/stream-events.ts'
import { scheduler, type TestScheduler } from '../../../support/scheduler/scheduler.ts'
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
  eventLogOf(world).listen(world, Number.MAX_SAFE_INTEGER, {
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
    expect(takeEvents()).toEqual(registered)
    await requireSuccess(api.post('job/example/evaluate', { JobID: 'example' }))
    expect(takeEvents()).toEqual(['EvaluationUpdated: Evaluation'])
    const deregistered = ['JobDeregistered: Job', 'JobDeregistered: Evaluation']
    await requireSuccess(api.delete('job/example'))
    expect(takeEvents()).toEqual(deregistered)
    await requireSuccess(api.delete('job/example?purge=true'))
    expect(takeEvents()).toEqual(deregistered)
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
    expect(types.slice(0, 2)).toEqual([
      'PlanResult: Deployment',
      'PlanResult: Evaluation Allocation Deployment Job',
    ])
    expect(types.slice(2)).toContain('AllocationUpdated: Allocation')
    // The deployment ends with an evaluation.
    expect(types.at(-1)).toBe('PlanResult: Evaluation Deployment Job')
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
})
