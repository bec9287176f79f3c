import type { Job } from '../../job/job-shape.ts'
import { jobItemKey, jobItemPrefix, paddedNumber } from '../../keys.ts'
import type { Allocation } from './allocation-shapes.ts'
import type { Evaluation } from './placement-shapes.ts'

const endedClientStatuses = new Set(['complete', 'failed', 'lost'])

/**
 * Returns true if the client reports that an allocation has ended or is lost. An allocation that
 * was merely asked to stop has not ended.
 */
export function hasEnded({ ClientStatus }: Pick<Allocation, 'ClientStatus'>): boolean {
  return endedClientStatuses.has(ClientStatus)
}

/**
 * Returns true if an allocation has ended or was asked to stop (behaviour/scheduler#job-status).
 */
export function isTerminal(allocation: Pick<Allocation, 'DesiredStatus' | 'ClientStatus'>) {
  return allocation.DesiredStatus !== 'run' || hasEnded(allocation)
}

/** Types of jobs whose allocations run to completion. */
const batchJobTypes = new Set(['batch', 'sysbatch'])

/**
 * Returns true if an evaluation must consider a terminal allocation, because the allocation
 * completed the work of a batch job, or failed and was not replaced.
 */
export function isRelevantTerminal(
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
 * earlier version of a batch or sysbatch job. Evaluations ignore outdated allocations, except that
 * an update of a sysbatch job replaces those of its earlier versions.
 */
export function isOutdated(job: Job | undefined, allocation: Allocation): boolean {
  if (!isTerminal(allocation)) return false
  if (allocation.Job?.CreateIndex !== job?.CreateIndex) return true
  return batchJobTypes.has(allocation.JobType) && allocation.JobVersion < (job?.Version ?? 0)
}

/**
 * Returns the key of a terminal allocation in the index `relevantTerminal`. Within a job, outdated
 * allocations sort first.
 */
export function relevantTerminalKey({
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
 * Returns the range of keys in the index `relevantTerminal` that an evaluation of the job
 * considers: the common prefix and the first key.
 */
export function relevantTerminalRange({ Namespace, ID, CreateIndex, Type, Version }: Job): {
  readonly prefix: string
  readonly from: string
} {
  const prefix = `${jobItemPrefix(Namespace, ID)}${paddedNumber(CreateIndex)} `
  // The range of a sysbatch job includes earlier versions, because an update replaces their
  // finished allocations.
  return { prefix, from: Type === 'batch' ? prefix + paddedNumber(Version) : prefix }
}

/**
 * Returns true if an evaluation is still to be processed: pending or blocked
 * (behaviour/scheduler#job-status).
 */
export function isOpen({ Status }: Pick<Evaluation, 'Status'>): boolean {
  return Status === 'pending' || Status === 'blocked'
}
