import { describe, expect, test } from 'vitest'
import type { SchedulerClient } from '../../../support/scheduler/scheduler.ts'
import {
  evaluatedReply,
  exampleJob,
  failureOf,
  frozenScheduler,
  type Members,
  parameterizedJob,
  periodicJob,
  readBatchExample,
  readExample,
  register,
  requireSuccess,
} from '../support.ts'

const section = 'behaviour/scheduler#register'

/** Returns the reply to a registration with an evaluation. */
function answer(index: number, more: Members = {}): Members {
  return evaluatedReply(index, { Warnings: '', ...more })
}

async function evaluationsOf(client: SchedulerClient, id = 'example') {
  return (await requireSuccess(client.get(`job/${id}/evaluations`))).body
}

async function versionsOf(client: SchedulerClient) {
  const { body } = await requireSuccess(client.get('job/example/versions'))
  return body.Versions.map(({ Version }: Members) => Version)
}

describe(`registering (behaviour/scheduler#api-jobs; ${section})`, () => {
  test('a new job: everything shares one index', async () => {
    const { scheduler: client } = await frozenScheduler()
    const reply = await client.post('jobs', { Job: exampleJob() })
    expect([reply.status, reply.body]).toEqual([200, answer(11)])
    expect((await client.get('job/example')).body).toEqual(readExample())
    const [evaluation] = await evaluationsOf(client)
    expect([evaluation.ID, evaluation.CreateIndex, evaluation.TriggeredBy]).toEqual([
      reply.body.EvalID,
      11,
      'job-register',
    ])
  })

  test('the path with an ID works like the path without', async () => {
    const { scheduler: client } = await frozenScheduler()
    expect((await client.post('job/example', { Job: exampleJob() })).body).toEqual(answer(11))
    expect((await client.get('job/example')).body).toEqual(readExample())
  })

  // choice/scheduler#scheduler-empty-id
  test('a path without an ID uses the ID of the body', async () => {
    const { scheduler: client } = await frozenScheduler()
    expect((await client.post('job/', { Job: exampleJob() })).body).toEqual(answer(11))
    // A path with an empty segment is redirected (behaviour/scheduler#conventions).
    expect((await client.post('job//plan', { Job: exampleJob() })).status).toBe(301)
  })

  test('a changed job is the next version', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob())
    expect(await register(client, exampleJob({ Priority: 60 }))).toEqual(answer(12))
    expect((await client.get('job/example')).body).toEqual(
      readExample({ Priority: 60, Version: 1, ModifyIndex: 12, JobModifyIndex: 12 }),
    )
  })

  test("an unchanged job gets only a new evaluation and returns the job's JobModifyIndex", async () => {
    const { scheduler: client } = await frozenScheduler()
    const first = await register(client, exampleJob())
    await requireSuccess(
      client.post('job/example/stable', { JobID: 'example', JobVersion: 0, Stable: true }),
    )
    const again = await register(client, exampleJob())
    expect(again).toEqual(answer(13, { JobModifyIndex: 11 }))
    expect(again.EvalID).not.toBe(first.EvalID)
    expect((await client.get('job/example')).body).toEqual(
      readExample({ ModifyIndex: 12, Stable: true }),
    )
    expect(await evaluationsOf(client)).toHaveLength(2)
  })

  test.for([
    ['periodic', periodicJob({ ID: 'example' })],
    ['parameterized', parameterizedJob({}, { ID: 'example' })],
  ] as const)('a %s job has no evaluation', async ([kind, job]) => {
    const { scheduler: client } = await frozenScheduler()
    const cron = 'cron is deprecated and may be removed in a future release. Use crons instead'
    const Warnings = kind === 'periodic' ? `1 warning:\n\n* ${cron}` : ''
    const none = { EvalID: '', EvalCreateIndex: 0, Warnings }
    expect(await register(client, job)).toEqual(answer(11, none))
    expect(await register(client, { ...job, Priority: 60 })).toEqual(answer(12, none))
    const unchanged = { ...none, JobModifyIndex: 12 }
    const again = await client.post('jobs', { Job: { ...job, Priority: 60 } })
    expect([again.body, again.headers['x-sched-index']]).toEqual([answer(0, unchanged), '0'])
    expect(await evaluationsOf(client)).toEqual([])
    expect((await client.get('job/example')).body.Status).toBe('running')
  })

  test('a batch job gets the defaults of its type', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob({ Type: 'batch' }))
    expect((await client.get('job/example')).body).toEqual(readBatchExample())
  })

  test('members that only the server sets are ignored', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(
      client,
      exampleJob({
        ParentID: 'x',
        Dispatched: true,
        Status: 'dead',
        StatusDescription: 'x',
        Stable: true,
        SubmitTime: 5,
        CreateIndex: 5,
        ModifyIndex: 5,
        JobModifyIndex: 5,
        SecretsToken: 's',
        MeshToken: 'm',
        SchedTokenID: 't',
      }),
    )
    expect((await client.get('job/example')).body).toEqual(readExample())
  })

  test('Stop is honoured, Version is ignored', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob({ Version: 7, Stop: true }))
    const { body } = await client.get('job/example')
    expect(body).toEqual(readExample({ Stop: true, Status: body.Status }))
    await register(client, exampleJob({ Version: 3 }))
    expect(await versionsOf(client)).toEqual([1, 0])
    await register(client, exampleJob({ Version: 20, Priority: 1 }))
    expect(await versionsOf(client)).toEqual([2, 1, 0])
  })

  test('members that the product knows are stored, others are ignored (behaviour/scheduler#differences)', async () => {
    const { scheduler: client } = await frozenScheduler()
    const UI = { Description: 'd', Links: [{ Label: 'l', Url: 'u' }] }
    await register(client, exampleJob({ UI, Nonsense: 1 }))
    expect((await client.get('job/example')).body).toEqual({ ...readExample(), UI })
  })
})

