import { describe, expect, test } from 'vitest'
import { diffJobs } from '../../../../state/scheduler/diff/job-diff.ts'
import type { FieldDiff, JobDiff, ObjectDiff } from '../../../../state/scheduler/diff/shapes.ts'
import type { Job, TaskGroup } from '../../../../state/scheduler/job/job-shape.ts'
import type { Task } from '../../../../state/scheduler/job/task-shape.ts'
import {
  type Change,
  storedGroup,
  storedServiceJob,
  storedTask,
} from '../../../support/scheduler/scheduler-jobs.ts'
import { group, job, type Level, task } from './expected.ts'

/** An edit of a job, group or task with all that is listed of it. */
interface Edit<T> {
  readonly title: string
  /** How the sample is changed on either side. */
  readonly old?: Change<T>
  readonly next: Change<T>
  /** What becomes of the level itself. */
  readonly type?: string
  readonly fields?: readonly FieldDiff[]
  readonly objects?: readonly ObjectDiff[]
  /** The objects with the fields that did not change, where that is another list. */
  readonly inContext?: readonly ObjectDiff[]
}

/** Proves each edit twice: with changed fields alone and, for what the versions list, in context. */
export function proveTaskEdits(what: string, edits: readonly Edit<Task>[]): void {
  prove(what, edits, {
    stored: (change) =>
      storedServiceJob({ TaskGroups: [storedGroup({ Tasks: [storedTask(change)] })] }),
    expected: (level) => job({}, [group('cache', {}, [task('redis', level)])]),
  })
}

export function proveGroupEdits(what: string, edits: readonly Edit<TaskGroup>[]): void {
  prove(what, edits, {
    stored: (change) => storedServiceJob({ TaskGroups: [storedGroup(change)] }),
    expected: (level) => job({}, [group('cache', level)]),
  })
}

export function proveJobEdits(what: string, edits: readonly Edit<Job>[]): void {
  prove(what, edits, { stored: storedServiceJob, expected: job })
}

interface Sample<T> {
  readonly stored: (change?: Change<T>) => Job
  readonly expected: (level: Level) => JobDiff
}

function prove<T>(what: string, edits: readonly Edit<T>[], { stored, expected }: Sample<T>): void {
  describe.each([
    { listed: 'changed fields', contextual: false },
    { listed: 'all fields of changed objects', contextual: true },
  ])(`${what} (behaviour/scheduler#diff), $listed`, ({ contextual }) => {
    test.each(edits)('$title', ({ old, next, objects = [], inContext = objects, ...level }) => {
      const before = stored(old)
      expect(diffJobs(before, stored(next), { contextual })).toStrictEqual(
        expected({ ...level, objects: contextual ? inContext : objects }),
      )
    })
  })
}
