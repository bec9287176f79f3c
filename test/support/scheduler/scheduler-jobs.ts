import type { Json } from '../../../state/kernel/json.ts'
import { decodeValue } from '../../../state/scheduler/decoding.ts'
import {
  type InputJob,
  type Job,
  jobShape,
  type TaskGroup,
} from '../../../state/scheduler/job/job-shape.ts'
import type {
  Migrate,
  ReschedulePolicy,
  RestartPolicy,
  Update,
} from '../../../state/scheduler/job/scheduling-shapes.ts'
import type { Task } from '../../../state/scheduler/job/task-shape.ts'

/**
 * Changes to a base value. Objects and maps are merged with those of the base value; lists, scalars
 * and null replace the values there. Items of lists may lack members, as in rows of older releases.
 */
export type Change<T> = T extends readonly (infer Item)[]
  ? readonly Change<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]?: Change<T[Name]> }
    : T

/** One second in nanoseconds, the unit of a job's durations. */
export const second = 1_000_000_000
export const minute = 60 * second
export const hour = 60 * minute

/** Defaults of a job type (behaviour/scheduler#canonical-form). */
interface Defaults {
  readonly restart: RestartPolicy
  readonly reschedule: ReschedulePolicy | null
  readonly migrate: Migrate | null
  readonly update: Update | null
}

/** Update block of a job whose type has no updates. */
export const disabledUpdate = {
  Stagger: 0,
  MaxParallel: 0,
  HealthCheck: '',
  MinHealthyTime: 0,
  HealthyDeadline: 0,
  ProgressDeadline: 0,
  AutoRevert: false,
  AutoPromote: false,
  Canary: 0,
} satisfies Update

export const serviceDefaults: Defaults = {
  restart: {
    Attempts: 2,
    Interval: 30 * minute,
    Delay: 15 * second,
    Mode: 'fail',
    RenderTemplates: false,
  },
  reschedule: {
    Attempts: 0,
    Interval: 0,
    Delay: 30 * second,
    DelayFunction: 'exponential',
    MaxDelay: hour,
    Unlimited: true,
  },
  migrate: {
    MaxParallel: 1,
    HealthCheck: 'checks',
    MinHealthyTime: 10 * second,
    HealthyDeadline: 5 * minute,
  },
  update: {
    Stagger: 30 * second,
    MaxParallel: 1,
    HealthCheck: 'checks',
    MinHealthyTime: 10 * second,
    HealthyDeadline: 5 * minute,
    ProgressDeadline: 10 * minute,
    AutoRevert: false,
    AutoPromote: false,
    Canary: 0,
  },
}

export const batchDefaults: Defaults = {
  restart: {
    Attempts: 3,
    Interval: 24 * hour,
    Delay: 15 * second,
    Mode: 'fail',
    RenderTemplates: false,
  },
  reschedule: {
    Attempts: 1,
    Interval: 24 * hour,
    Delay: 5 * second,
    DelayFunction: 'constant',
    MaxDelay: 0,
    Unlimited: false,
  },
  migrate: null,
  update: null,
}

/** Returns a task `redis` in canonical form, as in a service job. */
export function storedTask(change: Change<Task> = {}): Task {
  return merged(taskOf(serviceDefaults), change)
}

/** Returns a group `cache` with the task `redis` in canonical form, as in a service job. */
export function storedGroup(change: Change<TaskGroup> = {}): TaskGroup {
  return merged(groupOf(serviceDefaults), change)
}

/** Returns the group `cache` with its task `redis`, as in a batch job. */
export function storedBatchGroup(change: Change<TaskGroup> = {}): TaskGroup {
  return merged(groupOf(batchDefaults), change)
}

/**
 * Returns a complete job in canonical form (behaviour/scheduler#canonical-form), as after its first
 * registration. The service job `example` has version 0 and one group `cache`, with one task
 * `redis` for the driver docker.
 */
export function storedServiceJob(change: Change<Job> = {}): Job {
  const update = { ...disabledUpdate, Stagger: 30 * second, MaxParallel: 1 }
  return merged(jobOf('service', serviceDefaults, update), change)
}