describe(`the request is refused in this order (${section})`, () => {
  const scaled = { Name: 'a', Scaling: { Max: 2 }, Tasks: [] }
  const priority = 'Eval priority must be between 1 and 100 inclusively'

  test.for([
    ['jobs', '', 'Request body is empty'],
    ['jobs', {}, 'Job must be specified'],
    ['jobs', { Job: null, EvalPriority: 101 }, 'Job must be specified'],
    ['jobs', { Job: {}, EvalPriority: 101 }, "Job ID hasn't been provided"],
    ['jobs', { Job: { ID: null } }, "Job ID hasn't been provided"],
    ['job/b', { Job: {} }, "Job ID hasn't been provided"],
    [
      'job/b',
      { Job: { ID: 'a', Type: 'system', TaskGroups: [scaled] }, EvalPriority: 101 },
      'Job ID does not match name',
    ],
    [
      'jobs',
      { Job: { ID: 'a', Type: 'system', TaskGroups: [scaled] }, EvalPriority: 101 },
      'Task groups with job type system do not support scaling blocks',
    ],
    ['jobs', { Job: { ID: 'a' }, EvalPriority: 101 }, priority],
    ['jobs', { Job: { ID: 'a' }, EvalPriority: -1 }, priority],
  ] as const)('%s %j: 400 %s', async ([path, payload, text]) => {
    const { scheduler: client } = await frozenScheduler()
    expect(await failureOf(client.post(path, payload))).toEqual([400, text])
    expect((await client.get('jobs')).body).toEqual([])
  })

  test.for([
    [
      'in the order of levels, nested',
      { ID: 'a b', Namespace: 'none', TaskGroups: [{ Name: 'web', Tasks: [{ Name: 't' }] }] },
      '3 errors occurred:\n\t* job "a b" is in nonexistent namespace "none"\n\t* Job ID contains a space\n\t* Task group web validation failed: 1 error occurred:\n\t* Task t validation failed: 1 error occurred:\n\t* Missing task driver\n\n\n\n\n\n',
    ],
    ['an empty ID', { ID: '', TaskGroups: [] }, undefined],
    [
      'a type that there is not',
      exampleJob({ Type: 'daemon' }),
      '1 error occurred:\n\t* Invalid job type: "daemon"\n\n',
    ],
    [
      'a payload',
      parameterizedJob({}, { Payload: 'aGk=' }),
      "1 error occurred:\n\t* job can't be submitted with a payload, only dispatched\n\n",
    ],
    [
      'a priority',
      exampleJob({ Priority: 101 }),
      '1 error occurred:\n\t* job priority must be between [1, 100]\n\n',
    ],
    [
      'a pool',
      exampleJob({ NodePool: 'gpu' }),
      '1 error occurred:\n\t* job "example" is in nonexistent node pool "gpu"\n\n',
    ],
  ] as const)('then validation, 500: %s', async ([, job, text]) => {
    const { scheduler: client } = await frozenScheduler()
    const reply = await client.post('jobs', { Job: job, EnforceIndex: true, JobModifyIndex: 7 })
    expect(reply.status).toBe(500)
    if (text === undefined) expect(reply.text).toContain('\t* Missing job ID\n')
    else expect(reply.text).toBe(text)
    expect((await client.get('jobs?namespace=*')).body).toEqual([])
  })

  test.for([
    [
      'type',
      exampleJob(),
      exampleJob({ Type: 'batch' }),
      'cannot update job from type "service" to "batch"',
    ],
    [
      'periodic',
      periodicJob({ ID: 'example' }),
      exampleJob({ Type: 'batch' }),
      'cannot update periodic job to being non-periodic',
    ],
    [
      'periodic',
      exampleJob({ Type: 'batch' }),
      periodicJob({ ID: 'example' }),
      'cannot update non-periodic job to being periodic',
    ],
    [
      'parameterized',
      parameterizedJob({}, { ID: 'example' }),
      exampleJob({ Type: 'batch' }),
      'cannot update parameterized job to being non-parameterized',
    ],
    [
      'parameterized',
      exampleJob({ Type: 'batch' }),
      parameterizedJob({}, { ID: 'example' }),
      'cannot update non-parameterized job to being parameterized',
    ],
  ] as const)('then transitions, 500: %s', async ([, before, after, text]) => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, before)
    const read = await client.get('job/example')
    expect(await failureOf(client.post('jobs', { Job: after }))).toEqual([500, text])
    expect((await client.get('job/example')).body).toEqual(read.body)
    const enforced = { Job: after, EnforceIndex: true, JobModifyIndex: 7 }
    expect(await failureOf(client.post('jobs', enforced))).toEqual([
      500,
      'Enforcing job modify index 7: job exists with conflicting job modify index: 11',
    ])
  })
})

