import { describe, expect, test } from 'vitest'
import type { DialectName } from '../../../../routes/http/declare/dialect.ts'
import type { Deployment } from '../../../../state/scheduler/cluster/model/placement-shapes.ts'
import { scheduler } from '../../../support/scheduler/scheduler.ts'
import { testTime } from '../../../support/secrets/secrets.ts'
import { exampleJob, type Members, register, requireSuccess } from '../support.ts'
import { allocationOf, allocationsOf, evaluationsOf, listed, mockJob } from './support.ts'

/** A task that fails once its run ends, and is not restarted. */
const failing = {
  Config: { run_for: '1s', exit_code: 1 },
  RestartPolicy: { Attempts: 0, Mode: 'fail' },
}

/** Returns a batch job whose allocation fails and may be replaced at once. */
const replaced = (change: Members = {}) =>
  mockJob(
    { t: failing },
    { ReschedulePolicy: { Attempts: 3, Interval: 3600e9, Delay: 5e9, DelayFunction: 'constant' } },
    { Type: 'batch', ...change },
  )

describe.each<DialectName>(['neutral', 'vendor'])(
  'members of allocations (behaviour/scheduler#allocations; %s)',
  (dialect) => {
    test('lists name type and version of the job, a full allocation has the job instead', async () => {
      const { scheduler: client, clock } = await scheduler({ dialect })
      await register(client, exampleJob())
      clock.advance(1_000)
      const stub = await allocationOf(client)
      expect(stub).toMatchObject({ JobType: 'service', JobVersion: 0 })
      const { body: whole } = await client.get(`allocation/${stub.ID}`)
      const [onNode] = await listed<object>(client, `node/${stub.NodeID}/allocations`)
      for (const each of [whole, onNode]) {
        expect(each).toMatchObject({ ID: stub.ID, Job: { Type: 'service', Version: 0 } })
        expect(each).not.toHaveProperty('JobType')
        expect(each).not.toHaveProperty('JobVersion')
        expect(each).not.toHaveProperty('Metrics.NodePool')
      }
    })

    test('metrics count the nodes of the pool that are in the datacenters of the job', async () => {
      const nodes = [{ name: 'a' }, { name: 'b', datacenter: 'dc2' }]
      const document = { scheduler: { nodes } }
      const { scheduler: client, clock } = await scheduler({ dialect, document })
      await register(client, exampleJob({ Datacenters: ['dc2'] }))
      clock.advance(1_000)
      const { body } = await client.get(`allocation/${(await allocationOf(client)).ID}`)
      expect(body.Metrics).toMatchObject({ NodesInPool: 1, NodesAvailable: { dc2: 1 } })
    })

    test('a replacement that finds no node is noted on the failed allocation', async () => {
      const document = { scheduler: { nodes: [{ name: 'a' }] } }
      const { scheduler: client, clock } = await scheduler({ dialect, document })
      await register(client, replaced())
      clock.advance(1_500)
      const node = (await allocationOf(client)).NodeID
      expect((await allocationOf(client)).RescheduleTracker).toBeNull()
      const body = { Eligibility: 'ineligible' }
      await requireSuccess(client.post(`node/${node}/eligibility`, body))
      clock.advance(10_000)
      const tracker = { Events: [], LastReschedule: 'no placement' }
      expect((await allocationOf(client)).RescheduleTracker).toEqual(tracker)
      expect((await evaluationsOf(client)).map(({ Status }) => Status)).toContain('blocked')
      await requireSuccess(client.post(`node/${node}/eligibility`, { Eligibility: 'eligible' }))
      clock.advance(500)
      const all = await allocationsOf(client)
      expect(all.map(({ RescheduleTracker }) => RescheduleTracker)).toEqual([
        { Events: [], LastReschedule: 'ok' },
        { Events: [expect.objectContaining({ PrevNodeID: node })], LastReschedule: 'ok' },
      ])
    })

    test('a service without a deployment is watched by the times of its migrate block', async () => {
      const { scheduler: client, clock } = await scheduler({ dialect })
      const Migrate = { MinHealthyTime: 3e9, HealthyDeadline: 60e9 }
      await register(client, mockJob({ t: {} }, { Update: { MaxParallel: 0 }, Migrate }))
      await register(client, mockJob({ t: {} }, {}, { ID: 'done', Type: 'batch' }))
      clock.advance(2_000)
      expect(await allocationOf(client)).toMatchObject({
        ClientStatus: 'running',
        DeploymentStatus: null,
      })
      clock.advance(2_000)
      expect((await allocationOf(client)).DeploymentStatus).toEqual({
        Healthy: true,
        Timestamp: expect.stringMatching(/^2026-01-01T00:00:03/),
        Canary: false,
        ModifyIndex: expect.any(Number),
      })
      clock.advance(20_000)
      expect((await allocationOf(client, 0, 'done')).DeploymentStatus).toBeNull()
    })

    test('an allocation that is not up by the deadline of its migrate block is unhealthy', async () => {
      const { scheduler: client, clock } = await scheduler({ dialect })
      const task = { Config: { start_block_for: '90s' } }
      const Migrate = { MinHealthyTime: 3e9, HealthyDeadline: 60e9 }
      await register(client, mockJob({ t: task }, { Update: { MaxParallel: 0 }, Migrate }))
      clock.advance(59_000)
      expect((await allocationOf(client)).DeploymentStatus).toBeNull()
      clock.advance(2_000)
      expect((await allocationOf(client)).DeploymentStatus).toMatchObject({ Healthy: false })
    })
  },
)

