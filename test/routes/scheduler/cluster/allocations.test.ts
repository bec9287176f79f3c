import { describe, expect, test } from 'vitest'
import type { Allocation } from '../../../../state/scheduler/cluster/model/allocation-shapes.ts'
import { scheduler } from '../../../support/scheduler/scheduler.ts'
import {
  apiHeaders,
  exampleJob,
  failureOf,
  readHeaders,
  register,
  requireSuccess,
} from '../support.ts'
import { allocationOf, allocationsOf, listed, mockJob, overview, unknownId } from './support.ts'

describe("a job's allocations (behaviour/scheduler#jobs)", () => {
  test('an unknown job has no allocations', async () => {
    const { scheduler: client } = await scheduler()
    const { status, body, headers } = await client.get('job/absent/allocations')
    expect([status, body, headers['x-sched-index']]).toEqual([200, [], '0'])
  })

  test('unknown last segments are not served (behaviour/scheduler#beyond)', async () => {
    const { scheduler: client } = await scheduler()
    for (const path of ['nosuch', 'checks/x']) {
      const { status, text } = await client.get(`allocation/${unknownId}/${path}`)
      expect([status, text]).toEqual([404, 'resource not found'])
    }
  })

  test('a purge deletes them, so that a new job with the ID has only its own', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, mockJob({ t: {} }))
    clock.advance(500)
    await requireSuccess(client.delete('job/example?purge=true'))
    expect(await allocationsOf(client)).toEqual([])
    await register(client, mockJob({ t: {} }))
    clock.advance(500)
    const ids = async (query: string) =>
      (await listed<Allocation>(client, `job/example/allocations${query}`)).map(({ ID }) => ID)
    expect(await ids('')).toHaveLength(1)
    expect(await ids('?all=true')).toEqual(await ids(''))
    // Anything but a boolean counts as false.
    expect(await ids('?all=yes')).toHaveLength(1)
  })

  test('are sorted by ID', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, mockJob({ t: {} }, { Count: 9 }))
    clock.advance(50)
    const ids = (await listed<Allocation>(client, 'job/example/allocations')).map(({ ID }) => ID)
    expect(ids).toHaveLength(9)
    expect(ids).toEqual([...ids].sort())
  })

  test('support blocking reads with the index of all allocations', async () => {
    const { scheduler: client, clock } = await scheduler({ options: { waitJitter: false } })
    await register(client, exampleJob())
    const reading = client.get('job/example/allocations?index=5')
    await Promise.resolve()
    clock.advance(50)
    const { headers, body } = await reading
    expect([headers['x-sched-index'], body.length]).toEqual(['13', 1])
  })
})

