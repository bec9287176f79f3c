import type { World } from '../../../kernel/worlds/world.ts'
import { findJob } from '../../records/store.ts'
import { findAllocation } from '../allocations/allocations.ts'
import { recordHealth, scheduleHealthStep } from '../deployments/health.ts'
import type { Allocation } from '../model/allocation-shapes.ts'
import { hasEnded } from '../model/allocation-status.ts'
import {
  createEvaluation,
  hasPendingEvaluation,
  unblockEvaluations,
  unblockEvaluationsOf,
} from '../model/evaluations.ts'
import { scaledInterval } from '../model/steps.ts'
import { nodes } from '../model/tables.ts'
import { recheckDrains } from '../nodes/node-drain.ts'
import { canReschedule, reschedulePolicyOf } from '../placement/rescheduling.ts'

/**
 * Reacts to a change that a client reports: schedules or records the allocation's health, checks
 * draining nodes, evaluates the job of a failed allocation, and retries blocked evaluations when
 * capacity becomes free (behaviour/scheduler#cluster). Must run inside a transaction.
 */
export function handleAllocationChange(world: World, before: Allocation, after: Allocation): void {
  const wasRunning = before.ClientStatus === 'running'
  const isNewStatus = before.ClientStatus !== after.ClientStatus
  if (after.JobType === 'service' && (isNewStatus || wasRunning)) scheduleHealthStep(world, after)
  if (!isNewStatus) return
  recheckDrains(world)
  if (!hasEnded(before) && hasEnded(after)) handleCapacityFreed(world, after)
  if (after.ClientStatus === 'failed') handleFailure(world, after)
  else if (after.ClientStatus === 'complete' && after.JobType === 'service')
    recordHealth(world, after, false)
  else if (
    after.ClientStatus === 'complete' &&
    after.JobType === 'batch' &&
    after.DesiredStatus === 'stop'
  ) {
    // When a stopped batch allocation completes, its work is done, so a blocked evaluation of the
    // job may have nothing left to place.
    unblockEvaluationsOf(world, after.Namespace, after.JobID)
  }
}

/**
 * Reacts to an allocation that frees or will free its resources. Draining nodes are checked and, if
 * the node's resources are limited, blocked evaluations are retried. Must run inside a transaction.
 */
export function handleCapacityFreed(world: World, { NodeID }: Allocation): void {
  recheckDrains(world)
  if (world.table(nodes).get(NodeID)?.Capacity != null) unblockEvaluations(world)
}

function handleFailure(world: World, allocation: Allocation): void {
  recordHealth(world, allocation, false)
  const current = findAllocation(world, allocation.ID) ?? allocation
  evaluateFailure(world, current)
}

/**
 * Creates the evaluation that reschedules a failed allocation. Does nothing if the job or the
 * allocation was stopped, if the job was replaced, or if the policy allows no more attempts. Also
 * does nothing if the evaluation exists already, pending or scheduled for later.
 */
function evaluateFailure(world: World, allocation: Allocation): void {
  const { Namespace, JobID } = allocation
  const job = findJob(world, Namespace, JobID)
  if (job === undefined || job.Stop || job.CreateIndex !== allocation.Job?.CreateIndex) return
  if (allocation.DesiredStatus !== 'run' || allocation.FollowupEvalID !== '') return
  const policy = reschedulePolicyOf(allocation)
  if (!canReschedule(allocation, policy, scaledInterval(world, policy?.Interval ?? 0))) return
  if (hasPendingEvaluation(world, Namespace, JobID, 'alloc-failure')) return
  createEvaluation(world, { job, triggeredBy: 'alloc-failure' })
}
