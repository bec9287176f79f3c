import { uint } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { dataIndex } from '../../../state/scheduler/indexes.ts'
import { jobShape } from '../../../state/scheduler/job/job-shape.ts'
import { message, refuse } from '../../../state/scheduler/messages.ts'
import { submissionShape, summaryShape } from '../../../state/scheduler/records/shapes.ts'
import { findJob, summaryOf } from '../../../state/scheduler/records/store.ts'
import { requireSubmission } from '../../../state/scheduler/records/submissions.ts'
import { parameters } from '../../http/declare/parameters.ts'
import type { Query } from '../../http/query.ts'
import { can } from '../access.ts'
import { operationsOf } from '../operation.ts'
import { uintError } from '../query.ts'
import { readOrAbsent } from '../read-or-absent.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#api-jobs; behaviour/scheduler#jobs' })

/** Operations that read one job. */
export const jobReadOperations = [
  operation.get({
    id: 'readJob',
    path: '/job/:id',
    access: can('read-job'),
    summary: 'Read a job; can block.',
    reply: { 200: jobShape },
    run({ context, params: { id } }) {
      const { world, namespace } = context
      return context.read(() => {
        const job = findJob(world, namespace, id)
        if (job !== undefined) return { index: job.ModifyIndex, body: job }
        return { index: dataIndex(world, 'jobs'), absent: message('job-not-found') }
      })
    },
  }),
  operation.get({
    id: 'readJobSummary',
    path: '/job/:id/summary',
    access: can('read-job'),
    summary: "Read a job's counters; can block.",
    spec: 'behaviour/scheduler#beyond',
    reply: { 200: summaryShape },
    run({ context, params: { id } }) {
      const { world, namespace } = context
      return context.read(() => {
        const summary = summaryOf(world, namespace, id)
        if (summary !== undefined) return { index: summary.ModifyIndex, body: summary }
        return { index: dataIndex(world, 'summaries'), absent: message('job-not-found') }
      })
    },
  }),
  operation.get({
    id: 'readJobSubmission',
    path: '/job/:id/submission',
    access: can('read-job'),
    summary: "Read the source of a job's version; can block.",
    query: parameters({ version: described(uint, 'Of the job; required') }),
    reply: { 200: submissionShape },
    // The version is checked before the method (behaviour/scheduler#jobs).
    beforeMethod: (query) => void versionParameter(query),
    run({ context, params: { id } }) {
      const { world, namespace } = context
      const version = versionParameter(context.query)
      return context.read(() => {
        const read = () => requireSubmission(world, namespace, id, version)
        return readOrAbsent(
          () => 0,
          read,
          ({ JobIndex }) => JobIndex,
        )
      })
    },
  }),
]

function versionParameter(query: Query): number {
  const text = query.value('version') ?? ''
  if (uintError(text) === undefined) return Number(text)
  throw refuse('version-parameter-invalid')
}
