import { MILLISECOND } from '../../go/duration.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { collectLogs } from '../client/logs.ts'
import { allAllocationsOf, allocationsOfEvaluation } from '../cluster/allocations/allocations.ts'
import { removeDeployments } from '../cluster/deployments/deployments.ts'
import type { Allocation } from '../cluster/model/allocation-shapes.ts'
import { isOpen, isTerminal } from '../cluster/model/allocation-status.ts'
import { isActiveDeployment } from '../cluster/model/deployment-machine.ts'
import { evaluationsOf } from '../cluster/model/evaluations.ts'
import type { Evaluation } from '../cluster/model/placement-shapes.ts'
import { allocations, deployments, evaluations, nodes } from '../cluster/model/tables.ts'
import { abandonTasks } from '../cluster/tasks/task-instances.ts'
import { eventLogOf } from '../events/log.ts'
import type { Job } from '../job/job-shape.ts'
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
 * Tells whether an allocation has no say in anything any more (behaviour/scheduler#operator):
 * it is terminal and does not run, and if it failed, it was replaced or never will be.
 *
 * @param job that it was placed for; undefined when that is gone
 * @param now in milliseconds since 1970
 */
function isGcEligible(allocation: Allocation, job: Job | undefined, now: number): boolean {
  if (!isTerminal(allocation) || allocation.ClientStatus === 'running') return false
  if (job === undefined || job.Stop || job.Status === 'dead') return true
  if (allocation.DesiredStatus !== 'run' || allocation.ClientStatus !== 'failed') return true
  return allocation.NextAllocation !== '' || !mayBeRescheduled(allocation, job, now)
}

/** Tells whether a failed allocation may still be placed anew, or is counted when another one is. */
function mayBeRescheduled(allocation: Allocation, { TaskGroups }: Job, now: number): boolean {
  const policy = TaskGroups?.find(({ Name }) => Name === allocation.TaskGroup)?.ReschedulePolicy
  if (!policy || (!policy.Unlimited && policy.Attempts === 0)) return false
  const last = policy.Unlimited ? undefined : allocation.RescheduleTracker?.Events?.at(-1)
  return last === undefined || now * MILLISECOND - last.RescheduleTime <= policy.Interval
}

/**
 * Forgets what nobody needs any more, however young it is (behaviour/scheduler#operator):
 * dead jobs with all that is theirs, evaluations that are done with allocations that are terminal, ended
 * deployments, and nodes that are down.
 */
export function collectGarbage(world: World): void {
  world.write(() => {
    for (const job of Array.from(world.table(jobs).rows())) collectJob(world, job)
    for (const each of Array.from(world.table(evaluations).rows())) collectEvaluation(world, each)
    collectDeployments(world)
    collectNodes(world)
  })
}

/**
 * Forgets the dead children of a job that began before an instant, in milliseconds since 1970, with all
 * that is theirs (behaviour/scheduler#collection). Call inside `world.write`.
 */
export function collectChildren(world: World, { Namespace, ID }: Job, before: number): void {
  const deadChildren: Job[] = []
  for (const child of childrenOf(world, Namespace, ID)) {
    // Their IDs end with the instant of the launch, so the oldest come first.
    if (child.SubmitTime >= before * 1_000_000) break
    if (child.Status === 'dead') deadChildren.push(child)
  }
  for (const child of deadChildren) collectJob(world, child)
}

/** Takes an allocation away with what its tasks left behind. */
function deleteAllocation(world: World, allocation: Allocation): void {
  abandonTasks(world, allocation)
  collectLogs(world, allocation)
  world.table(allocations).delete(allocation.ID)
}

const batchJobTypes: ReadonlySet<string> = new Set(['batch', 'sysbatch'])

/** Tells whether a job is done for good: what launches others is so only once it is stopped. */
function isCollectable(job: Job): boolean {
  const launches = job.Periodic?.Enabled === true || isParameterized(job)
  return job.Status === 'dead' && (job.Stop || (!launches && batchJobTypes.has(job.Type)))
}

function collectJob(world: World, job: Job): void {
  if (!isCollectable(job)) return
  const { Namespace, ID } = job
  // Who tags a version wants to come back to it.
  if (jobVersionsOf(world, Namespace, ID).some((version) => tagOf(version) !== undefined)) return
  const jobAllocations = allAllocationsOf(world, Namespace, ID)
  if (!jobAllocations.every((each) => isGcEligible(each, job, world.clock.now()))) return
  eventLogOf(world).name('JobBatchDeregistered')
  for (const each of jobAllocations) deleteAllocation(world, each)
  for (const each of evaluationsOf(world, Namespace, ID)) world.table(evaluations).delete(each.ID)
  cancelLaunch(world, job)
  deleteJob(world, job)
  removeDeployments(world, Namespace, ID)
}

function collectEvaluation(world: World, evaluation: Evaluation): void {
  if (isOpen(evaluation)) return
  const job = findJob(world, evaluation.Namespace, evaluation.JobID)
  const jobAllocations = allocationsOfEvaluation(world, evaluation.ID)
  const eligible = jobAllocations.filter((each) =>
    mayRunAgain(evaluation, job)
      ? predatesJob(each, job)
      : isGcEligible(each, job, world.clock.now()),
  )
  for (const each of eligible) deleteAllocation(world, each)
  if (eligible.length === jobAllocations.length) world.table(evaluations).delete(evaluation.ID)
}

/** Tells whether an evaluation is of a batch job that would do its work again without the allocations. */
function mayRunAgain({ Type }: Evaluation, job: Job | undefined): job is Job {
  return Type === 'batch' && job !== undefined && !(job.Status === 'dead' && job.Stop)
}

/** Tells whether an allocation did the work of a batch job as it was before its last change. */
function predatesJob(allocation: Allocation, { JobModifyIndex }: Job): boolean {
  return allocation.CreateIndex < JobModifyIndex && isTerminal(allocation)
}

function collectDeployments(world: World): void {
  const referencedIds = new Set(
    Array.from(world.table(allocations).rows(), ({ DeploymentID }) => DeploymentID),
  )
  for (const deployment of Array.from(world.table(deployments).rows())) {
    if (isActiveDeployment(deployment) || referencedIds.has(deployment.ID)) continue
    world.table(deployments).delete(deployment.ID)
  }
}

function collectNodes(world: World): void {
  for (const { ID, Status } of Array.from(world.table(nodes).rows())) {
    const isEmpty = world.table(allocations).index('byNode').first(`${ID} `) === undefined
    if (Status === 'down' && isEmpty) world.table(nodes).delete(ID)
  }
}
