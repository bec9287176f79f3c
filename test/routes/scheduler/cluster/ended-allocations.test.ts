import { describe, expect, test } from 'vitest'
import type { Node } from '../../../../state/scheduler/cluster/model/node-shapes.ts'
import { type SchedulerClient, scheduler } from '../../../support/scheduler/scheduler.ts'
import { exampleJob, type Members, register, requireSuccess } from '../support.ts'
import { allocationOf, allocationsOf, listed, mockJob, reasons, statusOf } from './support.ts'

const two = { scheduler: { nodes: [{ name: 'a' }, { name: 'b' }] } }
const short = { t: { Config: { run_for: '1s' } } }

async function nodeIdOf(client: SchedulerClient, name: string): Promise<string> {
  const node = (await listed<Node>(client, 'nodes')).find(({ Name }) => Name === name)
  return node?.ID ?? ''
}

/** Returns the jobs of the evaluations that a request to a node created, in order. */
async function evaluatedJobs(client: SchedulerClient, path: string, body?: Members) {
  const { EvalIDs } = (await requireSuccess(client.post(path, body))).body
  const evaluated = (EvalIDs ?? []).map((id: string) => client.get(`evaluation/${id}`))
  return (await Promise.all(evaluated)).map(({ body: { JobID } }) => JobID).sort()
}

describe('evaluations of a node (behaviour/scheduler#node-endpoints)', () => {
  test('cover jobs whose allocations there have ended, but no sysbatch jobs', async () => {
    const document = { scheduler: { nodes: [{ name: 'a' }] } }
    const { scheduler: client, clock } = await scheduler({ document })
    await register(client, mockJob(short, {}, { ID: 'ended', Type: 'batch' }))
    await register(client, mockJob(short, {}, { ID: 'once', Type: 'sysbatch' }))
    await register(client, mockJob({ t: {} }, {}, { ID: 'live' }))
    clock.advance(20_000)
    expect(await statusOf(client, 'ended')).toBe('dead')
    const node = `node/${await nodeIdOf(client, 'a')}`
    expect(await evaluatedJobs(client, `${node}/evaluate`)).toEqual(['ended', 'live'])
    clock.advance(1_000)
    await evaluatedJobs(client, `${node}/eligibility`, { Eligibility: 'ineligible' })
    const eligible = { Eligibility: 'eligible' }
    expect(await evaluatedJobs(client, `${node}/eligibility`, eligible)).toEqual(['ended', 'live'])
    clock.advance(1_000)
    await evaluatedJobs(client, `${node}/drain`, { DrainSpec: { Deadline: 3600e9 } })
    const cancel = { DrainSpec: null, MarkEligible: true }
    expect(await evaluatedJobs(client, `${node}/drain`, cancel)).toEqual(['ended', 'live'])
    clock.advance(1_000)
    expect(await statusOf(client, 'ended')).toBe('dead')
    expect(await allocationsOf(client, 'ended')).toHaveLength(1)
  })
})

describe('drained nodes (behaviour/scheduler#node-endpoints)', () => {
  const drainAtOnce = { DrainSpec: { Deadline: -1 } }

  test('an allocation of a system job is stopped because its node is tainted', async () => {
    const { scheduler: client, clock } = await scheduler({ document: two })
    await register(client, mockJob({ t: {} }, {}, { Type: 'system' }))
    clock.advance(1_000)
    await requireSuccess(client.post(`node/${await nodeIdOf(client, 'a')}/drain`, drainAtOnce))
    clock.advance(1_000)
    const stopped = (await allocationsOf(client)).find(({ NodeName }) => NodeName === 'a')
    expect(stopped).toMatchObject({
      DesiredStatus: 'stop',
      DesiredDescription: 'alloc not needed as node is tainted',
      ClientStatus: 'complete',
    })
  })

  test('a system job returns after the allocation that ended on the node (behaviour/scheduler#nodes)', async () => {
    const { scheduler: client, clock } = await scheduler({ document: two })
    await register(client, mockJob({ t: {} }, {}, { Type: 'system' }))
    clock.advance(1_000)
    const node = await nodeIdOf(client, 'a')
    await requireSuccess(client.post(`node/${node}/drain`, drainAtOnce))
    clock.advance(1_000)
    await requireSuccess(client.post(`node/${node}/eligibility`, { Eligibility: 'eligible' }))
    clock.advance(1_000)
    const onNode = (await allocationsOf(client)).filter(({ NodeName }) => NodeName === 'a')
    const [old, current] = onNode
    expect(onNode.map(({ DesiredStatus }) => DesiredStatus)).toEqual(['stop', 'run'])
    expect(old).toMatchObject({ PreviousAllocation: '', NextAllocation: current?.ID })
    expect(current).toMatchObject({ PreviousAllocation: old?.ID, NextAllocation: '' })
  })

  test('an update that excludes the node of a system job stops it as an update (behaviour/scheduler#nodes)', async () => {
    const { scheduler: client, clock } = await scheduler({ document: two })
    const only = (name: string) => [
      { LTarget: `\${node.unique.name}`, RTarget: name, Operand: '=' },
    ]
    const job = (name: string) =>
      mockJob({ t: {} }, {}, { Type: 'system', Constraints: only(name) })
    await register(client, job('a'))
    clock.advance(1_000)
    await register(client, job('b'))
    clock.advance(1_000)
    const all = await allocationsOf(client)
    expect(all.map(({ NodeName, DesiredDescription }) => [NodeName, DesiredDescription])).toEqual([
      ['a', 'alloc is being updated due to job update'],
      ['b', ''],
    ])
  })

  test('a batch job that may run nowhere else is dead when its allocation has stopped', async () => {
    const { scheduler: client, clock } = await scheduler({ document: two })
    const pinned = [{ LTarget: `\${node.unique.name}`, RTarget: 'a', Operand: '=' }]
    await register(client, mockJob({ t: {} }, {}, { Type: 'batch', Constraints: pinned }))
    clock.advance(1_000)
    await requireSuccess(client.post(`node/${await nodeIdOf(client, 'a')}/drain`, drainAtOnce))
    clock.advance(1_000)
    expect(await allocationOf(client)).toMatchObject({
      DesiredStatus: 'stop',
      ClientStatus: 'complete',
    })
    expect(await statusOf(client)).toBe('dead')
    expect(await reasons(client)).not.toContain('queued-allocs blocked')
  })
})

