import { quoteGo } from '../../../state/go/text.ts'
import { toVendorSpelling } from '../../../state/kernel/shape/dialect.ts'
import { bool, list, text, uint } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { dataIndex } from '../../../state/scheduler/indexes.ts'
import { type Job, jobShape } from '../../../state/scheduler/job/job-shape.ts'
import { actionShape } from '../../../state/scheduler/job/task-parts.ts'
import {
  tagShape,
  tagVersion,
  untagVersion,
  versionsOf,
} from '../../../state/scheduler/jobs/versions.ts'
import { message, refuse } from '../../../state/scheduler/messages.ts'
import { submissionShape, summaryShape } from '../../../state/scheduler/records/shapes.ts'
import { findJob, jobVersionsOf, summaryOf } from '../../../state/scheduler/records/store.ts'
import { requireSubmission } from '../../../state/scheduler/records/submissions.ts'
import type { Answer } from '../../http/declare/operation.ts'
import { parameters } from '../../http/declare/parameters.ts'
import type { Query } from '../../http/query.ts'
import { requiresCapability } from '../access.ts'
import { operationsOf, type SchedulerContext } from '../operation.ts'
import { boolParameter, uintError, uintParameter } from '../query.ts'
import { readFoundObject, readObjectOrAbsence } from '../reads.ts'
import { queryMetaOf, tagReplyShape, versionsReplyShape } from './reply-shapes.ts'

/** A command that users can run in a task, with the names of the task and its group. */
const jobActionShape = struct('JobAction', {
  ...actionShape.fields,
  TaskName: text,
  TaskGroupName: text,
})

function actionsOf({ TaskGroups }: Job) {
  return (TaskGroups ?? []).flatMap((group) =>
    (group.Tasks ?? []).flatMap((task) =>
      (task.Actions ?? []).map(({ Name, Command, Args }) => ({
        Name,
        Command,
        Args,
        TaskName: task.Name,
        TaskGroupName: group.Name,
      })),
    ),
  )
}

const operation = operationsOf({ spec: 'behaviour/scheduler#api-jobs; behaviour/scheduler#jobs' })

export const jobReadOperations = [
  operation.get('readJob', '/job/:id', {
    access: requiresCapability('read-job'),
    summary: 'Read a job; can block.',
    reply: { 200: jobShape },
    run({ context, params: { id } }) {
      const { world, namespace } = context
      const find = () => findJob(world, namespace, id)
      return readFoundObject(context, 'jobs', find, message('job-not-found'))
    },
  }),
  operation.get('readJobSummary', '/job/:id/summary', {
    acceptsAnyMethod: true,
    access: requiresCapability('read-job'),
    summary: 'Read the summary of a job; can block.',
    spec: 'behaviour/scheduler#beyond',
    reply: { 200: summaryShape },
    run({ context, params: { id } }) {
      const { world, namespace } = context
      const find = () => summaryOf(world, namespace, id)
      return readFoundObject(context, 'summaries', find, message('job-not-found'))
    },
  }),
  operation.get('listJobActions', '/job/:id/actions', {
    access: requiresCapability('read-job'),
    summary: 'List the commands that users can run in the tasks of a job.',
    spec: 'behaviour/scheduler#job-actions',
    reply: { 200: list(jobActionShape) },
    run({ context, params: { id } }) {
      const { world, namespace } = context
      const answer = context.readUnindexedWithOptions(() => {
        if (id === '') throw refuse('actions-job-missing')
        const job = findJob(world, namespace, id)
        if (job === undefined) throw refuse('actions-job-unknown', { job: quoteGo(id) })
        return actionsOf(job)
      })
      // As in the reference, the read headers of this reply have Go's zero values.
      const headers = { Index: '0', KnownLeader: 'false', LastContact: '0' }
      return { ...answer, headers: context.dialect.encodeHeaders(headers) }
    },
  }),
  operation.get('readJobSubmission', '/job/:id/submission', {
    access: requiresCapability('read-job'),
    summary: "Read the source of a job's version; can block.",
    query: parameters({ version: described(uint, 'Version of the job; required') }),
    reply: { 200: submissionShape },
    // A malformed version is reported even if the method of the request is not supported.
    beforeMethod: (query) => void versionParameter(query),
    run({ context, params: { id } }) {
      const { world, namespace } = context
      const version = versionParameter(context.query)
      const read = () => requireSubmission(world, namespace, id, version)
      const noIndex = () => 0
      return context.read(() => readObjectOrAbsence(noIndex, read, ({ JobIndex }) => JobIndex))
    },
  }),
]

