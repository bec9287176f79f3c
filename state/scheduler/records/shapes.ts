import {
  any,
  bool,
  exactInt,
  goList,
  goMap,
  int,
  nullable,
  text,
  uint,
} from '../../kernel/shape/kinds.ts'
import { optional, struct, vendorNamed } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'

export const groupCountersShape = struct('TaskGroupSummary', {
  Queued: int,
  Complete: int,
  Failed: int,
  Running: int,
  Starting: int,
  Lost: int,
  Unknown: int,
})

/**
 * Counters of a job's allocations and children (behaviour/scheduler#api-job;
 * behaviour/scheduler#summary).
 */
export const summaryShape = struct('JobSummary', {
  JobID: text,
  Namespace: text,
  Summary: goMap(groupCountersShape),
  Children: nullable(struct('JobChildrenSummary', { Pending: int, Running: int, Dead: int })),
  CreateIndex: uint,
  ModifyIndex: uint,
})
export type GroupCounters = StoredOf<typeof groupCountersShape>
export type JobSummary = StoredOf<typeof summaryShape>

/** The source of a job's version, as the client sent it (behaviour/scheduler#api-job). */
export const submissionShape = struct('JobSubmission', {
  Format: text,
  JobIndex: vendorNamed('JobModifyIndex', uint),
  JobID: text,
  Namespace: text,
  Source: text,
  VariableFlags: goMap(text),
  Variables: text,
  Version: uint,
})
export type Submission = StoredOf<typeof submissionShape>

/** A change of a group's count, or a message about the count (behaviour/scheduler#scale). */
export const scalingEventShape = struct('ScalingEvent', {
  Time: uint,
  PreviousCount: exactInt,
  Count: nullable(exactInt),
  Error: bool,
  Message: text,
  Meta: goMap(any),
  EvalID: nullable(text),
  CreateIndex: uint,
})
export type ScalingEvent = StoredOf<typeof scalingEventShape>

/** A group's scaling block with an ID (behaviour/scheduler#deployments). */
export const scalingPolicyShape = struct('ScalingPolicy', {
  ID: text,
  Type: text,
  Target: goMap(text),
  Policy: goMap(any),
  Min: exactInt,
  Max: exactInt,
  Enabled: bool,
  CreateIndex: uint,
  ModifyIndex: uint,
})
export type ScalingPolicy = StoredOf<typeof scalingPolicyShape>

/** The scaling events of a job by group, newest first. */
export const scalingEventsShape = struct('JobScalingEvents', {
  Namespace: text,
  JobID: text,
  ScalingEvents: goMap(goList(scalingEventShape)),
  ModifyIndex: uint,
  Note: optional(text),
})
export type ScalingEvents = StoredOf<typeof scalingEventsShape>
