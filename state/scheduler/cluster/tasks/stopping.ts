import type { InParts } from '../../../kernel/parts.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { deleteTaskLogs } from '../../client/files.ts'
import { findJob } from '../../records/store.ts'
import {
  allAllocationsOf,
  changeAllocation,
  relevantAllocationsOf,
  requireAllocation,
} from '../allocations/allocations.ts'
import { removeDeployments } from '../deployments/deployments.ts'
import type { Allocation } from '../model/allocation-shapes.ts'
import { hasEnded, isTerminal } from '../model/allocation-status.ts'
import { changeEvaluation, createEvaluation, openEvaluationsOf } from '../model/evaluations.ts'
import type { Evaluation } from '../model/placement-shapes.ts'
import { cancelStep, stepNames } from '../model/steps.ts'
import { allocations } from '../model/tables.ts'
import { stopDescriptions } from '../placement/plan-builder.ts'
import { isReschedulingEnabled } from '../placement/rescheduling.ts'
import { handleCapacityFreed } from './allocation-effects.ts'
import { abandonTasks } from './task-instances.ts'
import { killAllocation } from './task-runtime.ts'

/**
 * Stops an allocation and requests a replacement (behaviour/scheduler#allocation-reads). If the job
 * no longer exists, stops the allocation at once and requests nothing.
 *
 * @returns the evaluation that will stop the allocation; undefined if the job no longer exists
 * @throws Refusal 404 if no allocation has the ID
 */
export function stopAllocation(world: World, id: string): Evaluation | undefined {
  const allocation = requireAllocation(world, id)
  const job = findJob(world, allocation.Namespace, allocation.JobID)
  return world.write(() => {
    const markedAllocation = changeAllocation(world, allocation, {
      DesiredTransition: { ...allocation.DesiredTransition, Migrate: true },
    })
    if (job !== undefined) return createEvaluation(world, { job, triggeredBy: 'alloc-stop' })
    if (!isTerminal(markedAllocation)) {
      const stopped = changeAllocation(world, markedAllocation, {
        DesiredStatus: 'stop',
        DesiredDescription: stopDescriptions.notNeeded,
      })
      killAllocation(world, stopped)
    }
    return undefined
  })
}

/**
 * Removes the remains of a purged job from the cluster: deletes deployments and allocations,
 * completes pending evaluations, and retries blocked evaluations when capacity becomes free
 * (behaviour/scheduler#beyond, purge). Pauses after each allocation. Must run inside a transaction.
 * The job's own rows may be deleted before or afterwards.
 */
export function* removePurgedJob(world: World, namespace: string, id: string): InParts<void> {
  removeDeployments(world, namespace, id)
  for (const evaluation of openEvaluationsOf(world, namespace, id)) {
    if (evaluation.Status !== 'pending') continue
    changeEvaluation(world, evaluation, {
      Status: 'complete',
      StatusDescription: `job ${id} deleted`,
    })
  }
  const deleted = allAllocationsOf(world, namespace, id)
  yield* deleteAllocations(world, deleted)
  for (const allocation of deleted) {
    if (!hasEnded(allocation)) handleCapacityFreed(world, allocation)
    yield
  }
}

/**
 * Deletes allocations and the recorded output of their tasks, pausing after each allocation. Must
 * run inside a transaction.
 */
export function* deleteAllocations(world: World, deleted: readonly Allocation[]): InParts<void> {
  for (const allocation of deleted) {
    abandonTasks(world, allocation)
    cancelStep(world, stepNames.health, allocation.ID)
    deleteTaskLogs(world, allocation)
    world.table(allocations).delete(allocation.ID)
    yield
  }
}

/**
 * Marks the failed allocations of a job, so that the next evaluation reschedules them even if their
 * policy has no attempts left. Allocations of groups whose policy disables rescheduling are not
 * marked (behaviour/scheduler#beyond, evaluate with ForceReschedule). Must run inside a
 * transaction.
 */
export function forceReschedule(world: World, namespace: string, id: string): void {
  const job = findJob(world, namespace, id)
  for (const allocation of relevantAllocationsOf(world, namespace, id, job)) {
    const group = job?.TaskGroups?.find(({ Name }) => Name === allocation.TaskGroup)
    if (!isReschedulingEnabled(group?.ReschedulePolicy)) continue
    if (allocation.ClientStatus !== 'failed' || allocation.DesiredStatus !== 'run') continue
    if (allocation.NextAllocation !== '') continue
    changeAllocation(world, allocation, {
      DesiredTransition: { ...allocation.DesiredTransition, ForceReschedule: true },
    })
  }
}
