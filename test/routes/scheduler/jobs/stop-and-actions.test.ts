import { describe, expect, test } from 'vitest'
import { scheduler } from '../../../support/scheduler/scheduler.ts'
import { testTime } from '../../../support/secrets/secrets.ts'
import { allocationOf, mockJob } from '../cluster/support.ts'
import {
  aclScheduler,
  apiHeaders,
  evaluatedReply,
  evaluationOf,
  exampleJob,
  failureOf,
  frozenScheduler,
  type Members,
  parameterizedJob,
  periodicJob,
  readExample,
  readHeaders,
  register,
  requireSuccess,
  stoppedReply,
  withExample,
} from '../support.ts'

const section = 'behaviour/scheduler#beyond'

describe(`DELETE /v1/job/:id (${section})`, () => {
  // choice/scheduler#scheduler-empty-id
  test('without an ID nothing is stopped; a read of it finds nothing', async () => {
    const { scheduler: client } = await withExample()
    expect(await failureOf(client.delete('job/'))).toEqual([
      500,
      'missing job ID for deregistering',
    ])
    expect(await failureOf(client.get('job/'))).toEqual([404, 'job not found'])
  })

  test('a stop sets Stop, increments the version and creates an evaluation', async () => {
    const { scheduler: client } = await withExample()
    const reply = await client.delete('job/example')
    expect([reply.status, reply.body, apiHeaders(reply)]).toEqual([
      200,
      stoppedReply(12),
      { 'x-sched-index': '12' },
    ])
    const { body } = await client.get('job/example')
    const stopped = { Stop: true, Version: 1, ModifyIndex: 12, JobModifyIndex: 12 }
    expect(body).toEqual(readExample({ ...stopped, Status: body.Status }))
    expect(await evaluationOf(client, reply.body.EvalID)).toMatchObject({
      TriggeredBy: 'job-deregister',
      Type: 'service',
      Priority: 50,
      JobModifyIndex: 12,
      CreateIndex: 12,
    })
  })

  test('registering again starts it as the next version with the same CreateIndex', async () => {
    const { scheduler: client } = await withExample()
    await requireSuccess(client.delete('job/example'))
    await register(client, exampleJob())
    const { body } = await client.get('job/example')
    const next = { Stop: false, Version: 2, ModifyIndex: 13, JobModifyIndex: 13 }
    expect(body).toEqual(readExample({ ...next, Status: body.Status }))
  })

  test('purge removes the job and everything that belongs to it at once', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob(), { Submission: { Source: 'job' } })
    const reply = await client.delete('job/example?purge=true')
    expect([reply.status, reply.body]).toEqual([200, stoppedReply(12)])
    for (const [path, text] of [
      ['job/example', 'job not found'],
      ['job/example/summary', 'job not found'],
      ['job/example/versions', 'job versions not found'],
      ['job/example/submission?version=0', 'job source not found'],
      ['job/example/scale', 'job not found'],
    ] as const) {
      expect(await failureOf(client.get(path))).toEqual([404, text])
    }
    expect((await client.get('jobs')).body).toEqual([])
    expect((await client.get('job/example/deployments')).body).toEqual([])
  })

  test('purge deletes running allocations with the job; its evaluations stay', async () => {
    const { scheduler: client, clock } = await scheduler()
    await register(client, mockJob({ t: {} }))
    clock.advance(1000)
    const { ID } = await allocationOf(client)
    await requireSuccess(client.delete('job/example?purge=true'))
    expect((await client.get('allocations')).body).toEqual([])
    expect((await client.get('job/example/allocations?all=true')).body).toEqual([])
    expect((await client.get(`allocation/${ID}`)).status).toBe(404)
    clock.advance(1000)
    const { body } = await client.get('job/example/evaluations')
    const triggers = body.map(({ TriggeredBy }: { readonly TriggeredBy: string }) => TriggeredBy)
    expect(triggers).toContain('job-deregister')
    expect(triggers).toContain('job-register')
  })

  test('a purged job is new when it is registered again', async () => {
    const { scheduler: client } = await withExample()
    await requireSuccess(client.delete('job/example?purge=true'))
    await register(client, exampleJob())
    const indexes = { CreateIndex: 13, ModifyIndex: 13, JobModifyIndex: 13 }
    expect((await client.get('job/example')).body).toEqual(readExample(indexes))
  })

  test.for(['', '?purge=true', '?eval_priority=100', '?global=true'])(
    'an unknown job is not an error: everything is zero (%s)',
    async (query) => {
      const { scheduler: client } = await withExample()
      const reply = await client.delete(`job/absent${query}`)
      expect([reply.status, reply.body]).toEqual([200, stoppedReply(0, { EvalID: '' })])
      expect(apiHeaders(await client.get('jobs'))).toEqual(readHeaders(11))
    },
  )

  // choice/scheduler#scheduler-eval-priority
  test.for([
    ['eval_priority=1', 1],
    ['eval_priority=100', 100],
    ['eval_priority=0', 50],
    ['eval_priority=-5', 50],
    ['eval_priority=%2B7', 7],
    ['eval_priority=', 50],
    ['purge=true&eval_priority=3', 3],
    ['purge=0', 50],
  ] as const)("?%s gives the evaluation's priority %i", async ([query, priority]) => {
    const { scheduler: client } = await withExample()
    const { body } = await requireSuccess(client.delete(`job/example?${query}`))
    expect((await evaluationOf(client, body.EvalID)).Priority).toBe(priority)
  })

  // choice/scheduler#scheduler-eval-priority
  test('a priority above 100 is 400 and stops nothing', async () => {
    const { scheduler: client } = await withExample()
    for (const id of ['example', 'absent']) {
      expect(await failureOf(client.delete(`job/${id}?eval_priority=101`))).toEqual([
        400,
        'Eval priority must be between 1 and 100 inclusively',
      ])
    }
    expect((await client.get('job/example')).body).toEqual(readExample())
  })

  test.for([
    ['periodic', periodicJob({ ID: 'example' })],
    ['parameterized', parameterizedJob({}, { ID: 'example' })],
  ] as const)('a %s job has no evaluation, and its children keep running', async ([kind, job]) => {
    for (const query of ['', '?purge=true']) {
      const { scheduler: client } = await frozenScheduler()
      await register(client, job)
      const action = kind === 'periodic' ? 'periodic/force' : 'dispatch'
      await requireSuccess(client.post(`job/example/${action}`, {}))
      const reply = await requireSuccess(client.delete(`job/example${query}`))
      expect(reply.body).toEqual(stoppedReply(13, { EvalID: '' }))
      const { body } = await client.get('jobs?prefix=example/')
      expect(body.map(({ Stop, Status }: Members) => [Stop, Status])).toEqual([[false, 'pending']])
    }
  })

  test('requires submit-job', async () => {
    const { manager, holder } = await aclScheduler()
    await register(manager, exampleJob())
    const { client } = await holder('namespace "default" { policy = "read" }')
    expect(await failureOf(client.delete('job/example'))).toEqual([403, 'Permission denied'])
  })
})

