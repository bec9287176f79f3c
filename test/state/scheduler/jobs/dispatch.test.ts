import { describe, expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { evaluationsOf } from '../../../../state/scheduler/cluster/model/evaluations.ts'
import { decodeBody } from '../../../../state/scheduler/decoding.ts'
import { lastIndex } from '../../../../state/scheduler/indexes.ts'
import { dispatchJob } from '../../../../state/scheduler/jobs/launches.ts'
import { dispatchShape } from '../../../../state/scheduler/jobs/request-shapes.ts'
import { stopJob } from '../../../../state/scheduler/jobs/stop.ts'
import { refuse } from '../../../../state/scheduler/messages.ts'
import { childrenOf, findJob, summaryOf } from '../../../../state/scheduler/records/store.ts'
import { malformed, rejected } from '../support.ts'
import { frozenWorld, inputBatchJob, isUnchangedBy, job, register } from './support.ts'

const base64 = (size: number) => Buffer.alloc(size, 'x').toString('base64')

/** Returns a world with a parameterized job `form`. */
function withForm(rules: object = {}, change: object = {}): World {
  const world = frozenWorld()
  register(world, inputBatchJob({ ID: 'form', ParameterizedJob: rules, ...change }))
  return world
}

function dispatch(world: World, body: object = {}, token?: string) {
  const request = decodeBody(JSON.stringify(body), dispatchShape)
  return dispatchJob(world, 'default', 'form', request, { idempotencyToken: token })
}

describe('behaviour/scheduler#beyond, dispatch', () => {
  // choice/scheduler#one-commit-for-each-action
  test('makes a child with its own version, evaluation and index', () => {
    const world = withForm({ MetaOptional: ['b'] }, { Meta: { a: '1', b: '2' } })
    const before = lastIndex(world)
    const reply = dispatch(world, { Payload: base64(3), Meta: { b: '3' } })
    const index = before + 1
    expect(reply).toEqual({
      DispatchedJobID: expect.stringMatching(/^form\/dispatch-1767225600-[0-9a-f]{8}$/),
      EvalID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      EvalCreateIndex: index,
      JobCreateIndex: index,
      Index: index,
    })
    const id = reply.DispatchedJobID
    const parent = job(world, 'form')
    expect(job(world, id)).toEqual({
      ...parent,
      ID: id,
      Name: id,
      ParentID: 'form',
      Dispatched: true,
      Status: 'pending',
      Payload: base64(3),
      Meta: { a: '1', b: '3' },
      CreateIndex: index,
      ModifyIndex: index,
      JobModifyIndex: index,
    })
    expect(evaluationsOf(world, 'default', id)).toMatchObject([
      { ID: reply.EvalID, TriggeredBy: 'job-register', Priority: 50 },
    ])
    expect(summaryOf(world, 'default', 'form')?.Children).toEqual({
      Pending: 1,
      Running: 0,
      Dead: 0,
    })
  })

  test('a prefix is not checked, and a priority is ignored (behaviour/scheduler#beyond)', () => {
    const world = withForm()
    const { DispatchedJobID } = dispatch(world, { IdPrefixTemplate: 'a b', Priority: 101 })
    expect(DispatchedJobID).toMatch(/^form\/dispatch-a b-1767225600-[0-9a-f]{8}$/)
    expect(findJob(world, 'default', DispatchedJobID)?.Priority).toBe(50)
  })

  test('IdPrefixTemplate stands before the time', () => {
    const world = withForm()
    expect(dispatch(world, { IdPrefixTemplate: 'run' }).DispatchedJobID).toMatch(
      /^form\/dispatch-run-1767225600-[0-9a-f]{8}$/,
    )
  })

  test('a job that is periodic too launches a periodic child, which is not evaluated', () => {
    const world = withForm({}, { Periodic: { Spec: '@hourly' } })
    const reply = dispatch(world)
    expect(reply).toMatchObject({ EvalID: '', EvalCreateIndex: 0, Index: lastIndex(world) })
  })

  test.each([
    { rules: {}, body: { JobID: 'other' }, refusal: malformed('Job ID does not match') },
    {
      rules: { Payload: 'required' },
      body: {},
      refusal: rejected('Payload is not provided but required by parameterized job'),
    },
    {
      rules: { Payload: 'forbidden' },
      body: { Payload: base64(1) },
      refusal: rejected('Payload provided but forbidden by parameterized job'),
    },
    {
      rules: {},
      body: { Payload: base64(16_385) },
      refusal: rejected('Payload exceeds maximum size; 16385 > 16384'),
    },
    {
      rules: { MetaOptional: ['a'] },
      body: { Meta: { c: '', a: '', b: '' } },
      refusal: rejected('Dispatch request included unpermitted metadata keys: [b c]'),
    },
    {
      rules: { MetaRequired: ['b', 'c', 'a'] },
      body: { Meta: { a: '' } },
      refusal: rejected('Dispatch did not provide required meta keys: [b c]'),
    },
  ])('a dispatch of $body under the rules $rules is refused', async ({ rules, body, refusal }) => {
    const world = withForm(rules)
    expect(() => dispatch(world, body)).toThrow(refusal)
    expect(await isUnchangedBy(world, () => dispatch(world, body))).toBe(true)
  })

  test('a payload of 16384 bytes is not too large, and an empty payload counts as none', () => {
    expect(dispatch(withForm(), { Payload: base64(16_384) }).EvalID).not.toBe('')
    const world = withForm({ Payload: 'forbidden' })
    const { DispatchedJobID } = dispatch(world, { Payload: '' })
    expect(job(world, DispatchedJobID).Payload).toBeNull()
  })

  test('an unknown job, one that is not parameterized, and one that is stopped are refused', () => {
    expect(() => dispatch(frozenWorld())).toThrow(rejected('parameterized job not found'))
    const plain = frozenWorld()
    register(plain, inputBatchJob({ ID: 'form' }))
    expect(() => dispatch(plain)).toThrow(
      rejected('Specified job "form" is not a parameterized job'),
    )
    const stopped = withForm()
    stopJob(stopped, 'default', 'form')
    expect(() => dispatch(stopped)).toThrow(rejected('Specified job "form" is stopped'))
  })

  test('refused while registration is closed (behaviour/scheduler#conventions)', () => {
    const world = withForm()
    world.changeOptions({ scheduler: { rejectJobRegistration: true, aclEnabled: true } })
    expect(() => dispatch(world)).toThrow(refuse('registration-closed'))
  })

  test('an idempotency token gives the same child while it exists', () => {
    const world = withForm()
    const first = dispatch(world, {}, 'once')
    const index = lastIndex(world)
    expect(dispatch(world, {}, 'once')).toEqual({
      DispatchedJobID: first.DispatchedJobID,
      EvalID: '',
      EvalCreateIndex: 0,
      JobCreateIndex: first.JobCreateIndex,
      Index: job(world, first.DispatchedJobID).ModifyIndex,
    })
    expect(lastIndex(world)).toBe(index)
    expect(dispatch(world, {}, 'twice').DispatchedJobID).not.toBe(first.DispatchedJobID)
    stopJob(world, 'default', first.DispatchedJobID, { purge: true })
    expect(dispatch(world, {}, 'once').DispatchedJobID).not.toBe(first.DispatchedJobID)
    expect([...childrenOf(world, 'default', 'form')]).toHaveLength(2)
  })

  test('a request with a known token is checked all the same', () => {
    const world = withForm({ Payload: 'forbidden' })
    dispatch(world, {}, 'once')
    expect(() => dispatch(world, { Payload: base64(1) }, 'once')).toThrow(
      rejected('Payload provided but forbidden by parameterized job'),
    )
  })

  test('the keys __proto__ and constructor are ordinary keys', () => {
    const world = withForm({ MetaOptional: ['__proto__', 'constructor'] })
    const body = '{"Meta": {"__proto__": "a", "constructor": "b"}}'
    const reply = dispatchJob(world, 'default', 'form', decodeBody(body, dispatchShape))
    expect(Object.entries(job(world, reply.DispatchedJobID).Meta ?? {})).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ])
  })

  // choice/scheduler#registering-over-children
  test('a child cannot be registered again by a client', () => {
    const world = withForm()
    const { DispatchedJobID } = dispatch(world)
    expect(() =>
      register(world, inputBatchJob({ ID: DispatchedJobID, ParameterizedJob: {} })),
    ).toThrow(rejected('cannot update non-parameterized job to being parameterized'))
    expect(() => register(world, inputBatchJob({ ID: DispatchedJobID }))).toThrow(
      rejected("field 'Dispatched' is read-only"),
    )
  })
})
