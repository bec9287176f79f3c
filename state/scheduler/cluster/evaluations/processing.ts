import type { InParts } from '../../../kernel/parts.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { lastIndex, nextIndex } from '../../indexes.ts'
import type { Job } from '../../job/job-shape.ts'
import { findJob } from '../../records/store.ts'
import { changeAllocation, createAllocation, findAllocation } from '../allocations/allocations.ts'
import {
  activeDeployment,
  deploymentDescriptions,
  endDeployment,
  latestDeployment,
} from '../deployments/deployments.ts'
import { scheduleHealthStep } from '../deployments/health.ts'
import { PlacementRecorder } from '../deployments/placements.ts'
import { createDeployment, isDeploymentComplete } from '../deployments/rollout.ts'
import type { Allocation } from '../model/allocation-shapes.ts'
import { hasEnded } from '../model/allocation-status.ts'
import { changeEvaluation, createEvaluation } from '../model/evaluations.ts'
import { countEvaluation, countNewAllocations } from '../model/job-summaries.ts'
import type { Evaluation } from '../model/placement-shapes.ts'
import { cancelStep, type StepResult, scaledInterval, stepNames } from '../model/steps.ts'
import { evaluations } from '../model/tables.ts'
import type { Stop } from '../placement/plan-builder.ts'
import {
  annotatedTracker,
  endedAt,
  nextDelay,
  nextTrackerEvents,
  reschedulePolicyOf,
} from '../placement/rescheduling.ts'
import { handleCapacityFreed } from '../tasks/allocation-effects.ts'
import { markUnknown } from '../tasks/disconnection.ts'
import { abandonTasks } from '../tasks/task-instances.ts'
import { killAllocation, startTasks } from '../tasks/task-runtime.ts'
import { blockedDescription, blockUnplaced } from './blocked-evaluations.ts'
import { type AssignedPlacement, decidePlacements, type PlacementDecision } from './decision.ts'

/**
 * `StatusDescription` of an evaluation that waits for a delayed rescheduling
 * (behaviour/scheduler#evaluations).
 */
const delayedReschedulingDescription = 'created for delayed rescheduling'

/**
 * Processes a pending evaluation (behaviour/scheduler#evaluations): cancels an outdated deployment,
 * stops, changes and places allocations, completes or blocks the evaluation, and completes a
 * healthy deployment. Does nothing if the evaluation is not pending. Pauses after each allocation,
 * but does not commit: the caller runs the whole function in one transaction.
 *
 * @returns `repeat` if the function only created a deployment. The caller must then call the
 *   function again. Steps do so in a separate transaction, so that the deployment is committed
 *   before allocations change (behaviour/scheduler#updates)
 */
export function* processEvaluation(world: World, id: string): InParts<StepResult> {
  const evaluation = world.table(evaluations).get(id)
  if (evaluation?.Status !== 'pending') return 'finished'
  const { Namespace, JobID } = evaluation
  const job = findJob(world, Namespace, JobID)
  cancelOutdatedDeployment(world, evaluation, job)
  const decision = yield* decidePlacements(world, Namespace, JobID, job, id)
  if (job !== undefined && decision.rollout.length > 0) {
    createDeployment(world, job, decision.rollout, evaluation.Priority)
    return 'repeat'
  }
  for (const stop of decision.stops) {
    applyStop(world, stop)
    yield
  }
  const unknown = decision.unknown.map((allocation) => reload(world, allocation))
  markUnknown(world, unknown, id)
  if (job !== undefined && !job.Stop) yield* applyPlacements(world, evaluation, job, decision)
  completeEvaluation(world, evaluation, decision)
  if (hasNothingToDo(decision)) completeDeployment(world, Namespace, JobID)
  return 'finished'
}

/**
 * Processes an evaluation completely, in one transaction. If the first pass only creates a
 * deployment, a second pass places the allocations.
 */
export function* processCompletely(world: World, id: string): InParts<void> {
  if ((yield* processEvaluation(world, id)) === 'repeat') yield* processEvaluation(world, id)
}

