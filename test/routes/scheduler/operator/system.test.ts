import { describe, expect, test } from 'vitest'
import { nodes, taskLogs } from '../../../../state/scheduler/cluster/model/tables.ts'
import { applyNodeStateChange } from '../../../../state/scheduler/cluster/node-writes.ts'
import { listenToEvents } from '../../../../state/scheduler/events/log.ts'
import type { EventLine } from '../../../../state/scheduler/events/stream-events.ts'
import { jobKey } from '../../../../state/scheduler/keys.ts'
import { jobSummaries } from '../../../../state/scheduler/records/tables.ts'
import { type SchedulerClient, scheduler } from '../../../support/scheduler/scheduler.ts'
import {
  allocationOf,
  allocationsOf,
  counters,
  deployments,
  mockJob,
  overview,
  reasons,
  statusOf,
} from '../cluster/support.ts'
import {
  apiHeaders,
  exampleJob,
  failureOf,
  frozenScheduler,
  type Members,
  parameterizedJob,
  periodicJob,
  register,
  requireSuccess,
} from '../support.ts'

const section = 'behaviour/scheduler#operator'
const second = 1_000_000_000

const batch = (change: Members = {}, task: Members = {}, group: Members = {}) =>
  mockJob({ t: task }, group, { Type: 'batch', ...change })

const collect = (client: SchedulerClient) => requireSuccess(client.put('system/gc'))
const ids = async (client: SchedulerClient) =>
  (await client.get('jobs')).body.map(({ ID }: { ID: string }) => ID)

/** Returns the numbers of remaining jobs, evaluations, allocations and deployments. */
async function remainingCounts(client: SchedulerClient) {
  const lists = ['jobs', 'evaluations', 'allocations', 'deployments']
  const found = lists.map(async (list) => (await client.get(list)).body.length)
  return Promise.all(found)
}

