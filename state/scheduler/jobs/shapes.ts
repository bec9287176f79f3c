import { goList, goMap, int, nullable, text, uint } from '../../kernel/shape/kinds.ts'
import { called, optional, struct } from '../../kernel/shape/members.ts'
import type { Sent, Stored } from '../../kernel/shape/values.ts'
import type { Said } from '../../kernel/wording.ts'
import { jobShape } from '../job/job-shape.ts'

const groupCounters = struct('TaskGroupSummary', {
  Queued: int,
  Complete: int,
  Failed: int,
  Running: int,
  Starting: int,
  Lost: int,
  Unknown: int,
})

/** Counters of a job (3-mesh-and-scheduler.md, Resources B; 3b-scheduler-decisions.md section 7). */
export const summaryShape = struct('JobSummary', {
  JobID: text,
  Namespace: text,
  Summary: goMap(groupCounters),
  Children: nullable(struct('JobChildrenSummary', { Pending: int, Running: int, Dead: int })),
  CreateIndex: uint,
  ModifyIndex: uint,
})
export type GroupCounters = Stored<typeof groupCounters>
export type JobSummary = Stored<typeof summaryShape>

/** The source of a job's version as it was sent (3-mesh-and-scheduler.md, Resources B). */
export const submissionShape = struct('JobSubmission', {
  Format: text,
  JobIndex: called('JobModifyIndex', uint),
  JobID: text,
  Namespace: text,
  Source: text,
  VariableFlags: goMap(text),
  Variables: text,
  Version: uint,
})
export type Submission = Stored<typeof submissionShape>

/** The body of a registration (3-mesh-and-scheduler.md, Endpoints B). */
export const registerShape = struct('JobRegisterRequest', {
  Job: nullable(jobShape),
  Submission: nullable(submissionShape),
  EnforceIndex: { kind: 'bool' } as const,
  JobModifyIndex: uint,
  EvalPriority: int,
  PolicyOverride: { kind: 'bool' } as const,
  PreserveCounts: { kind: 'bool' } as const,
  Namespace: text,
  Region: text,
})
export type RegisterRequest = Sent<typeof registerShape>

/** What writes about a job answer; the HTTP layer adds its own members (section 2). */
export interface RegisterReply {
  readonly EvalID: string
  readonly EvalCreateIndex: number
  readonly JobModifyIndex: number
  readonly Warnings: readonly Said[]
  readonly Index: number
}

/** A change of a group's count (section 10, scale). */
export const scalingEventShape = struct('ScalingEvent', {
  Time: uint,
  PreviousCount: int,
  Count: nullable(int),
  Error: { kind: 'bool' } as const,
  Message: text,
  Meta: goMap({ kind: 'any' } as const),
  EvalID: nullable(text),
  CreateIndex: uint,
})
export type ScalingEvent = Stored<typeof scalingEventShape>

/** A job's scaling events by group, newest first. */
export const scalingEventsShape = struct('JobScalingEvents', {
  Namespace: text,
  JobID: text,
  ScalingEvents: goMap(goList(scalingEventShape)),
  ModifyIndex: uint,
  Note: optional(text),
})
export type ScalingEvents = Stored<typeof scalingEventsShape>
