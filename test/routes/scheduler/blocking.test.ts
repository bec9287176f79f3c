import { describe, expect, test } from 'vitest'
import { blockingReader, drainEventLoop } from '../../support/blocked-reads.ts'
import type { SchedulerClient } from '../../support/scheduler/scheduler.ts'
import { mockJob } from './cluster/support.ts'
import {
  aclScheduler,
  exampleJob,
  failureOf,
  frozenScheduler,
  type Members,
  parameterizedJob,
  readExample,
  register,
  requireSuccess,
} from './support.ts'

const waiting = blockingReader('x-sched-index')

const section = 'behaviour/scheduler#blocking'

/** Registers the example (index 11) and another job (index 12). */
async function withTwo() {
  const served = await frozenScheduler()
  await register(served.scheduler, exampleJob(), { Submission: { Source: 'zero' } })
  await register(served.scheduler, exampleJob({ ID: 'other' }))
  return served
}

const update = (client: SchedulerClient, Priority: number, ID = 'example') =>
  register(client, exampleJob({ ID, Priority }))
const mark = (client: SchedulerClient, JobVersion: number, Stable: boolean, JobID = 'example') =>
  requireSuccess(client.post(`job/${JobID}/stable`, { JobID, JobVersion, Stable }))
const evaluate = (client: SchedulerClient, id = 'example') =>
  requireSuccess(client.post(`job/${id}/evaluate`))
const scaleNote = (client: SchedulerClient) =>
  requireSuccess(client.post('job/example/scale', { Target: { Group: 'cache' } }))

describe(`the index of each endpoint (${section})`, () => {
  const indexOf = async (client: SchedulerClient, path: string) =>
    (await client.get(path)).headers['x-sched-index']

  const paths = {
    list: 'jobs',
    job: 'job/example',
    versions: 'job/example/versions',
    summary: 'job/example/summary',
    allocations: 'job/example/allocations',
    evaluations: 'job/example/evaluations',
    submission: 'job/example/submission?version=0',
    absent: 'job/absent',
    absentVersions: 'job/absent/versions',
    absentSubmission: 'job/absent/submission?version=0',
  }
  const indexes = async (client: SchedulerClient) => {
    const found = Object.entries(paths).map(async ([name, path]) => [
      name,
      Number(await indexOf(client, path)),
    ])
    return Object.fromEntries(await Promise.all(found))
  }

  test('follows the data of the read', async () => {
    const { scheduler: client } = await withTwo()
    const first = {
      list: 12,
      job: 11,
      versions: 11,
      summary: 11,
      allocations: 0,
      evaluations: 12,
      submission: 11,
      absent: 12,
      absentVersions: 12,
      absentSubmission: 0,
    }
    expect(await indexes(client)).toEqual(first)
    await evaluate(client)
    const evaluated = { ...first, evaluations: 13 }
    expect(await indexes(client)).toEqual(evaluated)
    await scaleNote(client)
    expect(await indexes(client)).toEqual(evaluated)
    await update(client, 60)
    const updated = {
      ...evaluated,
      list: 15,
      job: 15,
      versions: 15,
      summary: expect.any(Number),
      evaluations: 15,
      absent: 15,
      absentVersions: 15,
    }
    expect(await indexes(client)).toEqual(updated)
    await mark(client, 0, true)
    const marked = await indexes(client)
    expect([marked.versions, marked.job, marked.absentVersions]).toEqual([16, 15, 16])
  })

  // choice/scheduler#scheduler-blocking-lists
  test('the index of statuses is the highest of their rows', async () => {
    const { scheduler: client, clock } = await frozenScheduler({
      options: { schedulerMode: 'auto' },
    })
    await register(client, exampleJob())
    const read = async () => {
      const [statuses, job, allocations, deployments] = await Promise.all(
        ['jobs/statuses', 'job/example', 'allocations', 'deployments'].map(async (path) =>
          Number(await indexOf(client, path)),
        ),
      )
      return { statuses, job, allocations, deployments } as Record<string, number>
    }
    expect((await read())['statuses']).toBe(11)
    clock.advance(60_000)
    const { statuses, job = 0, allocations = 0, deployments = 0 } = await read()
    expect(deployments).toBeGreaterThan(allocations)
    expect(statuses).toBe(Math.max(job, allocations, deployments))
  })

  test("the index of a scale status is the highest of the job's, its events' and its live allocations'", async () => {
    const { scheduler: client, clock } = await frozenScheduler({
      options: { schedulerMode: 'auto' },
    })
    const scale = async () => Number(await indexOf(client, 'job/example/scale'))
    const jobIndex = async () => Number(await indexOf(client, 'job/example'))
    await register(client, exampleJob())
    expect(await scale()).toBe(11)
    clock.advance(60_000)
    const { body } = await requireSuccess(client.get('job/example/allocations'))
    const last = Math.max(...body.map((each: { ModifyIndex: number }) => each.ModifyIndex))
    expect(await scale()).toBe(Math.max(await jobIndex(), last))
    await register(client, exampleJob({ ID: 'other' }))
    clock.advance(60_000)
    expect(await scale()).toBe(Math.max(await jobIndex(), last))
    const note = await scaleNote(client)
    expect(await scale()).toBe(note.body.Index)
    // A missing object returns the last index of all tables.
    await requireSuccess(client.post('namespace', { Name: 'n' }))
    expect(await indexOf(client, 'job/none/scale')).toBe(String(note.body.Index + 1))
  })

  test('the index of a list is the higher one of jobs and summaries', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, parameterizedJob())
    const { body } = await requireSuccess(client.post('job/param/dispatch', {}))
    expect(await indexOf(client, 'jobs')).toBe(String(body.Index))
    expect(await indexOf(client, 'jobs?namespace=none')).toBe(String(body.Index))
    expect(await indexOf(client, 'jobs?prefix=none')).toBe(String(body.Index))
  })
})

