import { list } from '../../../state/kernel/shape/kinds.ts'
import { allocationView } from '../../../state/scheduler/cluster/allocations/allocation-view.ts'
import { allAllocationsOnNode } from '../../../state/scheduler/cluster/allocations/node-allocations.ts'
import { allocationViewShape } from '../../../state/scheduler/cluster/model/allocation-shapes.ts'
import { nodeShape, nodeStubShape } from '../../../state/scheduler/cluster/model/node-shapes.ts'
import { allAllocationsOnNode } from '../../../state/scheduler/cluster/model/tables.ts'
import { nodeView } from '../../../state/scheduler/cluster/nodes/node-view.ts'
import { allNodes, requireNode } from '../../../state/scheduler/cluster/nodes/nodes.ts'
import { dataIndex } from '../../../state/scheduler/indexes.ts'
import { requireCoarseRight, requiresAnyOf, within } from '../access.ts'
import { operationsOf } from '../operation.ts'
import { readOr404 } from '../read-or-absent.ts'
import { checkId, checkPrefix } from './lookups.ts'
import { nodeFields, nodeListQuery, nodePage } from './node-lists.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#beyond' })

/** Operations on the nodes of the simulated cluster. */
export const nodeOperations = [
  operation.get({
    id: 'listNodes',
    path: '/nodes',
    access: within(requiresAnyOf('node:read')),
    summary: 'List nodes by ID; can block.',
    query: nodeListQuery,
    reply: { 200: list(nodeStubShape) },
    run({ context }) {
      const { world, query } = context
      return context.read((options) => {
        const fields = nodeFields(query)
        requireCoarseRight(context, 'node:read')
        return nodePage(world, allNodes(world), fields, checkPrefix('node', options))
      })
    },
  }),
  operation.get({
    id: 'readNode',
    path: '/node/:id',
    access: requiresAnyOf('node:read'),
    summary: 'Read a node; can block.',
    reply: { 200: nodeShape },
    run({ context, params: { id } }) {
      const { world } = context
      return context.read(() => {
        return readOr404(
          () => dataIndex(world, 'nodes'),
          () => nodeView(world, requireNode(world, checkId('node', id))),
        )
      })
    },
  }),
  operation.get({
    id: 'listNodeAllocations',
    path: '/node/:id/allocations',
    access: requiresAnyOf('node:read'),
    summary: 'List the allocations on a node, those that ended too; can block.',
    reply: { 200: list(allocationViewShape) },
    run({ context, params: { id } }) {
      const { world } = context
      return context.read(() => {
        // A malformed ID also yields an empty list (behaviour/scheduler#beyond).
        const onNode = allAllocationsOnNode(world, id)
        const seen = onNode.filter(({ Namespace }) => context.caller.may(Namespace, 'read-job'))
        const body = seen.map((row) => allocationView(world, row))
        return { index: dataIndex(world, 'allocations'), body }
      })
    },
  }),
]
