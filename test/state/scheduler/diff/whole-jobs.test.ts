import { describe, expect, test } from 'vitest'
import { diffJobs } from '../../../../state/scheduler/diff/job-diff.ts'
import type { Job } from '../../../../state/scheduler/job/job-shape.ts'
import type { Task } from '../../../../state/scheduler/job/task-shape.ts'
import {
  type Change,
  storedGroup,
  storedServiceJob,
  storedTask,
} from '../../../support/scheduler/scheduler-jobs.ts'
import { added, deleted, group, job, object, sameGroup, sameTask, task } from './expected.ts'

const wholeTask = (type: string, text: typeof added) =>
  task('redis', {
    type,
    fields: [
      text('Driver', 'docker'),
      text('KillTimeout', '5000000000'),
      text('Leader', 'false'),
      text('ShutdownDelay', '0'),
    ],
    objects: [
      object(type, 'Config', [text('image', 'redis:7'), text('ports[0]', 'db')]),
      object(type, 'Resources', [
        text('CPU', '100'),
        text('Cores', '0'),
        text('DiskMB', '0'),
        text('IOPS', '0'),
        text('MemoryMB', '300'),
        text('MemoryMaxMB', '0'),
        text('SecretsMB', '0'),
      ]),
      object(type, 'LogConfig', [
        text('Disabled', 'false'),
        text('MaxFileSizeMB', '10'),
        text('MaxFiles', '10'),
      ]),
    ],
  })

const wholeGroup = (type: string, text: typeof added) =>
  group(
    'cache',
    {
      type,
      fields: [text('Count', '1'), text('PreventRescheduleOnLost', 'false')],
      objects: [
        object(type, 'RestartPolicy', [
          text('Attempts', '2'),
          text('Delay', '15000000000'),
          text('Interval', '1800000000000'),
          text('Mode', 'fail'),
          text('RenderTemplates', 'false'),
        ]),
        object(type, 'ReschedulePolicy', [
          text('Attempts', '0'),
          text('Delay', '30000000000'),
          text('DelayFunction', 'exponential'),
          text('Interval', '0'),
          text('MaxDelay', '3600000000000'),
          text('Unlimited', 'true'),
        ]),
        object(type, 'EphemeralDisk', [
          text('Migrate', 'false'),
          text('SizeMB', '300'),
          text('Sticky', 'false'),
        ]),
        object(type, 'Update', [
          text('AutoPromote', 'false'),
          text('AutoRevert', 'false'),
          text('Canary', '0'),
          text('HealthCheck', 'checks'),
          text('HealthyDeadline', '300000000000'),
          text('MaxParallel', '1'),
          text('MinHealthyTime', '10000000000'),
          text('ProgressDeadline', '600000000000'),
        ]),
      ],
    },
    [wholeTask(type, text)],
  )

const wholeJob = (type: string, text: typeof added) =>
  job(
    {
      type,
      fields: [
        text('AllAtOnce', 'false'),
        text('Dispatched', 'false'),
        text('Name', 'example'),
        text('Namespace', 'default'),
        text('NodePool', 'default'),
        text('Priority', '50'),
        text('Region', 'global'),
        text('Stop', 'false'),
        text('Type', 'service'),
      ],
      objects: [object(type, 'Datacenters', [text('Datacenters', '*')])],
    },
    [wholeGroup(type, text)],
  )