describe(`POST /v1/job/:id/evaluate (${section})`, () => {
  test.for([
    ['no body', undefined],
    ['a body', { JobID: 'example' }],
    ['options', { JobID: 'example', EvalOptions: { ForceReschedule: true } }],
  ] as const)('%s', async ([, payload]) => {
    const { scheduler: client } = await withExample()
    const { status, body } = await client.post('job/example/evaluate', payload)
    expect([status, body]).toEqual([200, evaluatedReply(12, { JobModifyIndex: 11, Warnings: '' })])
    expect(await evaluationOf(client, body.EvalID)).toMatchObject({
      TriggeredBy: 'job-register',
      Type: 'service',
      CreateIndex: 12,
      JobModifyIndex: 11,
    })
    expect((await client.get('job/example')).body).toEqual(readExample())
  })

  test.for([
    ['example', '{', 400, 'unexpected EOF'],
    ['example', {}, 400, 'Job ID must be specified'],
    ['example', { JobID: '' }, 400, 'Job ID must be specified'],
    ['example', { JobID: 'other' }, 400, 'JobID not same as job name'],
    ['absent', undefined, 500, 'job not found'],
    ['cron', undefined, 500, "can't evaluate periodic job"],
    ['param', undefined, 500, "can't evaluate parameterized job"],
  ] as const)('%s %j is %i: %s', async ([id, payload, status, text]) => {
    const { scheduler: client } = await withExample()
    await register(client, periodicJob())
    await register(client, parameterizedJob())
    expect(await failureOf(client.post(`job/${id}/evaluate`, payload))).toEqual([status, text])
  })
})

