import { describe, expect, test } from 'vitest'
import {
  apiHeaders,
  exampleJob,
  failureOf,
  frozenScheduler,
  type Members,
  periodicJob,
  requireSuccess,
  withExample,
} from '../support.ts'

const section = 'behaviour/scheduler#beyond'

describe(`POST /v1/job/:id/plan (${section})`, () => {
  const counts = (more: Members) => ({
    Ignore: 0,
    Place: 0,
    Migrate: 0,
    Stop: 0,
    InPlaceUpdate: 0,
    DestructiveUpdate: 0,
    Canary: 0,
    Preemptions: 0,
    ...more,
  })
  const planned = {
    Annotations: { DesiredTGUpdates: { cache: counts({ Place: 1 }) }, PreemptedAllocs: null },
    CreatedEvals: null,
    Diff: null,
    FailedTGAllocs: null,
    JobModifyIndex: 0,
    NextPeriodicLaunch: null,
    Warnings: '',
  }

  test('of a new job; nothing is stored', async () => {
    const { scheduler: client, world } = await frozenScheduler()
    const before = world.snapshot()
    const { status, body } = await client.post('job/example/plan', { Job: exampleJob() })
    expect([status, body]).toEqual([200, { ...planned, Index: body.Index }])
    expect(world.snapshot()).toEqual(before)
    expect((await client.get('job/example')).status).toBe(404)
  })

  test('of a changed job, with the annotated diff when asked', async () => {
    const { scheduler: client, world } = await withExample()
    const before = world.snapshot()
    const Job = exampleJob({ Priority: 60 })
    const { body } = await requireSuccess(client.post('job/example/plan', { Job, Diff: true }))
    expect(body).toEqual({
      ...planned,
      JobModifyIndex: 11,
      Index: body.Index,
      Diff: {
        Type: 'Edited',
        ID: 'example',
        Fields: [{ Type: 'Edited', Name: 'Priority', Old: '50', New: '60', Annotations: null }],
        Objects: null,
        TaskGroups: [
          {
            Type: 'None',
            Name: 'cache',
            Fields: null,
            Objects: null,
            Tasks: [
              { Type: 'None', Name: 'redis', Fields: null, Objects: null, Annotations: null },
            ],
            Updates: { create: 1 },
          },
        ],
      },
    })
    expect(world.snapshot()).toEqual(before)
  })

  test('of a job that fits nowhere', async () => {
    const { scheduler: client, world } = await frozenScheduler()
    const before = world.snapshot()
    const Job = exampleJob({ Datacenters: ['mars'] })
    const { body } = await requireSuccess(client.post('job/example/plan', { Job }))
    expect(Object.keys(body.FailedTGAllocs)).toEqual(['cache'])
    expect(body.FailedTGAllocs.cache).toMatchObject({ NodesInPool: 0 })
    expect(body.FailedTGAllocs.cache).not.toHaveProperty('NodePool')
    expect(world.snapshot()).toEqual(before)
  })

  test('of a periodic job: the next launch', async () => {
    const { scheduler: client } = await frozenScheduler()
    const Job = periodicJob()
    const { body } = await requireSuccess(client.post('job/cron/plan', { Job }))
    expect(body.NextPeriodicLaunch).toBe('2026-01-01T01:00:00Z')
  })

  test.for([
    ['example', '', 400, 'Request body is empty'],
    ['example', {}, 400, 'Job must be specified'],
    ['example', { Job: {} }, 400, 'Job must have a valid ID'],
    ['other', { Job: exampleJob() }, 400, 'Job ID does not match'],
    [
      'example',
      { Job: exampleJob({ TaskGroups: null }) },
      500,
      '1 error occurred:\n\t* Missing job task groups\n\n',
    ],
  ] as const)('%s %j is %i: %s', async ([id, payload, status, text]) => {
    const { scheduler: client } = await frozenScheduler()
    expect(await failureOf(client.post(`job/${id}/plan`, payload))).toEqual([status, text])
  })
})

describe(`POST /v1/job/:id/plan of a job for each node (${section})`, () => {
  test('omits groups without a matching node, as the reference does', async () => {
    const { scheduler: client } = await frozenScheduler()
    const Job = { ...exampleJob({ Type: 'system' }), Datacenters: ['elsewhere'] }
    const { body } = await requireSuccess(client.post('job/example/plan', { Job }))
    expect(body.Annotations.DesiredTGUpdates).toEqual({})
    Job.Datacenters = ['*']
    const { body: somewhere } = await requireSuccess(client.post('job/example/plan', { Job }))
    expect(Object.keys(somewhere.Annotations.DesiredTGUpdates)).toEqual(['cache'])
  })
})

describe(`POST /v1/validate/job (${section})`, () => {
  // choice/scheduler#scheduler-answers-without-index
  test('a valid job has no errors', async () => {
    const { scheduler: client } = await frozenScheduler()
    const reply = await client.post('validate/job', { Job: exampleJob({ Region: 'global' }) })
    expect([reply.status, reply.body, apiHeaders(reply)]).toEqual([
      200,
      { DriverConfigValidated: true, ValidationErrors: null, Error: '', Warnings: '' },
      {},
    ])
    expect((await client.get('jobs')).body).toEqual([])
  })

  test('an invalid job is 200 as well', async () => {
    const { scheduler: client } = await frozenScheduler()
    const Job = exampleJob({ Region: 'global', ID: 'a b', Type: 'daemon' })
    const { status, body } = await client.post('validate/job', { Job })
    expect([status, body]).toEqual([
      200,
      {
        DriverConfigValidated: true,
        ValidationErrors: ['Job ID contains a space', 'Invalid job type: "daemon"'],
        Error:
          '2 errors occurred:\n\t* Job ID contains a space\n\t* Invalid job type: "daemon"\n\n',
        Warnings: '',
      },
    ])
  })

  test('bad requests are refused', async () => {
    const { scheduler: client } = await frozenScheduler()
    expect(await failureOf(client.post('validate/job'))).toEqual([400, 'Request body is empty'])
    expect(await failureOf(client.post('validate/job', {}))).toEqual([400, 'Job must be specified'])
  })
})
