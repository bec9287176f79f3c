import { describe, expect, test } from 'vitest'
import { evaluationsOf } from '../../../../state/scheduler/cluster/model/evaluations.ts'
import { lastIndex } from '../../../../state/scheduler/indexes.ts'
import { forceLaunch } from '../../../../state/scheduler/jobs/launches.ts'
import { stopJob } from '../../../../state/scheduler/jobs/stop.ts'
import { launchJobName } from '../../../../state/scheduler/records/launches.ts'
import {
  childrenOf,
  findJob,
  jobVersionsOf,
  scalingEventsOf,
  setStable,
  submissionOf,
  summaryOf,
} from '../../../../state/scheduler/records/store.ts'
import { malformed } from '../support.ts'
import { frozenWorld, inputBatchJob, inputJob, job, register } from './support.ts'

const periodic = inputBatchJob({ Periodic: { Spec: '0 * * * *' } })

describe('behaviour/scheduler#beyond, DELETE without purge', () => {
  test('an unknown job: all zero, and nothing is written', () => {
    const world = frozenWorld()
    const before = lastIndex(world)
    const nothing = { EvalID: '', EvalCreateIndex: 0, JobModifyIndex: 0, Index: 0 }
    expect(stopJob(world, 'default', 'web')).toEqual(nothing)
    expect(stopJob(world, 'default', 'web', { purge: true })).toEqual(nothing)
    expect(lastIndex(world)).toBe(before)
  })

  test('behaviour/scheduler#versions: Stop true, next version, new JobModifyIndex, CreateIndex unchanged', () => {
    const world = frozenWorld()
    const { Index } = register(world, inputJob())
    const reply = stopJob(world, 'default', 'web')
    const evaluation = evaluationsOf(world, 'default', 'web').find(
      ({ TriggeredBy }) => TriggeredBy === 'job-deregister',
    )
    const index = Index + 1
    expect(reply).toEqual({
      EvalID: evaluation?.ID,
      EvalCreateIndex: index,
      JobModifyIndex: index,
      Index: index,
    })
    expect(job(world, 'web')).toMatchObject({
      Stop: true,
      Version: 1,
      CreateIndex: Index,
      ModifyIndex: index,
      JobModifyIndex: index,
    })
  })

  test.each([
    { evalPriority: 0, priority: 70 },
    { evalPriority: -5, priority: 70 },
    { evalPriority: 90, priority: 90 },
  ])('eval_priority $evalPriority: an evaluation of type service, $priority', (row) => {
    const world = frozenWorld()
    register(world, inputBatchJob({ Priority: 70 }))
    const { EvalID } = stopJob(world, 'default', 'batch', { evalPriority: row.evalPriority })
    const evaluation = evaluationsOf(world, 'default', 'batch').find(({ ID }) => ID === EvalID)
    expect(evaluation).toMatchObject({
      Type: 'service',
      Priority: row.priority,
      TriggeredBy: 'job-deregister',
    })
  })

  test('an eval_priority above 100 is 400', () => {
    const world = frozenWorld()
    register(world, inputJob())
    expect(() => stopJob(world, 'default', 'web', { evalPriority: 101 })).toThrow(
      malformed('Eval priority must be between 1 and 100 inclusively'),
    )
  })

  test('a periodic job: no evaluation, but indexes; dead, and not launched any more', () => {
    const world = frozenWorld()
    register(world, periodic)
    expect(world.agenda.find(launchJobName, 'default batch')).toBeDefined()
    const reply = stopJob(world, 'default', 'batch')
    const index = lastIndex(world)
    expect(reply).toEqual({
      EvalID: '',
      EvalCreateIndex: index,
      JobModifyIndex: index,
      Index: index,
    })
    expect(job(world, 'batch')).toMatchObject({ Stop: true, Status: 'dead' })
    expect(world.agenda.find(launchJobName, 'default batch')).toBeUndefined()
  })

  // choice/scheduler#stable-of-next-version
  test('another stop creates another version; Stable is reset', () => {
    const world = frozenWorld()
    register(world, inputJob())
    world.write(() => setStable(world, 'default', 'web', 0, true))
    stopJob(world, 'default', 'web')
    stopJob(world, 'default', 'web')
    expect(jobVersionsOf(world, 'default', 'web')).toMatchObject([
      { Version: 2, Stop: true, Stable: true },
      { Version: 1, Stop: true, Stable: true },
      { Version: 0, Stop: false, Stable: true },
    ])
  })
})

