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
 * Stops an allocation and has it replaced (behaviour/scheduler#allocation-reads). Refuses an
 * unknown allocation (404).
 *
 * @returns the evaluation that stops it; undefined if its job is gone and it is stopped at once
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
 * Cleans up the cluster for a purged job (behaviour/scheduler#beyond, purge): removes its
 * deployments, completes its open evaluations, and stops its allocations, which stay stored. Inside
 * a transaction, before or after the job's own rows are removed.
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
 * Marks failed allocations of a job for rescheduling by its next evaluation, regardless of their
 * policy (behaviour/scheduler#beyond, evaluate with ForceReschedule). Inside a transaction.
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
