import { describe, expect, test } from 'vitest'
import { yieldToEventLoop } from '../../../../state/kernel/time.ts'
import { scheduler } from '../../../support/scheduler/scheduler.ts'
import { countTurns, slowClock } from '../../../support/turns.ts'
import type { Members } from '../support.ts'

/** Number of task groups. Each group takes one reading of the clock in each step of the work. */
const groupCount = 60

function largeJob(image: string, datacenter = '*') {
  const Tasks = [{ Name: 't', Driver: 'mock_driver', Config: { image } }]
  const TaskGroups = Array.from({ length: groupCount }, (_, at) => ({ Name: `g${at}`, Tasks }))
  return { Job: { ID: 'large', Datacenters: [datacenter], TaskGroups } }
}

/** Text that makes a body so long that the request is done in parts. */
const padding = 'x'.repeat(40_000)

/** Starts the vendor's API with a slow clock. */
async function slowScheduler() {
  const { scheduler: client, world } = await scheduler({ dialect: 'vendor' })
  slowClock()
  const send = (method: string, path: string, body?: Members) => async () => {
    const reply = await client.request(method, path, body && JSON.stringify(body))
    expect(reply.status).toBe(200)
    return reply.body
  }
  const advance = () => world.advanceInTurns(60_000, { limit: 10_000 })
  return { client, send, advance }
}

/** Checks that work yields a turn for about every 20 groups in each of its stages. */
async function expectTurns(name: string, stages: number, work: () => Promise<unknown>) {
  const turns = await countTurns(work)
  expect(turns, name).toBeGreaterThanOrEqual(Math.floor((stages * groupCount) / 21))
}

describe('behaviour/program#bounds: a job with many groups does not hold up other worlds', () => {
  test('validating, planning, registering, placing, reading and draining it take many turns', async () => {
    const { client, send, advance } = await slowScheduler()
    const drain = async () => {
      const [{ NodeID }] = (await client.get('job/large/allocations')).body
      await send('PUT', `node/${NodeID}/drain`, { DrainSpec: { Deadline: -1e9 } })()
    }
    // A request has a turn of 20 ms, a job of the agenda one of 10 ms.
    const steps: readonly [name: string, stages: number, work: () => Promise<unknown>][] = [
      ['validate', 2, send('PUT', 'validate/job', largeJob('a'))],
      ['plan', 6, send('PUT', 'job/large/plan', { ...largeJob('a'), Diff: true })],
      ['register', 2, send('PUT', 'jobs', largeJob('a'))],
      ['place', 6, advance],
      ['plan a change', 7, send('PUT', 'job/large/plan', { ...largeJob('b'), Diff: true })],
      ['read', 1, send('GET', 'job/large')],
      ['list allocations', 1, send('GET', 'job/large/allocations')],
      ['drain', 0, drain],
      ['stop on the node', 4, advance],
    ]
    for (const [name, stages, work] of steps) await expectTurns(name, stages, work)
  })

  test('decoding a long body and reading and comparing versions take many turns', async () => {
    const { send } = await slowScheduler()
    await send('PUT', 'jobs', largeJob('a'))()
    const { Job } = largeJob('b')
    const longBody = { Job: { ...Job, Meta: { padding } } }
    await expectTurns('register', 3, send('PUT', 'jobs', longBody))
    // Both versions are translated, compared, and then rendered together with their differences.
    await expectTurns('versions', 6, send('GET', 'job/large/versions?diffs=true'))
  })

  test('reporting the health of many allocations takes many turns', async () => {
    const { client, send, advance } = await slowScheduler()
    const { Job } = largeJob('a')
    await send('PUT', 'jobs', { Job: { ...Job, Update: { HealthCheck: 'manual' } } })()
    await advance()
    const [{ ID }] = (await client.get('deployments')).body
    const placed = (await client.get(`deployment/allocations/${ID}`)).body
    const HealthyAllocationIDs = placed.map((each: Members) => each['ID'])
    expect(HealthyAllocationIDs).toHaveLength(groupCount)
    const path = `deployment/allocation-health/${ID}`
    await expectTurns('report', 1, send('PUT', path, { DeploymentID: ID, HealthyAllocationIDs }))
    const { TaskGroups } = (await client.get(`deployment/${ID}`)).body
    expect(Object.values<Members>(TaskGroups).map((each) => each['HealthyAllocs'])).toEqual(
      Array(groupCount).fill(1),
    )
  })

  test('wherever a plan pauses, its result is the same', async () => {
    const { scheduler: client } = await scheduler({ dialect: 'vendor' })
    const put = async (path: string, image: string) => {
      const { Job } = largeJob(image)
      const small = { ...Job, TaskGroups: Job.TaskGroups.slice(0, 12) }
      const body = JSON.stringify({ Job: { ...small, Meta: { padding } }, Diff: true })
      const reply = await client.request('PUT', path, body)
      expect(reply.status).toBe(200)
      return reply.body
    }
    await put('jobs', 'a')
    const expected = await put('job/large/plan', 'b')
    expect(expected.Diff.TaskGroups).toHaveLength(12)
    for (const step of [0.4, 0.8, 1, 1.5, 2, 3, 5, 9, 30]) {
      slowClock(step)
      expect(await put('job/large/plan', 'b'), `${step} ms`).toEqual(expected)
    }
  })

  test('planning an unplaceable job, purging it and collecting it take many turns', async () => {
    const { client, send, advance } = await slowScheduler()
    const plan = async () => {
      const reply = await send('PUT', 'job/large/plan', largeJob('a', 'nowhere'))()
      expect(Object.keys(reply.FailedTGAllocs)).toHaveLength(groupCount)
      expect(reply.CreatedEvals).toHaveLength(1)
    }
    const run = async () => {
      await send('PUT', 'jobs', largeJob('a'))()
      await advance()
      expect((await client.get('job/large/allocations')).body).toHaveLength(groupCount)
    }
    await expectTurns('plan', 8, plan)
    expect((await client.get('jobs')).body).toEqual([])
    await run()
    await expectTurns('purge', 2, send('DELETE', 'job/large?purge=true'))
    expect((await client.get('allocations')).body).toEqual([])
    await run()
    await send('DELETE', 'job/large')()
    await advance()
    await expectTurns('collect', 1, send('PUT', 'system/gc'))
    for (const path of ['jobs', 'allocations', 'evaluations', 'deployments']) {
      expect((await client.get(path)).body, path).toEqual([])
    }
  })

  test('another world answers in between, and requests of the same world wait in order', async () => {
    const { scheduler: client, worlds } = await scheduler({ dialect: 'vendor' })
    worlds.create({ id: 'other' })
    slowClock()
    const order: string[] = []
    const ask = async (name: string, path: string, world: string, body?: Members) => {
      const headers = { 'x-mock-world': world }
      const method = body === undefined ? 'GET' : 'PUT'
      const text = body && JSON.stringify(body)
      const { status } = await client.request(method, path, text, { headers })
      order.push(`${name} ${status}`)
    }
    const first = ask('register', 'jobs', 'default', largeJob('a'))
    // The server receives the body in a later turn.
    for (let turn = 0; turn < 5; turn += 1) await yieldToEventLoop()
    await Promise.all([first, ask('read', 'job/large', 'default'), ask('other', 'jobs', 'other')])
    expect(order).toEqual(['other 200', 'register 200', 'read 200'])
  })
})