describe(`EnforceIndex (${section})`, () => {
  async function withChangedStatus() {
    const served = await frozenScheduler()
    await register(served.scheduler, exampleJob())
    const stable = { JobID: 'example', JobVersion: 0, Stable: true }
    await requireSuccess(served.scheduler.post('job/example/stable', stable))
    return served
  }

  test('0 requires a new job', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob(), { EnforceIndex: true })
    const again = { Job: exampleJob(), EnforceIndex: true, JobModifyIndex: 0 }
    expect(await failureOf(client.post('jobs', again))).toEqual([
      500,
      'Enforcing job modify index 0: job already exists',
    ])
  })

  test('another value is the JobModifyIndex of an existing job', async () => {
    const { scheduler: client } = await frozenScheduler()
    const job = { Job: exampleJob(), EnforceIndex: true, JobModifyIndex: 7 }
    expect(await failureOf(client.post('jobs', job))).toEqual([
      500,
      'Enforcing job modify index 7: job does not exist',
    ])
  })

  test('JobModifyIndex is compared, not ModifyIndex', async () => {
    const { scheduler: client } = await withChangedStatus()
    const Job = exampleJob({ Priority: 60 })
    const wrong = { Job, EnforceIndex: true, JobModifyIndex: 12 }
    expect(await failureOf(client.post('jobs', wrong))).toEqual([
      500,
      'Enforcing job modify index 12: job exists with conflicting job modify index: 11',
    ])
    await register(client, Job, { EnforceIndex: true, JobModifyIndex: 11 })
    expect(await versionsOf(client)).toEqual([1, 0])
  })

  test('without EnforceIndex, JobModifyIndex is ignored', async () => {
    const { scheduler: client } = await withChangedStatus()
    await register(client, exampleJob({ Priority: 60 }), { JobModifyIndex: 99 })
    await register(client, exampleJob({ Priority: 61 }), { EnforceIndex: false, JobModifyIndex: 9 })
    expect(await versionsOf(client)).toEqual([2, 1, 0])
  })
})

describe(`EvalPriority (${section})`, () => {
  test.for([
    [undefined, 50],
    [0, 50],
    [1, 1],
    [100, 100],
  ] as const)(
    "%s gives the evaluation's priority %i and changes nothing of the job",
    async ([sent, priority]) => {
      const { scheduler: client } = await frozenScheduler()
      await register(client, exampleJob(), sent === undefined ? {} : { EvalPriority: sent })
      const [evaluation] = await evaluationsOf(client)
      expect(evaluation.Priority).toBe(priority)
      expect((await client.get('job/example')).body).toEqual(readExample())
    },
  )

  test('applies to an unchanged job as well', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob())
    const { EvalID } = await register(client, exampleJob(), { EvalPriority: 77 })
    const found = (await evaluationsOf(client)).find(({ ID }: Members) => ID === EvalID)
    expect(found.Priority).toBe(77)
  })
})

describe(`PolicyOverride and PreserveCounts (${section})`, () => {
  const withCounts = (...counts: readonly (readonly [string, number])[]) =>
    exampleJob({
      TaskGroups: counts.map(([Name, Count]) => ({
        Name,
        Count,
        Tasks: [{ Name: 't', Driver: 'docker', Config: { image: 'i' } }],
      })),
    })

  async function counts(client: SchedulerClient) {
    const { body } = await requireSuccess(client.get('job/example'))
    return body.TaskGroups.map(({ Name, Count }: Members) => [Name, Count])
  }

  test('an override changes nothing without ACLs', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob(), { PolicyOverride: true })
    expect((await client.get('job/example')).body).toEqual(readExample())
  })

  test('groups of the same name keep their count on request', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, withCounts(['a', 3], ['b', 4]))
    await register(client, withCounts(['a', 1], ['c', 2]), { PreserveCounts: true })
    expect(await counts(client)).toEqual([
      ['a', 3],
      ['c', 2],
    ])
    await register(client, withCounts(['a', 5], ['c', 6]), { PreserveCounts: false })
    expect(await counts(client)).toEqual([
      ['a', 5],
      ['c', 6],
    ])
  })

  test('the comparison uses the sent job', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, withCounts(['a', 3]))
    await register(client, withCounts(['a', 1]), { PreserveCounts: true })
    expect([await counts(client), await versionsOf(client)]).toEqual([[['a', 3]], [1, 0]])
  })

  test('a new job has the requested counts', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, withCounts(['a', 3]), { PreserveCounts: true })
    expect(await counts(client)).toEqual([['a', 3]])
  })
})

