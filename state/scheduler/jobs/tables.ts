import { defineTable, type TableDefinition } from '../../kernel/table.ts'
import { schedulerName } from '../indexes.ts'
import { jobShape } from '../job/job-shape.ts'
import { scalingEventsShape, submissionShape, summaryShape } from './shapes.ts'

/** Points at a row of another table. */
export interface Pointer {
  readonly id: string
}

/** Points at a job. */
export interface JobPointer {
  readonly namespace: string
  readonly id: string
}

/** The schema of pointers. */
export const pointerSchema = {
  type: 'object',
  required: ['id'],
  additionalProperties: false,
  properties: { id: { type: 'string', minLength: 1 } },
} as const

/** By `jobKey`: the current version of every job. */
export const jobs = defineTable({
  service: schedulerName,
  name: 'jobs',
  shape: jobShape,
})

/** By `versionKey`: the versions that are kept, the current one among them. */
export const jobVersions = defineTable({
  service: schedulerName,
  name: 'job-versions',
  shape: jobShape,
})

/** By `ofJobKey` of the parent: children of periodic and parameterized jobs, by their IDs. */
export const jobChildren = defineTable<Pointer>({
  service: schedulerName,
  name: 'job-children',
  schema: pointerSchema,
})

/** By `changeKey`: the jobs in the order of their last change. */
export const jobChanges = defineTable<JobPointer>({
  service: schedulerName,
  name: 'job-changes',
  schema: {
    type: 'object',
    required: ['namespace', 'id'],
    additionalProperties: false,
    properties: { namespace: { type: 'string' }, id: { type: 'string' } },
  },
})

/** By `ofJobKey` of the parent and the caller's idempotency token: what was dispatched with it. */
export const dispatchTokens = defineTable<Pointer>({
  service: schedulerName,
  name: 'dispatch-tokens',
  schema: pointerSchema,
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

/** The tables of jobs. */
export const jobTables: readonly TableDefinition[] = [
  jobs,
  jobVersions,
  jobChildren,
  jobChanges,
  dispatchTokens,
  jobSummaries,
  jobSubmissions,
  scalingEvents,
]
