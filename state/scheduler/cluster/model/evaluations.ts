import { formatTimestamp } from '../../../kernel/time.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { nextIndex } from '../../indexes.ts'
import type { Job } from '../../job/job-shape.ts'
import { jobItemPrefix } from '../../keys.ts'
import { scheduleLaunch } from '../../records/launches.ts'
import { findJob, isLauncher, upsertJob } from '../../records/store.ts'
import { type Source, storeSource } from '../../records/submissions.ts'
import { countChild, ensureSummary } from './job-summaries.ts'
import type { Evaluation, EvaluationStub } from './placement-shapes.ts'
import { cancelStep, type Delay, scheduleStep, stepNames } from './steps.ts'
import { evaluations } from './tables.ts'

/** Values of `TriggeredBy` (behaviour/scheduler#evaluations). */
type EvaluationTrigger =
  | 'job-register'
  | 'job-deregister'
  | 'periodic-job'
  | 'job-scaling'
  | 'alloc-failure'
  | 'queued-allocs'
  | 'deployment-watcher'
  | 'alloc-stop'
  | 'node-update'
  | 'node-drain'
  | 'max-disconnect-timeout'

type EvaluationStatus = 'pending' | 'complete' | 'failed' | 'blocked' | 'canceled'

interface EvaluationSpec {
  readonly job: Pick<Job, 'Namespace' | 'ID' | 'Type' | 'Priority' | 'JobModifyIndex'>
  readonly triggeredBy: EvaluationTrigger
  /**
   * Type of the evaluation; by default the type of the job. Has no effect if `triggeredBy` is
   * `job-deregister`, because the type is then always `service`.
   */
  readonly type?: string
  /** Priority; by default that of the job. */
  readonly priority?: number
  /** Initial status; by default `pending`. */
  readonly status?: EvaluationStatus
  readonly statusDescription?: string
  readonly nodeId?: string
  readonly nodeModifyIndex?: number
  readonly previousEval?: string
  /**
   * Value of `JobModifyIndex`; by default the result of `jobIndexAtTrigger`. A blocked evaluation
   * copies the value of its predecessor.
   */
  readonly jobModifyIndex?: number
  readonly deploymentId?: string
  /** Delay before processing; by default the option `evalDelay`. */
  readonly wait?: Delay
  readonly from?: number
}

const triggersWithoutJobWrite: ReadonlySet<EvaluationTrigger> = new Set([
  'node-update',
  'node-drain',
  'deployment-watcher',
  'alloc-failure',
  'max-disconnect-timeout',
])

/**
 * Returns the value of `JobModifyIndex`: 0 for an evaluation without a delay whose trigger is in
 * `triggersWithoutJobWrite`, otherwise the job's current index.
 */
function jobIndexAtTrigger({ job, triggeredBy, wait }: EvaluationSpec): number {
  return triggersWithoutJobWrite.has(triggeredBy) && wait === undefined ? 0 : job.JobModifyIndex
}

export function toNanoseconds(milliseconds: number): number {
  return milliseconds * 1_000_000
}

/**
 * Creates an evaluation and, if the evaluation is pending, schedules its processing. Must run
 * inside a transaction.
 */
