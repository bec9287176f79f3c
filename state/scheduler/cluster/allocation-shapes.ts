import { jobShape } from '../job/job-shape.ts'
import {
  called,
  echoed,
  int,
  list,
  map,
  pointer,
  type Stored,
  struct,
  text,
} from '../shape/kinds.ts'
import { metricsShape } from './placement-shapes.ts'

/** One thing that happened to a task (3-mesh-and-scheduler.md, Resources B, Task event). */
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
  KillTimeout: int,
  KillError: text,
  KillReason: text,
  /** Nanoseconds. */
  StartDelay: int,
  DownloadError: text,
  ValidationError: text,
  DiskLimit: int,
  FailedSibling: text,
  SecretsError: called('VaultError', text),
  TaskSignalReason: text,
  TaskSignal: text,
  DriverMessage: text,
  DisplayMessage: text,
  Details: map(text),
})
export type TaskEvent = Stored<typeof taskEventShape>

/** How a task of an allocation fares. */
export const taskStateShape = struct('TaskState', {
  State: text,
  Failed: { kind: 'bool' } as const,
  Restarts: int,
  /** RFC 3339. */
  LastRestart: text,
  StartedAt: text,
  FinishedAt: text,
  Events: list(taskEventShape),
})
export type TaskState = Stored<typeof taskStateShape>

const rescheduleEventShape = struct('RescheduleEvent', {
  PrevAllocID: text,
  PrevNodeID: text,
  /** Nanoseconds since 1970. */
  RescheduleTime: int,
  /** Nanoseconds. */
  Delay: int,
})
export type RescheduleEvent = Stored<typeof rescheduleEventShape>

const stubMembers = {
  ID: text,
  EvalID: text,
  Name: text,
  Namespace: text,
  NodeID: text,
  NodeName: text,
  PreviousAllocation: text,
  NextAllocation: text,
  RescheduleTracker: pointer(struct('RescheduleTracker', { Events: list(rescheduleEventShape) })),
  JobID: text,
  JobType: text,
  JobVersion: int,
  TaskGroup: text,
  DesiredStatus: text,
  DesiredDescription: text,
  DesiredTransition: struct('DesiredTransition', {
    Migrate: pointer({ kind: 'bool' } as const),
    Reschedule: pointer({ kind: 'bool' } as const),
    ForceReschedule: pointer({ kind: 'bool' } as const),
  }),
  ClientStatus: text,
  ClientDescription: text,
  DeploymentStatus: pointer(
    struct('AllocDeploymentStatus', {
      Healthy: pointer({ kind: 'bool' } as const),
      /** RFC 3339. */
      Timestamp: text,
      Canary: { kind: 'bool' } as const,
      ModifyIndex: int,
    }),
  ),
  TaskStates: map(taskStateShape),
  FollowupEvalID: text,
  PreemptedAllocations: list(text),
  PreemptedByAllocation: text,
  CreateIndex: int,
  ModifyIndex: int,
  /** Nanoseconds since 1970. */
  CreateTime: int,
  ModifyTime: int,
} as const

/** An allocation in lists (3-mesh-and-scheduler.md, Resources B; 3b-scheduler-decisions.md section 2). */
export const allocationStubShape = struct('AllocListStub', stubMembers)

/** An allocation in full (section 10). */
export const allocationShape = struct('Allocation', {
  ...stubMembers,
  Job: pointer(jobShape),
  DeploymentID: text,
  AllocatedResources: { kind: 'any' } as const,
  /** The sums of what its tasks ask for, as older clients add them up. */
  Resources: pointer(struct('AllocResources', { CPU: int, MemoryMB: int, DiskMB: int, IOPS: int })),
  Metrics: pointer(metricsShape),
  /** The index of what clients report does not move ModifyIndex's twin. */
  AllocModifyIndex: int,
  NodeTerminal: echoed({ kind: 'bool' } as const),
})
export type Allocation = Stored<typeof allocationShape>
export type AllocationStub = Stored<typeof allocationStubShape>
