import type { World } from '../../kernel/world.ts'
import { allocationsOf } from '../cluster/allocations.ts'
import { isTerminal } from '../cluster/standing.ts'
import type { ScalingEvent } from '../records/shapes.ts'
import { jobOf, scalingEventsOf } from '../records/store.ts'
import { refuse } from '../texts.ts'

/** The state of a group against the count that is asked for. */
interface GroupScale {
  readonly Desired: number
  readonly Placed: number
  readonly Running: number
  readonly Healthy: number
  readonly Unhealthy: number
  /** Newest first; null for none. */
  readonly Events: readonly ScalingEvent[] | null
}

/** A job's counts (behaviour/scheduler#scale). */
interface ScaleStatus {
  readonly JobID: string
  readonly Namespace: string
  readonly JobCreateIndex: number
  readonly JobModifyIndex: number
  readonly JobStopped: boolean
  readonly TaskGroups: Readonly<Record<string, GroupScale>>
}

/**
 * Returns what a job's groups ask for and have; canaries and what has ended do not count.
 *
 * @throws Refusal 404 for an unknown job
 */
export function scaleStatus(world: World, namespace: string, id: string): ScaleStatus {
  const job = jobOf(world, namespace, id)
  if (job === undefined) throw refuse('job-not-found')
  const events = new Map(Object.entries(scalingEventsOf(world, namespace, id)?.ScalingEvents ?? {}))
  const live = allocationsOf(world, namespace, id, false).filter(
    (allocation) => !isTerminal(allocation) && allocation.DeploymentStatus?.Canary !== true,
  )
  const groups = (job.TaskGroups ?? []).map(({ Name, Count }): [string, GroupScale] => {
    const placed = live.filter(({ TaskGroup }) => TaskGroup === Name)
    const healthy = (is: boolean) =>
      placed.filter(({ DeploymentStatus }) => DeploymentStatus?.Healthy === is).length
    return [
      Name,
      {
        Desired: Count,
        Placed: placed.length,
        Running: placed.filter(({ ClientStatus }) => ClientStatus === 'running').length,
        Healthy: healthy(true),
        Unhealthy: healthy(false),
        Events: events.get(Name) ?? null,
      },
    ]
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