describe('members of deployments (behaviour/scheduler#updates)', () => {
  const deploymentOf = async (client: Parameters<typeof allocationOf>[0]) =>
    (await listed<Deployment>(client, 'job/example/deployments'))[0]

  test('placements and health set ModifyTime, other changes make it 0', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, exampleJob())
    clock.advance(400)
    const placed = (testTime + 50) * 1e6
    expect(await deploymentOf(client)).toMatchObject({ CreateTime: placed, ModifyTime: placed })
    const { ID = '' } = (await deploymentOf(client)) ?? {}
    await requireSuccess(client.post(`deployment/pause/${ID}`, { DeploymentID: ID, Pause: true }))
    expect(await deploymentOf(client)).toMatchObject({ Status: 'paused', ModifyTime: 0 })
    await requireSuccess(client.post(`deployment/pause/${ID}`, { DeploymentID: ID, Pause: false }))
    const allocation = await allocationOf(client)
    const body = { DeploymentID: ID, HealthyAllocationIDs: [allocation.ID] }
    clock.advance(100)
    await requireSuccess(client.post(`deployment/allocation-health/${ID}`, body))
    const healthy = (testTime + 500) * 1e6
    expect(await deploymentOf(client)).toMatchObject({ Status: 'running', ModifyTime: healthy })
    clock.advance(1_000)
    expect(await deploymentOf(client)).toMatchObject({ Status: 'successful', ModifyTime: 0 })
  })
})

describe('members of statuses (behaviour/scheduler#job-statuses)', () => {
  test('a job of a package says so; no task is paused', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, exampleJob({ Meta: { 'pack.name': 'redis' } }))
    await register(client, exampleJob({ ID: 'other' }))
    clock.advance(1_000)
    const { body } = await client.get('jobs/statuses')
    const shown = body.map((each: { ID: string; IsPack: boolean; Allocs: object[] }) => [
      each.ID,
      each.IsPack,
      each.Allocs,
    ])
    const allocations = [expect.objectContaining({ HasPausedTask: false })]
    expect(shown.sort()).toEqual([
      ['example', true, allocations],
      ['other', false, allocations],
    ])
  })
})

describe("the vendor's members of allocations (behaviour/scheduler#vendor-names)", () => {
  /** Members of an allocation whose client has reported nothing yet. */
  const placedMembers = [
    ...['AllocModifyIndex', 'AllocatedResources', 'ClientStatus', 'CreateIndex', 'CreateTime'],
    ...['DeploymentID', 'DesiredStatus', 'EvalID', 'ID', 'Job', 'JobID', 'Metrics', 'ModifyIndex'],
    ...['ModifyTime', 'Name', 'Namespace', 'NodeID', 'NodeName', 'Resources', 'SharedResources'],
    ...['SigningKeyID', 'TaskGroup', 'TaskResources'],
  ]

  test('a full allocation has no empty members, both read by ID and in the list of its node', async () => {
    const { scheduler: client, clock } = await scheduler({ dialect: 'vendor' })
    await register(client, exampleJob())
    clock.advance(50)
    const { ID, NodeID } = await allocationOf(client)
    const { body: whole } = await client.get(`allocation/${ID}`)
    expect(Object.keys(whole).sort()).toEqual(placedMembers)
    const [onNode] = await listed<object>(client, `node/${NodeID}/allocations`)
    expect(Object.keys(onNode ?? {}).sort()).toEqual(placedMembers)
    await requireSuccess(client.post(`allocation/${ID}/stop`))
    const { body: marked } = await client.get(`allocation/${ID}`)
    expect(marked.DesiredTransition).toEqual({
      Migrate: true,
      Reschedule: null,
      ForceReschedule: null,
      NoShutdownDelay: null,
    })
  })

  test('a list has empty members, but does not name the allocation before', async () => {
    for (const dialect of ['neutral', 'vendor'] as const) {
      const { scheduler: client, clock } = await scheduler({ dialect })
      await register(client, exampleJob())
      clock.advance(50)
      for (const path of ['allocations', 'job/example/allocations']) {
        const [stub] = await listed<object>(client, path)
        expect(stub).toMatchObject({ NextAllocation: '', RescheduleTracker: null })
        expect('PreviousAllocation' in (stub ?? {})).toBe(dialect === 'neutral')
      }
    }
  })
})
