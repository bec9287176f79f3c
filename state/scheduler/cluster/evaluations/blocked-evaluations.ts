import type { World } from '../../../kernel/worlds/world.ts'
import { lastIndex } from '../../indexes.ts'
import { findJob } from '../../records/store.ts'
import { changeEvaluation, createEvaluation, openEvaluationsOf } from '../model/evaluations.ts'
import type { Evaluation } from '../model/placement-shapes.ts'
import type { PlacementDecision } from './decision.ts'

/** `StatusDescription` of a blocked evaluation (behaviour/scheduler#evaluations). */
export const blockedDescription = 'created to place remaining allocations'

interface BlockedResult {
  /**
   * True if the processed evaluation was blocked before and becomes blocked again, because capacity
   * is still missing.
   */
  readonly staysBlocked: boolean
  /**
   * The evaluation that waits for capacity. Undefined if all allocations were placed, and for
   * system jobs, which have one evaluation for each full node.
   */
  readonly blockedEvaluation: Evaluation | undefined
}

/**
 * Creates a blocked evaluation for the allocations that could not be placed, unless the processed
 * evaluation becomes blocked again. For system jobs, creates a blocked evaluation for each full
 * node that has none yet. Cancels the blocked evaluations of the job that are not needed any more.
 * Must run inside a transaction.
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

function blockOnAnyNode(world: World, evaluation: Evaluation, decision: PlacementDecision) {
  const hasFailures = decision.failed.size > 0
  const staysBlocked = hasFailures && evaluation.TriggeredBy === 'queued-allocs'
  const blockedEvaluation =
    hasFailures && !staysBlocked
      ? createBlockedEvaluation(world, evaluation, decision, '')
      : undefined
  cancelOtherBlockedEvaluations(
    world,
    evaluation,
    hasFailures,
    ({ ID }) => ID === blockedEvaluation?.ID,
  )
  return { staysBlocked, blockedEvaluation: staysBlocked ? evaluation : blockedEvaluation }
}

function blockOnFullNodes(
  world: World,
  evaluation: Evaluation,
  decision: PlacementDecision,
  fullNodes: ReadonlySet<string>,
): BlockedResult {
  const staysBlocked =
    evaluation.TriggeredBy === 'queued-allocs' && fullNodes.has(evaluation.NodeID)
  // A blocked evaluation that is being retried stays blocked itself, so no second evaluation is
  // created for its node.
  const blockedNodes = new Set(
    openEvaluationsOf(world, evaluation.Namespace, evaluation.JobID)
      .filter(({ TriggeredBy }) => TriggeredBy === 'queued-allocs')
      .map(({ NodeID }) => NodeID),
  )
  for (const node of fullNodes)
    if (!blockedNodes.has(node)) createBlockedEvaluation(world, evaluation, decision, node)
  cancelOtherBlockedEvaluations(world, evaluation, false, ({ NodeID }) => fullNodes.has(NodeID))
  return { staysBlocked, blockedEvaluation: undefined }
}

/**
 * Creates an evaluation that waits for capacity on the node `nodeId` or, if `nodeId` is empty, on
 * any node. Returns undefined if the job does not exist.
 */
function createBlockedEvaluation(
  world: World,
  evaluation: Evaluation,
  { failed, classEligibility }: PlacementDecision,
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
    ...classEligibility,
    SnapshotIndex: lastIndex(world),
  })
}

function cancelOtherBlockedEvaluations(
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
