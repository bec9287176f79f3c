import { emptyValueOf } from '../../../kernel/shape/fill-defaults.ts'
import { defineRule } from '../../../kernel/store/rules.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { nextIndex } from '../../indexes.ts'
import type { Job } from '../../job/job-shape.ts'
import { jobItemPrefix, jobKey } from '../../keys.ts'
import { type GroupCounters, groupCountersShape, type JobSummary } from '../../records/shapes.ts'
import { isLauncher, putJob } from '../../records/store.ts'
import { jobSummaries, jobs } from '../../records/tables.ts'
import type { Allocation } from './allocation-shapes.ts'
import { isOpen, isTerminal } from './allocation-status.ts'
import { isActiveDeployment } from './deployment-machine.ts'
import type { Deployment, Evaluation } from './placement-shapes.ts'
import { allocations, deployments, evaluations } from './tables.ts'

const zeroCounters = emptyValueOf(groupCountersShape)

function putSummary(world: World, summary: JobSummary): void {
  const changed = { ...summary, ModifyIndex: nextIndex(world) }
  world.table(jobSummaries).put(jobKey(summary.Namespace, summary.JobID), changed)
}

/**
 * Creates the summary of a job or adds missing groups to it. Counters of new groups are 0, and
 * groups of older versions stay (behaviour/scheduler#summary). Must run inside a transaction.
 */
export function ensureSummary(world: World, job: Job): void {
  const existing = world.table(jobSummaries).get(jobKey(job.Namespace, job.ID))
  const groups = new Map(Object.entries(existing?.Summary ?? {}))
  const before = groups.size
  for (const { Name } of job.TaskGroups ?? []) {
    if (!groups.has(Name)) groups.set(Name, zeroCounters)
  }
  if (existing !== undefined && groups.size === before) return
  putSummary(world, {
    JobID: job.ID,
    Namespace: job.Namespace,
    Children: { Pending: 0, Running: 0, Dead: 0 },
    CreateIndex: nextIndex(world),
    ModifyIndex: 0,
    ...existing,
    Summary: Object.fromEntries(groups),
  })
}

/**
 * Sets the counter `Queued` of each group to the number of allocations that an evaluation could not
 * place. Must run inside a transaction.
 */
export function countEvaluation(
  world: World,
  job: { readonly Namespace: string; readonly JobID: string },
  unplaced: Readonly<Record<string, number>>,
): void {
  const summary = world.table(jobSummaries).get(jobKey(job.Namespace, job.JobID))
  if (summary === undefined) return
  const groups = new Map(Object.entries(summary.Summary ?? {}))
  let changed = false
  for (const [group, Queued] of Object.entries(unplaced)) {
    const counters = groups.get(group)
    if (counters === undefined || counters.Queued === Queued) continue
    groups.set(group, { ...counters, Queued })
    changed = true
  }
  if (changed) putSummary(world, { ...summary, Summary: Object.fromEntries(groups) })
}

/**
 * The counter for each client status. If `decrements` is true, the counter is decremented when an
 * allocation leaves the status.
 */
const counterByStatus: ReadonlyMap<
  string,
  { readonly counter: keyof GroupCounters; readonly decrements: boolean }
> = new Map([
  ['pending', { counter: 'Starting', decrements: true }],
  ['running', { counter: 'Running', decrements: true }],
  ['complete', { counter: 'Complete', decrements: false }],
  ['failed', { counter: 'Failed', decrements: false }],
  ['lost', { counter: 'Lost', decrements: true }],
  ['unknown', { counter: 'Unknown', decrements: true }],
])

/**
 * Updates the counters of a job after a client status has changed. Allocations of an earlier job
 * with the same ID are not counted. Must run inside a transaction.
 */
