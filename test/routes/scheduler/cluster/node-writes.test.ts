import { describe, expect, test } from 'vitest'
import type { Node } from '../../../../state/scheduler/cluster/model/node-shapes.ts'
import { blockingReader, drainEventLoop } from '../../../support/blocked-reads.ts'
import { type SchedulerClient, scheduler } from '../../../support/scheduler/scheduler.ts'
import {
  aclScheduler,
  apiHeaders,
  failureOf,
  frozenScheduler,
  type Members,
  register,
  requireSuccess,
  uuid,
} from '../support.ts'
import {
  allocationsOf,
  evaluationsOf,
  listed,
  mockJob,
  overview,
  reasons,
  unknownId,
} from './support.ts'

const section = 'behaviour/scheduler#node-endpoints'
const waiting = blockingReader('x-sched-index')

const two = { scheduler: { nodes: [{ name: 'a' }, { name: 'b' }] } }

async function nodeNamed(client: SchedulerClient, name: string): Promise<Node> {
  const found = (await listed<Node>(client, 'nodes')).find(({ Name }) => Name === name)
  if (found === undefined) throw new Error(`no node ${name}`)
  return (await requireSuccess(client.get(`node/${found.ID}`))).body
}

const messages = ({ Events }: Node) =>
  (Events ?? []).map(({ Subsystem, Message }) => `${Subsystem}: ${Message}`)

describe(`eligibility (${section})`, () => {
  const set = (client: SchedulerClient, id: string, Eligibility: string, more: Members = {}) =>
    client.post(`node/${id}/eligibility`, { Eligibility, ...more })

  // choice/scheduler#cluster-node-evaluations
  test('changes of eligibility in either direction evaluate the jobs on the node and system jobs', async () => {
    const { scheduler: client, clock } = await scheduler({ document: two })
    await register(client, mockJob({ t: {} }, { Count: 2 }))
    await register(client, mockJob({ t: {} }, {}, { ID: 'sys', Type: 'system' }))
    await register(
      client,
      mockJob({ t: {} }, {}, { ID: 'far', Type: 'system', NodePool: 'all', Datacenters: ['dc9'] }),
    )
    clock.advance(1000)
    const { ID } = await nodeNamed(client, 'a')
    const closed = await requireSuccess(set(client, ID, 'ineligible'))
    const index = closed.body.Index
    expect([closed.body, apiHeaders(closed)]).toEqual([
      { EvalIDs: null, EvalCreateIndex: 0, NodeModifyIndex: 0, Index: index },
      { 'x-sched-index': String(index) },
    ])
    clock.advance(1000)
    const node = await nodeNamed(client, 'a')
    expect([node.SchedulingEligibility, node.ModifyIndex, messages(node)]).toEqual([
      'ineligible',
      index,
      ['Cluster: Node registered', 'Cluster: Node marked as ineligible for scheduling'],
    ])
    expect(node.Events?.[1]).toMatchObject({ Details: null, CreateIndex: index })
    // The existing allocation stays.
    expect(await overview(client, 'sys')).toEqual([
      'sys.g[0] v0 run/running',
      'sys.g[0] v0 run/running',
    ])
    const { body } = await requireSuccess(set(client, 'other', 'eligible', { NodeID: ID }))
    expect(body).toEqual({
      EvalIDs: [expect.stringMatching(uuid), expect.stringMatching(uuid)],
      EvalCreateIndex: body.Index,
      NodeModifyIndex: 0,
      Index: body.Index,
    })
    const jobs = await Promise.all(
      (body.EvalIDs as string[]).map(async (id) => (await client.get(`evaluation/${id}`)).body),
    )
    expect(
      jobs
        .map(({ JobID, TriggeredBy, NodeID, NodeModifyIndex, JobModifyIndex }) =>
          [JobID, TriggeredBy, NodeID === ID, NodeModifyIndex === body.Index, JobModifyIndex].join(
            ' ',
          ),
        )
        .sort(),
    ).toEqual(['example node-update true true 0', 'sys node-update true true 0'])
  })

  test('an unchanged value is not written', async () => {
    const { scheduler: client } = await frozenScheduler()
    const { ID, ModifyIndex } = await nodeNamed(client, 'sched-client-1')
    const reply = await requireSuccess(set(client, ID, 'eligible'))
    expect([reply.body, apiHeaders(reply)]).toEqual([
      { EvalIDs: null, EvalCreateIndex: 0, NodeModifyIndex: 0, Index: 0 },
      { 'x-sched-index': '0' },
    ])
    expect((await nodeNamed(client, 'sched-client-1')).ModifyIndex).toBe(ModifyIndex)
  })

  test.each([
    [{}, 500, 'invalid scheduling eligibility ""'],
    [{ Eligibility: 'x' }, 500, 'invalid scheduling eligibility "x"'],
    [{ Eligibility: 'eligible', NodeID: unknownId }, 500, 'node not found'],
    [
      { Eligibility: 'eligible', NodeID: 'x' },
      500,
      'node lookup failed: index error: UUID must be 36 characters',
    ],
    [undefined, 400, 'Request body is empty'],
    [
      { Eligibility: 1 },
      400,
      'json: cannot unmarshal number into Go struct field NodeUpdateEligibilityRequest.Eligibility of type string',
    ],
  ])('%j is refused', async (body, status, text) => {
    const { scheduler: client } = await frozenScheduler()
    const { ID } = await nodeNamed(client, 'sched-client-1')
    expect(await failureOf(client.post(`node/${ID}/eligibility`, body))).toEqual([status, text])
  })

  test.each(['eligibility', 'drain', 'evaluate', 'purge'])('GET of %s is 405', async (what) => {
    const { scheduler: client } = await frozenScheduler()
    const path = `node/${unknownId}/${what}`
    expect(await failureOf(client.get(path))).toEqual([405, 'Invalid method'])
  })

  test('a blocking read of a node wakes', async () => {
    const { scheduler: client } = await frozenScheduler()
    const { ID, ModifyIndex } = await nodeNamed(client, 'sched-client-1')
    const one = await waiting(client, `node/${ID}?index=${ModifyIndex}&wait=1m`)
    const list = await waiting(client, `nodes?index=${ModifyIndex}&wait=1m`)
    expect([one.state, list.state]).toEqual(['waits', 'waits'])
    await requireSuccess(set(client, ID, 'ineligible'))
    await drainEventLoop()
    expect([one.outcome, list.outcome]).toEqual([
      [200, String(ModifyIndex + 1)],
      [200, String(ModifyIndex + 1)],
    ])
  })
})