function hasNothingToDo({
  failed,
  inPlace,
  delayed,
  placed,
  hasPendingReplacements,
}: PlacementDecision): boolean {
  return (
    !hasPendingReplacements &&
    failed.size === 0 &&
    placed.length + inPlace.length + delayed.length === 0
  )
}

function reload(world: World, allocation: Allocation): Allocation {
  return findAllocation(world, allocation.ID) ?? allocation
}

/**
 * Cancels the active deployment if it belongs to another version, or if the job is stopped or does
 * not exist.
 */
function cancelOutdatedDeployment(
  world: World,
  { Namespace, JobID }: Evaluation,
  job: Job | undefined,
): void {
  const deployment = activeDeployment(world, Namespace, JobID)
  if (deployment === undefined) return
  if (job === undefined || job.Stop) {
    endDeployment(world, deployment, 'cancel', deploymentDescriptions.stopped)
  } else if (
    deployment.JobVersion !== job.Version ||
    deployment.JobCreateIndex !== job.CreateIndex
  ) {
    endDeployment(world, deployment, 'cancel', deploymentDescriptions.newerVersion)
  }
}

/**
 * Stops an allocation and its tasks, and marks the allocation as lost if `clientStatus` is `lost`
 * and the allocation has not ended. Rechecks drains and, if the node has a configured capacity,
 * retries blocked evaluations, because capacity becomes free.
 */
function applyStop(world: World, { allocation, description, clientStatus }: Stop): void {
  const current = reload(world, allocation)
  const isLost = clientStatus === 'lost' && !hasEnded(current)
  const stopped = changeAllocation(world, current, {
    DesiredStatus: 'stop',
    DesiredDescription: description,
    ...(isLost ? { ClientStatus: 'lost' } : {}),
  })
  cancelStep(world, stepNames.health, stopped.ID)
  if (isLost) abandonTasks(world, stopped)
  else if (!hasEnded(stopped)) killAllocation(world, stopped)
  handleCapacityFreed(world, stopped)
}

/**
 * Updates allocations in place and creates the allocations that were assigned to nodes. Pauses
 * after each allocation.
 */
function* applyPlacements(
  world: World,
  evaluation: Evaluation,
  job: Job,
  decision: PlacementDecision,
): InParts<void> {
  const deployment = activeDeployment(world, job.Namespace, job.ID)
  const deploymentIdOf = (group: string) =>
    Object.hasOwn(deployment?.TaskGroups ?? {}, group) ? (deployment?.ID ?? '') : ''
  const recorder = new PlacementRecorder(world, deployment)
  for (const allocation of decision.inPlace) {
    updateInPlace(world, reload(world, allocation), job, evaluation.ID, deploymentIdOf, recorder)
    yield
  }
  const created: Allocation[] = []
  for (const placed of decision.placed) {
    const deploymentId = deploymentIdOf(placed.group.Name)
    const allocation = placeAllocation(world, evaluation, job, placed, deploymentId)
    recorder.record(allocation)
    created.push(allocation)
    yield
  }
  recorder.write()
  countNewAllocations(world, created)
}

function updateInPlace(
  world: World,
  allocation: Allocation,
  job: Job,
  evaluationId: string,
  deploymentIdOf: (group: string) => string,
  recorder: PlacementRecorder,
): void {
  const deploymentId = deploymentIdOf(allocation.TaskGroup)
  const joinsDeployment = deploymentId !== '' && deploymentId !== allocation.DeploymentID
  const changed = changeAllocation(world, allocation, {
    Job: job,
    JobVersion: job.Version,
    EvalID: evaluationId,
    AllocModifyIndex: nextIndex(world),
    ...(joinsDeployment ? { DeploymentID: deploymentId, DeploymentStatus: null } : {}),
  })
  if (joinsDeployment) recorder.record(changed)
  else scheduleHealthStep(world, changed)
}

