import type { World } from '../../kernel/worlds/world.ts'
import { allocationsOf } from '../cluster/allocations/allocations.ts'
import type { Allocation } from '../cluster/model/allocation-shapes.ts'
import { isTerminal } from '../cluster/model/allocation-status.ts'
import type { Job } from '../job/job-shape.ts'
import { refuse } from '../messages.ts'
import { findJob, scalingEventsOf } from '../records/store.ts'

/**
 * Returns the desired and actual counts of a job's groups. Canaries and allocations that have ended
 * are not counted.
 * @throws Refusal 404 for an unknown job
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
      /** Scaling events of the group, newest first; null if there are none. */
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
 * Returns the index of the counts of a job: the highest index of the job, of its scaling events and
 * of the counted allocations (behaviour/scheduler#blocking). Returns 0 for an unknown job.
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

/** Returns the allocations that count: those that are neither canaries nor ended. */
function countedAllocations(world: World, { Namespace, ID }: Job): readonly Allocation[] {
  return allocationsOf(world, Namespace, ID, false).filter(
    (allocation) => !isTerminal(allocation) && allocation.DeploymentStatus?.Canary !== true,
  )
}
