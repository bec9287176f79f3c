import { parseGoBoolean } from '../../../state/go/booleans.ts'
import { quoteGo } from '../../../state/go/text.ts'
import { bool, list, text, uint } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { allocationView } from '../../../state/scheduler/cluster/allocations/allocation-resources.ts'
import {
  allAllocations,
  allocationStub,
  allocationStubWithResources,
  allocationsOf,
  findAllocation,
} from '../../../state/scheduler/cluster/allocations/allocations.ts'
import {
  type Allocation,
  allocationShape,
  allocationStubShape,
  allocationViewShape,
} from '../../../state/scheduler/cluster/model/allocation-shapes.ts'
import {
  refuse as clusterRefusal,
  message,
} from '../../../state/scheduler/cluster/model/messages.ts'
import { stopAllocation } from '../../../state/scheduler/cluster/tasks/stopping.ts'
import { parameters } from '../../http/declare/parameters.ts'
import {
  hasCapability,
  requireCapability,
  requiresCapability,
  requiresListCapability,
  within,
} from '../access.ts'
import { operationsOf, type SchedulerContext } from '../operation.ts'
import { boolParameter } from '../query.ts'
import { readFilteredList, readFoundObject } from '../reads.ts'
import { checkAllocationPath, checkId, listRows } from './lookups.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#beyond' })

/**
 * Returns an allocation; undefined if no allocation has the ID. Throws the reference's refusal if
 * the ID is malformed or if the caller may not read the allocation. As in the reference, the
 * namespace of the request is ignored.
 */
function findReadableAllocation(context: SchedulerContext, id: string): Allocation | undefined {
  const { world } = context
  const allocation = findAllocation(world, checkId('alloc', id))
  if (allocation !== undefined && !hasCapability(context, allocation.Namespace, 'read-job')) {
    throw clusterRefusal('allocation-unknown', { id: quoteGo(id) })
  }
  return allocation
}

/**
 * Renderers of allocations in lists. The renderers under `resources` include the resources, and the
 * renderers under `none` omit the task states.
 */
const views = {
  plain: { states: allocationStub, none: withoutStates(allocationStub) },
  resources: {
    states: allocationStubWithResources,
    none: withoutStates(allocationStubWithResources),
  },
} as const

function withoutStates(view: typeof allocationStub): typeof allocationStub {
  return (row) => ({ ...view(row), TaskStates: null })
}

export const allocationOperations = [
  operation.get('listJobAllocations', '/job/:id/allocations', {
    access: requiresCapability('read-job'),
    summary: "List a job's allocations; can block.",
    spec: 'behaviour/scheduler#api-jobs; behaviour/scheduler#jobs',
    query: parameters({
      all: described(text, 'Whether to include allocations of earlier jobs with this ID'),
    }),
    reply: { 200: list(allocationStubShape) },
    run({ context, params: { id } }) {
      const { world, namespace, query } = context
      const all = parseGoBoolean(query.value('all') ?? '') ?? false
      return readFilteredList(context, 'allocations', () =>
        allocationsOf(world, namespace, id, all).map((row) => world.derived(row, allocationStub)),
      )
    },
  }),
  operation.get('listAllocations', '/allocations', {
    access: requiresListCapability('read-job'),
    summary: 'List allocations in the order of their creation; can block.',
    query: parameters({
      resources: described(bool, 'Whether to include the resources of each allocation'),
      task_states: described(bool, 'Whether to include the states of the tasks; true if left out'),
    }),
    reply: { 200: list(allocationStubShape) },
    run: ({ context }) =>
      listRows(context, {
        kind: 'allocations',
        shape: allocationShape,
        all: () => allAllocations(context.world),
        view() {
          const resources = boolParameter(context.query, 'resources') ?? false
          const states = boolParameter(context.query, 'task_states') ?? true
          return views[resources ? 'resources' : 'plain'][states ? 'states' : 'none']
        },
      }),
  }),
  operation.get('readAllocation', '/allocation/:id', {
    checkPath: checkAllocationPath,
    access: within(requiresCapability('read-job')),
    summary: 'Read an allocation with its job; can block.',
    reply: { 200: allocationViewShape },
    run({ context, params: { id } }) {
      const find = () => {
        context.authenticate()
        return findReadableAllocation(context, id)
      }
      const view = (allocation: Allocation) => allocationView(context.world, allocation)
      return readFoundObject(context, 'allocations', find, message('alloc-not-found'), view)
    },
  }),
  operation.post('stopAllocation', '/allocation/:id/stop', {
    checkPath: checkAllocationPath,
    access: within(requiresCapability('alloc-lifecycle')),
    summary: 'Stop an allocation; a new one replaces it.',
    query: parameters({ no_shutdown_delay: described(bool, 'Accepted without effect') }),
    reply: { 200: struct('AllocStopResponse', { EvalID: text, Index: uint }) },
    run({ context, params: { id } }) {
      const { world, query } = context
      const delay = query.value('no_shutdown_delay') ?? ''
      if (delay !== '' && parseGoBoolean(delay) === undefined) {
        throw clusterRefusal('shutdown-delay-no-bool', { value: quoteGo(delay) })
      }
      context.authenticate()
      const allocation = findAllocation(world, checkId('alloc', id))
      // As in the reference, a missing allocation takes precedence over missing rights.
      if (allocation === undefined) throw clusterRefusal('allocation-not-found')
      requireCapability(context, allocation.Namespace, 'alloc-lifecycle')
      const evaluation = stopAllocation(world, id)
      return context.writeReplyWithIndex({ EvalID: evaluation?.ID ?? '' })
    },
  }),
]
