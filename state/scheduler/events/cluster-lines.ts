import { isEqual } from '../../kernel/equality.ts'
import type { ChangedRow, ChangedRows, NodeRow } from './changed-rows.ts'
import { type EventLine, eventsByKind, type StreamEvent } from './stream-events.ts'

export type UnindexedLine = Omit<EventLine, 'index'>

/** Data about a commit that its changes do not contain. */
export interface CommitContext {
  readonly index: number
  /** Nodes whose clients reported the changed allocations. */
  readonly reporters: readonly NodeRow[]
  /** Type of the events, if the changes do not determine the type. */
  readonly typeName?: string | undefined
}

/** Combines lists of events into a line. */
export function makeLine(
  type: string,
  ...events: readonly (readonly StreamEvent[])[]
): UnindexedLine {
  return { type, events: events.flat() }
}

export function existsAfter({ after }: ChangedRow<unknown>): boolean {
  return after !== undefined
}

/**
 * Returns the lines for jobs, evaluations, allocations and deployments. The reference would write
 * the commit in several transactions, which depend on the kind of change. Each of these
 * transactions gets one line.
 */
export function clusterLines(
  writes: ChangedRows,
  { index, reporters, typeName }: CommitContext,
): readonly UnindexedLine[] {
  if (typeName !== undefined) return [makeLine(typeName, ...clusterEvents(writes))]
  const changesDeployment = writes.deployments.some(hasNewStatus)
  if (!changesDeployment && writes.jobs.some((job) => isSpecWritten(job, index)))
    return registrationLines(writes, index)
  if (writes.allocations.some(isTransitionRequested)) return transitionLines(writes)
  if (isPlanned(writes)) return planLines(writes, index)
  const { reported, rest: unreportedWrites } = splitReport(writes)
  const isPromotion = writes.deployments.some(isPromoted)
  if (isPromotion || changesDeployment) {
    const type = isPromotion ? 'DeploymentPromotion' : 'DeploymentStatusUpdate'
    const reportEvents =
      reported.length === 0 ? [] : [eventsByKind.allocations(reported), nodeEvents(reporters)]
    return [
      makeLine('AllocationUpdated', ...reportEvents),
      makeLine(type, ...clusterEvents(unreportedWrites)),
    ]
  }
  const { watched: watchedEvaluations, others: otherEvaluations } = splitWatched(writes)
  if (writes.allocations.some(existsAfter)) {
    return [
      makeLine(
        'AllocationUpdated',
        ...clusterEvents({ ...writes, evaluations: [] }),
        nodeEvents(reporters),
      ),
      evaluationLine('AllocationUpdated', otherEvaluations),
      evaluationLine('AllocationUpdateDesiredStatus', watchedEvaluations),
    ]
  }
  // Without evaluations, only changes of deployments cause events. Changes of a job's tags,
  // stability or summary cause no events.
  if (!writes.evaluations.some(existsAfter))
    return [makeLine('DeploymentStatusUpdate', eventsByKind.deployments(writes.deployments))]
  return [
    evaluationLine('AllocationUpdateDesiredStatus', watchedEvaluations),
    makeLine(
      'EvaluationUpdated',
      ...(otherEvaluations.length === 0
        ? []
        : clusterEvents({ ...writes, evaluations: otherEvaluations })),
    ),
  ]
}

type ClusterWrites = Pick<ChangedRows, 'jobs' | 'evaluations' | 'allocations' | 'deployments'>

/** Returns the events of changed rows. Deletions cause no events, except deletions of jobs. */
function clusterEvents({ jobs, evaluations, allocations, deployments }: ClusterWrites) {
  return [
    eventsByKind.evaluations(evaluations.filter(existsAfter)),
    eventsByKind.allocations(allocations.filter(existsAfter)),
    eventsByKind.deployments(deployments.filter(existsAfter)),
    eventsByKind.jobs(jobs),
  ]
}

function evaluationLine(type: string, evaluations: ChangedRows['evaluations']): UnindexedLine {
  return makeLine(type, eventsByKind.evaluations(evaluations.filter(existsAfter)))
}

function nodeEvents(reporters: readonly NodeRow[]): readonly StreamEvent[] {
  return eventsByKind.nodes(reporters.map((node) => ({ before: node, after: node })))
}

/**
 * Returns the lines of a commit that registers or stops jobs: first the lines of each job and its
 * evaluations, then one line for the plan.
 */
function registrationLines(writes: ChangedRows, index: number): readonly UnindexedLine[] {
  const { allocations, deployments } = writes
  const stoppingAllocations = allocations.filter(isTransitionRequested)
  const planned = allocations.filter((each) => !isTransitionRequested(each))
  return [
    ...writes.jobs
      .filter((job) => isSpecWritten(job, index))
      .flatMap((job) => {
        const type = isDeregistered(job) ? 'JobDeregistered' : 'JobRegistered'
        const isOfJob = (row: RowOfJob | undefined) =>
          [job.before, job.after].some(
            (each) => each?.ID === row?.JobID && each?.Namespace === row?.Namespace,
          )
        const evaluations = writes.evaluations.filter(({ after }) => isOfJob(after))
        // A purge also completes the pending evaluations of the job.
        const completedEvaluations = isDeregistered(job)
          ? evaluations.filter(({ before }) => before)
          : []
        const followingEvaluations = evaluations.filter(
          (each) => !completedEvaluations.includes(each),
        )
        const isSeparate = ({ before, after }: ChangedRows['evaluations'][number]) =>
          before === undefined &&
          (after?.TriggeredBy === 'job-scaling' || job.after?.Dispatched === true)
        return [
          makeLine(
            type,
            eventsByKind.allocations(stoppingAllocations.filter(({ after }) => isOfJob(after))),
            eventsByKind.jobs([job]),
            eventsByKind.evaluations(completedEvaluations),
          ),
          evaluationLine(
            type,
            followingEvaluations.filter((each) => !isSeparate(each)),
          ),
          evaluationLine('EvaluationUpdated', followingEvaluations.filter(isSeparate)),
        ]
      }),
    makeLine(
      'PlanResult',
      ...clusterEvents({ jobs: [], evaluations: [], allocations: planned, deployments }),
    ),
  ]
}

