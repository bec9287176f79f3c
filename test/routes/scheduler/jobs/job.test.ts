import { describe, expect, test } from 'vitest'
import { testTime } from '../../../support/secrets/secrets.ts'
import {
  apiHeaders,
  exampleJob,
  failureOf,
  frozenScheduler,
  parameterizedJob,
  readExample,
  readHeaders,
  register,
  requireSuccess,
} from '../support.ts'

describe('GET /v1/job/:id (behaviour/scheduler#api-job; behaviour/scheduler#jobs)', () => {
  test('a job has all members', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob())
    const reply = await client.get('job/example')
    expect([reply.status, reply.body, apiHeaders(reply)]).toEqual([
      200,
      readExample(),
      readHeaders(11),
    ])
  })

  test('an unknown job is 404', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob())
    expect(await failureOf(client.get('job/Example'))).toEqual([404, 'job not found'])
    expect(await failureOf(client.get('job/'))).toEqual([404, 'job not found'])
  })

  test('the payload of a dispatched job is the base64 text that was sent', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, parameterizedJob({ MetaOptional: ['k'] }))
    const Payload = Buffer.from('hello, wörld').toString('base64')
    const dispatched = await requireSuccess(
      client.post('job/param/dispatch', { Payload, Meta: { k: 'v' } }),
    )
    const { body } = await client.get(`job/${dispatched.body.DispatchedJobID}`)
    expect(body).toMatchObject({
      Payload,
      Meta: { k: 'v' },
      ParentID: 'param',
      Dispatched: true,
      Name: dispatched.body.DispatchedJobID,
      SubmitTime: testTime * 1e6,
      Version: 0,
    })
    expect((await client.get('job/param')).body.Payload).toBeNull()
  })

  test('a stopped job stays, a purged job is deleted', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob())
    await requireSuccess(client.delete('job/example'))
    const { body } = await client.get('job/example')
    const stopped = { Stop: true, Version: 1, ModifyIndex: 12, JobModifyIndex: 12 }
    expect(body).toEqual(readExample({ ...stopped, Status: body.Status }))
    await requireSuccess(client.delete('job/example?purge=true'))
    expect(await failureOf(client.get('job/example'))).toEqual([404, 'job not found'])
  })

  test('times and sizes are the integers that were sent', async () => {
    const { scheduler: client } = await frozenScheduler()
    const KillTimeout = 9_007_199_254_740_991
    const Tasks = [{ Name: 't', Driver: 'docker', Config: { n: 1e3, f: 0.5 }, KillTimeout }]
    await register(client, exampleJob({ Type: 'batch', TaskGroups: [{ Name: 'g', Tasks }] }))
    const { text } = await client.get('job/example')
    expect(text).toContain(`"KillTimeout":${KillTimeout}`)
    expect(text).toContain('"Config":{"n":1000,"f":0.5}')
  })
})

describe('GET /v1/job/:id/summary (behaviour/scheduler#beyond)', () => {
  test("the job's counters; those of a new job are 0", async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob())
    const reply = await client.get('job/example/summary')
    expect([reply.status, reply.body, apiHeaders(reply)]).toEqual([
      200,
      {
        JobID: 'example',
        Namespace: 'default',
        Summary: {
          cache: {
            Queued: 0,
            Complete: 0,
            Failed: 0,
            Running: 0,
            Starting: 0,
            Lost: 0,
            Unknown: 0,
          },
        },
        Children: { Pending: 0, Running: 0, Dead: 0 },
        CreateIndex: 11,
        ModifyIndex: 11,
      },
      readHeaders(11),
    ])
  })

  test('an unknown job is 404', async () => {
    const { scheduler: client } = await frozenScheduler()
    expect(await failureOf(client.get('job/example/summary'))).toEqual([404, 'job not found'])
  })

  test('a launcher counts its children by their status', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, parameterizedJob())
    await requireSuccess(client.post('job/param/dispatch', {}))
    await requireSuccess(client.post('job/param/dispatch', {}))
    const { body } = await client.get('job/param/summary')
    expect(body.Children).toEqual({ Pending: 2, Running: 0, Dead: 0 })
  })
})