describe(`system/gc (${section})`, () => {
  test.each(['system/gc', 'system/reconcile/summaries'])('%s accepts only PUT', async (path) => {
    const { scheduler: client } = await frozenScheduler()
    const done = await client.put(path)
    expect([done.status, done.text, apiHeaders(done)]).toEqual([200, '', {}])
    for (const method of ['POST', 'GET', 'DELETE']) {
      expect(await failureOf(client.request(method, path))).toEqual([405, 'Invalid method'])
    }
  })

  // choice/scheduler#operator-collection-time
  test('a stopped job is deleted with its data', async () => {
    const { scheduler: client, clock, world } = await scheduler()
    await register(client, mockJob({ t: { Config: { stdout_string: 'x' } } }))
    clock.advance(60_000)
    const { ID } = await allocationOf(client)
    await collect(client)
    expect(await overview(client)).toEqual(['example.g[0] v0 run/running'])
    await requireSuccess(client.delete('job/example'))
    clock.advance(60_000)
    expect(world.table(taskLogs).has(`${ID} t`)).toBe(true)
    await collect(client)
    expect(await remainingCounts(client)).toEqual([0, 0, 0, 0])
    expect(world.table(taskLogs).has(`${ID} t`)).toBe(false)
    for (const path of ['job/example', 'job/example/versions', `allocation/${ID}`]) {
      expect((await client.get(path)).status).toBe(404)
    }
  })

  test('a job with running allocations stays', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(
      client,
      mockJob({ t: { Config: { kill_after: '1h' }, KillTimeout: 300 * second } }),
    )
    clock.advance(60_000)
    await requireSuccess(client.delete('job/example'))
    clock.advance(1000)
    await collect(client)
    expect(await overview(client)).toEqual(['example.g[0] v0 stop/running'])
  })

  test('dead batch jobs are deleted, launchers only if they are stopped', async () => {
    const { scheduler: client, clock } = await scheduler()
    for (const job of [batch({ ID: 'once' }), parameterizedJob(), periodicJob()]) {
      await register(client, job)
    }
    clock.advance(10_000)
    await collect(client)
    expect(await ids(client)).toEqual(['cron', 'param'])
    for (const id of ['cron', 'param']) await requireSuccess(client.delete(`job/${id}`))
    await collect(client)
    expect(await ids(client)).toEqual([])
  })

  // choice/scheduler#operator-collection-time
  test('a job stays while one of its versions is tagged, as in the reference', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, batch())
    await requireSuccess(client.post('job/example/versions/kept/tag', { Version: 0 }))
    clock.advance(10_000)
    await collect(client)
    expect(await ids(client)).toEqual(['example'])
    await requireSuccess(client.delete('job/example/versions/kept/tag'))
    await collect(client)
    expect(await ids(client)).toEqual([])
  })

  test('ended data of a live job is deleted, running data stays', async () => {
    const { scheduler: client, clock } = await scheduler()
    const version = (V: string) =>
      mockJob({ t: { Env: { V } } }, { Update: { MaxParallel: 1, MinHealthyTime: second } })
    await register(client, version('1'))
    clock.advance(60_000)
    await register(client, version('2'))
    clock.advance(60_000)
    expect(await deployments(client)).toHaveLength(2)
    expect(await overview(client)).toHaveLength(2)
    await collect(client)
    expect(await overview(client)).toEqual(['example.g[0] v1 run/running'])
    expect((await deployments(client)).map(([at, status]) => [at, status])).toEqual([
      [1, 'successful'],
    ])
    expect(await statusOf(client)).toBe('running')
    expect((await client.get('job/example/versions')).body.Versions).toHaveLength(2)
    // The evaluations that remain are those of running allocations.
    const { EvalID } = await allocationOf(client)
    const kept = (await client.get('job/example/evaluations')).body
    expect(kept.map(({ ID }: { ID: string }) => ID)).toEqual([EvalID])
  })

  test('a deployment that has ended is deleted while terminal allocations of it stay', async () => {
    const { scheduler: client, clock } = await scheduler()
    const failingLate = { Config: { run_for: '5s', exit_code: 1 } }
    const group = {
      Update: { MaxParallel: 1, MinHealthyTime: second },
      RestartPolicy: { Attempts: 0, Mode: 'fail' },
      ReschedulePolicy: { Unlimited: true, Delay: 3600 * second, DelayFunction: 'constant' },
    }
    await register(client, mockJob({ t: failingLate }, group))
    clock.advance(3000)
    await collect(client)
    expect((await deployments(client)).map(([, status]) => status)).toEqual(['successful'])
    const { DeploymentID } = await allocationOf(client)
    clock.advance(10_000)
    await collect(client)
    expect(await overview(client)).toEqual(['example.g[0] v0 run/failed'])
    expect((await allocationOf(client)).DeploymentID).toBe(DeploymentID)
    expect(await deployments(client)).toEqual([])
    clock.advance(3600_000)
    expect(await overview(client)).toHaveLength(2)
  })

  test('an active deployment stays', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(
      client,
      mockJob({ t: {} }, { Update: { MaxParallel: 1, MinHealthyTime: second } }),
    )
    clock.advance(500)
    await collect(client)
    expect((await deployments(client)).map(([, status]) => status)).toEqual(['running'])
  })

  test('a job scaled to nothing stays dead without evaluations', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, mockJob({ t: {} }, { Count: 0 }))
    clock.advance(1000)
    await collect(client)
    expect([await reasons(client), await statusOf(client)]).toEqual([[], 'dead'])
    await register(client, mockJob({ t: {} }, { Count: 1 }))
    expect(await statusOf(client)).toBe('pending')
  })

  test('an active batch job keeps its completed allocations, but only of the last version', async () => {
    const { scheduler: client, clock } = await scheduler()
    const job = (V: string) => {
      const tasks = (Name: string, Config: Members) => ({
        Name,
        Tasks: [{ Name: 't', Driver: 'mock', Config, Env: { V } }],
      })
      const TaskGroups = [tasks('short', { run_for: '1s' }), tasks('long', { run_for: '1h' })]
      return exampleJob({ Type: 'batch', TaskGroups })
    }
    await register(client, job('1'))
    clock.advance(10_000)
    await collect(client)
    expect(await overview(client)).toEqual([
      'example.long[0] v0 run/running',
      'example.short[0] v0 run/complete',
    ])
    await register(client, job('2'))
    clock.advance(10_000)
    await collect(client)
    expect(await overview(client)).toEqual([
      'example.long[0] v1 run/running',
      'example.short[0] v1 run/complete',
    ])
    clock.advance(60_000)
    expect(await overview(client)).toHaveLength(2)
  })

  describe('failed allocations of a live job', () => {
    const failing = { Config: { run_for: '1s', exit_code: 1 }, RestartPolicy: { Attempts: 0 } }
    const policy = (ReschedulePolicy: Members, RestartPolicy = { Attempts: 0, Mode: 'fail' }) => ({
      ReschedulePolicy,
      RestartPolicy,
    })

    async function failed(group: Members) {
      const served = await scheduler()
      const { scheduler: client, clock } = served
      await register(client, mockJob({ t: failing }, group))
      clock.advance(10_000)
      const alive = { Name: 'alive', Tasks: [{ Name: 't', Driver: 'mock' }] }
      const { TaskGroups } = mockJob({ t: failing }, group) as { TaskGroups: Members[] }
      await register(client, exampleJob({ TaskGroups: [...TaskGroups, alive] }))
      clock.advance(10_000)
      return served
    }
    const left = async (client: SchedulerClient) =>
      (await allocationsOf(client)).filter(({ ClientStatus }) => ClientStatus === 'failed').length

    // choice/scheduler#operator-collection-time
    test('stay while they may be rescheduled', async () => {
      const unlimited = { Unlimited: true, Delay: 3600 * second, DelayFunction: 'constant' }
      const { scheduler: client } = await failed(policy(unlimited))
      await collect(client)
      expect(await left(client)).toBe(1)
    })

    test('are deleted if nothing reschedules them', async () => {
      const { scheduler: client } = await failed(policy({ Attempts: 0, Unlimited: false }))
      expect(await left(client)).toBe(1)
      await collect(client)
      expect(await left(client)).toBe(0)
    })

    test('are deleted once they are replaced, or after the interval of the last attempt', async () => {
      const once = {
        Attempts: 1,
        Unlimited: false,
        Interval: 60 * second,
        Delay: 5 * second,
        DelayFunction: 'constant',
      }
      const { scheduler: client, clock } = await failed(policy(once))
      clock.advance(10_000)
      expect(await left(client)).toBe(2)
      await collect(client)
      expect(await left(client)).toBe(1)
      clock.advance(120_000)
      await collect(client)
      expect(await left(client)).toBe(0)
    })

    test('stay before the first attempt', async () => {
      const late = {
        Attempts: 1,
        Unlimited: false,
        Interval: 7200 * second,
        Delay: 3600 * second,
        DelayFunction: 'constant',
      }
      const { scheduler: client } = await failed(policy(late))
      await collect(client)
      expect(await left(client)).toBe(1)
    })
  })

  test('nodes that are down are deleted once they have no allocations', async () => {
    const { scheduler: client, clock, world } = await scheduler()
    await register(client, mockJob({ t: {} }))
    clock.advance(10_000)
    const { NodeID } = await allocationOf(client)
    const rows = [...world.table(nodes).rows()]
    const other = rows.find(({ ID }) => ID !== NodeID)
    world.write(() => {
      for (const row of rows) if (row !== other) applyNodeStateChange(world, row, 'down')
    })
    await requireSuccess(client.put('operator/scheduler/configuration', { PauseEvalBroker: true }))
    await collect(client)
    const kept = async () =>
      (await client.get('nodes')).body.map(({ ID }: { ID: string }) => ID).sort()
    expect(await kept()).toEqual([NodeID, other?.ID].sort())
    await requireSuccess(client.put('operator/scheduler/configuration', {}))
    clock.advance(60_000)
    await collect(client)
    expect(await kept()).toEqual([other?.ID])
  })

  test('sends the event JobBatchDeregistered; other deletions send none, except of nodes', async () => {
    const { scheduler: client, clock, world } = await scheduler()
    await register(client, batch())
    clock.advance(10_000)
    const recorded: string[] = []
    listenToEvents(world, Number.MAX_SAFE_INTEGER, {
      onEvents: (lines: readonly EventLine[]) => {
        for (const { type, events } of lines) {
          recorded.push(`${type}: ${events.map(({ topic, key }) => `${topic} ${key}`)}`)
        }
      },
      onRightsChanged: () => {},
      onEnd: () => {},
    })
    recorded.length = 0
    await collect(client)
    expect(recorded).toEqual(['JobBatchDeregistered: Job example'])
  })
})

