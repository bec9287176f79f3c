import { any, exactInt, goList, goMap, int, nullable, text } from '../../../kernel/shape/kinds.ts'
import { neutralOnly, optional, struct, vendorNamed } from '../../../kernel/shape/members.ts'
import type { StoredOf } from '../../../kernel/shape/values.ts'
import { jobShape } from '../../job/job-shape.ts'
import { networkShape, resourcesShape } from '../../job/scheduling-shapes.ts'
import { lifecycleShape } from '../../job/task-parts.ts'
import { metricsShape } from './placement-shapes.ts'

const allocatedPortShape = struct(
  'AllocatedPortMapping',
  { Label: text, Value: exactInt, To: exactInt, HostIP: text },
  { sparse: true },
)

/** The resources of a node that an allocation occupies (behaviour/scheduler#nodes). */
const allocatedResourcesShape = struct('AllocatedResources', {
  Tasks: goMap(
    struct('AllocatedTaskResources', {
      Cpu: struct('AllocatedCpuResources', { CpuShares: exactInt, ReservedCores: goList(int) }),
      Memory: struct('AllocatedMemoryResources', { MemoryMB: exactInt, MemoryMaxMB: exactInt }),
      Networks: goList(networkShape),
      Devices: any,
    }),
  ),
  TaskLifecycles: goMap(nullable(lifecycleShape)),
  Shared: struct('AllocatedSharedResources', {
    DiskMB: exactInt,
    Networks: goList(networkShape),
    /** Reserved (static) ports first, then dynamic ports. */
    Ports: goList(allocatedPortShape),
  }),
})
export type AllocatedResources = StoredOf<typeof allocatedResourcesShape>

/** The network of an allocation as the client reports it. */
const networkStatusShape = struct('AllocNetworkStatus', {
  InterfaceName: text,
  Address: text,
  AddressIPv6: text,
  DNS: any,
})
export type NetworkStatus = StoredOf<typeof networkStatusShape>

/** An event in the history of a task (behaviour/scheduler#api-job). */
export const taskEventShape = struct('TaskEvent', {
  Type: text,
  /** Nanoseconds since 1970. */
  Time: int,
  FailsTask: { kind: 'bool' } as const,
  RestartReason: text,
  SetupError: text,
  DriverError: text,
  ExitCode: int,
  Signal: int,
  Message: text,
  /** Nanoseconds. */
  KillTimeout: exactInt,
  KillError: text,
  KillReason: text,
  /** Nanoseconds. */
  StartDelay: int,
  DownloadError: text,
  ValidationError: text,
  DiskLimit: int,
  FailedSibling: text,
  SecretsError: vendorNamed('VaultError', text),
  TaskSignalReason: text,
  TaskSignal: text,
  DriverMessage: text,
  GenericSource: optional(text),
  DisplayMessage: text,
  Details: goMap(text),
})
export type TaskEvent = StoredOf<typeof taskEventShape>

const taskStateShape = struct('TaskState', {
  State: text,
  Failed: { kind: 'bool' } as const,
  Restarts: int,
  /** RFC 3339 time; null until the task restarts. */
  LastRestart: nullable(text),
  StartedAt: nullable(text),
  FinishedAt: nullable(text),
  Events: goList(taskEventShape),
  TaskHandle: optional(any),
  Paused: optional(text),
})
export type TaskState = StoredOf<typeof taskStateShape>

const rescheduleEventShape = struct('RescheduleEvent', {
  PrevAllocID: text,
  PrevNodeID: text,
  /** Nanoseconds since 1970. */
  RescheduleTime: int,
  /** Nanoseconds. */
  Delay: int,
})
export type RescheduleEvent = StoredOf<typeof rescheduleEventShape>

const stubMembers = {
  ID: text,
  EvalID: text,
  Name: text,
  Namespace: text,
  NodeID: text,
  NodeName: text,
  PreviousAllocation: text,
  NextAllocation: text,
  RescheduleTracker: nullable(
    struct('RescheduleTracker', {
      Events: goList(rescheduleEventShape),
      /** `ok` or `no placement`, the result of the last attempt. */
      LastReschedule: optional(text),
    }),
  ),
  JobID: text,
  TaskGroup: text,
  DesiredStatus: text,
  DesiredDescription: text,
  DesiredTransition: struct('DesiredTransition', {
    Migrate: nullable({ kind: 'bool' } as const),
    Reschedule: nullable({ kind: 'bool' } as const),
    ForceReschedule: nullable({ kind: 'bool' } as const),
    NoShutdownDelay: optional(nullable({ kind: 'bool' } as const)),
  }),
  ClientStatus: text,
  ClientDescription: text,
  DeploymentStatus: nullable(
    struct('AllocDeploymentStatus', {
      Healthy: nullable({ kind: 'bool' } as const),
      /** RFC 3339 time; null until the health is known. */
      Timestamp: nullable(text),
      Canary: { kind: 'bool' } as const,
      ModifyIndex: int,
    }),
  ),
  TaskStates: goMap(taskStateShape),
  FollowupEvalID: text,
  PreemptedAllocations: goList(text),
  PreemptedByAllocation: text,
  CreateIndex: int,
  ModifyIndex: int,
  /** Nanoseconds since 1970. */
  CreateTime: int,
  ModifyTime: int,
} as const

/**
 * Type and version of the job, for rows and lists. A full allocation in a reply contains the job
 * itself.
 */
const jobMembers = { JobType: text, JobVersion: int } as const

/** An allocation in a list (behaviour/scheduler#api-job; behaviour/scheduler#jobs). */
export const allocationStubShape = struct('AllocListStub', {
  ...stubMembers,
  PreviousAllocation: neutralOnly(text),
  ...jobMembers,
  /** Present only if the request asks for resources. */
  AllocatedResources: optional(allocatedResourcesShape),
})

const fullMembers = {
  ...stubMembers,
  Job: nullable(jobShape),
  DeploymentID: text,
  AllocatedResources: allocatedResourcesShape,
  /** Null until the client reports the status. */
  NetworkStatus: nullable(networkStatusShape),
  Metrics: nullable(metricsShape),
  /**
   * Index of the creation or of the last update in place. Other changes set only `ModifyIndex`.
   */
  AllocModifyIndex: int,
  NodeTerminal: optional({ kind: 'bool' } as const),
} as const

export const allocationShape = struct('Allocation', { ...fullMembers, ...jobMembers })

/**
 * A full allocation in a reply. `Resources`, `SharedResources` and `TaskResources` repeat its
 * resources in the deprecated form (behaviour/scheduler#beyond). The vendor dialect omits empty
 * members (behaviour/scheduler#vendor-names).
 */
export const allocationViewShape = struct(
  'Allocation',
  {
    ...fullMembers,
    Resources: resourcesShape,
    SharedResources: resourcesShape,
    TaskResources: goMap(resourcesShape),
    /** ID of the key with which the identities of the tasks are signed. */
    SigningKeyID: text,
  },
  { sparse: true },
)
export type Allocation = StoredOf<typeof allocationShape>
export type AllocationView = StoredOf<typeof allocationViewShape>
export type AllocationStub = StoredOf<typeof allocationStubShape>