describe(`waiting (${section})`, () => {
  test.for([
    'jobs',
    'jobs?index=0&wait=1m',
    'jobs?index=11',
    'jobs?wait=10m',
    'job/example?index=0',
    'job/example?index=10',
    'job/absent?wait=1m',
    'job/example/submission?version=0&index=10',
  ])('%s does not wait', async (path) => {
    const { scheduler: client } = await withTwo()
    expect((await waiting(client, path)).state).not.toBe('waits')
  })

  test.for([
    ['', 300_000],
    ['&wait=10s', 10_000],
    ['&wait=300ms', 300],
    ['&wait=5m', 300_000],
    ['&wait=10m', 300_000],
    ['&wait=2h', 300_000],
    ['&wait=0', 300_000],
    ['&wait=0s', 300_000],
    ['&wait=-1s', 300_000],
  ] as const)(
    'index=12%s waits %i ms, then returns the current state',
    async ([query, milliseconds]) => {
      const { scheduler: client, clock } = await withTwo()
      const reads = await Promise.all(
        ['job/example', 'job/absent', 'job/example/submission', 'jobs'].map((path) =>
          waiting(client, `${path}?index=12&version=1${query}`),
        ),
      )
      clock.advance(milliseconds - 1)
      await drainEventLoop()
      expect(reads.map(({ state }) => state)).toEqual(['waits', 'waits', 'waits', 'waits'])
      clock.advance(1)
      await drainEventLoop()
      const [job, absent, submission, list] = reads
      expect(job?.state).toEqual([200, '11', readExample()])
      expect(absent?.state).toEqual([404, '12', 'job not found'])
      expect(submission?.state).toEqual([404, '0', 'job source not found'])
      expect(list?.outcome).toEqual([200, '12'])
    },
  )

  test('a wait is extended by up to a sixteenth unless the option waitJitter is off', async () => {
    const { scheduler: client, clock } = await frozenScheduler({ options: { waitJitter: true } })
    const reads = await Promise.all(
      Array.from({ length: 40 }, () => waiting(client, 'jobs?index=10&wait=16s')),
    )
    const answered = () => reads.filter(({ state }) => state !== 'waits').length
    clock.advance(15_999)
    await drainEventLoop()
    expect(answered()).toBe(0)
    clock.advance(500)
    await drainEventLoop()
    expect(answered()).toBeGreaterThan(5)
    expect(answered()).toBeLessThan(35)
    clock.advance(501)
    await drainEventLoop()
    expect(answered()).toBe(40)
  })

  test.for([
    ['index=x', 'Invalid index'],
    ['index=-1', 'Invalid index'],
    ['index=1.5', 'Invalid index'],
    ['index=1&wait=x', 'Invalid wait time'],
    ['index=1&wait=10', 'Invalid wait time'],
    ['wait=x', 'Invalid wait time'],
  ] as const)('%s is 400: %s', async ([query, text]) => {
    const { scheduler: client } = await withTwo()
    for (const path of [
      'jobs',
      'job/example',
      'job/example/submission',
      'job/example/versions',
      'job/example/summary',
      'job/example/allocations',
      'job/example/evaluations',
    ]) {
      const reply = client.get(`${path}?version=0&${query}`)
      expect([path, ...(await failureOf(reply))]).toEqual([path, 400, text])
    }
  })
})