describe('behaviour/scheduler#beyond, DELETE with purge', () => {
  test('takes the job, its versions, summary, sources and scaling events', () => {
    const world = frozenWorld()
    register(world, inputJob(), { Submission: { Format: 'hcl2', Source: 'x' } })
    register(world, inputJob({ Priority: 60 }))
    const reply = stopJob(world, 'default', 'web', { purge: true })
    const index = lastIndex(world)
    expect(reply).toEqual({
      EvalID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      EvalCreateIndex: index,
      JobModifyIndex: index,
      Index: index,
    })
    expect(findJob(world, 'default', 'web')).toBeUndefined()
    expect(jobVersionsOf(world, 'default', 'web')).toEqual([])
    expect(summaryOf(world, 'default', 'web')).toBeUndefined()
    expect(submissionOf(world, 'default', 'web', 0)).toBeUndefined()
    expect(scalingEventsOf(world, 'default', 'web')).toBeUndefined()
  })

  test('does not change other jobs, even those whose IDs have the same prefix', () => {
    const world = frozenWorld()
    register(world, inputJob())
    register(world, inputJob({ ID: 'web2' }))
    register(world, inputJob({ ID: 'web/a' }))
    stopJob(world, 'default', 'web', { purge: true })
    expect(jobVersionsOf(world, 'default', 'web2')).toHaveLength(1)
    expect(jobVersionsOf(world, 'default', 'web/a')).toHaveLength(1)
  })

  test('behaviour/scheduler#versions: pending evaluations become complete', () => {
    const world = frozenWorld()
    const { EvalID } = register(world, inputJob())
    stopJob(world, 'default', 'web', { purge: true })
    const first = evaluationsOf(world, 'default', 'web').find(({ ID }) => ID === EvalID)
    expect(first).toMatchObject({ Status: 'complete', StatusDescription: 'job web deleted' })
  })

  test('behaviour/scheduler#versions: afterwards everything is new, from version 0', () => {
    const world = frozenWorld()
    register(world, inputJob())
    register(world, inputJob({ Priority: 60 }))
    stopJob(world, 'default', 'web', { purge: true })
    const { Index } = register(world, inputJob())
    expect(job(world, 'web')).toMatchObject({ Version: 0, CreateIndex: Index })
  })

  test('children stay; the next launch is cancelled', () => {
    const world = frozenWorld()
    register(world, periodic)
    forceLaunch(world, 'default', 'batch')
    const reply = stopJob(world, 'default', 'batch', { purge: true })
    expect(reply.EvalID).toBe('')
    expect(reply.EvalCreateIndex).toBe(lastIndex(world))
    expect([...childrenOf(world, 'default', 'batch')]).toMatchObject([{ ParentID: 'batch' }])
    expect(world.agenda.find(launchJobName, 'default batch')).toBeUndefined()
  })

  test('a child that is purged counts as dead for its parent', () => {
    const world = frozenWorld()
    register(world, periodic)
    forceLaunch(world, 'default', 'batch')
    const [child] = childrenOf(world, 'default', 'batch')
    expect(summaryOf(world, 'default', 'batch')?.Children).toEqual({
      Pending: 1,
      Running: 0,
      Dead: 0,
    })
    stopJob(world, 'default', child?.ID ?? '', { purge: true })
    expect([...childrenOf(world, 'default', 'batch')]).toEqual([])
    expect(summaryOf(world, 'default', 'batch')?.Children).toEqual({
      Pending: 0,
      Running: 0,
      Dead: 1,
    })
  })
})
