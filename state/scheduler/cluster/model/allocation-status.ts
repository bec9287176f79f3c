import type { Job } from '../../job/job-shape.ts'
import { jobItemKey, jobItemPrefix, paddedNumber } from '../../keys.ts'
import type { Allocation } from './allocation-shapes.ts'
import type { Evaluation } from './placement-shapes.ts'

const endedClientStatuses = new Set(['complete', 'failed', 'lost'])

/** Tells whether an allocation has ended on its node. */
export function hasEnded({ ClientStatus }: Pick<Allocation, 'ClientStatus'>): boolean {
  return endedClientStatuses.has(ClientStatus)
}

/** Tells whether an allocation is terminal (behaviour/scheduler#job-status). */
export function isTerminal(
  allocation: Pick<Allocation, 'DesiredStatus' | 'ClientStatus'>,
): boolean {
  return allocation.DesiredStatus !== 'run' || hasEnded(allocation)
}

/** Jobs whose allocations are meant to end. */
const batchJobTypes = new Set(['batch', 'sysbatch'])

/**
 * Tells whether a terminal allocation, as it stands, can say what its job still needs: it has done the
 * work of a batch job, or failed and was not replaced. Whatever was replaced counts no more.
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
 * Tells whether an allocation that is terminal is of an earlier job under the same ID, or of an earlier
 * version of a job that is meant to end: it has no say in what is wanted now, nor ever will.
 */
export function isOutdated(job: Job | undefined, allocation: Allocation): boolean {
  if (!isTerminal(allocation)) return false
  if (allocation.Job?.CreateIndex !== job?.CreateIndex) return true
  return batchJobTypes.has(allocation.JobType) && allocation.JobVersion < (job?.Version ?? 0)
}

/** The place of a terminal allocation among those of its job: behind all that are outdated with it. */
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

/** The places of those that are not outdated for a job: where they begin, and what they begin with. */
export function remainingRange({ Namespace, ID, CreateIndex, Type, Version }: Job): {
  readonly prefix: string
  readonly from: string
} {
  const prefix = `${jobItemPrefix(Namespace, ID)}${paddedNumber(CreateIndex)} `
  return { prefix, from: batchJobTypes.has(Type) ? prefix + paddedNumber(Version) : prefix }
}

/** Tells whether an evaluation may still do something (behaviour/scheduler#job-status). */
export function isOpen({ Status }: Pick<Evaluation, 'Status'>): boolean {
  return Status === 'pending' || Status === 'blocked'
}