describe.each([{ contextual: false }, { contextual: true }])(
  'whole jobs, groups and tasks (behaviour/scheduler#diff), contextual: $contextual',
  (options) => {
    const sample = storedServiceJob()

    test('a job that is new', () => {
      expect(diffJobs(undefined, sample, options)).toStrictEqual(wholeJob('Added', added))
    })

    test('a deleted job has a diff of the type Deleted', () => {
      expect(diffJobs(sample, undefined, options)).toStrictEqual(wholeJob('Deleted', deleted))
    })

    test('no job on either side', () => {
      expect(diffJobs(undefined, undefined, options)).toStrictEqual({
        ...job({ type: 'None' }, []),
        ID: '',
      })
    })

    test('the same job: every group and task is listed as None', () => {
      expect(diffJobs(sample, storedServiceJob(), options)).toStrictEqual(job({ type: 'None' }))
    })

    // choice/scheduler#diff-shutdown-delay
    test('groups by name: one is added, one deleted, one stays; a shutdown delay is not a field', () => {
      const other = (Name: string) =>
        storedGroup({ Name, Tasks: null, ShutdownDelay: 1, Update: null, Migrate: null })
      const old = storedServiceJob({ TaskGroups: [storedGroup(), other('b')] })
      const next = storedServiceJob({ TaskGroups: [other('a'), storedGroup()] })
      const listing = (type: string, name: string, text: typeof added) => {
        const whole = wholeGroup(type, text)
        const objects = whole.Objects?.filter(({ Name }) => Name !== 'Update')
        return { ...whole, Name: name, Objects: objects ?? null, Tasks: null }
      }
      expect(diffJobs(old, next, options)).toStrictEqual(
        job({}, [listing('Added', 'a', added), listing('Deleted', 'b', deleted), sameGroup]),
      )
    })

    test('tasks by name: one is added, one deleted, one stays', () => {
      const withTasks = (...names: string[]) =>
        storedServiceJob({
          TaskGroups: [storedGroup({ Tasks: names.map((Name) => storedTask({ Name })) })],
        })
      expect(diffJobs(withTasks('redis', 'b'), withTasks('a', 'redis'), options)).toStrictEqual(
        job({}, [
          group('cache', {}, [
            { ...wholeTask('Added', added), Name: 'a' },
            { ...wholeTask('Deleted', deleted), Name: 'b' },
            sameTask,
          ]),
        ]),
      )
    })

    test('groups in another order are not a change, tasks in another order edit their group', () => {
      const groups = [storedGroup(), storedGroup({ Name: 'b' })]
      const tasks = [storedTask(), storedTask({ Name: 'b' })]
      const old = storedServiceJob({
        TaskGroups: [...groups, storedGroup({ Name: 'c', Tasks: tasks })],
      })
      const next = storedServiceJob({
        TaskGroups: [storedGroup({ Name: 'c', Tasks: tasks.toReversed() }), ...groups.toReversed()],
      })
      expect(diffJobs(old, next, options)).toStrictEqual(
        job({}, [
          group('b', { type: 'None' }),
          group('c', {}, [task('b', { type: 'None' }), sameTask]),
          sameGroup,
        ]),
      )
    })
  },
)

describe('the examples of behaviour/scheduler#diff have the diffs that are written there', () => {
  const sample = storedServiceJob()
  const withTask = (change: Change<Task>) =>
    storedServiceJob({ TaskGroups: [storedGroup({ Tasks: [storedTask(change)] })] })
  const groupsOf = (next: Job) => diffJobs(sample, next, { contextual: true }).TaskGroups

  test('a count of 2 instead of 1', () => {
    expect(groupsOf(storedServiceJob({ TaskGroups: [storedGroup({ Count: 2 })] }))).toStrictEqual([
      {
        Type: 'Edited',
        Name: 'cache',
        Fields: [{ Type: 'Edited', Name: 'Count', Old: '1', New: '2', Annotations: null }],
        Objects: null,
        Tasks: [{ Type: 'None', Name: 'redis', Fields: null, Objects: null, Annotations: null }],
        Updates: null,
      },
    ])
  })

  test('a variable is added', () => {
    expect(groupsOf(withTask({ Env: { foo: 'bar' } }))?.[0]?.Tasks).toStrictEqual([
      {
        Type: 'Edited',
        Name: 'redis',
        Fields: [{ Type: 'Added', Name: 'Env[foo]', Old: '', New: 'bar', Annotations: null }],
        Objects: null,
        Annotations: null,
      },
    ])
  })

  test('another image', () => {
    expect(groupsOf(withTask({ Config: { image: 'redis:8' } }))?.[0]?.Tasks).toStrictEqual([
      {
        Type: 'Edited',
        Name: 'redis',
        Fields: null,
        Objects: [
          {
            Type: 'Edited',
            Name: 'Config',
            Fields: [
              { Type: 'Edited', Name: 'image', Old: 'redis:7', New: 'redis:8', Annotations: null },
              { Type: 'None', Name: 'ports[0]', Old: 'db', New: 'db', Annotations: null },
            ],
            Objects: null,
          },
        ],
        Annotations: null,
      },
    ])
  })
})
