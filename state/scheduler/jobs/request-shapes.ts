import type { Message } from '../../kernel/message.ts'
import {
  bool,
  bytes,
  exactIntOf,
  exactUint,
  goList,
  goMap,
  int,
  nullable,
  text,
} from '../../kernel/shape/kinds.ts'
import { embedded, secret, struct } from '../../kernel/shape/members.ts'
import type { ParsedOf } from '../../kernel/shape/values.ts'
import { serverWriteRequestMembers } from '../body-addresses.ts'
import { jobShape } from '../job/job-shape.ts'
import { submissionShape } from '../records/shapes.ts'

/**
 * Members that state the region, the namespace and the token in the bodies of clients' write
 * requests. Registrations and plans use all of them, validations only the namespace. Scaling
 * requests ignore the values; only their types are checked.
 */
const writeRequestMembers = embedded('WriteRequest', {
  Region: text,
  Namespace: text,
  SecretID: secret(text),
})

type WithoutAddress<S> = Omit<
  ParsedOf<S>,
  keyof typeof writeRequestMembers | keyof typeof serverWriteRequestMembers
>

export const registerShape = struct('JobRegisterRequest', {
  Job: nullable(jobShape),
  Submission: nullable(submissionShape),
  EnforceIndex: bool,
  JobModifyIndex: exactUint,
  EvalPriority: int,
  PolicyOverride: bool,
  PreserveCounts: bool,
  ...writeRequestMembers,
})
export type RegisterRequest = ParsedOf<typeof registerShape>

/**
 * Reply to requests that write or evaluate a job. The HTTP layer adds the members about the read or
 * the commit.
 */
export interface RegisterReply {
  readonly EvalID: string
  readonly EvalCreateIndex: number
  readonly JobModifyIndex: number
  readonly Warnings: readonly Message[]
  readonly Index: number
}

/** Body of a request to revert a job (behaviour/scheduler#beyond). */
export const revertShape = struct('JobRevertRequest', {
  JobID: text,
  JobVersion: exactUint,
  EnforcePriorVersion: nullable(exactUint),
  ...serverWriteRequestMembers,
})
export type RevertRequest = WithoutAddress<typeof revertShape>

export const stableShape = struct('JobStabilityRequest', {
  JobID: text,
  JobVersion: exactUint,
  Stable: bool,
  ...serverWriteRequestMembers,
})
export type StableRequest = WithoutAddress<typeof stableShape>

export const evaluateShape = struct('JobEvaluateRequest', {
  JobID: text,
  EvalOptions: struct('EvalOptions', { ForceReschedule: bool }),
  ...serverWriteRequestMembers,
})
export type EvaluateRequest = WithoutAddress<typeof evaluateShape>

export const dispatchShape = struct('JobDispatchRequest', {
  JobID: text,
  Payload: bytes,
  Meta: goMap(text),
  IdPrefixTemplate: text,
  ...serverWriteRequestMembers,
})
export type DispatchRequest = WithoutAddress<typeof dispatchShape>

export const scaleShape = struct('ScalingRequest', {
  Count: nullable(exactIntOf({ bits: 64 })),
  Target: goMap(text),
  Message: text,
  Error: bool,
  Meta: goMap({ kind: 'any' } as const),
  ...writeRequestMembers,
  PolicyOverride: bool,
  JobModifyIndex: exactUint,
})
export type ScaleRequest = WithoutAddress<typeof scaleShape>

export const planShape = struct('JobPlanRequest', {
  Job: nullable(jobShape),
  Diff: bool,
  PolicyOverride: bool,
  ...writeRequestMembers,
})
export type PlanRequest = ParsedOf<typeof planShape>

export const validateShape = struct('JobValidateRequest', {
  Job: nullable(jobShape),
  ...writeRequestMembers,
})
export type ValidateRequest = ParsedOf<typeof validateShape>

export const statusesShape = struct('JobStatusesRequest', {
  Jobs: goList(struct('NamespacedID', { ID: text, Namespace: text })),
  IncludeChildren: bool,
})
