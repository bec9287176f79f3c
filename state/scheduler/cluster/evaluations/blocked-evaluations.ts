import type { World } from '../../../kernel/worlds/world.ts'
import { findJob } from '../../records/store.ts'
import { changeEvaluation, createEvaluation, openEvaluationsOf } from '../model/evaluations.ts'
import type { Evaluation } from '../model/placement-shapes.ts'
import type { PlacementDecision } from './decision.ts'

/** The text of an evaluation that waits for room (behaviour/scheduler#evaluations). */
export const blockedDescription = 'created to place remaining allocations'

/** The groups that wait for room after an evaluation. */
interface BlockedResult {
  /** The evaluation waited for room, found none and goes on waiting. */
  readonly staysBlocked: boolean
  /** The one that waits for what it could not place; none for system jobs, which have one for each node. */
  readonly blocked: Evaluation | undefined
}

/**
 * Has what an evaluation could not place wait for room in evaluations of its own, one for each full
 * node for system jobs, and calls off those that wait for nothing any more. Inside a transaction.
 */
export function blockUnplaced(
  world: World,
  evaluation: Evaluation,
  decision: PlacementDecision,
): BlockedResult {
  return decision.fullNodes === undefined
    ? blockOnAnyNode(world, evaluation, decision)
    : blockOnFullNodes(world, evaluation, decision, decision.fullNodes)
}

function blockOnAnyNode(
  world: World,
  evaluation: Evaluation,
  decision: PlacementDecision,
): BlockedResult {
  const hasFailures = decision.failed.size > 0
  const staysBlocked = hasFailures && evaluation.TriggeredBy === 'queued-allocs'
  const blocked =
    hasFailures && !staysBlocked
      ? createBlockedEvaluation(world, evaluation, decision, '')
      : undefined
  cancelOtherBlocked(world, evaluation, hasFailures, ({ ID }) => ID === blocked?.ID)
  return { staysBlocked, blocked: staysBlocked ? evaluation : blocked }
}

function blockOnFullNodes(
  world: World,
  evaluation: Evaluation,
  decision: PlacementDecision,
  fullNodes: ReadonlySet<string>,
): BlockedResult {
  const staysBlocked =
    evaluation.TriggeredBy === 'queued-allocs' && fullNodes.has(evaluation.NodeID)
  // Those that try again at this moment go on waiting by themselves.
  const blockedNodes = new Set(
    openEvaluationsOf(world, evaluation.Namespace, evaluation.JobID)
      .filter(({ TriggeredBy }) => TriggeredBy === 'queued-allocs')
      .map(({ NodeID }) => NodeID),
  )
  for (const node of fullNodes)
    if (!blockedNodes.has(node)) createBlockedEvaluation(world, evaluation, decision, node)
  cancelOtherBlocked(world, evaluation, false, ({ NodeID }) => fullNodes.has(NodeID))
  return { staysBlocked, blocked: undefined }
}

/** Makes an evaluation that waits for room, on one node or, without one, on any. */
function createBlockedEvaluation(
  world: World,
  evaluation: Evaluation,
  { failed }: PlacementDecision,
  nodeId: string,
): Evaluation | undefined {
  const job = findJob(world, evaluation.Namespace, evaluation.JobID)
  if (job === undefined) return undefined
  const created = createEvaluation(world, {
    job,
    triggeredBy: 'queued-allocs',
    priority: evaluation.Priority,
    status: 'blocked',
    statusDescription: blockedDescription,
    nodeId,
    previousEval: evaluation.ID,
    jobModifyIndex: evaluation.JobModifyIndex,
  })
  return changeEvaluation(world, created, {
    FailedTGAllocs: Object.fromEntries(failed),
    EscapedComputedClass: false,
  })
}

function cancelOtherBlocked(
  world: World,
  evaluation: Evaluation,
  hasFailures: boolean,
  isNeeded: (other: Evaluation) => boolean,
): void {
  const { ID, Namespace, JobID } = evaluation
  for (const other of openEvaluationsOf(world, Namespace, JobID)) {
    if (other.ID === ID || other.Status !== 'blocked' || isNeeded(other)) continue
    changeEvaluation(world, other, {
      Status: 'canceled',
      StatusDescription: hasFailures
        ? `existing blocked evaluation exists for job "${JobID}"`
        : `evaluation "${ID}" successful`,
    })
  }
}
