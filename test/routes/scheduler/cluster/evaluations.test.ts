import { describe, expect, test } from 'vitest'
import { controlTools } from '../../../../routes/control/state/seeding.ts'
import { SchedulerControl } from '../../../../routes/scheduler/control/scheduler-control.ts'
import type { Evaluation } from '../../../../state/scheduler/cluster/model/placement-shapes.ts'
import { putNode } from '../../../../state/scheduler/cluster/nodes/nodes.ts'
import { scheduler } from '../../../support/scheduler/scheduler.ts'
import { testTime } from '../../../support/secrets/secrets.ts'
import {
  apiHeaders,
  exampleJob,
  failureOf,
  periodicJob,
  readHeaders,
  register,
  requireSuccess,
} from '../support.ts'
import {
  allocationOf,
  counters,
  evaluationsOf,
  listed,
  mockJob,
  overview,
  reasons,
  statusOf,
  unknownId,
} from './support.ts'

const start = testTime * 1e6

/** Members that most evaluations have. */
const usual = {
  Namespace: 'default',
  Priority: 50,
  Type: 'service',
  TriggeredBy: 'job-register',
  JobID: 'example',
  JobModifyIndex: 11,
  NodeID: '',
  NodeModifyIndex: 0,
  StatusDescription: '',
  Wait: 0,
  NextEval: '',
  PreviousEval: '',
  BlockedEval: '',
  FailedTGAllocs: null,
  ClassEligibility: null,
  EscapedComputedClass: false,
  AnnotatePlan: false,
  CreateIndex: 11,
  CreateTime: start,
}

describe('the evaluation of a registration (behaviour/scheduler#evaluations)', () => {
  test('is pending for evalDelay, then complete', async () => {
    const { scheduler: client, clock } = await scheduler()
    const { EvalID } = await register(client, exampleJob())
    const pending = {
      ...usual,
      ID: EvalID,
      Status: 'pending',
      QueuedAllocations: null,
      SnapshotIndex: 0,
      ModifyIndex: 11,
      ModifyTime: start,
    }
    const list = await client.get('job/example/evaluations')
    expect([list.body, apiHeaders(list)]).toEqual([[pending], readHeaders(11)])
    expect(await statusOf(client)).toBe('pending')
    clock.advance(50)
    const [deployment] = await listed<{ ID: string }>(client, 'deployments')
    const complete = {
      ...pending,
      Status: 'complete',
      QueuedAllocations: { cache: 0 },
      SnapshotIndex: 12,
      ModifyIndex: 13,
      ModifyTime: start + 0.05e9,
      DeploymentID: deployment?.ID,
    }
    const one = await client.get(`evaluation/${EvalID}`)
    expect([one.body, apiHeaders(one)]).toEqual([complete, readHeaders(13)])
    const { ID } = await allocationOf(client)
    const made = await listed<{ ID: string }>(client, `evaluation/${EvalID}/allocations`)
    expect(made.map((each) => each.ID)).toEqual([ID])
  })

  test.each([
    ['EvalPriority', { EvalPriority: 90 }, {}, 90],
    ["the job's", {}, { Priority: 70 }, 70],
  ])('has the priority of %s', async (_whose, request, job, priority) => {
    const { scheduler: client } = await scheduler()
    await register(client, exampleJob(job), request)
    const [evaluation] = await evaluationsOf(client)
    expect(evaluation?.Priority).toBe(priority)
  })

  test('is not created for periodic jobs', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, periodicJob())
    clock.advance(1000)
    expect(await evaluationsOf(client, 'cron')).toEqual([])
  })

  test('has the trigger job-deregister and the type service when the job is stopped', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, mockJob({ t: {} }, {}, { Type: 'batch' }))
    await requireSuccess(client.delete('job/example?eval_priority=77'))
    clock.advance(50)
    const found = await evaluationsOf(client)
    expect(found.map(({ TriggeredBy, Type, Priority }) => [TriggeredBy, Type, Priority])).toEqual([
      ['job-register', 'batch', 50],
      ['job-deregister', 'service', 77],
    ])
  })

  test.each(['neutral', 'vendor'] as const)(
    'is read with its relatives on request (behaviour/scheduler#beyond, %s)',
    async (dialect) => {
      const { scheduler: client, clock } = await scheduler({ dialect })
      const { EvalID } = await register(client, exampleJob({ Datacenters: ['nowhere'] }))
      clock.advance(1000)
      const { body: read } = await client.get(`evaluation/${EvalID}`)
      expect(read).not.toHaveProperty('RelatedEvals')
      const { body: first } = await client.get(`evaluation/${EvalID}?related=true`)
      const blocked = { ID: read.BlockedEval, PreviousEval: EvalID, Status: 'blocked' }
      expect(first.RelatedEvals).toMatchObject([{ ...blocked, NextEval: '', WaitUntil: null }])
      expect(first.RelatedEvals[0]).not.toHaveProperty('SnapshotIndex')
      const { body: second } = await client.get(`evaluation/${blocked.ID}?related=true`)
      expect(second).toMatchObject({ ...blocked, SnapshotIndex: read.SnapshotIndex })
      expect(second.RelatedEvals).toMatchObject([{ ID: EvalID, BlockedEval: blocked.ID }])
      const { body: other } = await client.get(`evaluation/${EvalID}?related=1`)
      expect(other).not.toHaveProperty('RelatedEvals')
    },
  )

  test('sets Queued to 0 when a job is stopped (behaviour/scheduler#summary)', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, exampleJob({ Datacenters: ['nowhere'] }))
    clock.advance(1000)
    expect(await counters(client, 'cache')).toEqual({ Queued: 1 })
    await requireSuccess(client.delete('job/example'))
    clock.advance(1000)
    expect(await counters(client, 'cache')).toEqual({})
    const found = await evaluationsOf(client)
    expect(
      found.find(({ TriggeredBy }) => TriggeredBy === 'job-deregister')?.QueuedAllocations,
    ).toEqual({ cache: 0 })
  })

  test('is completed by purging the job while it is pending', async () => {
    const { scheduler: client } = await scheduler({ options: { schedulerMode: 'frozen' } })
    const { EvalID } = await register(client, exampleJob())
    await requireSuccess(client.delete('job/example?purge=true'))
    expect((await client.get(`evaluation/${EvalID}`)).body).toMatchObject({
      Status: 'complete',
      StatusDescription: 'job example deleted',
    })
  })
})