export function countAllocation(world: World, before: Allocation, after: Allocation): void {
  if (before.ClientStatus === after.ClientStatus) return
  const summary = summaryOfAllocation(world, after)
  const counters = summary === undefined ? undefined : countersOf(summary, after.TaskGroup)
  if (summary === undefined || counters === undefined) return
  const updated = { ...counters }
  const to = counterByStatus.get(after.ClientStatus)
  if (to !== undefined) updated[to.counter] += 1
  const from = counterByStatus.get(before.ClientStatus)
  if (from?.decrements) updated[from.counter] = Math.max(0, updated[from.counter] - 1)
  putSummary(world, { ...summary, Summary: { ...summary.Summary, [after.TaskGroup]: updated } })
}

/**
 * Counts the allocations that one evaluation created for a job, and subtracts them from `Queued`.
 * The summary is written once, because it contains all groups of the job, so a write for each
 * allocation would take quadratic time. Must run inside a transaction.
 */
export function countNewAllocations(world: World, created: readonly Allocation[]): void {
  const [first] = created
  const summary = first === undefined ? undefined : summaryOfAllocation(world, first)
  if (summary === undefined) return
  const changed = new Map<string, GroupCounters>()
  for (const { TaskGroup, ClientStatus } of created) {
    const counters = changed.get(TaskGroup) ?? countersOf(summary, TaskGroup)
    if (counters === undefined) continue
    const updated = { ...counters, Queued: Math.max(0, counters.Queued - 1) }
    const to = counterByStatus.get(ClientStatus)
    if (to !== undefined) updated[to.counter] += 1
    changed.set(TaskGroup, updated)
  }
  if (changed.size === 0) return
  putSummary(world, {
    ...summary,
    Summary: { ...summary.Summary, ...Object.fromEntries(changed) },
  })
}

/**
 * Returns the summary that counts an allocation, or undefined if the job has no summary or the
 * allocation belongs to an earlier job with the same ID.
 */
function summaryOfAllocation(world: World, { Namespace, JobID, Job: job }: Allocation) {
  const summary = world.table(jobSummaries).get(jobKey(Namespace, JobID))
  return summary?.CreateIndex === job?.CreateIndex ? summary : undefined
}

function countersOf({ Summary }: JobSummary, group: string): GroupCounters | undefined {
  return Summary != null && Object.hasOwn(Summary, group) ? Summary[group] : undefined
}

/**
 * Rebuilds the summary of a job from its allocations and children (behaviour/scheduler#operator).
 * As in the reference, `Queued` becomes 0, and groups that the job does not have remain only if
 * they have allocations. Jobs that launch other jobs get counters of children instead of groups.
 * Must run inside a transaction.
 */
export function recountSummary(
  world: World,
  job: Job,
  jobAllocations: readonly Allocation[],
  children: Iterable<Pick<Job, 'Status'>>,
): void {
  const isLauncherJob = isLauncher(job)
  const groups = new Map<string, GroupCounters>()
  if (!isLauncherJob) for (const { Name } of job.TaskGroups ?? []) groups.set(Name, zeroCounters)
  for (const { TaskGroup, ClientStatus } of isLauncherJob ? [] : jobAllocations) {
    const counted = { ...(groups.get(TaskGroup) ?? zeroCounters) }
    const to = counterByStatus.get(ClientStatus)
    if (to !== undefined) counted[to.counter] += 1
    groups.set(TaskGroup, counted)
  }
  const childCounters = { Pending: 0, Running: 0, Dead: 0 }
  for (const { Status } of children) {
    const to = childCounterByStatus.get(Status)
    if (to !== undefined) childCounters[to] += 1
  }
  putSummary(world, {
    JobID: job.ID,
    Namespace: job.Namespace,
    Summary: Object.fromEntries(groups),
    Children: isLauncherJob ? childCounters : null,
    CreateIndex: job.CreateIndex,
    ModifyIndex: 0,
  })
}

const childCounterByStatus: ReadonlyMap<string, 'Pending' | 'Running' | 'Dead'> = new Map([
  ['pending', 'Pending'],
  ['running', 'Running'],
  ['dead', 'Dead'],
])