describe('GET /v1/allocations (behaviour/scheduler#beyond)', () => {
  // choice/scheduler#cluster-list-order
  test('is in order of creation, by pages, filtered and reversed', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, mockJob({ t: {} }, { Count: 2 }, { ID: 'a' }))
    clock.advance(50)
    await register(client, mockJob({ t: {} }, { Count: 2 }, { ID: 'b' }))
    clock.advance(50)
    const all = await listed<Allocation>(client, 'allocations')
    const keys = all.map(({ CreateIndex, ID }) => `${CreateIndex}.${ID}`)
    expect(all.map(({ JobID }) => JobID)).toEqual(['a', 'a', 'b', 'b'])
    expect(keys).toEqual([...keys].sort())
    const first = await client.get('allocations?per_page=3')
    expect([first.body, first.headers['x-sched-nexttoken']]).toEqual([all.slice(0, 3), keys[3]])
    const rest = await client.get(`allocations?per_page=3&next_token=${keys[3]}`)
    expect([rest.body, rest.headers['x-sched-nexttoken']]).toEqual([all.slice(3), undefined])
    expect(await listed(client, 'allocations?reverse=true')).toEqual([...all].reverse())
    const backwards = await client.get(`allocations?reverse=true&next_token=${keys[1]}`)
    expect(backwards.body).toEqual([all[1], all[0]])
    const filtered = await client.get('allocations', { query: { filter: 'JobID == "b"' } })
    expect(filtered.body).toEqual(all.slice(2))
    const [one] = all
    const byPrefix = await listed(client, `allocations?prefix=${one?.ID.slice(0, 8)}`)
    expect(byPrefix).toEqual([one])
  })

  // choice/scheduler#cluster-list-order
  test('is in order of ID with a prefix, and IDs are the tokens', async () => {
    const { scheduler: client, clock } = await scheduler()
    for (const ID of ['a', 'b', 'c'])
      await register(client, mockJob({ t: {} }, { Count: 30 }, { ID }))
    clock.advance(50)
    const all = await listed<Allocation>(client, 'allocations')
    const alike = (prefix: string) => all.filter(({ ID }) => ID.startsWith(prefix))
    const prefix = all.map(({ ID }) => ID.slice(0, 2)).find((each) => alike(each).length > 1) ?? ''
    const ids = alike(prefix)
      .map(({ ID }) => ID)
      .sort()
    const page = await client.get(`allocations?prefix=${prefix}&per_page=1`)
    expect([page.body[0].ID, page.headers['x-sched-nexttoken']]).toEqual(ids.slice(0, 2))
    const rest = await listed<Allocation>(
      client,
      `allocations?prefix=${prefix}&next_token=${ids[1]}`,
    )
    expect(rest.map(({ ID }) => ID)).toEqual(ids.slice(1))
  })

  test('a token of a deleted allocation continues with the next one', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, mockJob({ t: {} }, { Count: 2 }))
    clock.advance(50)
    const all = await listed<Allocation>(client, 'allocations')
    expect(await listed(client, 'allocations?next_token=13')).toEqual(all)
    expect(await listed(client, 'allocations?next_token=14')).toEqual([])
    expect(await listed(client, 'allocations?next_token=9')).toEqual(all)
  })

  // choice/scheduler#cluster-list-order
  test.for(['allocations', 'evaluations', 'deployments', 'jobs/statuses'])(
    'no entry of %s follows a token that is not an index',
    async (list) => {
      const { scheduler: client, clock } = await scheduler()
      await register(client, mockJob({ t: {} }, {}, { Update: { MaxParallel: 1 } }))
      clock.advance(50)
      expect(await listed(client, list)).not.toEqual([])
      expect(await listed(client, `${list}?next_token=zz`)).toEqual([])
    },
  )
})

describe('one allocation (behaviour/scheduler#beyond)', () => {
  test.each([
    ['GET', 'allocation/x'],
    ['POST', 'allocation/x/stop'],
  ])('%s %s is not a UUID', async (method, path) => {
    const { scheduler: client } = await scheduler()
    expect(await failureOf(client.request(method, path))).toEqual([
      500,
      'alloc lookup failed: index error: UUID must be 36 characters',
    ])
  })

  test('an unknown allocation is 404 with the index of the table', async () => {
    const { scheduler: client } = await scheduler()
    const reply = await client.get(`allocation/${unknownId}`)
    expect([reply.status, reply.text, apiHeaders(reply)]).toEqual([
      404,
      'alloc not found',
      readHeaders(0),
    ])
    expect(await failureOf(client.post(`allocation/${unknownId}/stop`))).toEqual([
      404,
      'allocation not found',
    ])
  })

  test('no_shutdown_delay is a boolean (behaviour/scheduler#beyond)', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, exampleJob())
    clock.advance(50)
    const { ID } = await allocationOf(client)
    expect(await failureOf(client.post(`allocation/${ID}/stop?no_shutdown_delay=x`))).toEqual([
      500,
      'no_shutdown_delay value is not a boolean: strconv.ParseBool: parsing "x": invalid syntax',
    ])
    expect((await client.post(`allocation/${ID}/stop?no_shutdown_delay=true`)).status).toBe(200)
  })

  test.each(['POST', 'PUT'])('%s …/stop stops the allocation and replaces it', async (method) => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, exampleJob())
    clock.advance(11_000)
    const { ID } = await allocationOf(client)
    const reply = await client.request(method, `allocation/${ID}/stop`)
    expect([reply.status, reply.body, apiHeaders(reply)]).toEqual([
      200,
      { EvalID: expect.any(String), Index: 20 },
      { 'x-sched-index': '20' },
    ])
    expect((await client.get(`evaluation/${reply.body.EvalID}`)).body).toMatchObject({
      TriggeredBy: 'alloc-stop',
      Status: 'pending',
    })
    clock.advance(1000)
    expect(await overview(client)).toEqual([
      'example.cache[0] v0 stop/complete',
      'example.cache[0] v0 run/running',
    ])
    const [old, next] = await allocationsOf(client)
    expect([old?.DesiredDescription, old?.NextAllocation, next?.PreviousAllocation]).toEqual([
      'alloc is being migrated',
      next?.ID,
      old?.ID,
    ])
  })
})