describe(`waking (${section})`, () => {
  /** Writes that do not affect a read, followed by a write that affects it. */
  interface Case {
    readonly path: string
    readonly others: readonly ((client: SchedulerClient) => Promise<unknown>)[]
    readonly wakes: (client: SchedulerClient) => Promise<unknown>
    readonly outcome: readonly [number, string]
  }

  const otherJob = (client: SchedulerClient) => update(client, 60, 'other')

  const cases: readonly Case[] = [
    {
      path: 'jobs?index=12',
      others: [evaluate, scaleNote],
      wakes: (client) => update(client, 60),
      outcome: [200, '15'],
    },
    {
      path: 'job/example?index=12',
      others: [otherJob, evaluate, scaleNote],
      wakes: (client) => update(client, 60),
      outcome: [200, '16'],
    },
    {
      path: 'job/example?index=12',
      others: [otherJob],
      wakes: (client) => mark(client, 0, true),
      outcome: [200, '14'],
    },
    {
      path: 'job/example/versions?index=12',
      others: [otherJob, evaluate, (client) => mark(client, 0, true, 'other')],
      wakes: (client) => mark(client, 0, true),
      outcome: [200, '16'],
    },
    {
      path: 'job/example/evaluations?index=12',
      others: [(client) => mark(client, 0, true), scaleNote],
      wakes: evaluate,
      outcome: [200, '15'],
    },
    {
      path: 'job/example/evaluations?index=12',
      others: [(client) => evaluate(client, 'other')],
      wakes: evaluate,
      outcome: [200, '14'],
    },
    {
      path: 'job/example/submission?version=1&index=12',
      others: [
        otherJob,
        evaluate,
        (client) =>
          register(client, exampleJob({ ID: 'third' }), { Submission: { Source: 'other' } }),
      ],
      wakes: (client) =>
        register(client, exampleJob({ Priority: 60 }), { Submission: { Source: 'one' } }),
      outcome: [200, '16'],
    },
    {
      path: 'job/third?index=12',
      others: [evaluate],
      wakes: (client) => register(client, exampleJob({ ID: 'third' })),
      outcome: [200, '14'],
    },
    {
      path: 'job/third/versions?index=12',
      others: [evaluate],
      wakes: (client) => register(client, exampleJob({ ID: 'third' })),
      outcome: [200, '14'],
    },
    {
      path: 'job/third?index=12',
      others: [],
      wakes: otherJob,
      outcome: [404, '13'],
    },
    {
      path: 'job/third/versions?index=12',
      others: [],
      wakes: otherJob,
      outcome: [404, '13'],
    },
    {
      path: 'job/third/summary?index=12',
      others: [evaluate],
      wakes: (client) => register(client, exampleJob({ ID: 'third' })),
      outcome: [200, '14'],
    },
    {
      path: 'jobs/statuses?index=12',
      others: [evaluate, scaleNote],
      wakes: otherJob,
      outcome: [200, '15'],
    },
    {
      path: 'job/example/scale?index=12',
      others: [evaluate, otherJob],
      wakes: scaleNote,
      outcome: [200, '15'],
    },
  ]

  test.for(cases.map((each, at) => [at, each.path, each] as const))(
    '%i: %s wakes for its own data and for nothing else',
    async ([, path, { others, wakes, outcome }]) => {
      const { scheduler: client } = await withTwo()
      const read = await waiting(client, path)
      for (const other of others) {
        await other(client)
        await drainEventLoop()
        expect(read.state).toBe('waits')
      }
      await wakes(client)
      await drainEventLoop()
      expect(read.outcome).toEqual(outcome)
    },
  )

  test.for([
    ['job/example', 'job not found', '13'],
    ['job/example/versions', 'job versions not found', '13'],
    ['job/example/summary', 'job not found', '13'],
    ['job/example/scale', 'job not found', '13'],
  ] as const)(
    '%s ends with a 404 when the job is purged during the wait',
    async ([path, text, index]) => {
      const { scheduler: client } = await withTwo()
      const read = await waiting(client, `${path}?index=12`)
      await requireSuccess(client.delete('job/example?purge=true'))
      await drainEventLoop()
      expect(read.state).toEqual([404, index, text])
    },
  )

  test.for(['job/example', 'job/example/versions', 'job/example/summary'])(
    'with an index in the future, %s notices writes after a purge',
    async (path) => {
      const { scheduler: client } = await withTwo()
      const read = await waiting(client, `${path}?index=13`)
      await requireSuccess(client.delete('job/example?purge=true'))
      await drainEventLoop()
      expect(read.state).toBe('waits')
      await register(client, exampleJob({ ID: 'third' }))
      await drainEventLoop()
      expect(read.outcome).toEqual([404, '14'])
    },
  )

  test('a purged source has index 0, so its reader keeps waiting', async () => {
    const { scheduler: client, clock } = await withTwo()
    const read = await waiting(client, 'job/example/submission?version=0&index=12&wait=1m')
    await requireSuccess(client.delete('job/example?purge=true'))
    await drainEventLoop()
    expect(read.state).toBe('waits')
    clock.advance(60_000)
    await drainEventLoop()
    expect(read.state).toEqual([404, '0', 'job source not found'])
  })

  // choice/scheduler#scheduler-blocked-moment
  test('a reply shows the write that woke it, not later ones', async () => {
    const { scheduler: client } = await withTwo()
    const read = await waiting(client, 'job/example?index=12')
    await Promise.all([update(client, 60), update(client, 70)])
    await drainEventLoop()
    const changed = { Priority: 60, Version: 1, ModifyIndex: 13, JobModifyIndex: 13 }
    expect(read.state).toEqual([200, '13', readExample(changed)])
  })

  test('pages and filters apply to the data at the end of the wait', async () => {
    const { scheduler: client } = await withTwo()
    const query = 'index=12&per_page=1&prefix=o&filter=Priority%20%3D%3D%2060'
    const read = await waiting(client, `jobs?${query}`)
    await update(client, 60, 'other')
    await drainEventLoop()
    expect(read.reply?.body.map(({ ID }: Members) => ID)).toEqual(['other'])
  })

  // choice/scheduler#scheduler-blocked-errors
  test('a filter that fails on new data ends the wait', async () => {
    const { scheduler: client } = await frozenScheduler()
    const read = await waiting(client, 'jobs?index=10&filter=Foo%20%3D%3D%201')
    await register(client, exampleJob())
    await drainEventLoop()
    expect(read.outcome).toEqual([400, undefined])
  })

  // choice/scheduler#scheduler-blocked-errors choice/scheduler#job-rights-of-waits
  test('a wait ends when the caller loses access', async () => {
    const { manager, holder } = await aclScheduler()
    await register(manager, exampleJob())
    const { client, accessor } = await holder('namespace "default" { policy = "read" }')
    const read = await waiting(client, 'job/example?index=11')
    await requireSuccess(manager.delete(`acl/token/${accessor}`))
    await drainEventLoop()
    expect(read.state).toBe('waits')
    await update(manager, 60)
    await drainEventLoop()
    expect(read.state).toEqual([403, undefined, 'Permission denied'])
  })

  test('a client that disconnects ends only its own wait', async () => {
    const { scheduler: client } = await withTwo()
    const errors: unknown[] = []
    const controller = new AbortController()
    const gone = client
      .get('jobs?index=12', { signal: controller.signal })
      .catch((error: unknown) => errors.push(error))
    const stays = await waiting(client, 'jobs?index=12')
    controller.abort()
    await gone
    expect(errors).toHaveLength(1)
    await update(client, 60)
    await drainEventLoop()
    expect(stays.outcome).toEqual([200, '13'])
  })

  test('a reset and the end of a world release blocked readers (behaviour/program#worlds)', async () => {
    const { scheduler: client, world, worlds } = await withTwo()
    const reset = await waiting(client, 'job/example?index=12')
    world.reset()
    await drainEventLoop()
    expect(reset.state).toEqual([404, '0', 'job not found'])
    worlds.create({ id: 'other' })
    const ended = await waiting(client, '/_world/other/v1/jobs?index=6')
    worlds.delete('other')
    await drainEventLoop()
    expect(ended.state).toEqual([200, '0', []])
  })

  test('writes of the cluster itself wake readers', async () => {
    const { scheduler: client, clock } = await frozenScheduler({
      options: { schedulerMode: 'auto' },
    })
    await register(client, exampleJob())
    const allocations = await waiting(client, 'job/example/allocations?index=1')
    const status = await waiting(client, 'job/example?index=11')
    clock.advance(5000)
    await drainEventLoop()
    expect(allocations.reply?.body).toHaveLength(1)
    expect(status.reply?.body.Status).toBe('running')
    expect(status.reply?.body.JobModifyIndex).toBe(11)
  })
})