function versionParameter(query: Query): number {
  const version = query.value('version') ?? ''
  if (uintError(version) === undefined) return Number(version)
  throw refuse('version-parameter-invalid')
}

const versionOperation = operationsOf({ spec: 'behaviour/scheduler#deployments' })

export const versionOperations = [
  versionOperation.get('readJobVersions', '/job/:id/versions', {
    acceptsAnyMethod: true,
    access: requiresCapability('read-job'),
    summary: "Read a job's versions and their differences; can block.",
    spec: 'behaviour/scheduler#api-jobs; behaviour/scheduler#jobs, behaviour/scheduler#diff',
    query: parameters({
      diffs: described(bool, 'Whether to include the differences from the previous version'),
      diff_version: described(uint, 'Include the differences from this version'),
      diff_tag: described(text, 'Include the differences from the version with this tag'),
    }),
    reply: { 200: versionsReplyShape },
    run({ context, params: { id } }) {
      const { world, namespace, query } = context
      const diffs = boolParameter(query, 'diffs') ?? false
      const diffVersion = uintParameter(query, 'diff_version')
      return context.read(() => {
        const storedVersions = jobVersionsOf(world, namespace, id)
        const [index = dataIndex(world, 'versions')] = storedVersions
          .map(({ ModifyIndex }) => ModifyIndex)
          .sort((a, b) => b - a)
        if (storedVersions.length === 0)
          return { index, absentMessage: message('job-versions-not-found') }
        const { Diffs, Versions } = versionsOf(world, namespace, id, {
          diffs,
          diffVersion,
          diffTag: query.value('diff_tag') || undefined,
          toDialect: context.dialect.isVendor
            ? (job: Job) => world.inParts(() => toVendorSpelling(job, jobShape))
            : undefined,
        })
        const body = { Diffs, Versions, Index: index, ...queryMetaOf(context, true) }
        return { index, body }
      })
    },
  }),
  versionOperation.post('tagJobVersion', '/job/:id/versions/:tag/tag', {
    checkPath: checkTagPath,
    access: requiresCapability('submit-job'),
    summary: 'Tag a version of a job; tagged versions are retained.',
    reply: { 200: tagReplyShape },
    body: tagShape,
    run({ context, params: { id, tag }, body }) {
      return tagReply(context, tagVersion(context.world, context.namespace, id, tag, body()))
    },
  }),
  versionOperation.delete('untagJobVersion', '/job/:id/versions/:tag/tag', {
    access: requiresCapability('submit-job'),
    summary: 'Remove a tag from its version.',
    reply: { 200: tagReplyShape },
    run({ context, params: { id, tag } }) {
      return tagReply(context, untagVersion(context.world, context.namespace, id, tag))
    },
  }),
]

/**
 * Throws a refusal for a job whose ID contains a slash. As in the reference, versions of such a job
 * cannot be tagged.
 */
function checkTagPath({ id = '' }: Readonly<Record<string, string>>): void {
  if (id.includes('/')) throw refuse('tag-path-invalid')
}

/**
 * Returns a reply without read headers. As in the reference, the body contains the values that read
 * headers would have.
 */
function tagReply({ dialect }: SchedulerContext, tag: object): Answer {
  const body = { ...tag, LastContact: 0, KnownLeader: false, NextToken: '' }
  return { status: 200, body: dialect.renameMembers(tagReplyShape, body) }
}
