import { formatTimestamp } from '../../../kernel/time.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { nextIndex } from '../../indexes.ts'
import type { Job } from '../../job/job-shape.ts'
import { jobItemPrefix } from '../../keys.ts'
import type { Evaluation } from './placement-shapes.ts'
import { cancelStep, type Delay, scheduleStep, stepNames } from './steps.ts'
import { evaluations } from './tables.ts'

/** Why there is an evaluation (behaviour/scheduler#evaluations). */
export type EvaluationTrigger =
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

/** The parts that an evaluation is made from. */
interface EvaluationSpec {
  readonly job: Pick<Job, 'Namespace' | 'ID' | 'Type' | 'Priority' | 'JobModifyIndex'>
  readonly triggeredBy: EvaluationTrigger
  /** The job's type unless given; `service` for every deregistration. */
  readonly type?: string
  /** The job's unless given. */
  readonly priority?: number
  /** `pending` unless given. */
  readonly status?: EvaluationStatus
  readonly statusDescription?: string
  readonly nodeId?: string
  readonly nodeModifyIndex?: number
  readonly previousEval?: string
  /** The job's index that it tells, if not the usual one: what waits for room tells that of the one before. */
  readonly jobModifyIndex?: number
  readonly deploymentId?: string
  /** The wait before it is processed, if not the usual time, and from when on. */
  readonly wait?: Delay
  readonly from?: number
}

/** Reasons that are nothing that was written to the job. */
const triggersWithoutJobWrite: ReadonlySet<EvaluationTrigger> = new Set([
  'node-update',
  'node-drain',
  'deployment-watcher',
  'alloc-failure',
  'max-disconnect-timeout',
])

/**
 * The index of the job that an evaluation tells: 0 where no write of the job made it (behaviour/scheduler#jobs). An
 * attempt that waits for its time was made for the job as it was.
 */
function jobIndexAtTrigger({ job, triggeredBy, wait }: EvaluationSpec): number {
  return triggersWithoutJobWrite.has(triggeredBy) && wait === undefined ? 0 : job.JobModifyIndex
}

/** Milliseconds as the wire's nanoseconds. */
export function toNanoseconds(milliseconds: number): number {
  return milliseconds * 1_000_000
}

/** Makes an evaluation and the appointment at which it is processed. Inside a transaction. */
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

/** Changes an evaluation; one that is not pending any more is not processed. Inside a transaction. */
export function changeEvaluation(
  world: World,
  evaluation: Evaluation,
  change: Partial<Evaluation>,
): Evaluation {
  // To what a spread copied V8 adds a member, as DeploymentID, by a hidden class for that one object.
  const changed: Evaluation = Object.assign({}, evaluation, change, {
    ModifyIndex: nextIndex(world),
    ModifyTime: toNanoseconds(world.clock.now()),
  })
  if (changed.Status !== 'pending') cancelStep(world, stepNames.evaluation, changed.ID)
  return putEvaluation(world, changed)
}

/** Lets everything that waits for room try again (behaviour/scheduler#evaluations). Inside a transaction. */
export function unblockEvaluations(world: World): void {
  for (const evaluation of Array.from(world.table(evaluations).index('blocked').rows())) {
    scheduleStep(world, stepNames.evaluation, evaluation.ID, { option: 'evalDelay' })
    changeEvaluation(world, evaluation, { Status: 'pending' })
  }
}

/** Pending and blocked evaluations of a job, in order of ID. */
export function openEvaluationsOf(world: World, namespace: string, id: string): Evaluation[] {
  return [...world.table(evaluations).index('open').rows(jobItemPrefix(namespace, id))]
}

/** Tells whether an evaluation of a job for this reason is waiting already. */
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

/** A job's evaluations by status, then ID: the order of the reference's storage (behaviour/scheduler#jobs). */
export function evaluationsOf(world: World, namespace: string, id: string): Evaluation[] {
  return sortEvaluations([
    ...world.table(evaluations).index('byJob').rows(jobItemPrefix(namespace, id)),
  ])
}

/** Every evaluation in order of ID. */
export function allEvaluations(world: World): Evaluation[] {
  return [...world.table(evaluations).rows()]
}

function sortEvaluations(evaluations: Evaluation[]): Evaluation[] {
  return evaluations.sort((a, b) => compareText(a.Status, b.Status) || compareText(a.ID, b.ID))
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
