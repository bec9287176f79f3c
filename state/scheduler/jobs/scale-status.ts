import type { World } from '../../kernel/worlds/world.ts'
import { allocationsOf } from '../cluster/allocations/allocations.ts'
import type { Allocation } from '../cluster/model/allocation-shapes.ts'
import { isTerminal } from '../cluster/model/allocation-status.ts'
import type { Job } from '../job/job-shape.ts'
import { refuse } from '../messages.ts'
import { findJob, scalingEventsOf } from '../records/store.ts'

/**
 * Returns the desired and actual counts and the scaling events of each group of a job. Canaries and
 * terminal allocations are not counted.
 *
 * @throws Refusal 404 if no job has the ID
 */
export function scaleStatus(world: World, namespace: string, id: string) {
  const job = findJob(world, namespace, id)
  if (job === undefined) throw refuse('job-not-found')
  const events = new Map(Object.entries(scalingEventsOf(world, namespace, id)?.ScalingEvents ?? {}))
  const counted = countedAllocations(world, job)
  const groups = (job.TaskGroups ?? []).map(({ Name, Count }) => {
    const placed = counted.filter(({ TaskGroup }) => TaskGroup === Name)
    const countHealthy = (isHealthy: boolean) =>
      placed.filter(({ DeploymentStatus }) => DeploymentStatus?.Healthy === isHealthy).length
    const counts = {
      Desired: Count,
      Placed: placed.length,
      Running: placed.filter(({ ClientStatus }) => ClientStatus === 'running').length,
      Healthy: countHealthy(true),
      Unhealthy: countHealthy(false),
      /** Scaling events, newest first; null if the group has no events. */
      Events: events.get(Name) ?? null,
    }
    return [Name, counts] as const
  })
  return {
    JobID: id,
    Namespace: namespace,
    JobCreateIndex: job.CreateIndex,
    JobModifyIndex: job.ModifyIndex,
    JobStopped: job.Stop,
    TaskGroups: Object.fromEntries(groups),
  }
}

/**
 * Returns the index on which a blocking query for the counts waits: the highest index of the job,
 * its scaling events and the counted allocations (behaviour/scheduler#blocking). Returns 0 if no
 * job has the ID.
 */
export function scaleStatusIndex(world: World, namespace: string, id: string): number {
  const job = findJob(world, namespace, id)
  if (job === undefined) return 0
  const groups = new Set(job.TaskGroups?.map(({ Name }) => Name))
  return countedAllocations(world, job)
    .filter(({ TaskGroup }) => groups.has(TaskGroup))
    .reduce(
      (highest, { ModifyIndex }) => Math.max(highest, ModifyIndex),
      Math.max(job.ModifyIndex, scalingEventsOf(world, namespace, id)?.ModifyIndex ?? 0),
    )
}

/** Returns the allocations of a job, except canaries and terminal allocations. */
function countedAllocations(world: World, { Namespace, ID }: Job): readonly Allocation[] {
  return allocationsOf(world, Namespace, ID, false).filter(
    (allocation) => !isTerminal(allocation) && allocation.DeploymentStatus?.Canary !== true,
  )
}