interface RowOfJob {
  readonly Namespace: string
  readonly JobID: string
}

/**
 * Returns the lines of a commit that marked allocations for migration or rescheduling.
 */
function transitionLines(writes: ChangedRows): readonly UnindexedLine[] {
  const isOfNode = ({ after }: ChangedRows['evaluations'][number]) =>
    after?.TriggeredBy === 'node-update'
  const evaluations = writes.evaluations.filter((each) => !isOfNode(each))
  return [
    evaluationLine('EvaluationUpdated', writes.evaluations.filter(isOfNode)),
    makeLine('AllocationUpdateDesiredStatus', ...clusterEvents({ ...writes, evaluations })),
  ]
}

/**
 * Returns the lines of a commit in which an evaluation was processed: created evaluations, the
 * plan, and the end of the evaluation.
 */
function planLines(writes: ChangedRows, index: number): readonly UnindexedLine[] {
  const created = writes.evaluations.filter(({ before }) => before === undefined)
  const changed = writes.evaluations.filter(({ before }) => before !== undefined)
  const deadJobs = writes.jobs.filter(({ after }) => after?.Status === 'dead')
  const planned = changed.filter(isProcessed).map(({ key, before }) => ({
    key,
    before,
    after: before === undefined ? undefined : { ...before, ModifyIndex: index },
  }))
  return [
    ...created.map((each) => evaluationLine('EvaluationUpdated', [each])),
    makeLine(
      'PlanResult',
      ...clusterEvents({
        ...writes,
        evaluations: planned,
        jobs: writes.jobs.filter((job) => !deadJobs.includes(job)),
      }),
    ),
    makeLine(
      'EvaluationUpdated',
      eventsByKind.evaluations(changed.filter(existsAfter)),
      eventsByKind.jobs(deadJobs),
    ),
  ]
}

/** Splits the changes of a commit into allocations that a client reported and all other changes. */
function splitReport(writes: ChangedRows) {
  const reported = writes.allocations.filter(
    ({ before, after }) => before !== undefined && after !== undefined && isReported(before, after),
  )
  const allocations = writes.allocations.filter((each) => !reported.includes(each))
  return { reported, rest: { ...writes, allocations } }
}

/** Members of an allocation that clients report. */
interface ClientReport {
  readonly ClientStatus?: unknown
  readonly TaskStates?: unknown
  readonly DeploymentStatus?: { readonly Healthy: unknown } | null
}

/** Returns true if any member that clients report has changed. */
export function isReported(before: ClientReport, after: ClientReport): boolean {
  return (
    before.ClientStatus !== after.ClientStatus ||
    before.TaskStates !== after.TaskStates ||
    before.DeploymentStatus?.Healthy !== after.DeploymentStatus?.Healthy
  )
}

/**
 * Separates new evaluations of the deployment watcher from all other evaluations, because the
 * reference creates evaluations of the watcher in a separate transaction.
 */
function splitWatched({ evaluations }: ChangedRows) {
  const isWatched = ({ before, after }: ChangedRows['evaluations'][number]) =>
    before === undefined && after?.TriggeredBy === 'deployment-watcher'
  return {
    watched: evaluations.filter(isWatched),
    others: evaluations.filter((each) => !isWatched(each)),
  }
}

/** Returns true if a commit wrote the specification of a job or deleted the job. */
function isSpecWritten({ after }: ChangedRows['jobs'][number], index: number): boolean {
  return after === undefined || after.JobModifyIndex === index
}

function isDeregistered({ before, after }: ChangedRows['jobs'][number]): boolean {
  return after === undefined || (after.Stop && before?.Stop !== true)
}

/** Returns true if a commit changed the status of an existing deployment. */
function hasNewStatus({ before, after }: ChangedRows['deployments'][number]): boolean {
  return before !== undefined && after !== undefined && before.Status !== after.Status
}

function isPromoted({ before, after }: ChangedRows['deployments'][number]): boolean {
  return Object.entries(after?.TaskGroups ?? {}).some(
    ([group, { Promoted }]) => Promoted && before?.TaskGroups?.[group]?.Promoted === false,
  )
}

/** Returns true if a commit marked an existing allocation for migration or rescheduling. */
function isTransitionRequested({ before, after }: ChangedRows['allocations'][number]): boolean {
  return (
    before !== undefined &&
    after !== undefined &&
    !isEqual(before.DesiredTransition, after.DesiredTransition)
  )
}

/**
 * Returns true if a commit applies a plan: allocations were created, stopped or updated, a
 * deployment was created, or a processed evaluation ended a deployment.
 */
function isPlanned({ allocations, deployments, evaluations }: ChangedRows): boolean {
  const changesAllocations = allocations.some(
    ({ before, after }) =>
      after !== undefined &&
      (before?.DesiredStatus !== after.DesiredStatus || before.JobVersion !== after.JobVersion),
  )
  const startsDeployment = deployments.some(({ before }) => before === undefined)
  return (
    changesAllocations ||
    startsDeployment ||
    (evaluations.some(isProcessed) && deployments.some(hasNewStatus))
  )
}

function isProcessed({ before, after }: ChangedRows['evaluations'][number]): boolean {
  return before?.Status === 'pending' && after?.Status !== 'pending'
}
