import {
  bool,
  bytes,
  goList,
  goMap,
  int,
  intOf,
  nullable,
  text,
  uint,
} from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { Sent } from '../../kernel/shape/values.ts'
import type { Said } from '../../kernel/wording.ts'
import { jobShape } from '../job/job-shape.ts'
import { submissionShape } from '../records/shapes.ts'

/** The body of a registration (behaviour/scheduler#api-jobs). */
export const registerShape = struct('JobRegisterRequest', {
  Job: nullable(jobShape),
  Submission: nullable(submissionShape),
  EnforceIndex: bool,
  JobModifyIndex: uint,
  EvalPriority: int,
  PolicyOverride: bool,
  PreserveCounts: bool,
  Namespace: text,
  Region: text,
})
export type RegisterRequest = Sent<typeof registerShape>

/** The answer to writes about a job; the HTTP layer adds its own members (behaviour/scheduler#jobs). */
export interface RegisterReply {
  readonly EvalID: string
  readonly EvalCreateIndex: number
  readonly JobModifyIndex: number
  readonly Warnings: readonly Said[]
  readonly Index: number
}

/** Bodies of the actions on jobs (behaviour/scheduler#beyond). */

export const revertShape = struct('JobRevertRequest', {
  JobID: text,
  JobVersion: uint,
  EnforcePriorVersion: nullable(uint),
})
export type RevertRequest = Sent<typeof revertShape>

export const stableShape = struct('JobStabilityRequest', {
  JobID: text,
  JobVersion: uint,
  Stable: bool,
})
export type StableRequest = Sent<typeof stableShape>

export const evaluateShape = struct('JobEvaluateRequest', {
  JobID: text,
  EvalOptions: struct('EvalOptions', { ForceReschedule: bool }),
})
export type EvaluateRequest = Sent<typeof evaluateShape>

export const dispatchShape = struct('JobDispatchRequest', {
  JobID: text,
  Payload: bytes,
  Meta: goMap(text),
  IdPrefixTemplate: text,
  Priority: int,
})
export type DispatchRequest = Sent<typeof dispatchShape>

export const scaleShape = struct('ScalingRequest', {
  Count: nullable(intOf({ bits: 64 })),
  Target: goMap(text),
  Message: text,
  Error: bool,
  Meta: goMap({ kind: 'any' } as const),
  PolicyOverride: bool,
  JobModifyIndex: uint,
})
export type ScaleRequest = Sent<typeof scaleShape>

export const planShape = struct('JobPlanRequest', {
  Job: nullable(jobShape),
  Diff: bool,
  PolicyOverride: bool,
  Namespace: text,
  Region: text,
})
export type PlanRequest = Sent<typeof planShape>

export const validateShape = struct('JobValidateRequest', {
  Job: nullable(jobShape),
  Namespace: text,
  Region: text,
})
export type ValidateRequest = Sent<typeof validateShape>

export const statusesShape = struct('JobStatusesRequest', {
  Jobs: goList(struct('NamespacedID', { ID: text, Namespace: text })),
  IncludeChildren: bool,
})
