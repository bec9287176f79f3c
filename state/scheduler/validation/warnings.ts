import { quoteGo } from '../../go/text.ts'
import type { Job, TaskGroup } from '../job/job-shape.ts'
import type { Task } from '../job/task-shape.ts'
import { failing, nested } from './errors.ts'

/**
 * What is dubious about a job that is accepted all the same, as the `Warnings` of replies
 * (3b-scheduler-decisions.md section 5).
 *
 * @param more warnings about the request rather than the job, such as `oversizeWarning`
 * @returns '' when there are none
 */
export function jobWarnings(job: Job, more: readonly string[] = []): string {
  const warnings = [...warningsOf(job), ...more]
  if (warnings.length === 0) return ''
  const count = warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`
  return `${count}:\n${warnings.map((warning) => `\n* ${warning.trim()}`).join('')}`
}

/** The warning about a job's source, with its variables, that is too long to be kept; in bytes. */
export function oversizeWarning(size: number, limit: number): string {
  return `job source size of ${humanBytes(size)} exceeds maximum of ${humanBytes(limit)} and will be discarded`
}

function warningsOf({ TaskGroups }: Job): readonly string[] {
  const groups = TaskGroups ?? []
  const updates = groups.flatMap(({ Update }) => (Update === null ? [] : [Update]))
  const someAutomatic = updates.some(({ AutoPromote }) => AutoPromote)
  const allAutomatic = updates.every(({ AutoPromote, Canary }) => AutoPromote || Canary === 0)
  return [
    ...groups.flatMap((group) =>
      nested(groupWarnings(group), `Group ${quoteGo(group.Name)} has warnings: `),
    ),
    ...failing([
      someAutomatic && !allAutomatic,
      'auto_promote must be true for all groups to enable automatic promotion',
    ]),
  ]
}

function groupWarnings({ Count, Update, Networks, Tasks }: TaskGroup): readonly string[] {
  const parallel = Update?.MaxParallel ?? 0
  return [
    ...failing(
      [
        Count > 1 && parallel > Count,
        `Update max parallel count is greater than task group count (${parallel} > ${Count}). A ` +
          'destructive change would result in the simultaneous replacement of all allocations.',
      ],
      [
        (Networks?.[0]?.MBits ?? 0) > 0,
        'mbits has been deprecated as of Sched 0.12.0. Please remove mbits from the network block',
      ],
    ),
    ...(Tasks ?? []).flatMap((task) =>
      nested(taskWarnings(task), `Task ${quoteGo(task.Name)} has warnings: `),
    ),
  ]
}

function taskWarnings({ Resources }: Task): readonly string[] {
  return failing(
    [
      (Resources?.IOPS ?? 0) !== 0,
      'IOPS has been deprecated as of Sched 0.9.0. Please remove IOPS from resource block.',
    ],
    [
      (Resources?.Networks ?? []).length > 0,
      'task network resources have been deprecated as of Sched 0.12.0. Please configure ' +
        'networking via group network block.',
    ],
  )
}

const units = ['B', 'kB', 'MB', 'GB', 'TB']

/** Bytes as the reference prints them: powers of 1000, one decimal below ten. */
function humanBytes(size: number): string {
  if (size < 10) return `${size} B`
  const power = Math.min(Math.floor(Math.log10(size) / 3), units.length - 1)
  const value = Math.floor((size / 1000 ** power) * 10 + 0.5) / 10
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ${units[power] ?? 'B'}`
}
