import type { Job } from '../../job/job-shape.ts'
import { jobItemKey, jobItemPrefix, paddedNumber } from '../../keys.ts'
import type { Allocation } from './allocation-shapes.ts'
import type { Evaluation } from './placement-shapes.ts'

const endedClientStatuses = new Set(['complete', 'failed', 'lost'])

/** Returns true if an allocation has ended on its node. */
export function hasEnded({ ClientStatus }: Pick<Allocation, 'ClientStatus'>): boolean {
  return endedClientStatuses.has(ClientStatus)
}

/** Returns true if an allocation is terminal (behaviour/scheduler#job-status). */
export function isTerminal(allocation: Pick<Allocation, 'DesiredStatus' | 'ClientStatus'>) {
  return allocation.DesiredStatus !== 'run' || hasEnded(allocation)
}

/** Types of jobs whose allocations run to completion. */
const batchJobTypes = new Set(['batch', 'sysbatch'])

/**
 * Returns true if a terminal allocation still affects what its job needs: it completed the work of
 * a batch job, or it failed and was not replaced. A replaced allocation never affects the job.
 */
export function isRemaining(
  allocation: Pick<Allocation, 'ClientStatus' | 'DesiredStatus' | 'JobType' | 'NextAllocation'>,
): boolean {
  if (!isTerminal(allocation)) return false
  const { ClientStatus, DesiredStatus, JobType, NextAllocation } = allocation
  if (DesiredStatus !== 'run' && (JobType !== 'batch' || NextAllocation !== '')) return false
  return (
    (ClientStatus === 'complete' && batchJobTypes.has(JobType)) ||
    (ClientStatus === 'failed' && NextAllocation === '')
  )
}

/**
 * Returns true if a terminal allocation belongs to an earlier job with the same ID, or to an
 * earlier version of a batch job. Such an allocation no longer affects what the job needs.
 */
export function isOutdated(job: Job | undefined, allocation: Allocation): boolean {
  if (!isTerminal(allocation)) return false
  if (allocation.Job?.CreateIndex !== job?.CreateIndex) return true
  return batchJobTypes.has(allocation.JobType) && allocation.JobVersion < (job?.Version ?? 0)
}

/**
 * Returns the index key of a terminal allocation. Within a job, outdated allocations sort first.
 */
export function remainingKey({
  Namespace,
  JobID,
  Job,
  JobVersion,
  ID,
}: Pick<Allocation, 'Namespace' | 'JobID' | 'Job' | 'JobVersion' | 'ID'>): string {
  const createIndex = paddedNumber(Job?.CreateIndex ?? 0)
  return jobItemKey(Namespace, JobID, `${createIndex} ${paddedNumber(JobVersion)} ${ID}`)
}

/**
 * Returns the range of index keys of a job's terminal allocations that affect what the job needs:
 * the first key and the shared prefix.
 */
export function remainingRange({ Namespace, ID, CreateIndex, Type, Version }: Job): {
  readonly prefix: string
  readonly from: string
} {
  const prefix = `${jobItemPrefix(Namespace, ID)}${paddedNumber(CreateIndex)} `
  // An update of a sysbatch job replaces the finished allocations of earlier versions.
  return { prefix, from: Type === 'batch' ? prefix + paddedNumber(Version) : prefix }
}

/** Returns true if an evaluation is pending or blocked (behaviour/scheduler#job-status). */
export function isOpen({ Status }: Pick<Evaluation, 'Status'>): boolean {
  return Status === 'pending' || Status === 'blocked'
}
