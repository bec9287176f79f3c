import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { scheduler } from '../../../support/scheduler/scheduler.ts'
import { testTime } from '../../../support/secrets/secrets.ts'
import {
  aclScheduler,
  apiHeaders,
  evaluationOf,
  exampleJob,
  failureOf,
  frozenScheduler,
  type Members,
  parameterizedJob,
  periodicJob,
  register,
  requireSuccess,
  uuid,
  withExample,
} from '../support.ts'

const section = 'behaviour/scheduler#beyond'
const seconds = testTime / 1000

describe(`POST /v1/job/:id/dispatch (${section})`, () => {
  const rules = { MetaRequired: ['a'], MetaOptional: ['b'] }

  async function withParameterized(block: Members = {}, change: Members = {}) {
    const served = await frozenScheduler()
    await register(served.scheduler, parameterizedJob(block, change))
    return served
  }

  test('creates a child', async () => {
    const { scheduler: client } = await withParameterized(rules, { Meta: { b: 'old', c: 'd' } })
    const reply = await client.post('job/param/dispatch', { Meta: { a: '1', b: '2' } })
    expect([reply.status, reply.body, apiHeaders(reply)]).toEqual([
      200,
      {
        DispatchedJobID: expect.stringMatching(
          new RegExp(`^param/dispatch-${seconds}-[0-9a-f]{8}$`),
        ),
        EvalID: expect.stringMatching(uuid),
        EvalCreateIndex: 12,
        JobCreateIndex: 12,
        Index: 12,
      },
      { 'x-sched-index': '12' },
    ])
    expect((await client.get(`job/${reply.body.DispatchedJobID}`)).body).toMatchObject({
      ParentID: 'param',
      Dispatched: true,
      Meta: { a: '1', b: '2', c: 'd' },
      Type: 'batch',
      Priority: 50,
    })
  })

  test('the parameterized job itself is never evaluated, only its children', async () => {
    const { scheduler: client } = await withParameterized()
    const evaluationIdOf = async (pending: ReturnType<typeof client.post>) =>
      (await requireSuccess(pending)).body.EvalID
    const child = (await requireSuccess(client.post('job/param/dispatch', {}))).body
    const scale = { Count: 2, Target: { Group: 'cache' } }
    expect(await evaluationIdOf(client.post('jobs', { Job: parameterizedJob() }))).toBe('')
    expect(await evaluationIdOf(client.post('job/param/scale', scale))).toBe('')
    const revert = { JobID: 'param', JobVersion: 0 }
    expect(await evaluationIdOf(client.post('job/param/revert', revert))).toBe('')
    expect(await evaluationIdOf(client.delete('job/param'))).toBe('')
    expect((await client.get('job/param/evaluations')).body).toEqual([])
    expect((await client.get('evaluations')).body).toMatchObject([{ ID: child.EvalID }])
  })

  test('a prefix; there is no priority', async () => {
    const { scheduler: client } = await withParameterized()
    const { body } = await requireSuccess(
      client.post('job/param/dispatch', { IdPrefixTemplate: 'nightly', Priority: 90 }),
    )
    expect(body.DispatchedJobID).toMatch(new RegExp(`^param/dispatch-nightly-${seconds}-`))
    expect((await client.get(`job/${body.DispatchedJobID}`)).body.Priority).toBe(50)
  })

  test('an idempotency token returns the existing child', async () => {
    const { scheduler: client } = await withParameterized()
    const path = 'job/param/dispatch?idempotency_token=once'
    const first = (await requireSuccess(client.post(path, {}))).body
    const again = (await requireSuccess(client.post(path, {}))).body
    expect(again.DispatchedJobID).toBe(first.DispatchedJobID)
    const other = (await requireSuccess(client.post(`${path}-more`, {}))).body
    expect(other.DispatchedJobID).not.toBe(first.DispatchedJobID)
    expect((await client.get('jobs?prefix=param/')).body).toHaveLength(2)
  })

  const payload = (size: number) => Buffer.alloc(size, 'x').toString('base64')

  test.for([
    ['no body', {}, '', 400, 'Request body is empty'],
    ['no base64', {}, { Payload: '?' }, 400, 'illegal base64 data at input byte 0'],
    ['another job', {}, { JobID: 'other' }, 400, 'Job ID does not match'],
    [
      'no payload',
      { Payload: 'required' },
      {},
      500,
      'Payload is not provided but required by parameterized job',
    ],
    [
      'a payload',
      { Payload: 'forbidden' },
      { Payload: payload(1) },
      500,
      'Payload provided but forbidden by parameterized job',
    ],
    [
      'a large payload',
      {},
      { Payload: payload(20_000) },
      500,
      'Payload exceeds maximum size; 20000 > 16384',
    ],
    [
      'other meta',
      rules,
      { Meta: { a: '1', z: '2', y: '3' } },
      500,
      'Dispatch request included unpermitted metadata keys: [y z]',
    ],
    [
      'no meta',
      rules,
      { Meta: { b: '1' } },
      500,
      'Dispatch did not provide required meta keys: [a]',
    ],
  ] as const)('%s', async ([, block, body, status, text]) => {
    const { scheduler: client } = await withParameterized(block)
    expect(await failureOf(client.post('job/param/dispatch', body))).toEqual([status, text])
    expect((await client.get('jobs')).body).toHaveLength(1)
  })

  test('the largest payload is accepted', async () => {
    const { scheduler: client } = await withParameterized()
    await requireSuccess(client.post('job/param/dispatch', { Payload: payload(16_384) }))
  })

  test('a payload may be a list of numbers (behaviour/scheduler#bodies)', async () => {
    const { scheduler: client } = await withParameterized()
    const dispatch = (Payload: unknown) => client.post('job/param/dispatch', { Payload })
    const { body } = await requireSuccess(dispatch([104, 105, null]))
    const child = await client.get(`job/${body.DispatchedJobID}`)
    expect(child.body.Payload).toBe(Buffer.from('hi\0').toString('base64'))
    for (const [element, value] of [
      [256, 'number 256'],
      ['a', 'string'],
    ]) {
      expect(await failureOf(dispatch([1, element]))).toEqual([
        400,
        `json: cannot unmarshal ${value} into Go struct field JobDispatchRequest.Payload of type uint8`,
      ])
    }
  })

  test('an invalid dispatch is 500', async () => {
    const { scheduler: client } = await withParameterized()
    await register(client, exampleJob())
    const refusal = (id: string) => failureOf(client.post(`job/${id}/dispatch`, {}))
    expect(await refusal('absent')).toEqual([500, 'parameterized job not found'])
    expect(await refusal('example')).toEqual([
      500,
      'Specified job "example" is not a parameterized job',
    ])
    await requireSuccess(client.delete('job/param'))
    expect(await refusal('param')).toEqual([500, 'Specified job "param" is stopped'])
  })

  test.each([
    ['ends', {}, [{ Pending: 1 }, { Running: 1 }, { Dead: 1 }]],
    ['cannot be placed', { Datacenters: ['nowhere'] }, [{ Pending: 1 }]],
  ])(
    'a child that %s changes only the counts of children (behaviour/scheduler#summary)',
    async (_, change, states) => {
      const { scheduler: client, world } = await scheduler({ options: { evalDelay: '1s' } })
      const block = { Payload: 'required' }
      await register(client, parameterizedJob(block, change))
      await requireSuccess(client.post('job/param/dispatch', { Payload: 'aGVsbG8=' }))
      const seen: unknown[] = []
      for (let moves = 0; moves < 50; moves++) {
        const { Children, Summary } = (await client.get('job/param/summary')).body
        expect(Object.values(Summary.cache).every((count) => count === 0)).toBe(true)
        if (!isDeepStrictEqual(seen.at(-1), Children)) seen.push(Children)
        world.advance(1000)
      }
      const none = { Pending: 0, Running: 0, Dead: 0 }
      expect(seen).toEqual(states.map((state) => ({ ...none, ...state })))
    },
  )

  test('requires dispatch-job', async () => {
    const { manager, holder } = await aclScheduler()
    await register(manager, parameterizedJob())
    const allowed = async (capability: string) => {
      const { client } = await holder(`namespace "default" { capabilities = ["${capability}"] }`)
      return (await client.post('job/param/dispatch', {})).status
    }
    expect([await allowed('submit-job'), await allowed('dispatch-job')]).toEqual([403, 200])
  })
})

describe(`POST /v1/job/:id/periodic/force (${section})`, () => {
  test('launches a child now', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, periodicJob())
    const reply = await client.post('job/cron/periodic/force')
    expect([reply.status, reply.body, apiHeaders(reply)]).toEqual([
      200,
      { EvalID: expect.stringMatching(uuid), EvalCreateIndex: 12, Index: 12 },
      { 'x-sched-index': '12' },
    ])
    expect((await client.get(`job/cron/periodic-${seconds}`)).body).toMatchObject({
      ParentID: 'cron',
      Periodic: null,
      Name: `cron/periodic-${seconds}`,
    })
    expect((await evaluationOf(client, reply.body.EvalID)).TriggeredBy).toBe('periodic-job')
  })

  test('an invalid launch is 500', async () => {
    const { scheduler: client } = await withExample()
    expect(await failureOf(client.post('job/absent/periodic/force'))).toEqual([
      500,
      'job not found',
    ])
    expect(await failureOf(client.post('job/example/periodic/force'))).toEqual([
      500,
      "can't force launch non-periodic job",
    ])
  })
})
