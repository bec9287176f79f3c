import { formatGoDuration } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import type { Message } from '../../kernel/message.ts'
import type { Migrate, Update } from '../job/scheduling-shapes.ts'
import { failedChecks } from './errors.ts'
import { message } from './scheduling-messages.ts'

/** Returns the errors of an update block (behaviour/scheduler#validation, update). */
export function updateErrors(update: Update): readonly Message[] {
  const { HealthCheck, MaxParallel, Canary, Stagger } = update
  const healthy = formatGoDuration(update.HealthyDeadline)
  const least = formatGoDuration(update.MinHealthyTime)
  const progress = formatGoDuration(update.ProgressDeadline)
  return failedChecks(
    !['checks', 'task_states', 'manual'].includes(HealthCheck) &&
      message('health-check-unknown', { check: quoteGo(HealthCheck) }),
    MaxParallel < 0 && message('max-parallel-negative', { value: MaxParallel }),
    Canary < 0 && message('canary-negative', { value: Canary }),
    Canary === 0 && update.AutoPromote && message('auto-promote-without-canary'),
    update.MinHealthyTime < 0 && message('healthy-time-negative', { least }),
    update.HealthyDeadline <= 0 && message('healthy-deadline-missing', { healthy }),
    update.ProgressDeadline < 0 && message('progress-deadline-negative', { progress }),
    update.MinHealthyTime >= update.HealthyDeadline &&
      message('healthy-time-beyond-deadline', { least, healthy }),
    update.ProgressDeadline !== 0 &&
      update.HealthyDeadline >= update.ProgressDeadline &&
      message('healthy-deadline-beyond-progress', { healthy, progress }),
    Stagger <= 0 && message('stagger-missing', { stagger: formatGoDuration(Stagger) }),
  )
}

/** Returns the errors of a migrate block. */
export function migrateErrors(migrate: Migrate): readonly Message[] {
  const { MaxParallel, HealthCheck, MinHealthyTime, HealthyDeadline } = migrate
  const isKnown = ['checks', 'task_states', ''].includes(HealthCheck)
  return failedChecks(
    MaxParallel < 0 && message('migrate-parallel-negative', { value: MaxParallel }),
    HealthCheck === '' && MaxParallel > 0 && message('migrate-health-check-missing'),
    !isKnown && message('migrate-health-check-unknown', { check: quoteGo(HealthCheck) }),
    MinHealthyTime < 0 &&
      message('migrate-healthy-time-negative', { value: formatGoDuration(MinHealthyTime) }),
    HealthyDeadline < 0 &&
      message('migrate-deadline-negative', { value: formatGoDuration(HealthyDeadline) }),
    MinHealthyTime > HealthyDeadline && message('migrate-healthy-time-beyond-deadline'),
  )
}
