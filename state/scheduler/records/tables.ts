import { isEqualInOrder } from '../../kernel/equality.ts'
import type { RowReader } from '../../kernel/store/table.ts'
import { schedulerTable } from '../indexes.ts'
import { type Job, jobSecrets, jobShape } from '../job/job-shape.ts'
import { changeKey, dispatchPrefix, jobItemKey, versionKey } from '../keys.ts'
import { scalingEventsShape, scalingPolicyShape, submissionShape, summaryShape } from './shapes.ts'

/** Stored versions, including the current one, by `versionKey`. */
export const jobVersions = schedulerTable('job-versions', jobShape, {
  secrets: { members: jobSecrets },
})

/**
 * Form of jobs in documents. After a document was loaded, a job shares its task groups with its
 * stored version.
 */
const jobDocument = {
  write: (row: Job): Job => row,
  read(row: Job, readRow: RowReader): Job {
    const groups = readRow(jobVersions, versionKey(row.Namespace, row.ID, row.Version))?.TaskGroups
    return groups && isEqualInOrder(groups, row.TaskGroups) ? { ...row, TaskGroups: groups } : row
  },
}

/** The current version of every job, by `jobKey`. */
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

/** Summaries by `jobKey`. */
export const jobSummaries = schedulerTable('job-summaries', summaryShape, { secrets: 'none' })

/** Stored sources, by `versionKey`. */
export const jobSubmissions = schedulerTable('job-submissions', submissionShape, {
  secrets: 'none',
})

/** Scaling events by `jobKey`. */
export const scalingEvents = schedulerTable('scaling-events', scalingEventsShape, {
  secrets: 'none',
})

/** Policies of all scalable groups, by ID. A rule (scaling-policies.ts) writes them. */
export const scalingPolicies = schedulerTable('scaling-policies', scalingPolicyShape, {
  secrets: 'none',
  indexes: {
    /** Policies by `jobItemKey` of the group's job. */
    byTarget: ({ Target, ID }) =>
      `${jobItemKey(Target?.Namespace ?? '', Target?.Job ?? '', Target?.Group ?? '')} ${ID}`,
  },
})

/** All tables of jobs. */
export const jobTables = [
  jobs,
  jobVersions,
  jobSummaries,
  jobSubmissions,
  scalingEvents,
  scalingPolicies,
] as const
