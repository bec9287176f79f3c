import { parseTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/world.ts'
import type { TaskGroup } from '../job/job-shape.ts'
import { ofJobKey } from '../keys.ts'
import { jobOf } from '../records/store.ts'
import type { Allocation } from './allocation-shapes.ts'
import { nonTerminalAllocationsOf } from './allocations.ts'
import { scaledInterval } from './steps.ts'

/** What leaves a node that is drained. */
interface Leaving {
  readonly leaving: readonly Allocation[]
  /** When more may, in milliseconds since 1970, though nothing changes until then. */
  readonly again: number | undefined
}

type Migrate = NonNullable<TaskGroup['Migrate']>

/**
 * Chooses what leaves a node now (behaviour/scheduler#node-endpoints, per group Migrate): of each
 * group of services as many as leave it no more than MaxParallel short of its count. Batch jobs may go on
 * to their end.
 *
 * @param onNode what has not ended there
 */
export function nextToLeave(world: World, onNode: readonly Allocation[]): Leaving {
  const groups = new Map<string, Allocation[]>()
  for (const allocation of onNode) {
    if (allocation.JobType !== 'service' || !isStaying(allocation)) continue
    const { Namespace, JobID, TaskGroup } = allocation
    const key = ofJobKey(Namespace, JobID, TaskGroup)
    groups.set(key, [...(groups.get(key) ?? []), allocation])
  }
  const leaving: Allocation[] = []
  const times: number[] = []
  for (const candidates of groups.values()) {
    const { now, again } = ofGroup(world, candidates)
    leaving.push(...now)
    times.push(...again)
  }
  return { leaving, again: times.length === 0 ? undefined : Math.min(...times) }
}

function isStaying({ DesiredStatus, DesiredTransition }: Allocation): boolean {
  return DesiredStatus === 'run' && DesiredTransition.Migrate !== true
}

/** @param candidates those of a group on the node, one at least */
function ofGroup(world: World, candidates: readonly Allocation[]) {
  const [{ Namespace, JobID, TaskGroup }] = candidates as [Allocation, ...Allocation[]]
  const group = jobOf(world, Namespace, JobID)?.TaskGroups?.find(({ Name }) => Name === TaskGroup)
  // What nobody wants any more leaves by itself.
  if (group?.Migrate == null) return { now: [], again: [] }
  const { Migrate, Count } = group
  const now = world.clock.now()
  const settled = nonTerminalAllocationsOf(world, Namespace, JobID)
    .filter((one) => one.TaskGroup === TaskGroup && isStaying(one))
    .map((one) => settledAt(world, one, Migrate))
  const healthy = settled.filter((at) => at <= now).length
  const room = Math.max(0, healthy - (Count - Migrate.MaxParallel))
  return {
    now: candidates.slice(0, room),
    again: room < candidates.length ? settled.filter((at) => at > now) : [],
  }
}

/** When it is known whether an allocation is healthy, in milliseconds since 1970. */
function settledAt(world: World, allocation: Allocation, migrate: Migrate): number {
  const { ClientStatus, CreateTime, DeploymentStatus, TaskStates } = allocation
  if (DeploymentStatus?.Healthy != null) return 0
  const late = CreateTime / 1_000_000 + scaledInterval(world, migrate.HealthyDeadline)
  if (ClientStatus !== 'running') return late
  const started = Object.values(TaskStates ?? {}).map(
    ({ StartedAt }) => parseTimestamp(StartedAt) ?? 0,
  )
  return Math.min(late, Math.max(...started) + scaledInterval(world, migrate.MinHealthyTime))
}
