import { bool, text, uint } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { indexOf } from '../../../state/scheduler/indexes.ts'
import { versionsOf } from '../../../state/scheduler/jobs/versions.ts'
import { jobVersionsOf } from '../../../state/scheduler/records/store.ts'
import { say } from '../../../state/scheduler/texts.ts'
import { parameters } from '../../http/parameters.ts'
import { can } from '../access.ts'
import { operation } from '../operation.ts'
import { boolParameter, uintParameter } from '../query.ts'
import { queryMetaOf, versionsReplyShape } from './reply-shapes.ts'

/** The versions of a job. */
export const versionOperations = [
  operation({
    id: 'readJobVersions',
    method: 'GET',
    path: '/job/:id/versions',
    access: can('read-job'),
    summary: "Read a job's versions and how they differ; can block.",
    spec: '3-mesh-and-scheduler.md, Endpoints B; 3b-scheduler-decisions.md sections 2, 8',
    query: parameters({
      diffs: described(bool, 'Tell how versions differ from those before'),
      diff_version: described(uint, 'Tell how they differ from this one'),
      diff_tag: described(text, 'Tell how they differ from the one with this tag'),
    }),
    answers: versionsReplyShape,
    run({ context, params: { id } }) {
      const { world, namespace, query } = context
      const diffs = boolParameter(query, 'diffs') ?? false
      const diffVersion = uintParameter(query, 'diff_version')
      return context.read(() => {
        const kept = jobVersionsOf(world, namespace, id)
        const [index = indexOf(world, 'versions')] = kept
          .map(({ ModifyIndex }) => ModifyIndex)
          .sort((a, b) => b - a)
        if (kept.length === 0) return { index, absent: say('job-versions-not-found') }
        const { Diffs, Versions } = versionsOf(world, namespace, id, {
          diffs,
          diffVersion,
          diffTag: query.value('diff_tag') || undefined,
        })
        const body = { Diffs, Versions, Index: index, ...queryMetaOf(context, true) }
        return { index, body }
      })
    },
  }),
]
