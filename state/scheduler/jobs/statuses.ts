import { addIntegers, type Integer } from '../../kernel/integers.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { allAllocationsOf } from '../cluster/allocations/allocations.ts'
import { latestDeployment } from '../cluster/deployments/deployments.ts'
import type { Allocation } from '../cluster/model/allocation-shapes.ts'
import { isActiveDeployment } from '../cluster/model/deployment-machine.ts'
import type { Deployment } from '../cluster/model/placement-shapes.ts'
import type { Job } from '../job/job-shape.ts'
import { paddedNumber } from '../keys.ts'
import { childrenOf, findJob, isLauncher } from '../records/store.ts'
import { jobs } from '../records/tables.ts'

/** Conditions, order and page size of a list of job statuses. */
export interface StatusesQuery {
  /** Namespaces in which the caller may read jobs. */
  readonly namespaces: ReadonlySet<string>
  /** Jobs to list; undefined or empty for all jobs. Jobs that do not exist are skipped. */
  readonly requested?: readonly { readonly namespace: string; readonly id: string }[]
  /** True to also list jobs that other jobs have launched. */
  readonly includeChildren?: boolean
  readonly filter?: (job: Job) => boolean
  /** ModifyIndex of the first entry of the page. */
  readonly nextToken?: string
  /** Number of entries per page; 0 means unlimited. Ignored if `requested` contains jobs. */
  readonly perPage?: number
  /** True to list the oldest change first. */
  readonly reverse?: boolean
}

/**
 * Returns a page of job statuses (behaviour/scheduler#job-statuses). The most recent change is
 * first, or last with `reverse`.
 */
export function jobStatuses(world: World, query: StatusesQuery) {
  const { filter = () => true, includeChildren = false, namespaces } = query
  const items: ReturnType<typeof jobStatusEntry>[] = []
  const areRequested = query.requested !== undefined && query.requested.length > 0
  const perPage = areRequested ? 0 : (query.perPage ?? 0)
  for (const job of areRequested ? requestedJobs(world, query) : jobsByChange(world, query)) {
    if (!namespaces.has(job.Namespace)) continue
    if (!includeChildren && job.ParentID !== '') continue
    if (!filter(job)) continue
    if (perPage > 0 && items.length === perPage) {
      return { items, nextToken: String(job.ModifyIndex) }
    }
    items.push(jobStatusEntry(world, job))
  }
  return { items, nextToken: undefined }
}

function* jobsByChange(world: World, { nextToken = '', reverse = false }: StatusesQuery) {
  const changes = world.table(jobs).index('byChange')
  const index = nextToken === '' ? undefined : paddedNumber(indexInToken(nextToken))
  // Keys begin with the index and a space, and `!` sorts right after the space. Reading backwards
  // from `<index>!` therefore begins with the entry at the index.
  const entries = reverse
    ? changes.entries('', index)
    : changes.reversed('', index === undefined ? undefined : `${index}!`)
  for (const [, job] of entries) yield job
}

function requestedJobs(world: World, query: StatusesQuery): readonly Job[] {
  const { requested = [], reverse = false, nextToken = '' } = query
  const jobs = requested.flatMap(({ namespace, id }) => findJob(world, namespace, id) ?? [])
  const direction = reverse ? 1 : -1
  const sorted = [...new Set(jobs)].sort((a, b) => direction * (a.ModifyIndex - b.ModifyIndex))
  if (nextToken === '') return sorted
  const index = indexInToken(nextToken)
  return sorted.filter(({ ModifyIndex }) => direction * (ModifyIndex - index) >= 0)
}

/**
 * Returns the ModifyIndex in a page token. As in the reference, a token that is not a number is
 * read as 0, which is lower than the index of every job.
 */
function indexInToken(token: string): number {
  return /^\d+$/.test(token) ? Number(token) : 0
}

/**
 * Returns the status of one job, including the statuses of its allocations
 * (behaviour/scheduler#job-statuses).
 */
function jobStatusEntry(world: World, job: Job) {
  const { Namespace, ID } = job
  const isLauncherJob = isLauncher(job)
  const deployment = isLauncherJob ? undefined : latestDeployment(world, Namespace, ID)
  const allocations = isLauncherJob ? [] : allAllocationsOf(world, Namespace, ID)
  return {
    ID,
    Namespace,
    Name: job.Name,
    Type: job.Type,
    NodePool: job.NodePool,
    Datacenters: job.Datacenters,
    Priority: job.Priority,
    Version: job.Version,
    SubmitTime: job.SubmitTime,
    ModifyIndex: job.ModifyIndex,
    Allocs: allocations.length === 0 ? null : allocations.map(allocationStatusEntry),
    /** Desired number of allocations of all groups. */
    GroupCountSum: (job.TaskGroups ?? []).reduce<Integer>(
      (sum, { Count }) => addIntegers(sum, Count),
      0,
    ),
    /** Statuses of the launched jobs; null unless the job launches other jobs. */
    ChildStatuses: isLauncherJob
      ? Array.from(childrenOf(world, Namespace, ID), ({ Status }) => Status)
      : null,
    ParentID: job.ParentID,
    LatestDeployment: deployment === undefined ? null : deploymentStatusEntry(deployment),
    Stop: job.Stop,
    /** True if `Meta` has the key that the product's package manager sets. */
    IsPack: Object.hasOwn(job.Meta ?? {}, 'pack.name'),
    Status: job.Status,
  }
}

function allocationStatusEntry(allocation: Allocation) {
  const { DeploymentStatus: health } = allocation
  return {
    ID: allocation.ID,
    Group: allocation.TaskGroup,
    ClientStatus: allocation.ClientStatus,
    NodeID: allocation.NodeID,
    DeploymentStatus: { Canary: health?.Canary ?? false, Healthy: health?.Healthy ?? null },
    JobVersion: allocation.JobVersion,
    FollowupEvalID: allocation.FollowupEvalID,
    HasPausedTask: false,
  }
}

/** Converts the newest deployment to the member `LatestDeployment` of a job status. */
function deploymentStatusEntry(deployment: Deployment) {
  const isRunning = deployment.Status === 'running'
  const groups = Object.values(deployment.TaskGroups ?? {})
  const groupsWithCanaries = groups.filter(({ DesiredCanaries }) => DesiredCanaries > 0)
  return {
    ID: deployment.ID,
    IsActive: isActiveDeployment(deployment),
    JobVersion: deployment.JobVersion,
    Status: deployment.Status,
    StatusDescription: deployment.StatusDescription,
    AllAutoPromote:
      isRunning && groups.length > 0 && groupsWithCanaries.every(({ AutoPromote }) => AutoPromote),
    RequiresPromotion: isRunning && groupsWithCanaries.some(({ Promoted }) => !Promoted),
  }
}