describe('failed placements (behaviour/scheduler#evaluations and Metrics)', () => {
  const kernel = `\${attr.kernel.name}`
  const windows = { LTarget: kernel, RTarget: 'windows', Operand: '=' }
  const metrics = {
    NodesEvaluated: 3,
    NodesFiltered: 3,
    NodesInPool: 3,
    NodesAvailable: { dc1: 3 },
    ClassFiltered: null,
    ConstraintFiltered: { [`${kernel} = windows`]: 3 },
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

  test('wait in a blocked evaluation until a node fits', async () => {
    const { scheduler: client, clock, world } = await scheduler()
    await register(client, exampleJob({ Constraints: [windows] }))
    clock.advance(50)
    const [first, blocked] = [...(await evaluationsOf(client))]
    const times = { ModifyIndex: 13, ModifyTime: start + 0.05e9 }
    expect(first).toEqual({
      ...usual,
      ...times,
      ID: first?.ID,
      Status: 'complete',
      BlockedEval: blocked?.ID,
      FailedTGAllocs: { cache: metrics },
      QueuedAllocations: { cache: 1 },
      SnapshotIndex: 12,
      // The deployment begins although nothing could be placed (behaviour/scheduler#updates).
      DeploymentID: (await client.get('job/example/deployment')).body.ID,
    })
    expect(blocked).not.toHaveProperty('DeploymentID')
    expect(blocked).toMatchObject({
      Status: 'blocked',
      JobModifyIndex: 11,
      TriggeredBy: 'queued-allocs',
      StatusDescription: 'created to place remaining allocations',
      PreviousEval: first?.ID,
      CreateIndex: 13,
    })
    expect([await statusOf(client), await counters(client, 'cache')]).toEqual([
      'pending',
      { Queued: 1 },
    ])
    new SchedulerControl(world, controlTools()).putNode({
      name: 'win',
      attributes: { 'kernel.name': 'windows' },
    })
    clock.advance(500)
    expect((await allocationOf(client)).NodeName).toBe('win')
    expect(await statusOf(client)).toBe('running')
    expect(await counters(client, 'cache')).toEqual({ Running: 1 })
    const after = await client.get(`evaluation/${blocked?.ID}`)
    expect(after.body.Status).toBe('complete')
  })

  test('say for which classes of nodes they wait: those that suit a group, apart from its load', async () => {
    const { scheduler: client, clock, world } = await scheduler()
    const control = new SchedulerControl(world, controlTools())
    const place = (name: string, system: string, more = {}) =>
      control.putNode({ name, attributes: { 'kernel.name': system }, ...more })
    place('bsd', 'freebsd')
    place('elsewhere', 'linux', { datacenter: 'dc9' })
    const blockedOf = async (change: object) => {
      const { EvalID } = await register(client, exampleJob({ Datacenters: ['dc1'], ...change }))
      clock.advance(50)
      const { body } = await client.get(`evaluation/${EvalID}`)
      return (await client.get(`evaluation/${body.BlockedEval}`)).body
    }
    const { body: stubs } = await client.get('nodes?per_page=100')
    const nodes = await Promise.all(
      stubs.map(async ({ ID }: { ID: string }) => (await client.get(`node/${ID}`)).body),
    )
    const classesIn = (datacenter: string, isEligible: (system: string) => boolean) =>
      Object.fromEntries(
        nodes
          .filter(({ Datacenter }) => Datacenter === datacenter)
          .map(({ ComputedClass, Attributes }) => [
            ComputedClass,
            isEligible(Attributes['kernel.name']),
          ]),
      )
    expect(Object.values(classesIn('dc9', () => true))).toEqual([true])
    const constraint = (LTarget: string, RTarget: string) => ({ LTarget, RTarget, Operand: '=' })
    const uniqueName = `\${node.unique.name}`
    // A node holds only one allocation of the job, so most of them wait.
    const distinct = { LTarget: '', RTarget: '', Operand: 'distinct_hosts' }
    const linux = [constraint(kernel, 'linux'), distinct]
    const [group] = exampleJob()['TaskGroups'] as readonly object[]
    const excluded = [{ ...group, Constraints: [windows] }]
    const eligibilities = [
      await blockedOf({ ID: 'a', Constraints: linux, TaskGroups: [{ ...group, Count: 9 }] }),
      await blockedOf({ ID: 'b', TaskGroups: excluded }),
      await blockedOf({ ID: 'c', Datacenters: ['none'] }),
      await blockedOf({ ID: 'd', Constraints: [constraint(uniqueName, 'x')] }),
    ].map(({ ClassEligibility, EscapedComputedClass }) => [ClassEligibility, EscapedComputedClass])
    expect(eligibilities).toEqual([
      [classesIn('dc1', (system) => system === 'linux'), false],
      [classesIn('dc1', () => false), false],
      [{}, false],
      [null, true],
    ])
  })

  test('are canceled when a later evaluation places everything', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, exampleJob({ Constraints: [windows] }))
    clock.advance(50)
    const { EvalID } = await register(client, exampleJob())
    clock.advance(50)
    const [, blocked] = await evaluationsOf(client)
    expect(blocked).toMatchObject({
      Status: 'canceled',
      StatusDescription: `evaluation "${EvalID}" successful`,
    })
    expect(await reasons(client)).toEqual([
      'job-register complete',
      'queued-allocs canceled',
      'job-register complete',
    ])
  })

  test.each([
    ['a driver that no node has', { Driver: 'exotic' }, {}, { 'missing drivers': 3 }],
    ['a constraint of the task', { Constraints: [windows] }, {}, metrics.ConstraintFiltered],
  ])('for %s', async (_why, task, job, filtered) => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, mockJob({ t: task }, {}, job))
    clock.advance(50)
    const [first] = await evaluationsOf(client)
    expect(first?.FailedTGAllocs?.['g']?.ConstraintFiltered).toEqual(filtered)
  })

  test('for a datacenter without nodes', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, exampleJob({ Datacenters: ['dc2'] }))
    clock.advance(50)
    const [first] = await evaluationsOf(client)
    expect(first?.FailedTGAllocs?.['cache']).toMatchObject({ NodesEvaluated: 0, NodesInPool: 0 })
  })

  test('for distinct hosts, with too few nodes: the rest waits', async () => {
    const { scheduler: client, clock } = await scheduler()
    const Constraints = [{ Operand: 'distinct_hosts', RTarget: 'true' }]
    await register(client, mockJob({ t: {} }, { Count: 5, Constraints }))
    clock.advance(50)
    const [first] = await evaluationsOf(client)
    expect(first?.QueuedAllocations).toEqual({ g: 2 })
    const hosts = (await listed<{ NodeName: string }>(client, 'allocations')).map(
      ({ NodeName }) => NodeName,
    )
    expect([hosts.length, new Set(hosts).size]).toEqual([3, 3])
    expect(await counters(client, 'g')).toEqual({ Queued: 2, Starting: 3 })
  })

  test('for lack of capacity, if it is configured', async () => {
    const nodes = [{ name: 'small', capacity: { cpu: 4000, memory: 500, disk: 10_000 } }]
    const { scheduler: client, clock } = await scheduler({
      document: { scheduler: { nodes } },
    })
    await register(client, mockJob({ t: { Resources: { MemoryMB: 300 } } }, { Count: 2 }))
    clock.advance(50)
    const [first] = await evaluationsOf(client)
    expect(first?.FailedTGAllocs?.['g']).toMatchObject({
      NodesExhausted: 1,
      DimensionExhausted: { memory: 1 },
    })
    expect(await overview(client)).toEqual(['example.g[0] v0 run/pending'])
  })

  test('for lack of nodes', async () => {
    const {
      scheduler: client,
      clock,
      world,
    } = await scheduler({
      document: { scheduler: { nodes: [] } },
    })
    await register(client, exampleJob())
    clock.advance(50)
    const [first] = await evaluationsOf(client)
    expect(first?.FailedTGAllocs?.['cache']).toMatchObject({
      NodesEvaluated: 0,
      NodesInPool: 0,
      NodesAvailable: {},
    })
    // The next evaluation finds the added node.
    world.write(() => putNode(world, { name: 'late' }))
    await requireSuccess(client.post('job/example/evaluate', { JobID: 'example' }))
    clock.advance(50)
    expect((await allocationOf(client)).NodeName).toBe('late')
  })
})