/** Returns the job of `storedServiceJob` as a batch job. */
export function storedBatchJob(change: Change<Job> = {}): Job {
  return merged(jobOf('batch', batchDefaults, disabledUpdate), change)
}

function jobOf(type: string, defaults: Defaults, update: Update): Job {
  return {
    Region: 'global',
    Namespace: 'default',
    ID: 'example',
    ParentID: '',
    Name: 'example',
    Type: type,
    Priority: 50,
    AllAtOnce: false,
    Datacenters: ['*'],
    NodePool: 'default',
    Constraints: null,
    Affinities: null,
    Spreads: null,
    TaskGroups: [groupOf(defaults)],
    Update: update,
    Periodic: null,
    ParameterizedJob: null,
    Payload: null,
    Meta: null,
    Multiregion: null,
    Dispatched: false,
    Stable: false,
    Stop: false,
    Status: 'pending',
    StatusDescription: '',
    SecretsToken: '',
    SecretsNamespace: '',
    MeshToken: '',
    SchedTokenID: '',
    SubmitTime: 1_700_000_000_000_000_000,
    Version: 0,
    CreateIndex: 11,
    ModifyIndex: 11,
    JobModifyIndex: 11,
    MeshNamespace: '',
    DispatchIdempotencyToken: '',
    UI: null,
    VersionTag: null,
  }
}

function groupOf(defaults: Defaults): TaskGroup {
  return {
    Name: 'cache',
    Count: 1,
    Constraints: null,
    Affinities: null,
    Spreads: null,
    Meta: null,
    RestartPolicy: defaults.restart,
    ReschedulePolicy: defaults.reschedule,
    Migrate: defaults.migrate,
    Update: defaults.update,
    EphemeralDisk: { Sticky: false, SizeMB: 300, Migrate: false },
    Networks: null,
    Services: null,
    Tasks: [taskOf(defaults)],
    Volumes: null,
    Scaling: null,
    MaxClientDisconnect: null,
    StopAfterClientDisconnect: null,
    ShutdownDelay: null,
    PreventRescheduleOnLost: false,
    Disconnect: null,
    Mesh: { Namespace: '', Cluster: 'default', Partition: '' },
  }
}

function taskOf(defaults: Defaults): Task {
  return {
    Name: 'redis',
    Driver: 'docker',
    User: '',
    Config: { image: 'redis:7', ports: ['db'] },
    Env: null,
    Services: null,
    Secrets: null,
    Templates: null,
    Constraints: null,
    Affinities: null,
    Resources: {
      CPU: 100,
      MemoryMB: 300,
      DiskMB: 0,
      IOPS: 0,
      Devices: null,
      Networks: null,
      Cores: 0,
      MemoryMaxMB: 0,
      SecretsMB: 0,
      NUMA: null,
    },
    RestartPolicy: defaults.restart,
    DispatchPayload: null,
    Lifecycle: null,
    Meta: null,
    KillTimeout: 5 * second,
    KillSignal: '',
    Kind: '',
    Leader: false,
    LogConfig: { Disabled: false, MaxFiles: 10, MaxFileSizeMB: 10 },
    Artifacts: null,
    CSIPluginConfig: null,
    ScalingPolicies: null,
    ShutdownDelay: 0,
    VolumeMounts: null,
    Identity: {
      Name: 'default',
      Audience: ['schedproject.io'],
      ChangeMode: '',
      ChangeSignal: '',
      Env: false,
      File: false,
      Filepath: '',
      ServiceName: '',
      TTL: 0,
    },
    Identities: null,
    Actions: null,
    Schedule: null,
    Mesh: null,
  }
}

function merged<T>(base: T, change: Change<NoInfer<T>>): T
function merged(base: unknown, change: unknown): unknown {
  if (!isObject(base) || !isObject(change)) return change
  const changes = Object.entries(change).map(([name, value]) => [
    name,
    Object.hasOwn(base, name) ? merged(base[name], value) : value,
  ])
  return { ...base, ...Object.fromEntries(changes) }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a stored job in the form in which a client would register it again. */
export function asInput(job: Job): InputJob {
  const json: Json = JSON.parse(JSON.stringify(job))
  return decodeValue(json, jobShape)
}
