import type { World } from '../../kernel/world.ts'
import { nextIndex } from '../indexes.ts'
import type { Job } from '../job/job-shape.ts'
import { ofJobPrefix } from '../keys.ts'
import { isLauncher, jobOf, putJob } from '../records/store.ts'
import { childChanged } from './summaries.ts'
import { allocations, deployments, evaluations } from './tables.ts'

/**
 * Returns what a job's status is by the state of the cluster (3b-scheduler-decisions.md section 6,
 * Status).
 */
export function statusOf(world: World, job: Job): 'pending' | 'running' | 'dead' {
  if (job.Type === 'system' || isLauncher(job)) {
    return job.Stop ? 'dead' : 'running'
  }
  const prefix = ofJobPrefix(job.Namespace, job.ID)
  if (world.table(deployments).index('active').first(prefix) !== undefined) return 'running'
  if (world.table(allocations).index('open').first(prefix) !== undefined) return 'running'
  const evaluationsOf = world.table(evaluations)
  if (evaluationsOf.index('open').first(prefix) !== undefined) return 'pending'
  return job.Stop || evaluationsOf.index('byJob').first(prefix) !== undefined ? 'dead' : 'pending'
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
