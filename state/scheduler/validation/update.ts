import { formatGoDuration } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import type { Said } from '../../kernel/wording.ts'
import type { Migrate, Update } from '../job/scheduling-shapes.ts'
import { failing } from './errors.ts'
import { say } from './scheduling-texts.ts'

/** Finds what is wrong with a group's update (behaviour/scheduler#validation, update). */
export function updateErrors(update: Update): readonly Said[] {
  const { HealthCheck, MaxParallel, Canary, Stagger } = update
  const healthy = formatGoDuration(update.HealthyDeadline)
  const least = formatGoDuration(update.MinHealthyTime)
  const progress = formatGoDuration(update.ProgressDeadline)
  return failing(
    !['checks', 'task_states', 'manual'].includes(HealthCheck) &&
      say('health-check-unknown', { check: quoteGo(HealthCheck) }),
    MaxParallel < 0 && say('max-parallel-negative', { value: MaxParallel }),
    Canary < 0 && say('canary-negative', { value: Canary }),
    Canary === 0 && update.AutoPromote && say('auto-promote-without-canary'),
    update.MinHealthyTime < 0 && say('healthy-time-negative', { least }),
    update.HealthyDeadline <= 0 && say('healthy-deadline-missing', { healthy }),
    update.ProgressDeadline < 0 && say('progress-deadline-negative', { progress }),
    update.MinHealthyTime >= update.HealthyDeadline &&
      say('healthy-time-beyond-deadline', { least, healthy }),
    update.ProgressDeadline !== 0 &&
      update.HealthyDeadline >= update.ProgressDeadline &&
      say('healthy-deadline-beyond-progress', { healthy, progress }),
    Stagger <= 0 && say('stagger-missing', { stagger: formatGoDuration(Stagger) }),
  )
}

/** Finds what is wrong with how a group leaves a drained node. */
export function migrateErrors(migrate: Migrate): readonly Said[] {
  const { MaxParallel, HealthCheck, MinHealthyTime, HealthyDeadline } = migrate
  const isKnown = ['checks', 'task_states', ''].includes(HealthCheck)
  return failing(
    MaxParallel < 0 && say('migrate-parallel-negative', { value: MaxParallel }),
    HealthCheck === '' && MaxParallel > 0 && say('migrate-health-check-missing'),
    !isKnown && say('migrate-health-check-unknown', { check: quoteGo(HealthCheck) }),
    MinHealthyTime < 0 &&
      say('migrate-healthy-time-negative', { value: formatGoDuration(MinHealthyTime) }),
    HealthyDeadline < 0 &&
      say('migrate-deadline-negative', { value: formatGoDuration(HealthyDeadline) }),
    MinHealthyTime > HealthyDeadline && say('migrate-healthy-time-beyond-deadline'),
  )
}