/**
 * Updates the counters of the parent when the status of a launched job changes
 * (behaviour/scheduler#summary). `before` is undefined for a new job; a purged job becomes `dead`.
 * Does nothing if the job has no parent or the parent no longer exists. Must run inside a
 * transaction.
 */
export function countChild(
  world: World,
  child: Pick<Job, 'Namespace' | 'ParentID'>,
  before: string | undefined,
  after: string,
): void {
  if (child.ParentID === '' || before === after) return
  const summary = world.table(jobSummaries).get(jobKey(child.Namespace, child.ParentID))
  if (summary === undefined) return
  const children = { ...(summary.Children ?? { Pending: 0, Running: 0, Dead: 0 }) }
  const from = before === undefined ? undefined : childCounterByStatus.get(before)
  const to = childCounterByStatus.get(after)
  if (from !== undefined) children[from] = Math.max(0, children[from] - 1)
  if (to !== undefined) children[to] += 1
  putSummary(world, { ...summary, Children: children })
}

/**
 * Derives the status of a job from its allocations, evaluations and deployments
 * (behaviour/scheduler#job-status).
 */
export function jobStatus(world: World, job: Job): 'pending' | 'running' | 'dead' {
  if (job.Type === 'system' || isLauncher(job)) {
    return job.Stop ? 'dead' : 'running'
  }
  const prefix = jobItemPrefix(job.Namespace, job.ID)
  if (world.table(allocations).index('open').first(prefix) !== undefined) return 'running'
  const evaluationTable = world.table(evaluations)
  if (evaluationTable.index('open').first(prefix) !== undefined) return 'pending'
  if (world.table(deployments).index('active').first(prefix) !== undefined) return 'running'
  // Without this check, a dead job would become pending when its evaluations are garbage-collected
  // (behaviour/scheduler#operator).
  if (job.Stop || job.Status === 'dead') return 'dead'
  return evaluationTable.index('byJob').first(prefix) !== undefined ? 'dead' : 'pending'
}

/**
 * Rule that updates the status of jobs after changes of jobs and of the cluster. A change of status
 * sets `ModifyIndex`, but not `JobModifyIndex`, in the job and in its stored version
 * (behaviour/scheduler#job-status), and updates the summary of the job's parent. If a status
 * changes and changes back within one commit, the rule writes nothing.
 */
export const jobStatusRule = defineRule({
  name: 'scheduler.job-status',
  tables: [jobs, evaluations, allocations, deployments],
  apply(world: World, changes) {
    const affectedJobs = new Set<string>()
    for (const { before, after } of changes) {
      const row = after ?? before
      if (row !== undefined && !hasSameEffect(before, after))
        affectedJobs.add(jobKey(row.Namespace, 'JobID' in row ? row.JobID : row.ID))
    }
    for (const key of affectedJobs) {
      const job = world.table(jobs).get(key)
      if (job !== undefined) updateStatus(world, job)
    }
  },
})

type StatusRow = Job | Evaluation | Allocation | Deployment

/**
 * Returns true if a write of an evaluation, allocation or deployment cannot change the status of
 * its job. `jobStatusRule` skips such writes, which are the most frequent.
 */
function hasSameEffect(before: StatusRow | undefined, after: StatusRow | undefined): boolean {
  if (before === undefined || after === undefined) return false
  const wasOpen = isRowOpen(before)
  return wasOpen !== undefined && wasOpen === isRowOpen(after)
}

/**
 * Returns true if the row is open, and so keeps its job from being dead. Returns undefined for the
 * row of a job, whose status depends on other rows as well.
 */
function isRowOpen(row: StatusRow): boolean | undefined {
  if ('ClientStatus' in row) return !isTerminal(row)
  if ('TriggeredBy' in row) return isOpen(row)
  return 'JobID' in row ? isActiveDeployment(row) : undefined
}

function updateStatus(world: World, job: Job): void {
  const status = jobStatus(world, job)
  if (status === job.Status) return
  const changed = { ...job, Status: status, ModifyIndex: nextIndex(world) }
  putJob(world, changed)
  countChild(world, changed, job.Status, status)
}
