import type { World } from '../../kernel/world.ts'
import { jobOf } from '../records/store.ts'
import type { PlacementDecision } from './decision.ts'
import { changeEvaluation, createEvaluation, openEvaluationsOf } from './evaluations.ts'
import type { Evaluation } from './placement-shapes.ts'

/** The text of an evaluation that waits for room (behaviour/scheduler#evaluations). */
export const blockedDescription = 'created to place remaining allocations'

/** The groups that wait for room after an evaluation. */
interface Waiting {
  /** The evaluation waited for room, found none and goes on waiting. */
  readonly again: boolean
  /** The one that waits for what it could not place; none for system jobs, which have one for each node. */
  readonly blocked: Evaluation | undefined
}

/**
 * Has what an evaluation could not place wait for room in evaluations of its own, one for each full
 * node for system jobs, and calls off those that wait for nothing any more. Inside a transaction.
 */
export function waitForRoom(
  world: World,
  evaluation: Evaluation,
  decision: PlacementDecision,
): Waiting {
  return decision.fullNodes === undefined
    ? waitForAnyNode(world, evaluation, decision)
    : waitForNodes(world, evaluation, decision, decision.fullNodes)
}

function waitForAnyNode(
  world: World,
  evaluation: Evaluation,
  decision: PlacementDecision,
): Waiting {
  const waits = decision.failed.size > 0
  const again = waits && evaluation.TriggeredBy === 'queued-allocs'
  const blocked = waits && !again ? block(world, evaluation, decision, '') : undefined
  cancelOtherBlocked(world, evaluation, waits, ({ ID }) => ID === blocked?.ID)
  return { again, blocked: again ? evaluation : blocked }
}

function waitForNodes(
  world: World,
  evaluation: Evaluation,
  decision: PlacementDecision,
  full: ReadonlySet<string>,
): Waiting {
  const again = evaluation.TriggeredBy === 'queued-allocs' && full.has(evaluation.NodeID)
  // Those that try again at this moment go on waiting by themselves.
  const waitedFor = new Set(
    openEvaluationsOf(world, evaluation.Namespace, evaluation.JobID)
      .filter(({ TriggeredBy }) => TriggeredBy === 'queued-allocs')
      .map(({ NodeID }) => NodeID),
  )
  for (const node of full) if (!waitedFor.has(node)) block(world, evaluation, decision, node)
  cancelOtherBlocked(world, evaluation, false, ({ NodeID }) => full.has(NodeID))
  return { again, blocked: undefined }
}

/** Makes an evaluation that waits for room, on one node or, without one, on any. */
function block(
  world: World,
  evaluation: Evaluation,
  { failed }: PlacementDecision,
  nodeId: string,
): Evaluation | undefined {
  const job = jobOf(world, evaluation.Namespace, evaluation.JobID)
  if (job === undefined) return undefined
  const made = createEvaluation(world, {
    job,
    triggeredBy: 'queued-allocs',
    priority: evaluation.Priority,
    status: 'blocked',
    statusDescription: blockedDescription,
    nodeId,
    previousEval: evaluation.ID,
    jobModifyIndex: evaluation.JobModifyIndex,
  })
  return changeEvaluation(world, made, {
    FailedTGAllocs: Object.fromEntries(failed),
    EscapedComputedClass: false,
  })
}

function cancelOtherBlocked(
  world: World,
  evaluation: Evaluation,
  waits: boolean,
  stays: (other: Evaluation) => boolean,
): void {
  const { ID, Namespace, JobID } = evaluation
  for (const other of openEvaluationsOf(world, Namespace, JobID)) {
    if (other.ID === ID || other.Status !== 'blocked' || stays(other)) continue
    changeEvaluation(world, other, {
      Status: 'canceled',
      StatusDescription: waits
        ? `existing blocked evaluation exists for job "${JobID}"`
        : `evaluation "${ID}" successful`,
    })
  }
}
