import { HOUR, MINUTE, SECOND } from '../../go/duration.ts'
import type { Migrate, ReschedulePolicy, RestartPolicy, Update } from './scheduling-shapes.ts'

/**
 * Defaults for one type of job (behaviour/scheduler#canonical-form). Null means that the block is
 * left out.
 */
interface TypeDefaults {
  readonly restart: RestartPolicy
  readonly reschedule: ReschedulePolicy | null
  readonly migrate: Migrate | null
  readonly update: Update | null
}

/** Defaults of an Update block. All durations in this file are nanoseconds. */
export const defaultUpdate: Update = {
  Stagger: 30 * SECOND,
  MaxParallel: 1,
  HealthCheck: 'checks',
  MinHealthyTime: 10 * SECOND,
  HealthyDeadline: 5 * MINUTE,
  ProgressDeadline: 10 * MINUTE,
  AutoRevert: false,
  AutoPromote: false,
  Canary: 0,
}

/**
 * Update block in which all members have zero values. A stored job has this block if the job sets
 * no Update block or no positive MaxParallel.
 */
export const zeroUpdate: Update = {
  Stagger: 0,
  MaxParallel: 0,
  HealthCheck: '',
  MinHealthyTime: 0,
  HealthyDeadline: 0,
  ProgressDeadline: 0,
  AutoRevert: false,
  AutoPromote: false,
  Canary: 0,
}

export const defaultMigrate: Migrate = {
  MaxParallel: 1,
  HealthCheck: 'checks',
  MinHealthyTime: 10 * SECOND,
  HealthyDeadline: 5 * MINUTE,
}

const serviceRestart: RestartPolicy = {
  Attempts: 2,
  Interval: 30 * MINUTE,
  Delay: 15 * SECOND,
  Mode: 'fail',
}

const batchRestart: RestartPolicy = {
  Attempts: 3,
  Interval: 24 * HOUR,
  Delay: 15 * SECOND,
  Mode: 'fail',
}

/** Values that complete a partial policy if the type of the job has no default policy. */
export const zeroReschedule: ReschedulePolicy = {
  Attempts: 0,
  Interval: 0,
  Delay: 0,
  DelayFunction: '',
  MaxDelay: 0,
  Unlimited: false,
}

const defaultsByType: Readonly<Record<string, TypeDefaults>> = {
  service: {
    restart: serviceRestart,
    reschedule: {
      ...zeroReschedule,
      Delay: 30 * SECOND,
      DelayFunction: 'exponential',
      MaxDelay: HOUR,
      Unlimited: true,
    },
    migrate: defaultMigrate,
    update: defaultUpdate,
  },
  system: { restart: serviceRestart, reschedule: null, migrate: null, update: null },
  batch: {
    restart: batchRestart,
    reschedule: {
      ...zeroReschedule,
      Attempts: 1,
      Interval: 24 * HOUR,
      Delay: 5 * SECOND,
      DelayFunction: 'constant',
    },
    migrate: null,
    update: null,
  },
  sysbatch: { restart: batchRestart, reschedule: zeroReschedule, migrate: null, update: null },
}

/**
 * Defaults for an unknown type, which validation refuses later. As in the reference, the restart
 * policy is that of batch jobs.
 */
const defaultsOfUnknownType: TypeDefaults = {
  restart: batchRestart,
  reschedule: zeroReschedule,
  migrate: null,
  update: null,
}

/**
 * Returns the defaults for a type of job (behaviour/scheduler#canonical-form), or
 * `defaultsOfUnknownType` for an unknown type.
 */
export function defaultsOf(type: string): TypeDefaults {
  return (
    (Object.hasOwn(defaultsByType, type) ? defaultsByType[type] : undefined) ??
    defaultsOfUnknownType
  )
}
