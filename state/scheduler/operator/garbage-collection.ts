import { MILLISECOND } from '../../go/duration.ts'
import { type InParts, runParts } from '../../kernel/parts.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { deleteExpiredTokens } from '../acl/token-bodies.ts'
import { allAllocationsOf, allocationsOfEvaluation } from '../cluster/allocations/allocations.ts'
import { removeDeployments } from '../cluster/deployments/deployments.ts'
import type { Allocation } from '../cluster/model/allocation-shapes.ts'
import { isOpen, isTerminal } from '../cluster/model/allocation-status.ts'
import { isActiveDeployment } from '../cluster/model/deployment-machine.ts'
import { evaluationsOf } from '../cluster/model/evaluations.ts'
import type { Evaluation } from '../cluster/model/placement-shapes.ts'
import { allocations, deployments, evaluations, nodes } from '../cluster/model/tables.ts'
import { deleteAllocations } from '../cluster/tasks/stopping.ts'
import { setEventType } from '../events/buffer.ts'
import type { Job } from '../job/job-shape.ts'
import { optionsOf } from '../options.ts'
import { cancelLaunch } from '../records/launches.ts'
import {
  childrenOf,
  deleteJob,
  findJob,
  isParameterized,
  jobVersionsOf,
  tagOf,
} from '../records/store.ts'
import { jobs } from '../records/tables.ts'

/**
 * Returns true if an allocation can be deleted (behaviour/scheduler#operator). The allocation must
 * be terminal and not running. If the allocation failed, should still run, and belongs to a live
 * job, it must also have a replacement, or `mayBeRescheduled` must return false.
 *
 * @param job the job that placed the allocation; undefined if the job no longer exists
 * @param now in milliseconds since 1970
 */
function isGcEligible(allocation: Allocation, job: Job | undefined, now: number): boolean {
  if (!isTerminal(allocation) || allocation.ClientStatus === 'running') return false
  if (job === undefined || job.Stop || job.Status === 'dead') return true
  if (allocation.DesiredStatus !== 'run' || allocation.ClientStatus !== 'failed') return true
  return allocation.NextAllocation !== '' || !mayBeRescheduled(allocation, job, now)
}

/**
 * Returns true if a failed allocation may still be rescheduled under the reschedule policy of its
 * group. The policy must allow rescheduling. If its attempts are limited, the last rescheduling, if
 * any, must also lie within the policy's interval.
 */
function mayBeRescheduled(allocation: Allocation, { TaskGroups }: Job, now: number): boolean {
  const policy = TaskGroups?.find(({ Name }) => Name === allocation.TaskGroup)?.ReschedulePolicy
  if (!policy || (!policy.Unlimited && policy.Attempts === 0)) return false
  const last = policy.Unlimited ? undefined : allocation.RescheduleTracker?.Events?.at(-1)
  return last === undefined || now * MILLISECOND - last.RescheduleTime <= policy.Interval
}

/**
 * Deletes everything that is no longer needed, whatever its age (behaviour/scheduler#operator):
 * dead jobs with their data, allocations that can be deleted, and processed evaluations that then
 * have no allocations. Also deletes deployments that have ended and have no live allocation,
 * expired tokens while ACLs are on, and nodes that are down and have no allocations. Pauses between
 * steps, so that requests to other worlds can run.
 */
export function collectGarbage(world: World): void {
  world.inParts(() => collectInParts(world), 'kept')
}

function* collectInParts(world: World): InParts<void> {
  for (const job of Array.from(world.table(jobs).rows())) yield* collectJob(world, job)
  for (const each of Array.from(world.table(evaluations).rows())) {
    yield* collectEvaluation(world, each)
    yield
  }
  collectDeployments(world)
  yield
  if (optionsOf(world).aclEnabled) deleteExpiredTokens(world)
  collectNodes(world)
}

/**
 * Deletes the dead children of a job that were submitted before a time, with their data
 * (behaviour/scheduler#collection). Must run inside a transaction.
 * @param before in milliseconds since 1970
 */
export function collectChildren(world: World, { Namespace, ID }: Job, before: number): void {
  const deadChildren: Job[] = []
  for (const child of childrenOf(world, Namespace, ID)) {
    // The IDs of children end with the launch time, so children are visited in order of age.
    if (child.SubmitTime >= before * 1_000_000) break
    if (child.Status === 'dead') deadChildren.push(child)
  }
  for (const child of deadChildren) runParts(collectJob(world, child))
}

const batchJobTypes: ReadonlySet<string> = new Set(['batch', 'sysbatch'])

/**
 * Returns true if a job is dead and can be deleted. The job must also be stopped, unless it is a
 * batch or sysbatch job that launches no other jobs.
 */
function isCollectable(job: Job): boolean {
  const launches = job.Periodic?.Enabled === true || isParameterized(job)
  return job.Status === 'dead' && (job.Stop || (!launches && batchJobTypes.has(job.Type)))
}

function* collectJob(world: World, job: Job): InParts<void> {
  if (!isCollectable(job)) return
  const { Namespace, ID } = job
  // A tagged version protects its job from deletion.
  if (jobVersionsOf(world, Namespace, ID).some((version) => tagOf(version) !== undefined)) return
  const jobAllocations = allAllocationsOf(world, Namespace, ID)
  if (!jobAllocations.every((each) => isGcEligible(each, job, world.clock.now()))) return
  setEventType(world, 'JobBatchDeregistered')
  yield* deleteAllocations(world, jobAllocations)
  for (const each of evaluationsOf(world, Namespace, ID)) world.table(evaluations).delete(each.ID)
  cancelLaunch(world, job)
  deleteJob(world, job)
  removeDeployments(world, Namespace, ID)
  yield
}

function* collectEvaluation(world: World, evaluation: Evaluation): InParts<void> {
  if (isOpen(evaluation)) return
  const job = findJob(world, evaluation.Namespace, evaluation.JobID)
  const jobAllocations = allocationsOfEvaluation(world, evaluation.ID)
  const eligible = jobAllocations.filter((each) =>
    mayRunAgain(evaluation, job)
      ? predatesJob(each, job)
      : isGcEligible(each, job, world.clock.now()),
  )
  yield* deleteAllocations(world, eligible)
  if (eligible.length === jobAllocations.length) world.table(evaluations).delete(evaluation.ID)
}

/** Returns true if deleting the allocations of an evaluation would make its batch job run again. */
function mayRunAgain({ Type }: Evaluation, job: Job | undefined): job is Job {
  return Type === 'batch' && job !== undefined && !(job.Status === 'dead' && job.Stop)
}

/** Returns true for a terminal allocation that was placed before the last change of its job. */
function predatesJob(allocation: Allocation, { JobModifyIndex }: Job): boolean {
  return allocation.CreateIndex < JobModifyIndex && isTerminal(allocation)
}

/** Deletes deployments that have ended and whose allocations are terminal or deleted. */
function collectDeployments(world: World): void {
  const liveIds = new Set<string>()
  for (const allocation of world.table(allocations).rows()) {
    if (!isTerminal(allocation)) liveIds.add(allocation.DeploymentID)
  }
  for (const deployment of Array.from(world.table(deployments).rows())) {
    if (isActiveDeployment(deployment) || liveIds.has(deployment.ID)) continue
    world.table(deployments).delete(deployment.ID)
  }
}

function collectNodes(world: World): void {
  for (const { ID, Status } of Array.from(world.table(nodes).rows())) {
    const isEmpty = world.table(allocations).index('byNode').first(`${ID} `) === undefined
    if (Status === 'down' && isEmpty) world.table(nodes).delete(ID)
  }
}
