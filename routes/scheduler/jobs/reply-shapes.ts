import {
  any,
  bool,
  goList,
  goMap,
  int,
  nullable,
  text,
  uint,
} from '../../../state/kernel/shape/kinds.ts'
import { optional, struct } from '../../../state/kernel/shape/members.ts'
import {
  annotationsShape,
  metricsShape,
} from '../../../state/scheduler/cluster/model/placement-shapes.ts'
import { jobDiffShape } from '../../../state/scheduler/diff/shapes.ts'
import { jobShape } from '../../../state/scheduler/job/job-shape.ts'
import { scalingEventShape, summaryShape } from '../../../state/scheduler/records/shapes.ts'
import type { SchedulerContext } from '../operation.ts'

/** Members, shared by many replies, that describe the read or the commit. */
export const queryMeta = {
  Index: uint,
  LastContact: int,
  KnownLeader: bool,
  NextToken: optional(text),
} as const

/**
 * Returns the values of `queryMeta` except `Index`. `LastContact` is always 0, because reads are
 * never stale.
 */
export function queryMetaOf({ dialect }: SchedulerContext, KnownLeader: boolean) {
  // As in the reference, bodies with this metadata contain an empty NextToken. Only the vendor
  // dialect has this member.
  return { LastContact: 0, KnownLeader, ...(dialect.isVendor ? { NextToken: '' } : {}) }
}

/** Reply to registering, evaluating, reverting and scaling a job (behaviour/scheduler#api-job). */
export const registerReplyShape = struct('JobRegisterResponse', {
  EvalID: text,
  EvalCreateIndex: uint,
  JobModifyIndex: uint,
  Warnings: text,
  ...queryMeta,
})

/** Reply to stopping a job (behaviour/scheduler#beyond). */
export const stopReplyShape = struct('JobDeregisterResponse', {
  EvalID: text,
  EvalCreateIndex: uint,
  JobModifyIndex: uint,
  /**
   * Volumes need no evaluation in this edition, so this member is empty and `VolumeEvalIndex` is 0.
   */
  VolumeEvalID: text,
  VolumeEvalIndex: uint,
  ...queryMeta,
})

/** Reply with the versions of a job (behaviour/scheduler#api-job). */
export const versionsReplyShape = struct('JobVersionsResponse', {
  Diffs: goList(jobDiffShape),
  Versions: goList(jobShape),
  ...queryMeta,
})

export const tagReplyShape = struct('JobTagResponse', {
  Name: text,
  Description: text,
  /** Instant at which the tag was set, in nanoseconds since 1970. */
  TaggedTime: int,
  ...queryMeta,
})

/** Summary of a job in lists (behaviour/scheduler#api-job). */
export const jobStubShape = struct('JobListStub', {
  ID: text,
  ParentID: text,
  Name: text,
  Namespace: text,
  Datacenters: goList(text),
  NodePool: text,
  Multiregion: jobShape.fields.Multiregion,
  Type: text,
  Priority: int,
  Periodic: bool,
  ParameterizedJob: bool,
  Stop: bool,
  Status: text,
  StatusDescription: text,
  JobSummary: nullable(summaryShape),
  CreateIndex: uint,
  ModifyIndex: uint,
  JobModifyIndex: uint,
  SubmitTime: int,
  Meta: optional(goMap(text)),
})

/** Reply to a plan request (behaviour/scheduler#plan). */
export const planReplyShape = struct('JobPlanResponse', {
  Annotations: nullable(annotationsShape),
  CreatedEvals: goList(any),
  Diff: nullable(jobDiffShape),
  FailedTGAllocs: goMap(metricsShape),
  JobModifyIndex: uint,
  /** RFC 3339 timestamp; null if the job has no next launch. */
  NextPeriodicLaunch: nullable(text),
  Warnings: text,
  Index: uint,
})

export const validateReplyShape = struct('JobValidateResponse', {
  DriverConfigValidated: bool,
  ValidationErrors: goList(text),
  Error: text,
  Warnings: text,
})

export const dispatchReplyShape = struct('JobDispatchResponse', {
  DispatchedJobID: text,
  EvalID: text,
  EvalCreateIndex: uint,
  JobCreateIndex: uint,
  Index: uint,
})

/** Reply to forcing a periodic launch. */
export const forceReplyShape = struct('PeriodicForceResponse', {
  EvalID: text,
  EvalCreateIndex: uint,
  Index: uint,
})

export const indexReplyShape = struct('WriteMeta', { Index: uint })

/** Desired and actual counts of a job's groups. */
export const scaleStatusShape = struct('JobScaleStatus', {
  JobID: text,
  Namespace: text,
  JobCreateIndex: uint,
  JobModifyIndex: uint,
  JobStopped: bool,
  TaskGroups: goMap(
    struct('TaskGroupScaleStatus', {
      Desired: int,
      Placed: int,
      Running: int,
      Healthy: int,
      Unhealthy: int,
      Events: goList(scalingEventShape),
    }),
  ),
})

/** A job with the state of its allocations. */
export const jobStatusShape = struct('JobStatusesJob', {
  ID: text,
  Namespace: text,
  Name: text,
  Type: text,
  NodePool: text,
  Datacenters: goList(text),
  Priority: int,
  Version: uint,
  SubmitTime: int,
  ModifyIndex: uint,
  Allocs: goList(
    struct('JobStatusesAlloc', {
      ID: text,
      Group: text,
      ClientStatus: text,
      NodeID: text,
      DeploymentStatus: any,
      JobVersion: uint,
      FollowupEvalID: text,
      HasPausedTask: bool,
    }),
  ),
  GroupCountSum: int,
  ChildStatuses: goList(text),
  ParentID: text,
  LatestDeployment: any,
  Stop: bool,
  IsPack: bool,
  Status: text,
})
