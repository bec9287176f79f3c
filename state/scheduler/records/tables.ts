import { isEqualInOrder } from '../../kernel/equality.ts'
import type { RowReader } from '../../kernel/store/table.ts'
import { schedulerTable } from '../indexes.ts'
import { type Job, jobSecrets, jobShape } from '../job/job-shape.ts'
import { changeKey, dispatchPrefix, jobItemKey, versionKey } from '../keys.ts'
import { scalingEventsShape, scalingPolicyShape, submissionShape, summaryShape } from './shapes.ts'

/** All stored versions, including the current ones, by `versionKey`. */
export const jobVersions = schedulerTable('job-versions', jobShape, {
  secrets: { members: jobSecrets },
})

/**
 * Form of jobs in documents. When a document is loaded, a job and its stored version share their
 * task groups in memory, provided that the groups are equal.
 */
const jobDocument = {
  write: (row: Job): Job => row,
  read(row: Job, readRow: RowReader): Job {
    const groups = readRow(jobVersions, versionKey(row.Namespace, row.ID, row.Version))?.TaskGroups
    return groups && isEqualInOrder(groups, row.TaskGroups) ? { ...row, TaskGroups: groups } : row
  },
}

/** The current version of each job, by `jobKey`. */
export const jobs = schedulerTable('jobs', jobShape, {
  document: jobDocument,
  secrets: { members: jobSecrets },
  indexes: {
    /** Children of periodic and parameterized jobs, by `jobItemKey` of the parent. */
    byParent: ({ Namespace, ParentID, ID }) =>
      ParentID === '' ? undefined : jobItemKey(Namespace, ParentID, ID),
    /** Children that are not dead, by `jobItemKey` of the parent. */
    busyByParent: ({ Namespace, ParentID, ID, Status }) =>
      ParentID === '' || Status === 'dead' ? undefined : jobItemKey(Namespace, ParentID, ID),
    /** Children that were dispatched with an idempotency token, by `dispatchPrefix` and ID. */
    byDispatch: ({ DispatchIdempotencyToken: token, Namespace, ParentID, ID }) =>
      token ? dispatchPrefix(Namespace, ParentID, token) + ID : undefined,
    /** Jobs by `changeKey`, in the order of their last change. */
    byChange: ({ ModifyIndex, Namespace, ID }) => changeKey(ModifyIndex, Namespace, ID),
  },
})

export const jobSummaries = schedulerTable('job-summaries', summaryShape, { secrets: 'none' })

/** Sources by `versionKey`. */
export const jobSubmissions = schedulerTable('job-submissions', submissionShape, {
  secrets: 'none',
})

export const scalingEvents = schedulerTable('scaling-events', scalingEventsShape, {
  secrets: 'none',
})

/** Scaling policies of groups, by ID. Only `scalingPolicyRule` writes the table. */
export const scalingPolicies = schedulerTable('scaling-policies', scalingPolicyShape, {
  secrets: 'none',
  indexes: {
    /** Scaling policies by `jobItemKey` of the group, followed by the policy's ID. */
    byTarget: ({ Target, ID }) =>
      `${jobItemKey(Target?.Namespace ?? '', Target?.Job ?? '', Target?.Group ?? '')} ${ID}`,
  },
})

export const jobTables = [
  jobs,
  jobVersions,
  jobSummaries,
  jobSubmissions,
  scalingEvents,
  scalingPolicies,
] as const