describe(`system/reconcile/summaries (${section})`, () => {
  // choice/scheduler#operator-reconciled
  test('recounts allocations and children', async () => {
    const { scheduler: client, clock, world } = await scheduler()
    await register(client, mockJob({ t: {} }, { Count: 2 }))
    await register(client, parameterizedJob())
    await requireSuccess(client.post('job/param/dispatch', { Payload: '' }))
    clock.advance(500)
    const before = await counters(client, 'g')
    expect(before).toEqual({ Running: 2 })
    const wrong = { Pending: 9, Running: 9, Dead: 9 }
    world.write(() => {
      for (const id of ['example', 'param']) {
        const key = jobKey('default', id)
        const row = world.table(jobSummaries).get(key)
        if (row !== undefined) {
          world
            .table(jobSummaries)
            .put(key, { ...row, Summary: { gone: noCounters() }, Children: wrong })
        }
      }
    })
    await requireSuccess(client.put('system/reconcile/summaries'))
    expect(await counters(client, 'g')).toEqual(before)
    const plain = (await client.get('job/example/summary')).body
    expect([Object.keys(plain.Summary), plain.Children]).toEqual([['g'], null])
    const parent = (await client.get('job/param/summary')).body
    expect(parent.Summary).toEqual({})
    expect(parent.Children).toEqual({ Pending: 0, Running: 1, Dead: 0 })
  })

  test('allocations of an earlier job with the ID do not count', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, mockJob({ t: {} }))
    clock.advance(10_000)
    await requireSuccess(client.delete('job/example?purge=true'))
    clock.advance(10_000)
    await register(client, mockJob({ t: {} }))
    clock.advance(10_000)
    await requireSuccess(client.put('system/reconcile/summaries'))
    expect(await counters(client, 'g')).toEqual({ Running: 1 })
  })
})

function noCounters() {
  const [Queued, Complete, Failed, Running, Starting, Lost, Unknown] = Array(7).fill(3)
  return { Queued, Complete, Failed, Running, Starting, Lost, Unknown }
}
