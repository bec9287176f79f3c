import { bool, goList, int, list, text, uint } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import {
  serverAddress,
  serverWriteRequestMembers,
} from '../../../state/scheduler/body-addresses.ts'
import {
  allocationStub,
  allocationsOfEvaluation,
} from '../../../state/scheduler/cluster/allocations/allocations.ts'
import {
  checkedSelection,
  deleteEvaluations,
  lenientFilter,
} from '../../../state/scheduler/cluster/evaluations/deletion.ts'
import { allocationStubShape } from '../../../state/scheduler/cluster/model/allocation-shapes.ts'
import {
  allEvaluations,
  evaluationsOf,
  relatedEvaluations,
} from '../../../state/scheduler/cluster/model/evaluations.ts'
import {
  type Evaluation,
  evaluationReadShape,
  evaluationShape,
} from '../../../state/scheduler/cluster/model/placement-shapes.ts'
import { evaluations } from '../../../state/scheduler/cluster/model/tables.ts'
import { dataIndex, writtenIndex } from '../../../state/scheduler/indexes.ts'
import { refuse } from '../../../state/scheduler/messages.ts'
import { optionsOf } from '../../../state/scheduler/options.ts'
import { parameters } from '../../http/declare/parameters.ts'
import {
  requireCapability,
  requireManagement,
  requiresAnyOf,
  requiresCapability,
  requiresListCapability,
  within,
} from '../access.ts'
import { operationsOf } from '../operation.ts'
import { namespacesWith, readFilteredList } from '../reads.ts'
import { checkId, listRows, readRow } from './lookups.ts'

const queryMeta = { Index: uint, LastContact: int, KnownLeader: bool, NextToken: text } as const

const operation = operationsOf({ spec: 'behaviour/scheduler#beyond' })

export const evaluationOperations = [
  operation.get('listJobEvaluations', '/job/:id/evaluations', {
    access: requiresCapability('read-job'),
    summary: "List a job's evaluations by status and ID; can block.",
    spec: 'behaviour/scheduler#api-jobs; behaviour/scheduler#jobs',
    reply: { 200: list(evaluationShape) },
    run: ({ context, params: { id } }) =>
      readFilteredList(context, 'evaluations', () =>
        evaluationsOf(context.world, context.namespace, id),
      ),
  }),
  operation.get('listEvaluations', '/evaluations', {
    access: requiresListCapability('read-job'),
    summary: 'List evaluations in the order of their creation; can block.',
    query: parameters({ job: text, status: text }),
    reply: { 200: list(evaluationShape) },
    run({ context }) {
      const { world, query } = context
      const [job, status] = [query.value('job'), query.value('status')]
      return listRows(context, {
        kind: 'evaluations',
        shape: evaluationShape,
        all({ filter }) {
          if (filter !== '' && (job !== undefined || status !== undefined)) {
            throw refuse('filter-beside-parameters')
          }
          return allEvaluations(world).filter(
            ({ JobID, Status }) =>
              (job === undefined || JobID === job) && (status === undefined || Status === status),
          )
        },
      })
    },
  }),
  operation.get('countEvaluations', '/evaluations/count', {
    access: requiresListCapability('read-job'),
    summary: 'Count evaluations; can block.',
    query: parameters({
      filter: described(text, 'Count only evaluations that match this expression'),
    }),
    spec: 'behaviour/scheduler#evaluation-writes',
    reply: {
      200: struct('EvalCountResponse', { Count: int, ...queryMeta }),
    },
    run({ context }) {
      const { world } = context
      return context.read(({ filter, prefix }) => {
        const matches = lenientFilter(filter)
        const namespaces = new Set(namespacesWith(context, 'read-job'))
        const counted = allEvaluations(world).filter(
          (each) => namespaces.has(each.Namespace) && each.ID.startsWith(prefix) && matches(each),
        )
        const index = dataIndex(world, 'evaluations')
        const KnownLeader = !optionsOf(world).noLeader
        const meta = { Index: index, LastContact: 0, KnownLeader, NextToken: '' }
        return { index, body: { Count: counted.length, ...meta } }
      })
    },
  }),
  operation.delete('deleteEvaluations', '/evaluations', {
    access: within(requiresAnyOf('management')),
    summary: 'Delete evaluations by ID or filter, while the broker is paused.',
    spec: 'behaviour/scheduler#evaluation-writes',
    body: struct('EvalDeleteRequest', {
      EvalIDs: goList(text),
      Filter: text,
      ...serverWriteRequestMembers,
    }),
    bodyAddress: serverAddress,
    reply: { 200: struct('EvalDeleteResponse', { Count: int, Index: uint }) },
    run({ context, body }) {
      const { EvalIDs, Filter } = body()
      const selection = checkedSelection(EvalIDs ?? [], Filter ?? '')
      requireManagement(context)
      const { world } = context
      const Count = deleteEvaluations(world, selection)
      const index = Count === 0 ? 0 : writtenIndex(world)
      return context.writeReply({ Count, Index: index }, index)
    },
  }),
  operation.get('readEvaluation', '/evaluation/:id', {
    access: requiresCapability('read-job'),
    summary: 'Read an evaluation; can block.',
    query: parameters({
      related: described(
        text,
        '`true` also returns the evaluations before and after, as `RelatedEvals`',
      ),
    }),
    reply: { 200: evaluationReadShape },
    run({ context, params: { id } }) {
      const { world, query } = context
      const withRelated = (row: Evaluation) => ({
        RelatedEvals: relatedEvaluations(world, row),
        ...row,
      })
      return readRow(
        context,
        id,
        {
          table: evaluations,
          kind: 'evaluations',
          noun: 'eval',
          lookupNoun: 'failed to lookup eval: eval',
        },
        query.value('related') === 'true' ? withRelated : undefined,
      )
    },
  }),
  operation.get('listEvaluationAllocations', '/evaluation/:id/allocations', {
    access: requiresCapability('read-job'),
    summary: 'List the allocations that an evaluation created; can block.',
    reply: { 200: list(allocationStubShape) },
    run({ context, params: { id } }) {
      const { world } = context
      return readFilteredList(context, 'allocations', () => {
        const evaluationAllocations = allocationsOfEvaluation(world, checkId(undefined, id))
        const [first] = evaluationAllocations
        if (first !== undefined) requireCapability(context, first.Namespace, 'read-job')
        return evaluationAllocations.map((row) => world.derived(row, allocationStub))
      })
    },
  }),
]
