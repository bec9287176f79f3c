import { describe, expect, test } from 'vitest'
import { runParts } from '../../../../state/kernel/parts.ts'
import type { DesiredUpdates } from '../../../../state/scheduler/cluster/model/placement-shapes.ts'
import { annotateDiff } from '../../../../state/scheduler/diff/annotate.ts'
import { diffJobs } from '../../../../state/scheduler/diff/job-diff.ts'
import type { TaskGroup } from '../../../../state/scheduler/job/job-shape.ts'
import type { Task } from '../../../../state/scheduler/job/task-shape.ts'
import {
  type Change,
  second,
  storedGroup,
  storedServiceJob,
  storedTask,
} from '../../../support/scheduler/scheduler-jobs.ts'
import { edited, group, job, object, sameTask, task } from './expected.ts'

/** Returns a diff with the effects of a plan. */
function annotated(...input: Parameters<typeof annotateDiff>) {
  return runParts(annotateDiff(...input))
}

const nothing: DesiredUpdates = {
  Ignore: 0,
  Place: 0,
  Migrate: 0,
  Stop: 0,
  InPlaceUpdate: 0,
  DestructiveUpdate: 0,
  Canary: 0,
  Preemptions: 0,
}

const withGroup = (change: Change<TaskGroup>) =>
  storedServiceJob({ TaskGroups: [storedGroup(change)] })
const withTask = (change: Change<Task>) => withGroup({ Tasks: [storedTask(change)] })

function taskAnnotations(old: Change<Task>, next: Change<Task>, contextual: boolean) {
  const diff = diffJobs(withTask(old), withTask(next), { contextual })
  const annotatedDiff = annotated(diff, {})
  return annotatedDiff.TaskGroups?.flatMap(({ Tasks }) => Tasks?.map((each) => each.Annotations))
}