describe(`draining (${section})`, () => {
  const drain = async (client: SchedulerClient, name: string, body: Members) =>
    requireSuccess(client.post(`node/${(await nodeNamed(client, name)).ID}/drain`, body))

  test('an empty node completes soon and stays ineligible', async () => {
    const { scheduler: client, clock } = await scheduler({ document: two })
    const { body } = await drain(client, 'a', {
      DrainSpec: { Deadline: 3600e9, IgnoreSystemJobs: true },
      Meta: { why: 'repair' },
    })
    expect(body).toEqual({
      EvalIDs: null,
      EvalCreateIndex: 0,
      NodeModifyIndex: body.Index,
      Index: body.Index,
    })
    const at = '2026-01-01T00:00:00Z'
    expect(await nodeNamed(client, 'a')).toMatchObject({
      Drain: true,
      SchedulingEligibility: 'ineligible',
      DrainStrategy: {
        Deadline: 3600e9,
        IgnoreSystemJobs: true,
        ForceDeadline: '2026-01-01T01:00:00Z',
        StartedAt: at,
      },
      LastDrain: {
        StartedAt: at,
        UpdatedAt: at,
        Status: 'draining',
        AccessorID: 'token:acls-disabled',
        Meta: { why: 'repair' },
      },
      ModifyIndex: body.Index,
    })
    clock.advance(1000)
    const done = await nodeNamed(client, 'a')
    expect(done).toMatchObject({
      Drain: false,
      DrainStrategy: null,
      SchedulingEligibility: 'ineligible',
      LastDrain: { StartedAt: at, Status: 'complete', Meta: { why: 'repair' } },
    })
    expect(messages(done).slice(1)).toEqual([
      'Drain: Node drain strategy set',
      'Drain: Node drain complete',
    ])
    clock.advance(3600_000)
    expect(messages(await nodeNamed(client, 'a'))).toHaveLength(3)
  })

  // choice/scheduler#cluster-drain-order
  test('services leave according to Migrate, system jobs last', async () => {
    const { scheduler: client, clock } = await scheduler({ document: two })
    const Migrate = { MaxParallel: 1, MinHealthyTime: 10e9, HealthyDeadline: 60e9 }
    await register(client, mockJob({ t: {} }, { Count: 4, Migrate, Update: { MaxParallel: 0 } }))
    await register(client, mockJob({ t: {} }, {}, { ID: 'sys', Type: 'system' }))
    clock.advance(20_000)
    const { ID } = await nodeNamed(client, 'a')
    const leaving = async (id = 'example') =>
      (await allocationsOf(client, id)).filter(
        ({ NodeID, DesiredTransition }) => NodeID === ID && DesiredTransition.Migrate === true,
      ).length
    await drain(client, 'a', { DrainSpec: {} })
    clock.advance(60)
    expect(await leaving()).toBe(1)
    clock.advance(5000)
    // The replacement is not healthy yet.
    expect(await leaving()).toBe(1)
    expect((await nodeNamed(client, 'a')).Drain).toBe(true)
    clock.advance(10_000)
    expect(await leaving()).toBe(2)
    clock.advance(10_000)
    expect(await nodeNamed(client, 'a')).toMatchObject({
      Drain: false,
      DrainStrategy: null,
      LastDrain: { Status: 'complete' },
    })
    expect(await leaving('sys')).toBe(1)
    const moved = (await allocationsOf(client)).filter(({ NodeID }) => NodeID === ID)
    expect(
      moved.map(({ DesiredDescription, ClientStatus }) => [DesiredDescription, ClientStatus]),
    ).toEqual(Array(2).fill(['alloc is being migrated', 'complete']))
    expect(await reasons(client)).toEqual([
      'job-register complete',
      'node-drain complete',
      'node-drain complete',
    ])
    const drains = async (id: string) =>
      (await evaluationsOf(client, id)).filter(({ TriggeredBy }) => TriggeredBy === 'node-drain')
    const [first, second] = await drains('example')
    const [last] = await drains('sys')
    expect([first?.NodeID, first?.JobModifyIndex]).toEqual(['', 0])
    expect(last?.CreateIndex).toBeGreaterThan(second?.CreateIndex ?? 0)
  })

  test('batch jobs may run until the deadline; system jobs can be ignored', async () => {
    const { scheduler: client, clock } = await scheduler({ document: two })
    const long = { Config: { run_for: '9h' } }
    await register(client, mockJob({ t: long }, { Count: 2 }, { Type: 'batch' }))
    await register(client, mockJob({ t: {} }, {}, { ID: 'sys', Type: 'system' }))
    clock.advance(1000)
    await drain(client, 'a', { DrainSpec: { Deadline: 60e9, IgnoreSystemJobs: true } })
    clock.advance(59_000)
    expect(await overview(client)).toEqual([
      'example.g[0] v0 run/running',
      'example.g[1] v0 run/running',
    ])
    clock.advance(2000)
    const done = await nodeNamed(client, 'a')
    expect([done.Drain, done.Events?.at(-1)]).toEqual([
      false,
      expect.objectContaining({
        Message: 'Node drain complete',
        Subsystem: 'Drain',
        Details: { deadline_reached: 'true' },
      }),
    ])
    const all = await overview(client)
    expect(all.filter((one) => one.endsWith('run/running'))).toHaveLength(2)
    expect(all.filter((one) => one.endsWith('stop/complete'))).toHaveLength(1)
    expect(await overview(client, 'sys')).toEqual([
      'sys.g[0] v0 run/running',
      'sys.g[0] v0 run/running',
    ])
  })

  test('a deadline below 0 expires at once', async () => {
    const { scheduler: client, clock } = await scheduler({ document: two })
    await register(client, mockJob({ t: {} }, { Count: 4 }))
    clock.advance(1000)
    await drain(client, 'a', { DrainSpec: { Deadline: -1 } })
    clock.advance(50)
    expect((await nodeNamed(client, 'a')).LastDrain?.Status).toBe('complete')
    clock.advance(1000)
    expect((await overview(client)).filter((one) => one.endsWith('stop/complete'))).toHaveLength(2)
  })

  test('a drain can be changed and disabled', async () => {
    const { scheduler: client, clock, manager } = await scheduler({ document: two })
    await register(client, mockJob({ t: {} }, { Count: 2 }))
    clock.advance(500)
    await drain(client, 'a', { DrainSpec: { Deadline: 60e9 }, Meta: { a: 'b' } })
    clock.advance(1000)
    await drain(client, 'a', { DrainSpec: { Deadline: 0 } })
    expect(await nodeNamed(client, 'a')).toMatchObject({
      DrainStrategy: {
        Deadline: 0,
        ForceDeadline: null,
        StartedAt: '2026-01-01T00:00:00.5Z',
      },
      LastDrain: {
        StartedAt: '2026-01-01T00:00:00.5Z',
        UpdatedAt: '2026-01-01T00:00:01.5Z',
        Meta: { a: 'b' },
      },
    })
    const { ID } = await nodeNamed(client, 'a')
    expect(
      await failureOf(manager.post(`node/${ID}/eligibility`, { Eligibility: 'eligible' })),
    ).toEqual([500, "can not set node's scheduling eligibility to eligible while it is draining"])
    const stopped = await drain(client, 'a', { DrainSpec: null })
    expect(stopped.body.EvalIDs).toBeNull()
    const canceled = await nodeNamed(client, 'a')
    expect(canceled).toMatchObject({
      Drain: false,
      DrainStrategy: null,
      SchedulingEligibility: 'ineligible',
      LastDrain: { Status: 'canceled' },
    })
    expect(messages(canceled).slice(1)).toEqual([
      'Drain: Node drain strategy set',
      'Drain: Node drain strategy updated',
      'Drain: Node drain disabled',
    ])
    const reopened = (await drain(client, 'a', { MarkEligible: true })).body
    expect([reopened.EvalIDs, reopened.EvalCreateIndex]).toEqual([
      [expect.stringMatching(uuid)],
      reopened.Index,
    ])
    const open = await nodeNamed(client, 'a')
    expect([open.SchedulingEligibility, open.LastDrain?.Status, messages(open)]).toEqual([
      'eligible',
      'canceled',
      messages(canceled),
    ])
    clock.advance(120_000)
    expect((await overview(client)).every((one) => one.endsWith('run/running'))).toBe(true)
  })

  test.each([
    ['x', {}, 500, 'node lookup failed: index error: UUID must be 36 characters'],
    [unknownId, {}, 500, 'node not found'],
    [unknownId, undefined, 400, 'Request body is empty'],
    [
      unknownId,
      { DrainSpec: { Deadline: '1h' } },
      400,
      'json: cannot unmarshal string into Go struct field DrainSpec.DrainSpec.Deadline of type time.Duration',
    ],
  ])('of %s with %j is refused', async (id, body, status, text) => {
    const { scheduler: client } = await frozenScheduler()
    expect(await failureOf(client.post(`node/${id}/drain`, body))).toEqual([status, text])
  })

  test('with ACLs on, the node stores who requested the drain', async () => {
    const { manager, holder } = await aclScheduler({ document: two })
    const { ID } = await nodeNamed(manager, 'a')
    const { client, accessor } = await holder('node { policy = "write" }')
    await requireSuccess(client.post(`node/${ID}/drain`, { DrainSpec: {} }))
    expect((await nodeNamed(manager, 'a')).LastDrain?.AccessorID).toBe(`token:${accessor}`)
  })
})

