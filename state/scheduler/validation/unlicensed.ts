import type { Message } from '../../kernel/message.ts'
import { defineMessages, messageTexts } from '../../kernel/refusal.ts'
import type { Job } from '../job/job-shape.ts'
import { failedChecks } from './errors.ts'

/** Messages about features of the enterprise edition (behaviour/scheduler#validation). */
export const { table: unlicensedMessages, message } = defineMessages(
  messageTexts({
    'multiregion-unlicensed': 'Multiregion jobs are unlicensed.',
    'schedule-unlicensed': 'task schedules requires Sched Enterprise',
  }),
)

/**
 * Returns an error if a job names regions, because only the enterprise edition supports several
 * regions.
 */
export function multiregionErrors({ Multiregion }: Job): readonly Message[] {
  const regions = Multiregion?.Regions ?? []
  return failedChecks(regions.length > 0 && message('multiregion-unlicensed'))
}

/**
 * Returns an error if a task has a schedule, because only the enterprise edition supports
 * schedules.
 */
export function scheduleErrors({ TaskGroups }: Job): readonly Message[] {
  const tasks = (TaskGroups ?? []).flatMap(({ Tasks }) => Tasks ?? [])
  return failedChecks(
    tasks.some(({ Schedule }) => Schedule != null) && message('schedule-unlicensed'),
  )
}
