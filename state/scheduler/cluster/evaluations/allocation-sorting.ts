import type { Job } from '../../job/job-shape.ts'
import type { Allocation } from '../model/allocation-shapes.ts'
import { hasEnded, isOutdated } from '../model/allocation-status.ts'
import { isActiveDeployment } from '../model/deployment-machine.ts'
import { groupOf } from '../placement/feasibility.ts'
import type { ReconcileInput } from '../placement/plan-builder.ts'
import { canReschedule, reschedulePolicyOf } from '../placement/rescheduling.ts'
import { disconnectTimeout } from '../tasks/disconnection.ts'

/**
 * The allocations of a group, sorted by the way in which an evaluation handles them. Allocations in
 * `delayed` and `disconnectedUnreplaced` are in `kept` as well.
 */
export interface SortedAllocations {
  /** Allocations that count towards the desired number of the group. */
  readonly kept: Allocation[]
  readonly migrating: Allocation[]
  readonly lost: Allocation[]
  /** Failed allocations that are replaced now, because rescheduling is due or forced. */
  readonly rescheduled: Allocation[]
  /** Failed allocations that will be rescheduled later and have no follow-up evaluation yet. */
  readonly delayed: Allocation[]
  /** Allocations on disconnected nodes that get replacements until the nodes reconnect. */
  readonly disconnected: Allocation[]
  /** Allocations on disconnected nodes that are kept without replacements. */
  readonly disconnectedUnreplaced: Allocation[]
}

/** Sorts the allocations of one group of a service or batch job. */
export function sortAllocations(
  input: ReconcileInput,
  job: Job,
  allocations: readonly Allocation[],
): SortedAllocations {
  const sorted: SortedAllocations = {
    kept: [],
    migrating: [],
    lost: [],
    rescheduled: [],
    delayed: [],
    disconnected: [],
    disconnectedUnreplaced: [],
  }
  for (const allocation of allocations) {
    if (isIrrelevant(job, allocation)) continue
    const nodeCondition = input.nodeConditionOf(allocation.NodeID)
    if (hasEnded(allocation)) sortEnded(input, allocation, sorted)
    else if (isDisconnectExpired(input, allocation)) sorted.lost.push(allocation)
    else if (nodeCondition === 'down' || nodeCondition === 'disconnected') {
      sortUnreachable(allocation, nodeCondition, sorted)
    } else if (allocation.DesiredTransition.Migrate) {
      sorted.migrating.push(allocation)
    } else sorted.kept.push(allocation)
  }
  return sorted
}

/**
 * Sorts an allocation whose node is unreachable. The allocation is lost, unless it was running on a
 * disconnected node and its group tolerates a disconnection. An unknown allocation of such a group
 * stays unknown even when its node goes down (behaviour/scheduler#allocations).
 */
function sortUnreachable(
  allocation: Allocation,
  nodeCondition: 'down' | 'disconnected',
  { disconnected, kept, lost, disconnectedUnreplaced }: SortedAllocations,
): void {
  const { ClientStatus } = allocation
  const mayDisconnect = disconnectTimeout(allocation) > 0
  const isReplaced = groupOf(allocation)?.Disconnect?.Replace !== false
  if (mayDisconnect && ClientStatus === 'unknown') {
    if (!isReplaced) kept.push(allocation)
  } else if (!mayDisconnect || nodeCondition === 'down' || ClientStatus !== 'running') {
    lost.push(allocation)
  } else if (isReplaced) disconnected.push(allocation)
  else {
    disconnectedUnreplaced.push(allocation)
    kept.push(allocation)
  }
}

/**
 * Returns true if an allocation has been unknown for longer than its group tolerates. The follow-up
 * evaluation of the allocation is due when that time ends, so the time is over if this evaluation
 * is the follow-up evaluation, or if the follow-up evaluation is no longer open.
 */
function isDisconnectExpired(
  { evaluationId, isEvaluationOpen }: ReconcileInput,
  { ClientStatus, FollowupEvalID: followup }: Allocation,
): boolean {
  if (ClientStatus !== 'unknown' || followup === '') return false
  return followup === evaluationId || !isEvaluationOpen(followup)
}

/** Returns true if an evaluation can ignore the allocation. */
function isIrrelevant(job: Job, allocation: Allocation): boolean {
  if (isOutdated(job, allocation)) return true
  const { ClientStatus, DesiredStatus, NextAllocation } = allocation
  if (job.Type !== 'batch') {
    if (DesiredStatus !== 'run') return true
    return ClientStatus === 'complete' || ClientStatus === 'lost'
  }
  // A completed allocation of a batch job stays relevant if it was stopped afterwards, unless it
  // was replaced.
  if (DesiredStatus !== 'run') return ClientStatus !== 'complete' || NextAllocation !== ''
  return ClientStatus === 'lost'
}

function sortEnded(
  { deployment, evaluationId, rescheduleIntervalOf, isEvaluationOpen }: ReconcileInput,
  allocation: Allocation,
  { kept, delayed, rescheduled }: SortedAllocations,
): void {
  if (allocation.ClientStatus !== 'failed') {
    kept.push(allocation)
    return
  }
  if (allocation.NextAllocation !== '') return
  const policy = reschedulePolicyOf(allocation)
  const isOfFailedDeployment =
    deployment?.Status === 'failed' && allocation.DeploymentID === deployment.ID
  // An active deployment replaces only allocations that `allowReschedule` has marked.
  const isUnmarked =
    deployment !== undefined &&
    isActiveDeployment(deployment) &&
    allocation.DeploymentID === deployment.ID &&
    allocation.DesiredTransition.Reschedule !== true
  const isAllowed =
    canReschedule(allocation, policy, rescheduleIntervalOf(policy)) &&
    !isOfFailedDeployment &&
    !isUnmarked
  const { FollowupEvalID: followup } = allocation
  const isDue = followup === evaluationId || (followup !== '' && !isEvaluationOpen(followup))
  if (allocation.DesiredTransition.ForceReschedule === true || (isAllowed && isDue)) {
    rescheduled.push(allocation)
    return
  }
  kept.push(allocation)
  if (isAllowed && followup === '') delayed.push(allocation)
}
