import type { World } from '../../../kernel/worlds/world.ts'
import { findJob } from '../../records/store.ts'
import {
  changeAllocation,
  nonTerminalAllocationsOf,
  relevantAllocationsOf,
  requireAllocation,
} from '../allocations/allocations.ts'
import { removeDeployments } from '../deployments/deployments.ts'
import { isTerminal } from '../model/allocation-status.ts'
import { changeEvaluation, createEvaluation, openEvaluationsOf } from '../model/evaluations.ts'
import type { Evaluation } from '../model/placement-shapes.ts'
import { stopDescriptions } from '../placement/plan-builder.ts'
import { killAllocation } from './task-runtime.ts'

/**
 * Has an allocation stopped and placed anew (behaviour/scheduler#allocation-reads).
 * Refuses an unknown one (404).
 *
 * @returns the evaluation that does it; undefined when its job is gone, where it is stopped at once
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
 * Does what purging a job means for the cluster (behaviour/scheduler#beyond, purge): its deployments go,
 * evaluations that are not done are complete, allocations are stopped and kept. Inside a
 * transaction, before or after the job's own rows go.
 */
export function stopPurgedJob(world: World, namespace: string, id: string): void {
  removeDeployments(world, namespace, id)
  for (const evaluation of openEvaluationsOf(world, namespace, id)) {
    changeEvaluation(world, evaluation, {
      Status: 'complete',
      StatusDescription: `job ${id} deleted`,
    })
  }
  for (const allocation of nonTerminalAllocationsOf(world, namespace, id)) {
    const stopped = changeAllocation(world, allocation, {
      DesiredStatus: 'stop',
      DesiredDescription: stopDescriptions.notNeeded,
    })
    killAllocation(world, stopped)
  }
}

/**
 * Lets failed allocations of a job be placed anew by its next evaluation, whatever their policy says
 * (behaviour/scheduler#beyond, evaluate with ForceReschedule). Inside a transaction.
 */
export function forceReschedule(world: World, namespace: string, id: string): void {
  const job = findJob(world, namespace, id)
  for (const allocation of relevantAllocationsOf(world, namespace, id, job)) {
    if (allocation.ClientStatus !== 'failed' || allocation.DesiredStatus !== 'run') continue
    if (allocation.NextAllocation !== '') continue
    changeAllocation(world, allocation, {
      DesiredTransition: { ...allocation.DesiredTransition, ForceReschedule: true },
    })
  }
}