describe(`POST /v1/job/:id/stable (${section})`, () => {
  test('marks a version and raises only ModifyIndex', async () => {
    const { scheduler: client } = await withExample()
    const body = { JobID: 'example', JobVersion: 0, Stable: true }
    const reply = await client.post('job/example/stable', body)
    expect([reply.status, reply.body, apiHeaders(reply)]).toEqual([
      200,
      { Index: 12 },
      { 'x-sched-index': '12' },
    ])
    expect((await client.get('job/example')).body).toEqual(
      readExample({ Stable: true, ModifyIndex: 12 }),
    )
    await requireSuccess(client.post('job/example/stable', { ...body, Stable: false }))
    expect((await client.get('job/example')).body).toEqual(readExample({ ModifyIndex: 13 }))
  })

  test.for([
    ['', 400, 'Request body is empty'],
    [{}, 400, 'JobID must be specified'],
    [{ JobID: 'other' }, 400, 'Job ID does not match'],
    [
      { JobID: 'example', JobVersion: 3, Stable: true },
      500,
      'job "example" in namespace "default" at version 3 not found',
    ],
  ] as const)('%j is %i: %s', async ([body, status, text]) => {
    const { scheduler: client } = await withExample()
    expect(await failureOf(client.post('job/example/stable', body))).toEqual([status, text])
  })
})

describe(`POST /v1/job/:id/revert (${section})`, () => {
  async function withTwo() {
    const served = await withExample()
    await register(served.scheduler, exampleJob({ Priority: 60 }))
    return served
  }
  const revert = { JobID: 'example', JobVersion: 0 }

  test('registers a copy as the next version, not stable', async () => {
    const { scheduler: client } = await withTwo()
    const stable = { ...revert, Stable: true }
    await requireSuccess(client.post('job/example/stable', stable))
    const reply = await client.post('job/example/revert', revert)
    expect([reply.status, reply.body, apiHeaders(reply)]).toEqual([
      200,
      evaluatedReply(14, { Warnings: '' }),
      { 'x-sched-index': '14', 'x-sched-knownleader': 'false', 'x-sched-lastcontact': '0' },
    ])
    expect((await client.get('job/example')).body).toEqual(
      readExample({ Version: 2, ModifyIndex: 14, JobModifyIndex: 14 }),
    )
  })

  test('EnforcePriorVersion may be the current version', async () => {
    const { scheduler: client } = await withTwo()
    await requireSuccess(client.post('job/example/revert', { ...revert, EnforcePriorVersion: 1 }))
    expect((await client.get('job/example')).body.Version).toBe(2)
  })

  test.for([
    ['example', '', 400, 'Request body is empty'],
    ['example', {}, 400, 'JobID must be specified'],
    ['example', { JobID: 'other' }, 400, 'Job ID does not match'],
    ['absent', { JobID: 'absent' }, 500, 'job "absent" not found'],
    ['example', { ...revert, JobVersion: 1 }, 500, "can't revert to current version"],
    [
      'example',
      { ...revert, JobVersion: 9 },
      500,
      'job "example" in namespace "default" at version 9 not found',
    ],
    [
      'example',
      { ...revert, EnforcePriorVersion: 2 },
      500,
      'Current job has version 1; enforcing version 2',
    ],
  ] as const)('%s %j is %i: %s', async ([id, body, status, text]) => {
    const { scheduler: client } = await withTwo()
    expect(await failureOf(client.post(`job/${id}/revert`, body))).toEqual([status, text])
    expect((await client.get('job/example')).body.Version).toBe(1)
  })
})

