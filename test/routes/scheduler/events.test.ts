import { describe, expect, test } from 'vitest'
import { eventLogOf } from '../../../state/scheduler/events/log.ts'
import type { EventLine } from '../../../state/scheduler/events/stream-events.ts'
import { scheduler, type TestScheduler } from '../../support/scheduler.ts'
import { allocationOf, allocationsOf, mockJob } from './cluster-support.ts'
import { exampleJob, register, stillScheduler, succeeded } from './support.ts'

/** What happens in a world from now on: topics of each write by its type. */
function hearing({ world }: Pick<TestScheduler, 'world'>) {
  const heard: string[] = []
  const hear = (lines: readonly EventLine[]) => {
    for (const { type, events } of lines) {
      const topics = new Set(events.map(({ topic }) => topic))
      heard.push(`${type}: ${[...topics].join(' ')}`)
    }
  }
  eventLogOf(world).listen(world, Number.MAX_SAFE_INTEGER, {
    hear,
    rightsChanged: () => {},
    end: () => {},
  })
  heard.length = 0
  /** What came since it was asked last. */
  return () => heard.splice(0)
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

/** A job whose second version is being rolled out. */
async function rollingOut(more: object = {}) {
  const served = await scheduler()
  const { scheduler: api, clock } = served
  const health = async (ids: readonly string[]) => {
    const { ID } = (await api.get('job/example/deployment')).body
    const sent = { DeploymentID: ID, HealthyAllocationIDs: ids }
    await succeeded(api.post(`deployment/allocation-health/${ID}`, sent))
  }
  await register(api, rolling('1', more))
  clock.advance(5000)
  await health((await allocationsOf(api)).map(({ ID }) => ID))
  clock.advance(5000)
  await register(api, rolling('2', more))
  clock.advance(5000)
  const { ID } = (await api.get('job/example/deployment')).body
  const fresh = (await allocationsOf(api)).filter(({ JobVersion }) => JobVersion === 1)
  return { ...served, api, health, ID: String(ID), fresh, told: hearing(served) }
}

describe('the type of an event is the write (behaviour/scheduler#event-stream)', () => {
  test('of jobs: registering, stopping and purging; scaling registers', async () => {
    const served = await stillScheduler()
    const { scheduler: api } = served
    const told = hearing(served)
    await register(api, exampleJob({ Type: 'batch' }))
    const registered = ['JobRegistered: Job', 'JobRegistered: Evaluation']
    expect(told()).toEqual(registered)
    await succeeded(api.post('job/example/scale', { Count: 2, Target: { Group: 'cache' } }))
    expect(told()).toEqual(registered)
    await succeeded(api.post('job/example/evaluate', { JobID: 'example' }))
    expect(told()).toEqual(['EvaluationUpdated: Evaluation'])
    const deregistered = ['JobDeregistered: Job', 'JobDeregistered: Evaluation']
    await succeeded(api.delete('job/example'))
    expect(told()).toEqual(deregistered)
    await succeeded(api.delete('job/example?purge=true'))
    expect(told()).toEqual(deregistered)
  })

  test('tags, stability, namespaces and scaling policies make none', async () => {
    const served = await stillScheduler()
    const { scheduler: api } = served
    await register(api, exampleJob())
    const told = hearing(served)
    await succeeded(api.post('job/example/versions/t/tag', {}))
    await succeeded(api.post('job/example/stable', { JobID: 'example', Stable: true }))
    await succeeded(api.post('namespace', { Name: 'x' }))
    expect(told()).toEqual([])
  })

  // choice/scheduler#cluster-event-types
  test('of the cluster: plans, then what clients say', async () => {
    const served = await scheduler()
    const told = hearing(served)
    await register(served.scheduler, mockJob({ t: {} }))
    told()
    served.clock.advance(60_000)
    const types = told()
    // The deployment has a commit of its own, before the evaluation completes (behaviour/scheduler#cluster).
    expect(types.slice(0, 2)).toEqual([
      'PlanResult: Deployment',
      'PlanResult: Evaluation Allocation Deployment Job',
    ])
    expect(types.slice(2)).toContain('AllocationUpdated: Allocation')
    // The deployment ends with an evaluation.
    expect(types.at(-1)).toBe('PlanResult: Evaluation Deployment Job')
  })

  test('of what has no place: the evaluations alone', async () => {
    const served = await scheduler()
    const told = hearing(served)
    await register(served.scheduler, mockJob({ t: {} }, {}, { Type: 'batch', Datacenters: ['x'] }))
    told()
    served.clock.advance(1000)
    expect(told()).toEqual(['EvaluationUpdated: Evaluation'])
  })

  test('of deployments by hand', async () => {
    const { api, ID, fresh, health, told } = await rollingOut()
    const pause = (Pause: boolean) =>
      succeeded(api.post(`deployment/pause/${ID}`, { DeploymentID: ID, Pause }))
    await pause(true)
    expect(told()).toEqual(['DeploymentStatusUpdate: Deployment'])
    await pause(false)
    expect(told()).toEqual(['DeploymentStatusUpdate: Evaluation Deployment'])
    await health(fresh.map(({ ID: id }) => id))
    expect(told()).toEqual(['DeploymentAllocHealth: Allocation Deployment'])
    await succeeded(api.post(`deployment/fail/${ID}`))
    expect(told()).toEqual(['DeploymentStatusUpdate: Deployment'])
  })

  test('of a promotion', async () => {
    const { api, ID, fresh, health, told } = await rollingOut({ Canary: 1 })
    await health(fresh.map(({ ID: id }) => id))
    told()
    await succeeded(api.post(`deployment/promote/${ID}`, { DeploymentID: ID, All: true }))
    expect(told()).toEqual(['DeploymentPromotion: Allocation Deployment'])
  })

  test('of an allocation that is stopped by hand', async () => {
    const served = await scheduler()
    const { scheduler: api, clock } = served
    await register(api, mockJob({ t: {} }))
    clock.advance(1000)
    const told = hearing(served)
    const { ID } = await allocationOf(api)
    await succeeded(api.post(`allocation/${ID}/stop`))
    expect(told()).toEqual(['AllocationUpdateDesiredStatus: Evaluation Allocation'])
  })

  test('of a task that fails: its evaluation is a line of its own', async () => {
    const served = await scheduler()
    const { scheduler: api, clock } = served
    const Config = { run_for: '5s', exit_code: 1 }
    const RestartPolicy = { Attempts: 0, Mode: 'fail', Interval: 60 * second, Delay: second }
    await register(api, mockJob({ t: { Config } }, { RestartPolicy }))
    clock.advance(4000)
    const told = hearing(served)
    clock.advance(2000)
    const types = told()
    const at = types.findIndex((each) => each.startsWith('AllocationUpdated: Allocation'))
    expect(types[at + 1]).toBe('AllocationUpdated: Evaluation')
  })

  test('of services and nodes', async () => {
    const served = await scheduler()
    const { scheduler: api, clock, world } = served
    const Services = [{ Name: 'web', Provider: 'sched' }]
    await register(api, mockJob({ t: {} }, { Services }))
    clock.advance(1000)
    const told = hearing(served)
    const [{ ID }] = (await api.get('service/web')).body
    await succeeded(api.delete(`service/web/${ID}`))
    expect(told()).toEqual(['ServiceDeregistration: Service'])
    const { NodeID } = await allocationOf(api)
    const push = world.transitions.get('scheduler.node')?.force
    expect(push).toBeDefined()
    world.write(() => push?.(world, NodeID, 'down', {}))
    expect(told()[0]).toBe('NodeStreamEvent: Node')
  })
})
