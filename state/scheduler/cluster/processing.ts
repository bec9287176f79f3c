import type { World } from '../../kernel/world.ts'
import { lastIndex, nextIndex } from '../indexes.ts'
import type { Job } from '../job/job-shape.ts'
import { jobOf } from '../records/store.ts'
import { roomFreed } from './allocation-life.ts'
import type { Allocation } from './allocation-shapes.ts'
import { allocationOf, changeAllocation, createAllocation } from './allocations.ts'
import { type AssignedPlacement, decide, type PlacementDecision } from './decision.ts'
import {
  activeDeployment,
  deploymentDescriptions,
  endDeployment,
  latestDeployment,
} from './deployments.ts'
import { markUnknown } from './disconnection.ts'
import { changeEvaluation, createEvaluation } from './evaluations.ts'
import { deploymentPlaced, watchHealth } from './health.ts'
import type { Evaluation } from './placement-shapes.ts'
import type { Stop } from './plan-builder.ts'
import { endOf, nextDelay, policyOf, trackerAfter } from './rescheduling.ts'
import { createDeployment, isComplete } from './rollout.ts'
import { hasEnded } from './standing.ts'
import { cancelStep, scaledInterval, stepNames } from './steps.ts'
import { evaluationCounted } from './summaries.ts'
import { evaluations } from './tables.ts'
import { abandonTasks } from './task-actors.ts'
import { killAllocation, startTasks } from './task-life.ts'
import { blockedDescription, waitForRoom } from './waiting.ts'

/** The text of an evaluation that waits for its time (behaviour/scheduler#evaluations). */
const delayedReschedulingDescription = 'created for delayed rescheduling'

/**
 * Processes an evaluation that is pending: stops, changes and places allocations, and completes
 * (behaviour/scheduler#evaluations). Where a deployment begins with it that is all it
 * does: deployments have a commit of their own, before (behaviour/scheduler#updates). Inside a transaction.
 *
 * @returns true when it has to be processed once more
 */
export function processEvaluation(world: World, id: string): boolean {
  const evaluation = world.table(evaluations).get(id)
  if (evaluation?.Status !== 'pending') return false
  const { Namespace, JobID } = evaluation
  const job = jobOf(world, Namespace, JobID)
  cancelOldDeployment(world, evaluation, job)
  const decision = decide(world, Namespace, JobID, job, id)
  if (job !== undefined && decision.rollout.length > 0) {
    createDeployment(world, job, decision.rollout, evaluation.Priority)
    return true
  }
  for (const stop of decision.stops) stopFor(world, stop)
  const unknown = decision.unknown.map((allocation) => current(world, allocation))
  markUnknown(world, unknown, id)
  if (job !== undefined && !job.Stop) bringUp(world, evaluation, job, decision)
  finish(world, evaluation, decision)
  if (isSettled(decision)) completeDeployment(world, Namespace, JobID)
  return false
}

/** The same in one commit, whatever begins with it. Inside a transaction. */
export function processWholly(world: World, id: string): void {
  if (processEvaluation(world, id)) processEvaluation(world, id)
}

/** Tells whether an evaluation found nothing to do, now or later. */
function isSettled({
  failed,
  inPlace,
  delayed: later,
  placed,
  hasPendingReplacements: waits,
}: PlacementDecision): boolean {
  return !waits && failed.size === 0 && placed.length + inPlace.length + later.length === 0
}

function current(world: World, allocation: Allocation): Allocation {
  return allocationOf(world, allocation.ID) ?? allocation
}

/** A deployment of another version, or of a job that is stopped, is over. */
function cancelOldDeployment(
  world: World,
  { Namespace, JobID }: Evaluation,
  job: Job | undefined,
): void {
  const active = activeDeployment(world, Namespace, JobID)
  if (active === undefined) return
  if (job === undefined || job.Stop) {
    endDeployment(world, active, 'cancel', deploymentDescriptions.stopped)
  } else if (active.JobVersion !== job.Version || active.JobCreateIndex !== job.CreateIndex) {
    endDeployment(world, active, 'cancel', deploymentDescriptions.newerVersion)
  }
}

/** An allocation is not wanted any more, or its node is gone. */
function stopFor(world: World, { allocation, description: text, clientStatus }: Stop): void {
  const now = current(world, allocation)
  const isLost = clientStatus === 'lost' && !hasEnded(now)
  const stopped = changeAllocation(world, now, {
    DesiredStatus: 'stop',
    DesiredDescription: text,
    ...(isLost ? { ClientStatus: 'lost' } : {}),
  })
  cancelStep(world, stepNames.health, stopped.ID)
  if (isLost) abandonTasks(world, stopped)
  else if (!hasEnded(stopped)) killAllocation(world, stopped)
  roomFreed(world, stopped)
}