describe('annotations that a plan adds to a diff (behaviour/scheduler#plan-annotations)', () => {
  // choice/scheduler#diff-plan-updates
  test('a group has its nonzero updates by name', () => {
    const diff = diffJobs(storedServiceJob(), withGroup({ Count: 3 }), { contextual: true })
    const counts = {
      Ignore: 1,
      Place: 2,
      Migrate: 3,
      Stop: 4,
      InPlaceUpdate: 5,
      DestructiveUpdate: 6,
      Canary: 7,
      Preemptions: 8,
    }
    const forced = { ...edited('Count', '1', '3'), Annotations: ['forces create'] }
    const expected = (Updates: Readonly<Record<string, number>>) =>
      job({}, [{ ...group('cache', { fields: [forced] }, [sameTask]), Updates }])

    expect(annotated(diff, { cache: counts })).toStrictEqual(
      expected({
        ignore: 1,
        create: 2,
        migrate: 3,
        destroy: 4,
        canary: 7,
        'in-place update': 5,
        'create/destroy update': 6,
      }),
    )
    expect(annotated(diff, { cache: { ...nothing, Place: 2 } })).toStrictEqual(
      expected({ create: 2 }),
    )
    expect(annotated(diff, { cache: nothing })).toStrictEqual(expected({}))
  })

  // choice/scheduler#diff-plan-updates
  test('a group that the plan does not name has no updates', () => {
    const diff = diffJobs(storedServiceJob(), withGroup({ Meta: { a: 'b' } }), { contextual: true })
    expect(annotated(diff, { other: { ...nothing, Place: 1 } })).toStrictEqual(diff)
  })

  test('a lower count forces allocations to stop; another number of a group forces nothing', () => {
    const lower = diffJobs(withGroup({ Count: 3 }), withGroup({ ShutdownDelay: 2 }), {
      contextual: true,
    })
    expect(annotated(lower, {}).TaskGroups?.[0]?.Fields).toStrictEqual([
      { ...edited('Count', '3', '1'), Annotations: ['forces destroy'] },
      { Type: 'Added', Name: 'ShutdownDelay', Old: '', New: '2', Annotations: null },
    ])
  })

  test.each([
    { type: 'Added', old: undefined, next: storedServiceJob(), forces: 'forces create' },
    { type: 'Deleted', old: storedServiceJob(), next: undefined, forces: 'forces destroy' },
  ])('a group that is $type: its count and its tasks have that type', ({ old, next, forces }) => {
    const diff = diffJobs(old, next, { contextual: true })
    const groups = annotated(diff, {}).TaskGroups
    expect(groups?.[0]?.Fields?.map(({ Name, Annotations }) => [Name, Annotations])).toStrictEqual([
      ['Count', [forces]],
      ['PreventRescheduleOnLost', null],
    ])
    expect(groups?.[0]?.Tasks?.map(({ Annotations }) => Annotations)).toStrictEqual([[forces]])
  })

  test('a task that is added to or removed from a group means a replacement', () => {
    const diff = diffJobs(
      withGroup({ Tasks: [storedTask({ Name: 'a' }), storedTask()] }),
      withGroup({ Tasks: [storedTask({ Name: 'b' }), storedTask()] }),
      { contextual: true },
    )
    const tasks = annotated(diff, {}).TaskGroups?.[0]?.Tasks
    expect(tasks?.map(({ Name, Annotations }) => [Name, Annotations])).toStrictEqual([
      ['a', ['forces create/destroy update']],
      ['b', ['forces create/destroy update']],
      ['redis', null],
    ])
  })

  const constraint = { LTarget: 'a', RTarget: 'b', Operand: '=' }
  const service = { Name: 's', PortLabel: '', Tags: null, Checks: null }
  const replacement = 'forces create/destroy update'
  const inPlace = 'forces in-place update'

  describe.each([{ contextual: false }, { contextual: true }])(
    'an edited task, contextual: $contextual',
    ({ contextual }) => {
      test.each<{ what: string; next: Change<Task>; forces: string }>([
        { what: 'a kill timeout', next: { KillTimeout: second }, forces: inPlace },
        { what: 'another field', next: { User: 'bob' }, forces: replacement },
        {
          what: 'another field beside a kill timeout',
          next: { KillTimeout: second, Env: { a: 'b' } },
          forces: replacement,
        },
        { what: 'a constraint', next: { Constraints: [constraint] }, forces: inPlace },
        {
          what: 'an affinity',
          next: { Affinities: [{ ...constraint, Weight: 1 }] },
          forces: inPlace,
        },
        { what: 'a service', next: { Services: [service] }, forces: inPlace },
        { what: 'how much is kept of logs', next: { LogConfig: { MaxFiles: 2 } }, forces: inPlace },
        { what: 'logs at all', next: { LogConfig: { Disabled: true } }, forces: replacement },
        { what: 'the configuration', next: { Config: { image: 'x' } }, forces: replacement },
        { what: 'resources', next: { Resources: { CPU: 1 } }, forces: replacement },
        {
          what: 'what is listed nowhere',
          next: { RestartPolicy: { Attempts: 7 } },
          forces: inPlace,
        },
      ])('$what: $forces', ({ next, forces }) => {
        expect(taskAnnotations({}, next, contextual)).toStrictEqual([[forces]])
      })
    },
  )

  test('the rest of the diff is unchanged', () => {
    const diff = diffJobs(storedServiceJob(), withTask({ Config: { image: 'x' } }), {
      contextual: false,
    })
    expect(annotated(diff, {})).toStrictEqual(
      job({}, [
        group('cache', {}, [
          {
            ...task('redis', {
              objects: [object('Edited', 'Config', [edited('image', 'redis:7', 'x')])],
            }),
            Annotations: [replacement],
          },
        ]),
      ]),
    )
  })

  test('a job without groups has nothing to annotate', () => {
    const diff = diffJobs(storedServiceJob({ TaskGroups: null }), undefined, { contextual: true })
    expect(annotated(diff, { cache: nothing })).toStrictEqual(diff)
  })
})
