import { quoteGo } from '../../go/text.ts'
import type { Message } from '../../kernel/message.ts'
import { defineMessages, messageTexts } from '../../kernel/refusal.ts'
import type { Job, TaskGroup } from '../job/job-shape.ts'
import type { Task } from '../job/task-shape.ts'
import { combineErrors, failedChecks } from './errors.ts'

export const { table: warningMessages, message } = defineMessages(
  messageTexts({
    'job-source-too-long':
      'job source size of {size} exceeds maximum of {most} and will be discarded',
    'group-warns': 'Group {name} has warnings: {warnings}',
    'task-warns': 'Task {name} has warnings: {warnings}',
    'auto-promote-mixed': 'auto_promote must be true for all groups to enable automatic promotion',
    'update-parallel-above-count':
      'Update max parallel count is greater than task group count ({parallel} > {count}). A destructive change would result in the simultaneous replacement of all allocations.',
    'max-disconnect-deprecated':
      'MaxClientDisconnect will be deprecated favor of Disconnect.LostAfter',
    'stop-after-disconnect-deprecated':
      'StopAfterClientDisconnect will be deprecated favor of Disconnect.StopOnClientAfter',
    'prevent-reschedule-deprecated':
      'PreventRescheduleOnLost will be deprecated favor of Disconnect.Replace',
    'cron-deprecated':
      'cron is deprecated and may be removed in a future release. Use crons instead',
    'memory-max-ignored':
      'Memory oversubscription is not enabled; Task "{group}.{task}" memory_max value will be ignored. Update the Scheduler Configuration to allow oversubscription.',
    'mbits-deprecated':
      'mbits has been deprecated as of Sched 0.12.0. Please remove mbits from the network block',
    'iops-deprecated':
      'IOPS has been deprecated as of Sched 0.9.0. Please remove IOPS from resource block.',
    'task-networks-deprecated':
      'task network resources have been deprecated as of Sched 0.12.0. Please configure networking via group network block.',
  }),
)

/**
 * Formats warnings for the member `Warnings` of replies, which is empty without warnings
 * (behaviour/scheduler#warnings).
 * @param renderMessage formats a warning in the caller's dialect
 */
export function formatWarnings(
  warnings: readonly Message[],
  renderMessage: (warning: Message) => string,
): string {
  if (warnings.length === 0) return ''
  const count = warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`
  return `${count}:\n${warnings.map((warning) => `\n* ${renderMessage(warning).trim()}`).join('')}`
}

/** Returns the warning about a job source that is too large to store. Sizes are in bytes. */
export function oversizeWarning(size: number, maxSize: number): Message {
  return message('job-source-too-long', { size: humanBytes(size), most: humanBytes(maxSize) })
}

/**
 * Returns the warnings about a valid job (behaviour/scheduler#warnings).
 * @param oversubscribes true if tasks may use more memory than they reserve
 *   (behaviour/scheduler#operator)
 */
export function jobWarnings({ TaskGroups, Periodic }: Job, oversubscribes: boolean) {
  const groups = TaskGroups ?? []
  const updates = groups.flatMap(({ Update }) => (Update === null ? [] : [Update]))
  const someAutoPromote = updates.some(({ AutoPromote }) => AutoPromote)
  const allAutoPromote = updates.every(({ AutoPromote, Canary }) => AutoPromote || Canary === 0)
  return [
    ...groups.flatMap((group) =>
      combineErrors(groupWarnings(group), (warnings) =>
        message('group-warns', { name: quoteGo(group.Name), warnings }),
      ),
    ),
    ...failedChecks(
      someAutoPromote && !allAutoPromote && message('auto-promote-mixed'),
      (Periodic?.Spec ?? '') !== '' && message('cron-deprecated'),
    ),
    ...(oversubscribes ? [] : groups.flatMap(ignoredMemoryWarnings)),
  ]
}

/** Returns warnings about memory maximums, which have no effect if oversubscription is off. */
function ignoredMemoryWarnings({ Name: group, Tasks }: TaskGroup): readonly Message[] {
  return (Tasks ?? []).flatMap(({ Name: task, Resources }) =>
    failedChecks(
      (Resources?.MemoryMaxMB ?? 0) !== 0 && message('memory-max-ignored', { group, task }),
    ),
  )
}

function groupWarnings(group: TaskGroup): readonly Message[] {
  const { Count: count, Update, Networks, Tasks } = group
  const maxParallel = Update?.MaxParallel ?? 0
  return [
    ...failedChecks(
      count > 1 &&
        maxParallel > count &&
        message('update-parallel-above-count', { parallel: maxParallel, count }),
      group.MaxClientDisconnect !== null && message('max-disconnect-deprecated'),
      group.StopAfterClientDisconnect !== null && message('stop-after-disconnect-deprecated'),
      group.PreventRescheduleOnLost === true && message('prevent-reschedule-deprecated'),
      (Networks?.[0]?.MBits ?? 0) > 0 && message('mbits-deprecated'),
    ),
    ...(Tasks ?? []).flatMap((task) =>
      combineErrors(taskWarnings(task), (warnings) =>
        message('task-warns', { name: quoteGo(task.Name), warnings }),
      ),
    ),
  ]
}

function taskWarnings({ Resources }: Task): readonly Message[] {
  return failedChecks(
    (Resources?.IOPS ?? 0) !== 0 && message('iops-deprecated'),
    (Resources?.Networks ?? []).length > 0 && message('task-networks-deprecated'),
  )
}

const units = ['B', 'kB', 'MB', 'GB', 'TB']

/**
 * Formats a size as the reference does: in powers of 1000, with one decimal place for values below
 * ten, except for bytes.
 */
function humanBytes(size: number): string {
  if (size < 10) return `${size} B`
  const power = Math.min(Math.floor(Math.log10(size) / 3), units.length - 1)
  const value = Math.floor((size / 1000 ** power) * 10 + 0.5) / 10
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ${units[power] ?? 'B'}`
}
