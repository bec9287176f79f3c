import { defineTable } from '../../kernel/store/table.ts'
import { schedulerName } from '../indexes.ts'
import { jobShape } from '../job/job-shape.ts'
import { changeKey, dispatchPrefix, jobItemKey } from '../keys.ts'
import { scalingEventsShape, scalingPolicyShape, submissionShape, summaryShape } from './shapes.ts'

/** By `jobKey`: the current version of every job. */
export const jobs = defineTable({
  service: schedulerName,
  name: 'jobs',
  shape: jobShape,
  indexes: {
    /** By `ofJobKey` of the parent: children of periodic and parameterized jobs. */
    byParent: ({ Namespace, ParentID, ID }) =>
      ParentID === '' ? undefined : jobItemKey(Namespace, ParentID, ID),
    /** By `ofJobKey` of the parent: children that are not dead. */
    busyByParent: ({ Namespace, ParentID, ID, Status }) =>
      ParentID === '' || Status === 'dead' ? undefined : jobItemKey(Namespace, ParentID, ID),
    /** By `dispatchPrefix` and ID: children that were dispatched with an idempotency token. */
    byDispatch: ({ DispatchIdempotencyToken: token, Namespace, ParentID, ID }) =>
      token ? dispatchPrefix(Namespace, ParentID, token) + ID : undefined,
    /** By `changeKey`: in the order of their last change. */
    byChange: ({ ModifyIndex, Namespace, ID }) => changeKey(ModifyIndex, Namespace, ID),
  },
})

/** By `versionKey`: the versions that are kept, the current one among them. */
export const jobVersions = defineTable({
  service: schedulerName,
  name: 'job-versions',
  shape: jobShape,
})

/** By `jobKey`. */
export const jobSummaries = defineTable({
  service: schedulerName,
  name: 'job-summaries',
  shape: summaryShape,
})

/** By `versionKey`: the sources that are kept. */
export const jobSubmissions = defineTable({
  service: schedulerName,
  name: 'job-submissions',
  shape: submissionShape,
})

/** By `jobKey`. */
export const scalingEvents = defineTable({
  service: schedulerName,
  name: 'scaling-events',
  shape: scalingEventsShape,
})

/** By ID: those of all groups that can be scaled; kept by a rule (scaling-policies.ts). */
export const scalingPolicies = defineTable({
  service: schedulerName,
  name: 'scaling-policies',
  shape: scalingPolicyShape,
  indexes: {
    /** By `ofJobKey` of the group. */
    byTarget: ({ Target, ID }) =>
      `${jobItemKey(Target?.Namespace ?? '', Target?.Job ?? '', Target?.Group ?? '')} ${ID}`,
  },
})

/** The tables of jobs. */
export const jobTables = [
  jobs,
  jobVersions,
  jobSummaries,
  jobSubmissions,
  scalingEvents,
  scalingPolicies,
] as const
