import { parseTimestamp } from '../../../kernel/time.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import type { TaskGroup } from '../../job/job-shape.ts'
import { jobItemKey } from '../../keys.ts'
import { findJob } from '../../records/store.ts'
import { nonTerminalAllocationsOf } from '../allocations/allocations.ts'
import type { Allocation } from '../model/allocation-shapes.ts'
import { scaledInterval } from '../model/steps.ts'

/** What leaves a node that is drained. */
interface MigrationBatch {
  readonly migrations: readonly Allocation[]
  /** When more may, in milliseconds since 1970, though nothing changes until then. */
  readonly recheckAt: number | undefined
}

type Migrate = NonNullable<TaskGroup['Migrate']>

/**
 * Chooses what leaves a node now (behaviour/scheduler#node-endpoints, per group Migrate): of each
 * group of services as many as leave it no more than MaxParallel short of its count. Batch jobs may go on
 * to their end.
 *
 * @param remaining what has not ended there
 */
export function nextMigrations(world: World, remaining: readonly Allocation[]): MigrationBatch {
  const groups = new Map<string, Allocation[]>()
  for (const allocation of remaining) {
    if (allocation.JobType !== 'service' || !isStaying(allocation)) continue
    const { Namespace, JobID, TaskGroup } = allocation
    const key = jobItemKey(Namespace, JobID, TaskGroup)
    groups.set(key, [...(groups.get(key) ?? []), allocation])
  }
  const migrations: Allocation[] = []
  const allRecheckTimes: number[] = []
  for (const candidates of groups.values()) {
    const { now, recheckTimes: again } = groupMigrations(world, candidates)
    migrations.push(...now)
    allRecheckTimes.push(...again)
  }
  return {
    migrations,
    recheckAt: allRecheckTimes.length === 0 ? undefined : Math.min(...allRecheckTimes),
  }
}

function isStaying({ DesiredStatus, DesiredTransition }: Allocation): boolean {
  return DesiredStatus === 'run' && DesiredTransition.Migrate !== true
}

/** @param candidates those of a group on the node, one at least */
function groupMigrations(world: World, candidates: readonly Allocation[]) {
  const [{ Namespace, JobID, TaskGroup }] = candidates as [Allocation, ...Allocation[]]
  const group = findJob(world, Namespace, JobID)?.TaskGroups?.find(({ Name }) => Name === TaskGroup)
  // What nobody wants any more leaves by itself.
  if (group?.Migrate == null) return { now: [], recheckTimes: [] }
  const { Migrate, Count } = group
  const now = world.clock.now()
  const healthTimes = nonTerminalAllocationsOf(world, Namespace, JobID)
    .filter((one) => one.TaskGroup === TaskGroup && isStaying(one))
    .map((one) => healthKnownAt(world, one, Migrate))
  const healthy = healthTimes.filter((at) => at <= now).length
  const allowed = Math.max(0, healthy - (Count - Migrate.MaxParallel))
  return {
    now: candidates.slice(0, allowed),
    recheckTimes: allowed < candidates.length ? healthTimes.filter((at) => at > now) : [],
  }
}

/** When it is known whether an allocation is healthy, in milliseconds since 1970. */
function healthKnownAt(world: World, allocation: Allocation, migrate: Migrate): number {
  const { ClientStatus, CreateTime, DeploymentStatus, TaskStates } = allocation
  if (DeploymentStatus?.Healthy != null) return 0
  const deadline = CreateTime / 1_000_000 + scaledInterval(world, migrate.HealthyDeadline)
  if (ClientStatus !== 'running') return deadline
  const started = Object.values(TaskStates ?? {}).map(
    ({ StartedAt }) => parseTimestamp(StartedAt) ?? 0,
  )
  return Math.min(deadline, Math.max(...started) + scaledInterval(world, migrate.MinHealthyTime))
}
