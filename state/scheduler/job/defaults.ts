import { HOUR, MINUTE, SECOND } from '../../go/duration.ts'
import type {
  EphemeralDisk,
  Migrate,
  ReschedulePolicy,
  RestartPolicy,
  Update,
} from './scheduling-shapes.ts'

/**
 * Defaults of the blocks of one type of job (behaviour/scheduler#canonical-form); null: no block.
 */
interface TypeDefaults {
  readonly restart: RestartPolicy
  readonly reschedule: ReschedulePolicy | null
  readonly migrate: Migrate | null
  readonly update: Update | null
}

/** Durations here are nanoseconds. */
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

/** The job's own Update once the groups have theirs, when there is nothing to say. */
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

export const defaultDisk: EphemeralDisk = { Sticky: false, SizeMB: 300, Migrate: false }

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

/** The policy from which a partly given one is filled where the type has no default of its own. */
export const zeroReschedule: ReschedulePolicy = {
  Attempts: 0,
  Interval: 0,
  Delay: 0,
  DelayFunction: '',
  MaxDelay: 0,
  Unlimited: false,
}

const byType: Readonly<Record<string, TypeDefaults>> = {
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

/** A type that does not exist, which validation will say: the reference takes batch's restarts. */
const unknownType: TypeDefaults = {
  restart: batchRestart,
  reschedule: zeroReschedule,
  migrate: null,
  update: null,
}

/** The column of behaviour/scheduler#canonical-form for a type of job. */
export function defaultsOf(type: string): TypeDefaults {
  return (Object.hasOwn(byType, type) ? byType[type] : undefined) ?? unknownType
}