describe('updates of sysbatch jobs (behaviour/scheduler#nodes)', () => {
  test('replace the finished allocations of the version before', async () => {
    const { scheduler: client, clock } = await scheduler({ document: two })
    const job = (change: Members) => mockJob(short, {}, { Type: 'sysbatch', ...change })
    await register(client, job({}))
    clock.advance(5_000)
    expect(await statusOf(client)).toBe('dead')
    await register(client, job({ Meta: { round: '2' } }))
    clock.advance(5_000)
    const all = await allocationsOf(client)
    const first = all.filter(({ JobVersion }) => JobVersion === 0)
    const second = all.filter(({ JobVersion }) => JobVersion === 1)
    expect([first.length, second.length]).toEqual([2, 2])
    for (const each of first) {
      const next = second.find(({ NodeID }) => NodeID === each.NodeID)
      expect(each).toMatchObject({
        DesiredStatus: 'stop',
        DesiredDescription: 'alloc is being updated due to job update',
        ClientStatus: 'complete',
        NextAllocation: next?.ID,
      })
      expect(next).toMatchObject({ PreviousAllocation: each.ID, ClientStatus: 'complete' })
    }
    await register(client, job({ Meta: { round: '3' } }))
    clock.advance(5_000)
    const texts = (await allocationsOf(client)).map((each) => [each.JobVersion, each.DesiredStatus])
    expect(texts.sort()).toEqual([
      [0, 'stop'],
      [0, 'stop'],
      [1, 'stop'],
      [1, 'stop'],
      [2, 'run'],
      [2, 'run'],
    ])
  })

  test('do not run them again if they could be updated in place', async () => {
    const { scheduler: client, clock } = await scheduler({ document: two })
    const job = (change: Members) => mockJob(short, {}, { Type: 'sysbatch', ...change })
    await register(client, job({}))
    clock.advance(5_000)
    const changed = job({ Priority: 70 })
    const { body } = await requireSuccess(
      client.post('job/example/plan', { Job: changed, Diff: true }),
    )
    expect(body.Annotations.DesiredTGUpdates.g).toMatchObject({ InPlaceUpdate: 2, Place: 0 })
    await register(client, changed)
    clock.advance(5_000)
    expect((await allocationsOf(client)).map(({ DesiredStatus }) => DesiredStatus)).toEqual([
      'run',
      'run',
    ])
  })
})

describe('canaries (behaviour/scheduler#plan)', () => {
  test('count as unchanged in a plan of the version that they belong to', async () => {
    const { scheduler: client, clock } = await scheduler()
    const [group] = exampleJob()['TaskGroups'] as readonly Members[]
    const Update = { MaxParallel: 1, Canary: 1, MinHealthyTime: 1e9 }
    const job = (Meta: Members) =>
      exampleJob({ TaskGroups: [{ ...group, Count: 3, Update, Meta }] })
    await register(client, job({ round: '1' }))
    clock.advance(30_000)
    await register(client, job({ round: '2' }))
    clock.advance(2_000)
    expect(await allocationsOf(client)).toHaveLength(4)
    const { body } = await requireSuccess(
      client.post('job/example/plan', { Job: job({ round: '2' }) }),
    )
    expect(body.Annotations.DesiredTGUpdates.cache).toMatchObject({
      Ignore: 4,
      Canary: 0,
      DestructiveUpdate: 0,
    })
  })
})