describe(`evaluating and purging nodes (${section})`, () => {
  test('evaluate creates evaluations of the jobs on the node', async () => {
    const { scheduler: client, clock } = await scheduler({ document: two })
    await register(client, mockJob({ t: {} }, { Count: 2 }))
    clock.advance(1000)
    const { ID, ModifyIndex } = await nodeNamed(client, 'a')
    const { body } = await requireSuccess(client.post(`node/${ID}/evaluate`))
    expect(body).toEqual({
      EvalIDs: [expect.stringMatching(uuid)],
      EvalCreateIndex: body.Index,
      HeartbeatTTL: 0,
      NodeModifyIndex: 0,
      Features: 0,
      LeaderRPCAddr: '127.0.0.1:4647',
      NumNodes: 2,
      Servers: [
        {
          RPCAdvertiseAddr: '127.0.0.1:4647',
          RPCMajorVersion: 0,
          RPCMinorVersion: 0,
          Datacenter: 'dc1',
        },
      ],
      SchedulingEligibility: 'eligible',
      Index: body.Index,
      LastContact: 0,
      KnownLeader: false,
      NextToken: '',
    })
    expect((await nodeNamed(client, 'a')).ModifyIndex).toBe(ModifyIndex)
  })

  test('a node without jobs gets no evaluations', async () => {
    const { scheduler: client } = await frozenScheduler()
    const { ID } = await nodeNamed(client, 'sched-client-1')
    const { body, headers } = await requireSuccess(client.post(`node/${ID}/evaluate`))
    expect([body.EvalIDs, body.EvalCreateIndex, body.Index, headers['x-sched-index']]).toEqual([
      null,
      0,
      0,
      '0',
    ])
  })

  // choice/scheduler#cluster-node-evaluations
  test('a purged node is deleted and its allocations are lost', async () => {
    const { scheduler: client, clock } = await scheduler({ document: two })
    await register(client, mockJob({ t: {} }, { Count: 2 }))
    await register(
      client,
      mockJob(
        { t: { KillTimeout: 60e9, Config: { kill_after: '30s' } } },
        { Count: 2 },
        { ID: 'old' },
      ),
    )
    clock.advance(1000)
    await requireSuccess(client.request('DELETE', 'job/old'))
    const { ID } = await nodeNamed(client, 'a')
    await requireSuccess(client.post(`node/${ID}/drain`, { DrainSpec: { Deadline: 3600e9 } }))
    const { body } = await requireSuccess(client.post(`node/${ID}/purge`))
    expect(body).toMatchObject({
      EvalIDs: [expect.stringMatching(uuid), expect.stringMatching(uuid)],
      EvalCreateIndex: body.Index,
      NodeModifyIndex: body.Index,
      NumNodes: 0,
      LeaderRPCAddr: '',
      SchedulingEligibility: '',
      Servers: null,
      NextToken: '',
    })
    expect((await client.get(`node/${ID}`)).status).toBe(404)
    clock.advance(1000)
    expect(await overview(client)).toEqual([
      expect.stringMatching(/run\/running|stop\/lost/),
      expect.stringMatching(/run\/running|stop\/lost/),
      expect.stringMatching(/run\/running/),
    ])
    const old = await listed<{ NodeID: string; ClientStatus: string }>(client, 'allocations')
    expect(
      old.filter(({ NodeID }) => NodeID === ID).map(({ ClientStatus }) => ClientStatus),
    ).toEqual(['lost', 'lost'])
  })

  test.each([
    ['evaluate', 'x', 'node lookup failed: index error: UUID must be 36 characters'],
    ['purge', 'x', 'node lookup failed: index error: UUID must be 36 characters'],
    ['evaluate', unknownId, 'node not found'],
    ['purge', unknownId, 'node not found'],
  ])('%s of %s is refused', async (what, id, text) => {
    const { scheduler: client } = await frozenScheduler()
    expect(await failureOf(client.post(`node/${id}/${what}`))).toEqual([500, text])
  })
})
