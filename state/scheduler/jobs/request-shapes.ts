import { jobShape } from '../job/job-shape.ts'
import {
  bool,
  bytes,
  int,
  list,
  map,
  pointer,
  type Sent,
  struct,
  text,
  uint,
} from '../shape/kinds.ts'

/** Bodies of the actions on jobs (3b-scheduler-decisions.md section 10). */

export const revertShape = struct('JobRevertRequest', {
  JobID: text,
  JobVersion: uint,
  EnforcePriorVersion: pointer(uint),
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
  Meta: map(text),
  IdPrefixTemplate: text,
  Priority: int,
})
export type DispatchRequest = Sent<typeof dispatchShape>

export const scaleShape = struct('ScalingRequest', {
  Count: pointer(int),
  Target: map(text),
  Message: text,
  Error: bool,
  Meta: map({ kind: 'any' } as const),
})
export type ScaleRequest = Sent<typeof scaleShape>

export const planShape = struct('JobPlanRequest', {
  Job: pointer(jobShape),
  Diff: bool,
  PolicyOverride: bool,
  Namespace: text,
  Region: text,
})
export type PlanRequest = Sent<typeof planShape>

export const validateShape = struct('JobValidateRequest', {
  Job: pointer(jobShape),
  Namespace: text,
  Region: text,
})
export type ValidateRequest = Sent<typeof validateShape>

export const statusesShape = struct('JobStatusesRequest', {
  Jobs: list(struct('NamespacedID', { ID: text, Namespace: text })),
  IncludeChildren: bool,
})
