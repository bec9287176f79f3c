import { exactInt, goList, goMap, int, list, nullable, text } from '../../../kernel/shape/kinds.ts'
import { optional, struct } from '../../../kernel/shape/members.ts'
import type { StoredOf } from '../../../kernel/shape/values.ts'
import { nodeReference } from '../../vendor-names.ts'

/**
 * Result of the search for a node: the number of nodes that were considered, and the reasons for
 * which nodes were excluded (behaviour/scheduler#placement-metrics).
 */
export const metricsShape = struct('AllocMetric', {
  NodesEvaluated: int,
  NodesFiltered: int,
  NodesInPool: int,
  /** Present only in imported rows. */
  NodePool: optional(text),
  NodesAvailable: goMap(int),
  ClassFiltered: goMap(int),
  ConstraintFiltered: goMap(int, nodeReference),
  NodesExhausted: int,
  ClassExhausted: goMap(int),
  DimensionExhausted: goMap(int),
  QuotaExhausted: goList(text),
  ResourcesExhausted: goMap({ kind: 'any' } as const),
  Scores: goMap({ kind: 'float' } as const),
  ScoreMetaData: { kind: 'any' } as const,
  AllocationTime: int,
  CoalescedFailures: int,
})
export type PlacementMetrics = StoredOf<typeof metricsShape>

/**
 * Numbers of allocations of a group, by the kind of change that an evaluation makes
 * (behaviour/scheduler#plan).
 */
export const desiredUpdatesShape = struct('DesiredUpdates', {
  Ignore: int,
  Place: int,
  Migrate: int,
  Stop: int,
  InPlaceUpdate: int,
  DestructiveUpdate: int,
  Canary: int,
  Preemptions: int,
})
export type DesiredUpdates = StoredOf<typeof desiredUpdatesShape>

/** Annotations in the reply to a plan request. */
export const annotationsShape = struct('PlanAnnotations', {
  DesiredTGUpdates: goMap(desiredUpdatesShape),
  PreemptedAllocs: goList({ kind: 'any' } as const),
})

const evaluationMembers = {
  ID: text,
  Namespace: text,
  Priority: int,
  Type: text,
  TriggeredBy: text,
  JobID: text,
  JobModifyIndex: int,
  NodeID: text,
  NodeModifyIndex: int,
  Status: text,
  StatusDescription: text,
  Wait: int,
  NextEval: text,
  PreviousEval: text,
  BlockedEval: text,
  FailedTGAllocs: goMap(metricsShape),
  ClassEligibility: goMap({ kind: 'bool' } as const),
  EscapedComputedClass: { kind: 'bool' } as const,
  AnnotatePlan: { kind: 'bool' } as const,
  QueuedAllocations: goMap(int),
  SnapshotIndex: int,
  CreateIndex: int,
  ModifyIndex: int,
  /** Nanoseconds since 1970. */
  CreateTime: int,
  ModifyTime: int,
  DeploymentID: optional(text),
  WaitUntil: optional(text),
  QuotaLimitReached: optional(text),
  PlanAnnotations: optional(nullable(annotationsShape)),
} as const

/**
 * A request to bring the cluster in line with a job, and its result
 * (behaviour/scheduler#evaluations).
 */
export const evaluationShape = struct('Evaluation', evaluationMembers, { sparse: true })
export type Evaluation = StoredOf<typeof evaluationShape>

/** An evaluation in the list of related evaluations (behaviour/scheduler#beyond). */
const evaluationStubShape = struct('EvaluationStub', {
  ID: text,
  Namespace: text,
  Priority: int,
  Type: text,
  TriggeredBy: text,
  JobID: text,
  NodeID: text,
  DeploymentID: text,
  Status: text,
  StatusDescription: text,
  /** RFC 3339 time; null if the evaluation has no delay. */
  WaitUntil: nullable(text),
  NextEval: text,
  PreviousEval: text,
  BlockedEval: text,
  CreateIndex: int,
  ModifyIndex: int,
  /** Nanoseconds since 1970. */
  CreateTime: int,
  ModifyTime: int,
})
export type EvaluationStub = StoredOf<typeof evaluationStubShape>

/** A single evaluation in a reply, with the related evaluations if the request asks for them. */
export const evaluationReadShape = struct(
  'Evaluation',
  { ...evaluationMembers, RelatedEvals: optional(list(evaluationStubShape)) },
  { sparse: true },
)

/** Settings, counters and deadlines of one group of a deployment. */
const deploymentStateShape = struct('DeploymentState', {
  AutoRevert: { kind: 'bool' } as const,
  AutoPromote: { kind: 'bool' } as const,
  Promoted: { kind: 'bool' } as const,
  PlacedCanaries: goList(text),
  DesiredCanaries: exactInt,
  DesiredTotal: exactInt,
  PlacedAllocs: int,
  HealthyAllocs: int,
  UnhealthyAllocs: int,
  /** Nanoseconds. */
  ProgressDeadline: exactInt,
  /** RFC 3339 time; null until an allocation is placed, or if the group has no deadline. */
  RequireProgressBy: nullable(text),
})

/** The rollout of a version of a service job (behaviour/scheduler#updates). */
export const deploymentShape = struct('Deployment', {
  ID: text,
  Namespace: text,
  JobID: text,
  JobVersion: int,
  JobModifyIndex: int,
  JobSpecModifyIndex: int,
  JobCreateIndex: int,
  TaskGroups: goMap(deploymentStateShape),
  Status: text,
  StatusDescription: text,
  EvalPriority: int,
  IsMultiregion: { kind: 'bool' } as const,
  /** Nanoseconds since 1970. */
  CreateTime: int,
  ModifyTime: int,
  CreateIndex: int,
  ModifyIndex: int,
})
export type DeploymentState = StoredOf<typeof deploymentStateShape>
export type Deployment = StoredOf<typeof deploymentShape>
