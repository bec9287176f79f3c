import type { TableDefinition } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'
import { nextIndex } from '../indexes.ts'
import type { Job } from '../job/job-shape.ts'
import { isLauncher, jobOf, putJob } from '../jobs/store.ts'
import type { Pointer } from '../jobs/tables.ts'
import { jobKey, ofJobPrefix } from '../keys.ts'
import { childChanged } from './summaries.ts'
import { activeDeployments, jobEvaluations, openAllocations, openEvaluations } from './tables.ts'

/** Whether a job has a row in a table of pointers. */
function hasAny(world: World, table: TableDefinition<Pointer>, prefix: string): boolean {
  return world.table(table).ceiling(prefix)?.[0].startsWith(prefix) ?? false
}

/** What a job's status is by the state of the cluster (3b-scheduler-decisions.md section 6, Status). */
export function statusOf(world: World, job: Job): 'pending' | 'running' | 'dead' {
  if (job.Type === 'system' || isLauncher(job)) {
    return job.Stop ? 'dead' : 'running'
  }
  const prefix = ofJobPrefix(job.Namespace, job.ID)
  if (world.table(activeDeployments).has(jobKey(job.Namespace, job.ID))) return 'running'
  if (hasAny(world, openAllocations, prefix)) return 'running'
  if (hasAny(world, openEvaluations, prefix)) return 'pending'
  return job.Stop || hasAny(world, jobEvaluations, prefix) ? 'dead' : 'pending'
}

/**
 * Brings a job's status in line with the cluster: of its indexes ModifyIndex alone moves, and the
 * retained copy of the version with it (section 6). Does nothing for a job that does not exist.
 * Inside a transaction.
 */
export function refreshJobStatus(world: World, namespace: string, id: string): void {
  const job = jobOf(world, namespace, id)
  if (job === undefined) return
  const status = statusOf(world, job)
  if (status === job.Status) return
  const changed = { ...job, Status: status, ModifyIndex: nextIndex(world) }
  putJob(world, changed)
  childChanged(world, changed, job.Status, status)
}
