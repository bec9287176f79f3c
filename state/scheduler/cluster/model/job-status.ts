import { defineRule } from '../../../kernel/store/rules.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { nextIndex } from '../../indexes.ts'
import type { Job } from '../../job/job-shape.ts'
import { jobItemPrefix, jobKey } from '../../keys.ts'
import { jobs } from '../../records/tables.ts'
import { isLauncher, putJob } from '../../records/store.ts'
import type { Allocation } from './allocation-shapes.ts'
import { isOpen, isTerminal } from './allocation-status.ts'
import { isActiveDeployment } from './deployment-machine.ts'
import { countChild } from './job-summaries.ts'
import type { Deployment, Evaluation } from './placement-shapes.ts'
import { allocations, deployments, evaluations } from './tables.ts'

/**
 * Returns the status of a job, derived from the state of the cluster
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
  // A dead job stays dead when its evaluations are garbage-collected
  // (behaviour/scheduler#operator).
  if (job.Stop || job.Status === 'dead') return 'dead'
  return evaluationTable.index('byJob').first(prefix) !== undefined ? 'dead' : 'pending'
}

/**
 * Updates the status of jobs whenever the cluster changes. Of the job's indexes only `ModifyIndex`
 * moves, also in the stored copy of the version (behaviour/scheduler#variables). A status that
 * changes and reverts within one commit is not a change.
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

/** Returns true if a row affects its job's status as before, which is so for most changes. */
function hasSameEffect(before: StatusRow | undefined, after: StatusRow | undefined): boolean {
  if (before === undefined || after === undefined) return false
  const wasOpen = isRowOpen(before)
  return wasOpen !== undefined && wasOpen === isRowOpen(after)
}

/** Returns true if a row is open; undefined for jobs, whose status depends on more than one row. */
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
