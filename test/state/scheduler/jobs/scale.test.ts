import { describe, expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { evaluationsOf } from '../../../../state/scheduler/cluster/model/evaluations.ts'
import { decodeBody } from '../../../../state/scheduler/decoding.ts'
import { lastIndex } from '../../../../state/scheduler/indexes.ts'
import { scaleShape } from '../../../../state/scheduler/jobs/request-shapes.ts'
import { scaleJob } from '../../../../state/scheduler/jobs/scale.ts'
import { scaleStatus } from '../../../../state/scheduler/jobs/scale-status.ts'
import { refuse } from '../../../../state/scheduler/messages.ts'
import { scalingEventsOf, setStable } from '../../../../state/scheduler/records/store.ts'
import { malformed, missing } from '../support.ts'
import {
  frozenWorld,
  inputBatchJob,
  inputJob,
  isUnchangedBy,
  job,
  register,
  startNanoseconds,
} from './support.ts'

function scale(world: World, body: object, id = 'web') {
  const request = decodeBody(JSON.stringify({ Target: { Group: 'app' }, ...body }), scaleShape)
  return scaleJob(world, 'default', id, request)
}

/** A job whose group may have two to four allocations. */
const bounded = inputJob({
  TaskGroups: [
    {
      Name: 'app',
      Scaling: { Min: 2, Max: 4, Enabled: true },
      Tasks: [{ Name: 'main', Driver: 'docker' }],
    },
  ],
})

describe('behaviour/scheduler#scale', () => {
  // choice/scheduler#one-commit-for-each-action
  test('changes the count: version, evaluation and event of one index', () => {
    const world = frozenWorld()
    register(world, inputJob())
    const reply = scale(world, { Count: 3, Message: 'more', Meta: { who: { is: 1 } } })
    const index = lastIndex(world)
    expect(reply).toEqual({
      EvalID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      EvalCreateIndex: index,
      JobModifyIndex: index,
      Warnings: [],
      Index: index,
    })
    expect(job(world, 'web')).toMatchObject({ Version: 1, JobModifyIndex: index })
    expect(job(world, 'web').TaskGroups).toMatchObject([{ Name: 'app', Count: 3 }])
    const made = evaluationsOf(world, 'default', 'web').find(({ ID }) => ID === reply.EvalID)
    expect(made).toMatchObject({ TriggeredBy: 'job-scaling', Type: 'service' })
    expect(scalingEventsOf(world, 'default', 'web')).toEqual({
      Namespace: 'default',
      JobID: 'web',
      ModifyIndex: index,
      ScalingEvents: {
        app: [
          {
            Time: startNanoseconds,
            PreviousCount: 1,
            Count: 3,
            Error: false,
            Message: 'more',
            Meta: { who: { is: 1 } },
            EvalID: reply.EvalID,
            CreateIndex: index,
          },
        ],
      },
    })
  })

  // choice/scheduler#stable-of-next-version
  test('the next version is stable if the one before was', () => {
    const world = frozenWorld()
    register(world, inputJob())
    scale(world, { Count: 3 })
    expect(job(world, 'web').Stable).toBe(false)
    world.write(() => setStable(world, 'default', 'web', 1, true))
    scale(world, { Count: 4 })
    expect(job(world, 'web')).toMatchObject({ Version: 2, Stable: true })
    register(world, inputJob({ Priority: 70 }))
    expect(job(world, 'web')).toMatchObject({ Version: 3, Stable: false })
  })

  test('a request without a count only stores an event', () => {
    const world = frozenWorld()
    register(world, inputJob())
    const before = job(world, 'web')
    const reply = scale(world, { Error: true, Message: 'failed' })
    expect(reply).toEqual({
      EvalID: '',
      EvalCreateIndex: 0,
      JobModifyIndex: before.ModifyIndex,
      Warnings: [],
      Index: lastIndex(world),
    })
    expect(job(world, 'web')).toBe(before)
    expect(scaleStatus(world, 'default', 'web').TaskGroups['app']?.Events).toMatchObject([
      { Count: null, PreviousCount: 1, Error: true, Message: 'failed', EvalID: null },
    ])
  })

  // choice/scheduler#scale-refusals
  test('the newest 20 events of a group are kept, the newest first', () => {
    const world = frozenWorld()
    register(world, inputJob())
    for (let count = 0; count < 22; count++) scale(world, { Count: count })
    const events = scalingEventsOf(world, 'default', 'web')?.ScalingEvents?.['app']
    expect(events?.map(({ Count }) => Count)).toEqual(Array.from({ length: 20 }, (_, n) => 21 - n))
  })

  test('a periodic job is scaled without an evaluation', () => {
    const world = frozenWorld()
    register(world, inputBatchJob({ Periodic: { Spec: '@daily' } }))
    expect(scale(world, { Count: 2 }, 'batch')).toMatchObject({
      EvalID: '',
      EvalCreateIndex: 0,
      JobModifyIndex: lastIndex(world),
    })
  })

  // choice/scheduler#scale-refusals
  test.each([
    { body: {}, id: 'none', refusal: missing('job "none" not found') },
    {
      body: { Count: 2 },
      id: 'all',
      refusal: malformed('jobs of type "system" can only be scaled between 0 and 1'),
    },
    {
      body: { Target: { Group: 'g' }, Count: 1 },
      refusal: malformed('task group "g" specified for scaling does not exist in job'),
    },
    {
      body: { Target: {} },
      refusal: malformed('missing task group name for scaling action'),
    },
    {
      body: { Target: { Group: 'app', Job: 'other' } },
      refusal: malformed('job ID in payload did not match URL'),
    },
    {
      body: { Target: { Group: 'app', Namespace: 'other' } },
      refusal: malformed('namespace in payload did not match header'),
    },
    { body: { Count: -1 }, refusal: malformed("scaling action count can't be negative") },
    {
      body: { Count: 1, Error: true },
      refusal: malformed('scaling action should not contain count if error is true'),
    },
    {
      body: { Count: 1 },
      refusal: malformed('group count was less than scaling policy minimum: 1 < 2'),
    },
    {
      body: { Count: 5 },
      refusal: malformed('group count was greater than scaling policy maximum: 5 > 4'),
    },
  ])('refused: $refusal.message', async ({ body, id, refusal }) => {
    const world = frozenWorld()
    register(world, bounded)
    register(world, inputJob({ ID: 'all', Type: 'system' }))
    expect(() => scale(world, body, id)).toThrow(refusal)
    expect(await isUnchangedBy(world, () => scale(world, body, id))).toBe(true)
  })

  test('a system job is switched off and on by its count', () => {
    const world = frozenWorld()
    register(world, inputJob({ ID: 'all', Type: 'system' }))
    scale(world, { Count: 0 }, 'all')
    expect(job(world, 'all').TaskGroups).toMatchObject([{ Count: 0 }])
    scale(world, { Count: 1 }, 'all')
    expect(job(world, 'all')).toMatchObject({ Version: 2, TaskGroups: [{ Count: 1 }] })
  })

  test('refused while registration is closed (behaviour/scheduler#conventions)', () => {
    const world = frozenWorld()
    register(world, inputJob())
    world.changeOptions({ scheduler: { rejectJobRegistration: true, aclEnabled: true } })
    expect(() => scale(world, { Count: 2 })).toThrow(refuse('registration-closed'))
  })
})

describe('behaviour/scheduler#beyond, GET scale', () => {
  test('counts of a group without allocations', () => {
    const world = frozenWorld()
    const { Index } = register(world, bounded)
    const none = { Placed: 0, Running: 0, Healthy: 0, Unhealthy: 0 }
    expect(scaleStatus(world, 'default', 'web')).toEqual({
      JobID: 'web',
      Namespace: 'default',
      JobCreateIndex: Index,
      JobModifyIndex: Index,
      JobStopped: false,
      TaskGroups: { app: { Desired: 2, ...none, Events: null } },
    })
  })

  test('an unknown job is 404', () => {
    expect(() => scaleStatus(frozenWorld(), 'default', 'web')).toThrow(missing('job not found'))
  })
})