describe(`/v1/job/:id/scale (${section})`, () => {
  const scale = { Count: 3, Target: { Group: 'cache' }, Message: 'more' }

  test('changes the count of a group', async () => {
    const { scheduler: client } = await withExample()
    const reply = await client.post('job/example/scale', scale)
    // Unlike other replies to writes of jobs, this reply has KnownLeader set.
    expect([reply.status, reply.body, apiHeaders(reply)]).toEqual([
      200,
      evaluatedReply(12, { Warnings: '', KnownLeader: true }),
      { 'x-sched-index': '12' },
    ])
    const { body } = await client.get('job/example')
    expect([body.Version, body.TaskGroups[0].Count]).toEqual([1, 3])
    expect(await evaluationOf(client, reply.body.EvalID)).toMatchObject({
      TriggeredBy: 'job-scaling',
    })
    const status = await client.get('job/example/scale')
    expect(apiHeaders(status)).toEqual(readHeaders(12))
    expect([status.status, status.body]).toEqual([
      200,
      {
        JobID: 'example',
        Namespace: 'default',
        JobCreateIndex: 11,
        JobModifyIndex: 12,
        JobStopped: false,
        TaskGroups: {
          cache: {
            Desired: 3,
            Placed: 0,
            Running: 0,
            Healthy: 0,
            Unhealthy: 0,
            Events: [
              {
                Time: testTime * 1e6,
                PreviousCount: 1,
                Count: 3,
                Error: false,
                Message: 'more',
                Meta: null,
                EvalID: reply.body.EvalID,
                CreateIndex: 12,
              },
            ],
          },
        },
      },
    ])
  })

  test('without a count it stores only a message', async () => {
    const { scheduler: client } = await withExample()
    const note = { Target: { Group: 'cache' }, Message: 'oops', Error: true, Meta: { a: 1 } }
    const { body } = await requireSuccess(client.post('job/example/scale', note))
    const { EvalID, EvalCreateIndex, JobModifyIndex, KnownLeader, LastContact, Index } = body
    expect([EvalID, EvalCreateIndex, JobModifyIndex]).toEqual(['', 0, 11])
    expect([KnownLeader, LastContact, Index]).toEqual([true, 0, 12])
    expect((await client.get('job/example')).body).toEqual(readExample())
    const status = await client.get('job/example/scale')
    const [event] = status.body.TaskGroups.cache.Events
    expect([event.Count, event.Error, event.Meta, event.EvalID]).toEqual([
      null,
      true,
      { a: 1 },
      null,
    ])
  })

  test.for([
    ['absent', scale, 404, 'job "absent" not found'],
    ['example', '', 400, 'Request body is empty'],
    ['example', { Count: 3 }, 400, 'missing task group name for scaling action'],
    [
      'example',
      { ...scale, Target: { Group: 'web' } },
      400,
      'task group "web" specified for scaling does not exist in job',
    ],
    [
      'example',
      { ...scale, Target: { Group: 'cache', Job: 'other' } },
      400,
      'job ID in payload did not match URL',
    ],
    ['example', { ...scale, Count: -1 }, 400, "scaling action count can't be negative"],
    [
      'example',
      { ...scale, JobModifyIndex: 9 },
      500,
      'Enforcing job modify index 9: job exists with conflicting job modify index: 11',
    ],
    [
      'example',
      { ...scale, JobModifyIndex: '11' },
      400,
      'json: cannot unmarshal string into Go struct field ScalingRequest.JobModifyIndex of type uint64',
    ],
  ] as const)('%s %j is %i: %s', async ([id, body, status, text]) => {
    const { scheduler: client } = await withExample()
    expect(await failureOf(client.post(`job/${id}/scale`, body))).toEqual([status, text])
    expect((await client.get('job/example')).body).toEqual(readExample())
  })

  test.each([0, 11])('JobModifyIndex %i is accepted: 0 matches any', async (JobModifyIndex) => {
    const { scheduler: client } = await withExample()
    const { body } = await requireSuccess(
      client.post('job/example/scale', { ...scale, JobModifyIndex }),
    )
    expect(body.JobModifyIndex).toBe(12)
  })

  test('another job in the body is refused before rights, another namespace after them', async () => {
    const { as } = await aclScheduler()
    const asked = (Target: object) => failureOf(as('x').post('job/a/scale', { ...scale, Target }))
    const refusal = [400, 'job ID in payload did not match URL']
    expect(await asked({ Job: 'other' })).toEqual(refusal)
    expect(await asked({ Namespace: 'other' })).toEqual([403, 'Permission denied'])
  })

  test('requires scale-job or submit-job to write, read-job or read-job-scaling to read', async () => {
    const { manager, holder } = await aclScheduler()
    await register(manager, exampleJob())
    const allowed = async (capability: string) => {
      const { client } = await holder(`namespace "default" { capabilities = ["${capability}"] }`)
      const { status } = await client.post('job/example/scale', scale)
      return [status, (await client.get('job/example/scale')).status]
    }
    expect(await allowed('scale-job')).toEqual([200, 403])
    expect(await allowed('read-job-scaling')).toEqual([403, 200])
    expect(await allowed('submit-job')).toEqual([200, 403])
    expect(await allowed('read-job')).toEqual([403, 200])
    expect(await allowed('list-jobs')).toEqual([403, 403])
  })
})

test(`closed registration restricts dispatch and scale to management (behaviour/scheduler#conventions)`, async () => {
  const closed = [
    403,
    'Job registration, dispatch, and scale are disabled by the scheduler configuration',
  ]
  const { manager, holder } = await aclScheduler({ options: { rejectJobRegistration: true } })
  const { client } = await holder('namespace "default" { policy = "write" }')
  await register(manager, exampleJob())
  await register(manager, parameterizedJob())
  const scale = { Count: 3, Target: { Group: 'cache' } }
  for (const [path, payload] of [
    ['jobs', { Job: exampleJob({ Priority: 1 }) }],
    ['job/param/dispatch', {}],
    ['job/example/scale', scale],
    ['job/example/revert', { JobID: 'example', JobVersion: 0 }],
  ] as const) {
    if (path.endsWith('revert')) await register(manager, exampleJob({ Priority: 2 }))
    expect([path, ...(await failureOf(client.post(path, payload)))]).toEqual([path, ...closed])
    await requireSuccess(manager.post(path, payload))
  }
})