/** Changes in place, and makes what is missing. */
function bringUp(
  world: World,
  evaluation: Evaluation,
  job: Job,
  decision: PlacementDecision,
): void {
  const deployment = activeDeployment(world, job.Namespace, job.ID)
  const deploymentOf = (group: string) =>
    Object.hasOwn(deployment?.TaskGroups ?? {}, group) ? (deployment?.ID ?? '') : ''
  for (const allocation of decision.inPlace) {
    changeInPlace(world, current(world, allocation), job, evaluation.ID, deploymentOf)
  }
  for (const placed of decision.placed) {
    deploymentPlaced(
      world,
      makeAllocation(world, evaluation, job, placed, deploymentOf(placed.group.Name)),
    )
  }
}

function changeInPlace(
  world: World,
  allocation: Allocation,
  job: Job,
  evaluationId: string,
  deploymentOf: (group: string) => string,
): void {
  const deploymentId = deploymentOf(allocation.TaskGroup)
  const isInOther = deploymentId !== '' && deploymentId !== allocation.DeploymentID
  const changed = changeAllocation(world, allocation, {
    Job: job,
    JobVersion: job.Version,
    EvalID: evaluationId,
    AllocModifyIndex: nextIndex(world),
    ...(isInOther ? { DeploymentID: deploymentId, DeploymentStatus: null } : {}),
  })
  if (isInOther) deploymentPlaced(world, changed)
  else watchHealth(world, changed)
}

function makeAllocation(
  world: World,
  evaluation: Evaluation,
  job: Job,
  placed: AssignedPlacement,
  deploymentId: string,
): Allocation {
  const { group, name, node, metrics, previous, rescheduled = false, canary = false } = placed
  const now = world.clock.now()
  const policy = previous === undefined ? null : policyOf(previous)
  const interval = scaledInterval(world, policy?.Interval ?? 0)
  const made = createAllocation(world, {
    evaluationId: evaluation.ID,
    job,
    group,
    name,
    node,
    metrics,
    deploymentId,
    canary,
    previous,
    rescheduleTracker:
      rescheduled && previous !== undefined
        ? { Events: trackerAfter(previous, policy, now, interval) }
        : null,
  })
  if (previous !== undefined) {
    changeAllocation(world, current(world, previous), { NextAllocation: made.ID })
  }
  startTasks(world, made)
  return made
}

/** Completes an evaluation and makes those that follow it. */
function finish(world: World, evaluation: Evaluation, decision: PlacementDecision): void {
  const { delayed: later, unplaced, failed, queued } = decision
  const queuedNow = Object.fromEntries(queued)
  rescheduleLater(world, evaluation, later)
  const { again, blocked } = waitForRoom(world, evaluation, decision)
  for (const allocation of unplaced) {
    changeAllocation(world, current(world, allocation), { FollowupEvalID: blocked?.ID ?? '' })
  }
  changeEvaluation(world, evaluation, {
    // What waited for room and still finds none goes on waiting.
    Status: again ? 'blocked' : 'complete',
    StatusDescription: again ? blockedDescription : '',
    SnapshotIndex: lastIndex(world),
    QueuedAllocations: queuedNow,
    FailedTGAllocs: failed.size === 0 ? null : Object.fromEntries(failed),
    BlockedEval: again ? '' : (blocked?.ID ?? ''),
    ...(again ? {} : deploymentTold(world, evaluation)),
  })
  evaluationCounted(world, evaluation, queuedNow)
}

/**
 * An evaluation that completes tells the job's latest deployment, under way or over (behaviour/scheduler#cluster); only
 * service jobs have any.
 */
function deploymentTold(
  world: World,
  { Namespace, JobID }: Evaluation,
): Pick<Evaluation, 'DeploymentID'> {
  const latest = latestDeployment(world, Namespace, JobID)
  return latest === undefined ? {} : { DeploymentID: latest.ID }
}

/**
 * Failed allocations are placed anew after their delay: in an evaluation of their own for each
 * instant.
 */
function rescheduleLater(
  world: World,
  evaluation: Evaluation,
  failed: readonly Allocation[],
): void {
  const job = jobOf(world, evaluation.Namespace, evaluation.JobID)
  const byTime = new Map<string, Evaluation>()
  for (const allocation of failed) {
    const policy = policyOf(allocation)
    if (job === undefined || policy === null) continue
    const delay = nextDelay(allocation, policy)
    const from = endOf(allocation)
    const key = `${from} ${delay} ${policy.Unlimited}`
    const followup =
      byTime.get(key) ??
      createEvaluation(world, {
        job,
        triggeredBy: 'alloc-failure',
        statusDescription: delayedReschedulingDescription,
        previousEval: evaluation.ID,
        wait: policy.Unlimited ? { floored: delay } : { asked: delay },
        from,
      })
    byTime.set(key, followup)
    changeAllocation(world, current(world, allocation), { FollowupEvalID: followup.ID })
  }
}

/** A deployment is successful when all that it brings is healthy. */
function completeDeployment(world: World, namespace: string, id: string): void {
  const deployment = activeDeployment(world, namespace, id)
  if (deployment !== undefined && isComplete(deployment)) {
    endDeployment(world, deployment, 'succeed', deploymentDescriptions.successful)
  }
}
