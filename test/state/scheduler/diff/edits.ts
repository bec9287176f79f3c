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

/** An edit of a job, group or task, and its expected diff. */
interface Edit<T> {
  readonly title: string
  /** Change of the sample before the edit. */
  readonly old?: Change<T>
  readonly next: Change<T>
  /** Expected type of the edited job, group or task; `Edited` by default. */
  readonly type?: string
  readonly fields?: readonly FieldDiff[]
  readonly objects?: readonly ObjectDiff[]
  /** Expected objects if unchanged fields are included, in case the list differs from `objects`. */
  readonly inContext?: readonly ObjectDiff[]
}

/**
 * Checks each edit twice: with changed fields only, and with all fields of changed objects, as
 * lists of versions show them.
 */
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