export function createEvaluation(world: World, spec: EvaluationSpec): Evaluation {
  const { job } = spec
  const now = toNanoseconds(world.clock.now())
  const evaluation: Evaluation = {
    ID: world.ids.uuid(),
    Namespace: job.Namespace,
    Priority: spec.priority ?? job.Priority,
    Type: spec.triggeredBy === 'job-deregister' ? 'service' : (spec.type ?? job.Type),
    TriggeredBy: spec.triggeredBy,
    JobID: job.ID,
    JobModifyIndex: spec.jobModifyIndex ?? jobIndexAtTrigger(spec),
    NodeID: spec.nodeId ?? '',
    NodeModifyIndex: spec.nodeModifyIndex ?? 0,
    Status: spec.status ?? 'pending',
    StatusDescription: spec.statusDescription ?? '',
    Wait: 0,
    NextEval: '',
    PreviousEval: spec.previousEval ?? '',
    BlockedEval: '',
    FailedTGAllocs: null,
    ClassEligibility: null,
    EscapedComputedClass: false,
    AnnotatePlan: false,
    QueuedAllocations: null,
    SnapshotIndex: 0,
    CreateIndex: nextIndex(world),
    ModifyIndex: nextIndex(world),
    CreateTime: now,
    ModifyTime: now,
    ...(spec.deploymentId === undefined ? {} : { DeploymentID: spec.deploymentId }),
  }
  if (evaluation.Status !== 'pending') return putEvaluation(world, evaluation)
  const delay: Delay = spec.wait ?? { option: 'evalDelay' }
  const dueAt = scheduleStep(world, stepNames.evaluation, evaluation.ID, delay, spec.from)
  const wait = spec.wait === undefined ? {} : { WaitUntil: formatTimestamp(dueAt) }
  return putEvaluation(world, { ...evaluation, ...wait })
}

function putEvaluation(world: World, evaluation: Evaluation): Evaluation {
  world.table(evaluations).put(evaluation.ID, evaluation)
  return evaluation
}

/**
 * Updates an evaluation, and cancels its processing unless the evaluation is still pending. Must
 * run inside a transaction.
 */
export function changeEvaluation(
  world: World,
  evaluation: Evaluation,
  change: Partial<Evaluation>,
): Evaluation {
  // The code uses `Object.assign` instead of a spread, because adding a member such as DeploymentID
  // to a spread copy makes V8 create a hidden class for each object.
  const changed: Evaluation = Object.assign({}, evaluation, change, {
    ModifyIndex: nextIndex(world),
    ModifyTime: toNanoseconds(world.clock.now()),
  })
  if (changed.Status !== 'pending') cancelStep(world, stepNames.evaluation, changed.ID)
  return putEvaluation(world, changed)
}

/**
 * Makes all blocked evaluations pending and schedules their processing
 * (behaviour/scheduler#evaluations). Must run inside a transaction.
 */
export function unblockEvaluations(world: World): void {
  for (const evaluation of Array.from(world.table(evaluations).index('blocked').rows()))
    unblock(world, evaluation)
}

/**
 * Makes the blocked evaluations of a job pending and schedules their processing. Must run inside a
 * transaction.
 */
export function unblockEvaluationsOf(world: World, namespace: string, id: string): void {
  for (const evaluation of openEvaluationsOf(world, namespace, id))
    if (evaluation.Status === 'blocked') unblock(world, evaluation)
}

function unblock(world: World, evaluation: Evaluation): void {
  scheduleStep(world, stepNames.evaluation, evaluation.ID, { option: 'evalDelay' })
  changeEvaluation(world, evaluation, { Status: 'pending' })
}

/**
 * Returns all evaluations that are linked to an evaluation, directly or through other evaluations.
 * An evaluation is linked to its next, its previous and its blocked evaluation. The nearest
 * evaluations come first (behaviour/scheduler#beyond).
 */
export function relatedEvaluations(world: World, evaluation: Evaluation): EvaluationStub[] {
  const found = new Map<string, Evaluation>([[evaluation.ID, evaluation]])
  // The loop also visits entries that its body adds to the map.
  for (const { NextEval, PreviousEval, BlockedEval } of found.values()) {
    for (const id of [NextEval, PreviousEval, BlockedEval]) {
      const relatedEvaluation = found.has(id) ? undefined : world.table(evaluations).get(id)
      if (relatedEvaluation !== undefined) found.set(id, relatedEvaluation)
    }
  }
  found.delete(evaluation.ID)
  return Array.from(found.values(), evaluationStub)
}

