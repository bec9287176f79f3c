import { formatGoDuration } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import type { Migrate, Update } from '../job/scheduling-shapes.ts'
import { failing } from './errors.ts'

/** What is wrong with a group's update (3b-scheduler-decisions.md section 5, update). */
export function updateErrors(update: Update): readonly string[] {
  const { HealthCheck, MaxParallel, Canary, Stagger } = update
  const healthy = formatGoDuration(update.HealthyDeadline)
  const least = formatGoDuration(update.MinHealthyTime)
  const progress = formatGoDuration(update.ProgressDeadline)
  return failing(
    [
      !['checks', 'task_states', 'manual'].includes(HealthCheck),
      `Invalid health check given: ${quoteGo(HealthCheck)}`,
    ],
    [MaxParallel < 0, `Max parallel can not be less than zero: ${MaxParallel} < 0`],
    [Canary < 0, `Canary count can not be less than zero: ${Canary} < 0`],
    [Canary === 0 && update.AutoPromote, 'Auto Promote requires a Canary count greater than zero'],
    [update.MinHealthyTime < 0, `Minimum healthy time may not be less than zero: ${least}`],
    [update.HealthyDeadline <= 0, `Healthy deadline must be greater than zero: ${healthy}`],
    [update.ProgressDeadline < 0, `Progress deadline must be zero or greater: ${progress}`],
    [
      update.MinHealthyTime >= update.HealthyDeadline,
      `Minimum healthy time must be less than healthy deadline: ${least} > ${healthy}`,
    ],
    [
      update.ProgressDeadline !== 0 && update.HealthyDeadline >= update.ProgressDeadline,
      `Healthy deadline must be less than progress deadline: ${healthy} > ${progress}`,
    ],
    [Stagger <= 0, `Stagger must be greater than zero: ${formatGoDuration(Stagger)}`],
  )
}

/** What is wrong with how a group leaves a drained node. */
export function migrateErrors(migrate: Migrate): readonly string[] {
  const { MaxParallel, HealthCheck, MinHealthyTime, HealthyDeadline } = migrate
  const isKnown = ['checks', 'task_states', ''].includes(HealthCheck)
  return failing(
    [MaxParallel < 0, `MaxParallel must be >= 0 but found ${MaxParallel}`],
    [HealthCheck === '' && MaxParallel > 0, 'Missing HealthCheck'],
    [!isKnown, `Invalid HealthCheck: ${quoteGo(HealthCheck)}`],
    [MinHealthyTime < 0, `MinHealthyTime is ${formatGoDuration(MinHealthyTime)} and must be >= 0`],
    [
      HealthyDeadline < 0,
      `HealthyDeadline is ${formatGoDuration(HealthyDeadline)} and must be >= 0`,
    ],
    [MinHealthyTime > HealthyDeadline, 'MinHealthyTime must be less than HealthyDeadline'],
  )
}
