import { describe, expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { evaluationsOf } from '../../../../state/scheduler/cluster/model/evaluations.ts'
import { decodeBody } from '../../../../state/scheduler/decoding.ts'
import { lastIndex } from '../../../../state/scheduler/indexes.ts'
import {
  evaluateShape,
  revertShape,
  stableShape,
} from '../../../../state/scheduler/jobs/request-shapes.ts'
import { evaluateJob, stopJob } from '../../../../state/scheduler/jobs/stop.ts'
import { markStable, revertJob } from '../../../../state/scheduler/jobs/versions.ts'
import { refuse } from '../../../../state/scheduler/messages.ts'
import { findJobVersion, jobVersionsOf } from '../../../../state/scheduler/records/store.ts'
import { denied, malformed, rejected } from '../support.ts'
import {
  anyCaller,
  frozenWorld,
  inputBatchJob,
  inputJob,
  isUnchangedBy,
  job,
  register,
} from './support.ts'

function revert(world: World, body: object, context = {}) {
  const request = decodeBody(JSON.stringify({ JobID: 'web', ...body }), revertShape)
  return revertJob(world, 'default', 'web', request, { ...anyCaller, ...context })
}

function stable(world: World, body: object) {
  const request = decodeBody(JSON.stringify({ JobID: 'web', ...body }), stableShape)
  return markStable(world, 'default', 'web', request)
}

function evaluate(world: World, id: string, body: object) {
  return evaluateJob(world, 'default', id, decodeBody(JSON.stringify(body), evaluateShape))
}

describe('behaviour/scheduler#beyond, revert', () => {
  test('registers a copy of the version as the next one, not stable', () => {
    const world = frozenWorld()
    const first = register(world, inputJob())
    stable(world, { JobVersion: 0, Stable: true })
    register(world, inputJob({ Priority: 60 }))
    const reply = revert(world, { JobVersion: 0 })
    const index = lastIndex(world)
    expect(reply).toEqual({
      EvalID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      EvalCreateIndex: index,
      JobModifyIndex: index,
      Warnings: [],
      Index: index,
    })
    expect(job(world, 'web')).toMatchObject({
      Version: 2,
      Priority: 50,
      Stable: false,
      CreateIndex: first.Index,
      JobModifyIndex: index,
    })
    expect(findJobVersion(world, 'default', 'web', 0)?.Stable).toBe(true)
  })

  test('to a version equal to the current one: only an evaluation', () => {
    const world = frozenWorld()
    for (const Priority of [50, 60, 50]) register(world, inputJob({ Priority }))
    const before = job(world, 'web')
    expect(revert(world, { JobVersion: 0 })).toMatchObject({ JobModifyIndex: before.ModifyIndex })
    expect(job(world, 'web')).toBe(before)
  })

  test('to a stopped version stops', () => {
    const world = frozenWorld()
    register(world, inputJob())
    stopJob(world, 'default', 'web')
    register(world, inputJob())
    revert(world, { JobVersion: 1 })
    expect(job(world, 'web')).toMatchObject({ Stop: true, Version: 3 })
  })

  test.each([
    { body: { JobID: '' }, refusal: malformed('JobID must be specified') },
    { body: { JobID: null }, refusal: malformed('JobID must be specified') },
    { body: { JobID: 'other' }, refusal: malformed('Job ID does not match') },
    { body: { JobVersion: 1 }, refusal: rejected("can't revert to current version") },
    {
      body: { JobVersion: 9 },
      refusal: rejected('job "web" in namespace "default" at version 9 not found'),
    },
    {
      body: { JobVersion: 0, EnforcePriorVersion: 2 },
      refusal: rejected('Current job has version 1; enforcing version 2'),
    },
  ])('refused: $refusal.message', async ({ body, refusal }) => {
    const world = frozenWorld()
    register(world, inputJob())
    register(world, inputJob({ Priority: 60 }))
    expect(() => revert(world, body)).toThrow(refusal)
    expect(await isUnchangedBy(world, () => revert(world, body))).toBe(true)
  })

  test('an unknown job is refused', () => {
    expect(() => revert(frozenWorld(), {})).toThrow(rejected('job "web" not found'))
  })

  test('with the prior version as it is', () => {
    const world = frozenWorld()
    register(world, inputJob())
    register(world, inputJob({ Priority: 60 }))
    revert(world, { JobVersion: 0, EnforcePriorVersion: 1 })
    expect(job(world, 'web').Version).toBe(2)
  })

  test('asks for permission as a registration does', () => {
    const world = frozenWorld()
    register(world, inputJob())
    register(world, inputJob({ Priority: 60 }))
    const authorize = () => {
      throw refuse('permission-denied')
    }
    expect(() => revert(world, { JobVersion: 0 }, { authorize })).toThrow(denied())
  })
})

describe('behaviour/scheduler#beyond, stable', () => {
  // choice/scheduler#stable-twice
  test('marks and unmarks a version; the reply has only the index', () => {
    const world = frozenWorld()
    register(world, inputJob())
    register(world, inputJob({ Priority: 60 }))
    const index = lastIndex(world)
    expect(stable(world, { JobVersion: 0, Stable: true })).toEqual({ Index: index + 1 })
    expect(jobVersionsOf(world, 'default', 'web').map(({ Stable }) => Stable)).toEqual([
      false,
      true,
    ])
    expect(stable(world, { JobVersion: 0, Stable: false })).toEqual({ Index: index + 2 })
    expect(findJobVersion(world, 'default', 'web', 0)?.Stable).toBe(false)
    // A version that already has the requested value is not written.
    expect(stable(world, { JobVersion: 0, Stable: false })).toEqual({ Index: index + 2 })
    expect(lastIndex(world)).toBe(index + 2)
  })

  test.each([
    { body: { JobID: '' }, refusal: malformed('JobID must be specified') },
    { body: { JobID: 'other' }, refusal: malformed('Job ID does not match') },
    {
      body: { JobVersion: 3 },
      refusal: rejected('job "web" in namespace "default" at version 3 not found'),
    },
  ])('refused: $refusal.message', async ({ body, refusal }) => {
    const world = frozenWorld()
    register(world, inputJob())
    expect(() => stable(world, body)).toThrow(refusal)
  })
})

describe('behaviour/scheduler#beyond, evaluate', () => {
  test('makes an evaluation; JobModifyIndex is the ModifyIndex of the job', () => {
    const world = frozenWorld()
    register(world, inputJob({ Priority: 60 }))
    const { ModifyIndex } = job(world, 'web')
    const reply = evaluate(world, 'web', { JobID: 'web' })
    const index = lastIndex(world)
    expect(reply).toEqual({
      EvalID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      EvalCreateIndex: index,
      JobModifyIndex: ModifyIndex,
      Warnings: [],
      Index: index,
    })
    const made = evaluationsOf(world, 'default', 'web').find(({ ID }) => ID === reply.EvalID)
    expect(made).toMatchObject({ TriggeredBy: 'job-register', Priority: 60, Status: 'pending' })
  })

  test('needs no body', () => {
    const world = frozenWorld()
    register(world, inputJob())
    expect(evaluateJob(world, 'default', 'web').EvalID).not.toBe('')
  })

  test.each([
    { id: 'web', body: {}, refusal: malformed('Job ID must be specified') },
    { id: 'web', body: { JobID: 'other' }, refusal: malformed('JobID not same as job name') },
    { id: 'none', body: { JobID: 'none' }, refusal: rejected('job not found') },
    { id: 'cron', body: { JobID: 'cron' }, refusal: rejected("can't evaluate periodic job") },
    { id: 'form', body: { JobID: 'form' }, refusal: rejected("can't evaluate parameterized job") },
  ])('refused: $refusal.message', ({ id, body, refusal }) => {
    const world = frozenWorld()
    register(world, inputJob())
    register(world, inputBatchJob({ ID: 'cron', Periodic: { Spec: '@daily' } }))
    register(world, inputBatchJob({ ID: 'form', ParameterizedJob: {} }))
    expect(() => evaluate(world, id, body)).toThrow(refusal)
  })
})