function evaluationStub(evaluation: Evaluation): EvaluationStub {
  return {
    ID: evaluation.ID,
    Namespace: evaluation.Namespace,
    Priority: evaluation.Priority,
    Type: evaluation.Type,
    TriggeredBy: evaluation.TriggeredBy,
    JobID: evaluation.JobID,
    NodeID: evaluation.NodeID,
    DeploymentID: evaluation.DeploymentID ?? '',
    Status: evaluation.Status,
    StatusDescription: evaluation.StatusDescription,
    WaitUntil: evaluation.WaitUntil ?? null,
    NextEval: evaluation.NextEval,
    PreviousEval: evaluation.PreviousEval,
    BlockedEval: evaluation.BlockedEval,
    CreateIndex: evaluation.CreateIndex,
    ModifyIndex: evaluation.ModifyIndex,
    CreateTime: evaluation.CreateTime,
    ModifyTime: evaluation.ModifyTime,
  }
}

/** Returns the pending and blocked evaluations of a job, ordered by ID. */
export function openEvaluationsOf(world: World, namespace: string, id: string): Evaluation[] {
  return [...world.table(evaluations).index('open').rows(jobItemPrefix(namespace, id))]
}

/** Returns true if a pending evaluation of the job has this trigger and is not delayed. */
export function hasPendingEvaluation(
  world: World,
  namespace: string,
  id: string,
  trigger: EvaluationTrigger,
): boolean {
  const open = world.table(evaluations).index('open').rows(jobItemPrefix(namespace, id))
  for (const { TriggeredBy, Status, WaitUntil } of open) {
    if (Status === 'pending' && TriggeredBy === trigger && WaitUntil === undefined) return true
  }
  return false
}

/**
 * Returns the evaluations of a job, sorted by status and then ID, which is the order of the
 * reference's index.
 */
export function evaluationsOf(world: World, namespace: string, id: string): Evaluation[] {
  return sortEvaluations([
    ...world.table(evaluations).index('byJob').rows(jobItemPrefix(namespace, id)),
  ])
}

export function allEvaluations(world: World): Evaluation[] {
  return [...world.table(evaluations).rows()]
}

function sortEvaluations(evaluations: Evaluation[]): Evaluation[] {
  return evaluations.sort((a, b) => compareText(a.Status, b.Status) || compareText(a.ID, b.ID))
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Inputs of `commitVersion` in addition to the job. */
interface VersionExtras {
  readonly trigger: EvaluationTrigger
  /** Priority of the evaluation; by default the job's. */
  readonly priority?: number | undefined
  /** The job file, to be stored as the submission of the version. */
  readonly source?: Source | undefined
}

/** Rows that `commitVersion` wrote, and the index of the write. */
export interface VersionCommit {
  /** The job as written. `jobStatusRule` updates its `Status` when the transaction commits. */
  readonly job: Job
  /**
   * The evaluation of the version. Undefined for periodic and parameterized jobs, which only launch
   * other jobs.
   */
  readonly evaluation: Evaluation | undefined
  /** Index that all rows of the commit have. */
  readonly index: number
}

/**
 * Stores a job with `upsertJob`. Also stores its source, if there is one, creates its summary,
 * schedules its next launch and, unless the job only launches other jobs, creates an evaluation
 * (behaviour/scheduler#versions). Counts a new child in the summary of its parent.
 */
export function commitVersion(
  world: World,
  job: Job,
  { trigger, priority, source }: VersionExtras,
): VersionCommit {
  return world.write(() => {
    const isNew = findJob(world, job.Namespace, job.ID) === undefined
    const storedVersion = upsertJob(world, job)
    if (source !== undefined) storeSource(world, storedVersion, source)
    ensureSummary(world, storedVersion)
    if (isNew) countChild(world, storedVersion, undefined, storedVersion.Status)
    scheduleLaunch(world, storedVersion)
    const evaluation = isLauncher(storedVersion)
      ? undefined
      : createEvaluation(world, {
          job: storedVersion,
          triggeredBy: trigger,
          ...(priority === undefined ? {} : { priority }),
        })
    return { job: storedVersion, evaluation, index: nextIndex(world) }
  })
}