function placeAllocation(
  world: World,
  evaluation: Evaluation,
  job: Job,
  placed: AssignedPlacement,
  deploymentId: string,
): Allocation {
  const { group, name, node, metrics, previous, isRescheduled = false, isCanary = false } = placed
  const now = world.clock.now()
  const policy = previous === undefined ? null : reschedulePolicyOf(previous)
  const interval = scaledInterval(world, policy?.Interval ?? 0)
  const created = createAllocation(world, {
    evaluationId: evaluation.ID,
    job,
    group,
    name,
    node,
    metrics,
    deploymentId,
    isCanary,
    previous,
    rescheduleTracker:
      isRescheduled && previous !== undefined
        ? { Events: nextTrackerEvents(previous, policy, now, interval), LastReschedule: 'ok' }
        : null,
  })
  if (previous !== undefined) {
    const replaced = reload(world, previous)
    changeAllocation(world, replaced, {
      NextAllocation: created.ID,
      ...(isRescheduled ? { RescheduleTracker: annotatedTracker(replaced, 'ok') } : {}),
    })
  }
  startTasks(world, created)
  return created
}

/**
 * Stores the result of an evaluation, in the evaluation and in the job's summary. Creates delayed
 * and blocked evaluations. In each failed allocation whose replacement was not placed, stores the
 * result `no placement` and the ID of the blocked evaluation.
 */
function completeEvaluation(world: World, evaluation: Evaluation, decision: PlacementDecision) {
  const { delayed, unplaced, failed, queued } = decision
  const queuedByGroup = Object.fromEntries(queued)
  createDelayedEvaluations(world, evaluation, delayed)
  const { staysBlocked, blockedEvaluation: blocked } = blockUnplaced(world, evaluation, decision)
  for (const allocation of unplaced) {
    const failedAllocation = reload(world, allocation)
    changeAllocation(world, failedAllocation, {
      FollowupEvalID: blocked?.ID ?? '',
      RescheduleTracker: annotatedTracker(failedAllocation, 'no placement'),
    })
  }
  changeEvaluation(world, evaluation, {
    Status: staysBlocked ? 'blocked' : 'complete',
    StatusDescription: staysBlocked ? blockedDescription : '',
    SnapshotIndex: lastIndex(world),
    QueuedAllocations: queuedByGroup,
    FailedTGAllocs: failed.size === 0 ? null : Object.fromEntries(failed),
    BlockedEval: staysBlocked ? '' : (blocked?.ID ?? ''),
    ...(staysBlocked ? {} : latestDeploymentId(world, evaluation)),
  })
  countEvaluation(world, evaluation, queuedByGroup)
}

/**
 * Returns the member `DeploymentID` of a completed evaluation: the ID of the job's latest
 * deployment, active or ended (behaviour/scheduler#evaluations). Returns an empty object if the job
 * has no deployment.
 */
function latestDeploymentId(world: World, { Namespace, JobID }: Evaluation) {
  const latest = latestDeployment(world, Namespace, JobID)
  return latest === undefined ? {} : { DeploymentID: latest.ID }
}

/**
 * Creates evaluations that reschedule failed allocations after their delay. Allocations that ended
 * at the same time and have equal delays share one evaluation.
 */
function createDelayedEvaluations(
  world: World,
  evaluation: Evaluation,
  failed: readonly Allocation[],
): void {
  const job = findJob(world, evaluation.Namespace, evaluation.JobID)
  const evaluationByKey = new Map<string, Evaluation>()
  for (const allocation of failed) {
    const policy = reschedulePolicyOf(allocation)
    if (job === undefined || policy === null) continue
    const delay = nextDelay(allocation, policy)
    const from = endedAt(allocation)
    const key = `${from} ${delay} ${policy.Unlimited}`
    const followup =
      evaluationByKey.get(key) ??
      createEvaluation(world, {
        job,
        triggeredBy: 'alloc-failure',
        statusDescription: delayedReschedulingDescription,
        previousEval: evaluation.ID,
        wait: policy.Unlimited ? { unskippable: delay } : { requested: delay },
        from,
      })
    evaluationByKey.set(key, followup)
    changeAllocation(world, reload(world, allocation), { FollowupEvalID: followup.ID })
  }
}

/**
 * Marks a job's active deployment as successful if every group has enough healthy allocations and
 * no canaries to promote.
 */
function completeDeployment(world: World, namespace: string, id: string): void {
  const deployment = activeDeployment(world, namespace, id)
  if (deployment !== undefined && isDeploymentComplete(deployment)) {
    endDeployment(world, deployment, 'succeed', deploymentDescriptions.successful)
  }
}
