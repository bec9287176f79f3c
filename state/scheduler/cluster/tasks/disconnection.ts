import type { World } from '../../../kernel/worlds/world.ts'
import { findJob } from '../../records/store.ts'
import { changeAllocation, clientStatusFields, findAllocation } from '../allocations/allocations.ts'
import { scheduleHealthStep } from '../deployments/health.ts'
import type { Allocation } from '../model/allocation-shapes.ts'
import { createEvaluation } from '../model/evaluations.ts'
import { cancelStep, stepNames } from '../model/steps.ts'
import { groupOf } from '../placement/feasibility.ts'
import { stopDescriptions } from '../placement/plan-builder.ts'
import { abandonTasks, pauseTasks } from './task-instances.ts'
import { resumeTasks } from './task-runtime.ts'

/**
 * Returns the time in nanoseconds for which an allocation may be disconnected before it is lost. If
 * the time is 0, the allocation is lost at once.
 */
export function disconnectTimeout(allocation: Allocation): number {
  const group = groupOf(allocation)
  return Number(group?.MaxClientDisconnect ?? group?.Disconnect?.LostAfter ?? 0)
}

/**
 * Marks allocations of one job as `unknown` because their node is disconnected, and pauses their
 * tasks. For allocations with a timeout, creates the evaluations that mark them as lost when the
 * timeout ends (behaviour/scheduler#allocations). Must run inside a transaction.
 *
 * @param evaluationId the evaluation that found the node disconnected; empty if there is none
 */
export function markUnknown(world: World, allocations: readonly Allocation[], evaluationId = '') {
  const evaluationIdByTimeout = new Map<number, string>()
  for (const allocation of allocations) {
    pauseTasks(world, allocation)
    cancelStep(world, stepNames.health, allocation.ID)
    const timeout = disconnectTimeout(allocation)
    const followup =
      evaluationIdByTimeout.get(timeout) ??
      createFollowupEvaluation(world, allocation, timeout, evaluationId)
    evaluationIdByTimeout.set(timeout, followup)
    changeAllocation(world, allocation, {
      ClientStatus: 'unknown',
      ClientDescription: 'alloc is unknown since its node is disconnected',
      FollowupEvalID: followup,
    })
  }
}

function createFollowupEvaluation(
  world: World,
  { Namespace, JobID }: Allocation,
  timeout: number,
  previousEval: string,
): string {
  const job = findJob(world, Namespace, JobID)
  if (timeout === 0 || job === undefined) return ''
  return createEvaluation(world, {
    job,
    triggeredBy: 'max-disconnect-timeout',
    statusDescription: 'created for delayed disconnect timeout',
    previousEval,
    wait: { unskippable: timeout },
  }).ID
}

/**
 * Restores the status of an allocation whose node has reconnected, and resumes its tasks. Must run
 * inside a transaction.
 */
export function reconnect(world: World, allocation: Allocation): void {
  const updated = changeAllocation(world, allocation, {
    ...clientStatusFields(allocation.TaskStates ?? {}),
    FollowupEvalID: '',
  })
  resumeTasks(world, updated)
  scheduleHealthStep(world, findAllocation(world, updated.ID) ?? updated)
}

/**
 * Marks an allocation as lost, sets its desired status to `stop`, and cancels the further steps of
 * its tasks. Must run inside a transaction.
 */
export function markLost(world: World, allocation: Allocation): void {
  abandonTasks(world, allocation)
  changeAllocation(world, allocation, {
    ClientStatus: 'lost',
    DesiredStatus: 'stop',
    DesiredDescription: stopDescriptions.lost,
  })
}
