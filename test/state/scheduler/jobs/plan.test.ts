import { describe, expect, test } from 'vitest'
import { renderMessage } from '../../../../state/kernel/message.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { decodeBody } from '../../../../state/scheduler/decoding.ts'
import type { RegisterContext } from '../../../../state/scheduler/jobs/context.ts'
import { planJobChange } from '../../../../state/scheduler/jobs/plan.ts'
import { planShape } from '../../../../state/scheduler/jobs/request-shapes.ts'
import { refuse } from '../../../../state/scheduler/messages.ts'
import { formatWarnings } from '../../../../state/scheduler/validation/warnings.ts'
import { denied, malformed, rejected } from '../support.ts'
import { anyCaller, frozenWorld, inputBatchJob, inputJob, register } from './support.ts'

function plan(world: World, body: object, context: Partial<RegisterContext> = {}) {
  const request = decodeBody(JSON.stringify(body), planShape)
  return planJobChange(world, request, { ...anyCaller, ...context })
}

const none = {
  Ignore: 0,
  Place: 0,
  Migrate: 0,
  Stop: 0,
  InPlaceUpdate: 0,
  DestructiveUpdate: 0,
  Canary: 0,
  Preemptions: 0,
}

/** Runs `work` and expects that the world is as it was before. */
function expectNoTrace<T>(world: World, work: () => T): T {
  const before = JSON.stringify([world.ids.state, world.store.sequence, [...world.agenda.all()]])
  const result = work()
  expect(JSON.stringify([world.ids.state, world.store.sequence, [...world.agenda.all()]])).toBe(
    before,
  )
  return result
}

describe('behaviour/scheduler#plan', () => {
  test('of a new job: index 0, everything placed, nothing stored', () => {
    const world = frozenWorld()
    expect(expectNoTrace(world, () => plan(world, { Job: inputJob() }))).toEqual({
      Annotations: { DesiredTGUpdates: { app: { ...none, Place: 1 } }, PreemptedAllocs: null },
      CreatedEvals: null,
      Diff: null,
      FailedTGAllocs: null,
      JobModifyIndex: 0,
      NextPeriodicLaunch: null,
      Warnings: [],
      Index: 0,
    })
  })

  test('of a job that exists: its JobModifyIndex, and the annotated difference when asked for', () => {
    const world = frozenWorld()
    const { JobModifyIndex } = register(world, inputJob())
    const groups = [{ Name: 'app', Count: 3, Tasks: inputJob()['TaskGroups'] }]
    const task = { Name: 'main', Driver: 'docker', Config: { image: 'web:1' } }
    const Job = inputJob({ TaskGroups: [{ ...groups[0], Tasks: [task] }] })
    const reply = expectNoTrace(world, () => plan(world, { Job, Diff: true }))
    expect(reply).toMatchObject({ JobModifyIndex, Index: JobModifyIndex })
    expect(reply.Diff).toMatchObject({
      Type: 'Edited',
      TaskGroups: [
        {
          Name: 'app',
          Updates: { create: 3 },
          Fields: [{ Name: 'Count', Old: '1', New: '3', Annotations: ['forces create'] }],
        },
      ],
    })
  })

  // choice/scheduler#plan-details
  test('an unplaceable job: the reason, and the evaluation that would wait', () => {
    const world = frozenWorld()
    const Job = inputJob({ Datacenters: ['nowhere'] })
    const reply = expectNoTrace(world, () => plan(world, { Job }))
    expect(Object.keys(reply.FailedTGAllocs ?? {})).toEqual(['app'])
    expect(reply.CreatedEvals).toMatchObject([
      { JobID: 'web', Status: 'blocked', TriggeredBy: 'queued-allocs' },
    ])
  })

  test.each([{ Periodic: { Spec: '@daily' } }, { ParameterizedJob: {} }])(
    'also for a job that is launched later: %j',
    (launched) => {
      const Job = inputBatchJob({ Datacenters: ['nowhere'], ...launched })
      expect(plan(frozenWorld(), { Job }).CreatedEvals).toMatchObject([{ Status: 'blocked' }])
    },
  )

  // choice/scheduler#plan-details
  test('a plan returns the next launch of a periodic job', () => {
    const world = frozenWorld()
    const launch = (Periodic: object) =>
      plan(world, { Job: inputBatchJob({ Periodic }) }).NextPeriodicLaunch
    expect(launch({ Spec: '30 * * * *' })).toBe('2026-01-01T00:30:00Z')
    expect(launch({ Spec: '30 * * * *', Enabled: false })).toBeNull()
    expect(launch({ Spec: '0 0 1 1 * 2020' })).toBeNull()
  })

  test('warnings', () => {
    const group = { Name: 'app', Count: 2, Tasks: [{ Name: 'main', Driver: 'docker' }] }
    const Job = inputJob({ Update: { MaxParallel: 5 }, TaskGroups: [group] })
    expect(formatWarnings(plan(frozenWorld(), { Job }).Warnings, renderMessage)).toContain(
      '1 warning:\n\n* Group "app" has warnings',
    )
  })

  test.each([
    { body: {}, refusal: malformed('Job must be specified') },
    { body: { Job: {} }, refusal: malformed('Job must have a valid ID') },
    { body: { Job: { ID: 'other' } }, refusal: malformed('Job ID does not match') },
    {
      body: { Job: inputJob({ TaskGroups: [] }) },
      refusal: rejected('1 error occurred:\n\t* Missing job task groups\n\n'),
    },
    { body: { Job: inputJob(), Region: 'west' }, refusal: rejected('No path to region') },
  ])('refused: $refusal.message', ({ body, refusal }) => {
    expect(() => plan(frozenWorld(), body, { pathId: 'web' })).toThrow(refusal)
  })

  test.each([
    { PolicyOverride: false, needs: ['submit-job'] },
    { PolicyOverride: true, needs: ['submit-job', 'policy-override'] },
  ])('PolicyOverride $PolicyOverride needs $needs', ({ PolicyOverride, needs }) => {
    const checked: unknown[] = []
    const authorize: RegisterContext['authorize'] = (_job, capabilities) => {
      checked.push(capabilities)
      throw refuse('permission-denied')
    }
    expect(() => plan(frozenWorld(), { Job: inputJob(), PolicyOverride }, { authorize })).toThrow(
      denied(),
    )
    expect(checked).toEqual([needs])
  })
})