describe('Submission (behaviour/scheduler#api-job; behaviour/scheduler#versions)', () => {
  const path = 'job/example/submission'
  const whole = {
    Format: 'hcl2',
    Source: 'job "example" {}',
    VariableFlags: { a: '1' },
    Variables: 'b = 2',
  }

  test('is stored with the version; members that the server sets are its own', async () => {
    const { scheduler: client } = await frozenScheduler()
    const Submission = { ...whole, JobIndex: 99, JobID: 'x', Namespace: 'y', Version: 5 }
    await register(client, exampleJob(), { Submission })
    expect((await client.get(`${path}?version=0`)).body).toEqual({
      ...whole,
      JobIndex: 11,
      JobID: 'example',
      Namespace: 'default',
      Version: 0,
    })
  })

  test('omitted members are empty; any format is accepted', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob(), { Submission: { Source: '{}', Format: 'toml' } })
    expect((await client.get(`${path}?version=0`)).body).toEqual({
      Format: 'toml',
      Source: '{}',
      VariableFlags: null,
      Variables: '',
      JobIndex: 11,
      JobID: 'example',
      Namespace: 'default',
      Version: 0,
    })
  })

  test('is not stored if none is sent, nor for an unchanged job', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob())
    await register(client, exampleJob(), { Submission: whole })
    expect((await client.get(`${path}?version=0`)).status).toBe(404)
    await register(client, exampleJob({ Priority: 1 }), { Submission: whole })
    await register(client, exampleJob({ Priority: 2 }))
    expect((await client.get(`${path}?version=1`)).body.JobIndex).toBe(13)
    expect((await client.get(`${path}?version=2`)).status).toBe(404)
  })

  test('a source of more than 1,000,000 bytes is dropped with a warning', async () => {
    const { scheduler: client } = await frozenScheduler()
    const Submission = { ...whole, Source: 'x'.repeat(1_200_000) }
    const { Warnings } = await register(client, exampleJob(), { Submission })
    expect(Warnings).toBe(
      '1 warning:\n\n* job source size of 1.2 MB exceeds maximum of 1.0 MB and will be discarded',
    )
    expect((await client.get(`${path}?version=0`)).status).toBe(404)
    expect((await client.get('job/example')).status).toBe(200)
  })
})

describe('warnings (behaviour/scheduler#validation)', () => {
  const task = (more: Members = {}) => ({
    Name: 't',
    Driver: 'docker',
    Config: { image: 'i' },
    ...more,
  })

  test.for([
    [
      'max_parallel',
      [{ Name: 'g', Count: 2, Update: { MaxParallel: 5 }, Tasks: [task()] }],
      '1 warning:\n\n* Group "g" has warnings: 1 error occurred:\n\t* Update max parallel count is greater than task group count (5 > 2). A destructive change would result in the simultaneous replacement of all allocations.',
    ],
    [
      'mbits',
      [{ Name: 'g', Networks: [{ MBits: 10 }], Tasks: [task()] }],
      '1 warning:\n\n* Group "g" has warnings: 1 error occurred:\n\t* mbits has been deprecated as of Sched 0.12.0. Please remove mbits from the network block',
    ],
    [
      'IOPS',
      [{ Name: 'g', Tasks: [task({ Resources: { IOPS: 1 } })] }],
      '1 warning:\n\n* Group "g" has warnings: 1 error occurred:\n\t* Task "t" has warnings: 1 error occurred:\n\t* IOPS has been deprecated as of Sched 0.9.0. Please remove IOPS from resource block.',
    ],
    ['nothing', [{ Name: 'g', Tasks: [task()] }], ''],
  ] as const)('%s', async ([, TaskGroups, Warnings]) => {
    const { scheduler: client } = await frozenScheduler()
    expect(await register(client, exampleJob({ TaskGroups }))).toEqual(answer(11, { Warnings }))
    expect(await register(client, exampleJob({ TaskGroups }))).toEqual(
      answer(12, { Warnings, JobModifyIndex: 11 }),
    )
  })
})