describe("a job's evaluations (behaviour/scheduler#jobs)", () => {
  test('are sorted by status, then ID', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, exampleJob())
    clock.advance(50)
    for (const _ of [1, 2]) {
      await requireSuccess(client.post('job/example/evaluate', { JobID: 'example' }))
    }
    clock.advance(50)
    await requireSuccess(client.post('job/example/evaluate', { JobID: 'example' }))
    const found = await listed<Evaluation>(client, 'job/example/evaluations')
    const keys = found.map(({ Status, ID }) => `${Status} ${ID}`)
    expect(found.map(({ Status }) => Status)).toEqual([
      ...Array(keys.length - 1).fill('complete'),
      'pending',
    ])
    expect(keys).toEqual([...keys].sort())
  })

  test('an unknown job has no evaluations', async () => {
    const { scheduler: client } = await scheduler()
    const { status, text } = await client.get('job/absent/evaluations')
    expect([status, text]).toEqual([200, '[]'])
  })
})

describe('evaluations (behaviour/scheduler#beyond)', () => {
  // choice/scheduler#cluster-list-order choice/scheduler#cluster-evaluation-parameters
  test('are listed in order of creation, by job and by status', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, exampleJob({ ID: 'b' }))
    clock.advance(50)
    await register(client, exampleJob({ ID: 'a' }))
    const jobs = async (query: string) =>
      (await listed<Evaluation>(client, `evaluations${query}`)).map(({ JobID }) => JobID)
    expect(await jobs('')).toEqual(['b', 'a'])
    expect(await jobs('?reverse=true')).toEqual(['a', 'b'])
    expect(await jobs('?job=a')).toEqual(['a'])
    expect(await jobs('?status=complete')).toEqual(['b'])
    expect(await jobs('?filter=JobID+==+"a"')).toEqual(['a'])
    const page = await client.get('evaluations?per_page=1')
    const [, second] = await listed<Evaluation>(client, 'evaluations')
    expect(page.headers['x-sched-nexttoken']).toBe(`${second?.CreateIndex}.${second?.ID}`)
    expect(await failureOf(client.get('evaluations?job=a&filter=JobID+==+"a"'))).toEqual([
      400,
      'Filter expression cannot be used with other filter parameters',
    ])
  })

  test.each([
    ['evaluation/x', 'failed to lookup eval: eval lookup failed: '],
    ['evaluation/x/allocations', ''],
    ['deployment/x', 'deployment lookup failed: '],
    ['deployment/allocations/x', ''],
  ])('%s is not a UUID', async (path, beginning) => {
    const { scheduler: client } = await scheduler()
    expect(await failureOf(client.get(path))).toEqual([
      500,
      `${beginning}index error: UUID must be 36 characters`,
    ])
  })

  test.each([
    ['evaluations', 'eval lookup failed: '],
    ['allocations', 'alloc lookup failed: '],
    ['nodes', 'node lookup failed: '],
    ['deployments', ''],
  ])(
    'prefixes of IDs of %s are hexadecimal and of even length (behaviour/scheduler#beyond)',
    async (list, what) => {
      const { scheduler: client, clock } = await scheduler()
      await register(client, exampleJob())
      clock.advance(50)
      const failing = (prefix: string) => failureOf(client.get(`${list}?prefix=${prefix}`))
      expect(await failing('zz')).toEqual([
        500,
        `${what}index error: Invalid UUID: encoding/hex: invalid byte: U+007A 'z'`,
      ])
      expect(await failing('abc')).toEqual([
        500,
        `${what}index error: Input (without hyphens) must be even length`,
      ])
      const [first] = await listed<{ ID: string }>(client, list)
      const digits = first?.ID.replaceAll('-', '') ?? ''
      for (const length of [8, 10, 20, 32]) {
        const prefix = digits.slice(0, length).toUpperCase()
        expect(await listed(client, `${list}?prefix=${prefix}`)).toEqual([first])
      }
    },
  )

  test('an unknown evaluation is 404 with the index of the table and has no allocations', async () => {
    const { scheduler: client } = await scheduler()
    await register(client, exampleJob())
    const reply = await client.get(`evaluation/${unknownId}`)
    expect([reply.status, reply.text, apiHeaders(reply)]).toEqual([
      404,
      'eval not found',
      readHeaders(11),
    ])
    expect(await listed(client, `evaluation/${unknownId}/allocations`)).toEqual([])
  })

  // choice/scheduler#cluster-malformed-ids
  test('a malformed UUID of 36 characters is refused with the reason', async () => {
    const { scheduler: client } = await scheduler()
    expect(await failureOf(client.get(`evaluation/${'z'.repeat(36)}`))).toEqual([
      500,
      "failed to lookup eval: eval lookup failed: index error: Invalid UUID: encoding/hex: invalid byte: U+007A 'z'",
    ])
  })

  test('a blocking read answers when the evaluation is processed', async () => {
    const { scheduler: client, clock } = await scheduler({ options: { waitJitter: false } })
    const { EvalID } = await register(client, exampleJob())
    const reading = client.get(`evaluation/${EvalID}?index=11`)
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(50)
    expect((await reading).body).toMatchObject({ Status: 'complete', ModifyIndex: 13 })
  })

  test('the vendor dialect omits empty members (behaviour/scheduler#vendor-names)', async () => {
    const { scheduler: client } = await scheduler({ dialect: 'vendor' })
    const { EvalID } = await register(client, exampleJob())
    expect((await client.get(`evaluation/${EvalID}`)).body).toEqual({
      ID: EvalID,
      Namespace: 'default',
      Priority: 50,
      Type: 'service',
      TriggeredBy: 'job-register',
      JobID: 'example',
      JobModifyIndex: 11,
      Status: 'pending',
      CreateIndex: 11,
      ModifyIndex: 11,
      CreateTime: start,
      ModifyTime: start,
    })
  })
})