describe(`lists of one object wake only for it (${section})`, () => {
  const listsOf = async (client: SchedulerClient) => {
    const [{ EvalID: evaluation }] = (await client.get('job/example/allocations')).body
    const { ID: deployment } = (await client.get('job/example/deployment')).body
    return [
      'job/example/allocations',
      'job/example/evaluations',
      'job/example/deployments',
      'job/example/deployment',
      `evaluation/${evaluation}/allocations`,
      `deployment/allocations/${deployment}`,
    ]
  }

  test('reads of one object do not wake for writes of others; their index is that of the table', async () => {
    const { scheduler: client, clock } = await frozenScheduler({
      options: { schedulerMode: 'auto' },
    })
    await register(client, mockJob({ t: {} }))
    clock.advance(60_000)
    const readers = (await listsOf(client)).map(async (path) => {
      const index = (await client.get(path)).headers['x-sched-index']
      return { path, read: await waiting(client, `${path}?index=${index}&wait=200s`) }
    })
    const waits = await Promise.all(readers)
    await register(client, mockJob({ t: {} }, {}, { ID: 'other' }))
    clock.advance(60_000)
    await drainEventLoop()
    for (const { path, read } of waits) expect([path, read.state]).toEqual([path, 'waits'])
    await register(client, mockJob({ t: { Env: { V: '2' } } }))
    clock.advance(60_000)
    await drainEventLoop()
    for (const { path, read } of waits)
      expect([path, read.state]).toEqual([path, [200, expect.any(String), expect.anything()]])
  })
})
