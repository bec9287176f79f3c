import { allocationStubShape } from '../../../state/scheduler/cluster/allocation-shapes.ts'
import {
  allocationStub,
  allocationsOfEvaluation,
} from '../../../state/scheduler/cluster/allocations.ts'
import { allEvaluations, evaluationsOf } from '../../../state/scheduler/cluster/evaluations.ts'
import { evaluationShape } from '../../../state/scheduler/cluster/placement-shapes.ts'
import { evaluations } from '../../../state/scheduler/cluster/tables.ts'
import { indexOf } from '../../../state/scheduler/indexes.ts'
import { malformed } from '../../../state/scheduler/refusals.ts'
import { list } from '../../../state/scheduler/shape/kinds.ts'
import { demand, watchKinds, watchRow } from '../access.ts'
import { listedNamespaces } from '../namespaces-of-list.ts'
import { operation } from '../operation.ts'
import { pageByCreation } from '../pages.ts'
import { checkId } from './lookups.ts'

const spec = '3b-scheduler-decisions.md section 10'

/** Evaluations. */
export const evaluationOperations = [
  operation({
    id: 'listJobEvaluations',
    method: 'GET',
    path: '/job/:id/evaluations',
    summary: "List a job's evaluations by status and ID; can block.",
    spec: '3-mesh-and-scheduler.md, Endpoints B; 3b-scheduler-decisions.md section 2',
    answers: list(evaluationShape),
    run({ context, params: { id } }) {
      const { world, namespace } = context
      return context.read({
        read() {
          demand(context, namespace, 'read-job')
          return { index: indexOf(world, 'evaluations'), body: evaluationsOf(world, namespace, id) }
        },
        watch: watchKinds(world, ['evaluations']),
      })
    },
  }),
  operation({
    id: 'listEvaluations',
    method: 'GET',
    path: '/evaluations',
    summary: 'List evaluations in the order of their creation; can block.',
    spec,
    answers: list(evaluationShape),
    run({ context }) {
      const { world, query } = context
      const [job, status] = [query.value('job'), query.value('status')]
      return context.read({
        read(options) {
          const namespaces = new Set(listedNamespaces(context, 'read-job'))
          if (options.filter !== '' && (job !== undefined || status !== undefined)) {
            throw malformed('Filter expression cannot be used with other filter parameters')
          }
          const seen = allEvaluations(world).filter(
            ({ Namespace, JobID, Status }) =>
              namespaces.has(Namespace) &&
              (job === undefined || JobID === job) &&
              (status === undefined || Status === status),
          )
          const page = pageByCreation(seen, evaluationShape, options)
          return {
            index: indexOf(world, 'evaluations'),
            body: page.items,
            nextToken: page.nextToken,
          }
        },
        watch: watchKinds(world, ['evaluations']),
      })
    },
  }),
  operation({
    id: 'readEvaluation',
    method: 'GET',
    path: '/evaluation/:id',
    summary: 'Read an evaluation; can block.',
    spec,
    answers: evaluationShape,
    run({ context, params: { id } }) {
      const { world } = context
      return context.read({
        read() {
          demand(context, context.namespace, 'read-job')
          const found = world.table(evaluations).get(checkId('eval', id))
          if (found !== undefined) demand(context, found.Namespace, 'read-job')
          if (found !== undefined) return { index: found.ModifyIndex, body: found }
          return { index: indexOf(world, 'evaluations'), status: 404, body: 'eval not found' }
        },
        watch: watchRow(world, evaluations, id, 'evaluations'),
      })
    },
  }),
  operation({
    id: 'listEvaluationAllocations',
    method: 'GET',
    path: '/evaluation/:id/allocations',
    summary: 'List the allocations that an evaluation made; can block.',
    spec,
    answers: list(allocationStubShape),
    run({ context, params: { id } }) {
      const { world } = context
      return context.read({
        read() {
          demand(context, context.namespace, 'read-job')
          const found = allocationsOfEvaluation(world, checkId('eval', id))
          const [first] = found
          if (first !== undefined) demand(context, first.Namespace, 'read-job')
          return { index: indexOf(world, 'allocations'), body: found.map(allocationStub) }
        },
        watch: watchKinds(world, ['allocations']),
      })
    },
  }),
]
