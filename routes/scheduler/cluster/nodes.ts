import { Refusal } from '../../../state/kernel/refusal.ts'
import { bool, list } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { allocationView } from '../../../state/scheduler/cluster/allocations/allocation-resources.ts'
import { allocationViewShape } from '../../../state/scheduler/cluster/model/allocation-shapes.ts'
import {
  type Node,
  nodeShape,
  nodeStubShape,
} from '../../../state/scheduler/cluster/model/node-shapes.ts'
import { allAllocationsOnNode } from '../../../state/scheduler/cluster/model/tables.ts'
import { nodeDetails, nodeView } from '../../../state/scheduler/cluster/nodes/node-view.ts'
import { allNodes, requireNode } from '../../../state/scheduler/cluster/nodes/nodes.ts'
import { dataIndex } from '../../../state/scheduler/indexes.ts'
import { refuse } from '../../../state/scheduler/messages.ts'
import { parameters } from '../../http/declare/parameters.ts'
import type { Query } from '../../http/query.ts'
import { requiresAnyOf, requireUnlabelledRight, within } from '../access.ts'
import { operationsOf, type Reading } from '../operation.ts'
import { boolParameter, type ReadOptions } from '../query.ts'
import { compileListFilter, pageOf, readData, readObject } from '../reads.ts'
import { checkId, checkPrefix } from './lookups.ts'

export const nodeListQuery = parameters({
  resources: described(bool, 'Whether to include the resources of each node'),
  os: described(bool, 'Whether to include the operating system of each node'),
})

/** Members of a node that lists contain only if the query requests them. */
const optionalFields: ReadonlySet<string> = new Set([
  'Attributes',
  'NodeResources',
  'ReservedResources',
])
const stubNames = new Set(
  Object.keys(nodeStubShape.fields).filter((name) => !optionalFields.has(name)),
)

/** Flags for the members that a list of nodes contains only on request. */
interface NodeFields {
  readonly resources: boolean
  readonly os: boolean
}

/** Returns a node in the form that lists use. */
function nodeStub(world: World, node: Node, { resources, os }: NodeFields): object {
  const view = nodeDetails(world, node)
  const { NodeResources, ReservedResources } = view
  return {
    ...Object.fromEntries(Object.entries(view).filter(([name]) => stubNames.has(name))),
    Version: node.Version,
    ...(os && { Attributes: { 'os.name': node.Attributes?.['os.name'] ?? '' } }),
    ...(resources && { NodeResources, ReservedResources }),
  }
}

/**
 * Parses the query parameters that request optional members. Unlike in other lists, the status for
 * malformed parameters is 400 (behaviour/scheduler#conventions).
 */
export function nodeFields(query: Query): NodeFields {
  try {
    return {
      resources: boolParameter(query, 'resources') ?? false,
      os: boolParameter(query, 'os') ?? false,
    }
  } catch (error) {
    throw error instanceof Refusal ? refuse('node-list-unreadable', { why: error.reason }) : error
  }
}

/** Returns a page of nodes in order of ID. Filters can test all members of a node. */
export function nodePage(
  world: World,
  nodes: readonly Node[],
  fields: NodeFields,
  options: ReadOptions,
): Reading {
  const { filter, prefix } = options
  const matches = compileListFilter(filter, nodeShape) ?? (() => true)
  const selected = nodes.filter(
    (node) => node.ID.startsWith(prefix) && matches(nodeDetails(world, node)),
  )
  const { items, nextToken } = pageOf(selected, ({ ID }) => ID, nodeShape, {
    ...options,
    filter: '',
  })
  const body = items.map((node) => nodeStub(world, node, fields))
  return { index: dataIndex(world, 'nodes'), body, nextToken }
}

const operation = operationsOf({ spec: 'behaviour/scheduler#beyond' })

export const nodeOperations = [
  operation.get('listNodes', '/nodes', {
    access: within(requiresAnyOf('node:read')),
    summary: 'List nodes by ID; can block.',
    query: nodeListQuery,
    reply: { 200: list(nodeStubShape) },
    run({ context }) {
      const { world, query } = context
      return context.read((options) => {
        const fields = nodeFields(query)
        requireUnlabelledRight(context, 'node:read')
        return nodePage(world, allNodes(world), fields, checkPrefix('node', options))
      })
    },
  }),
  operation.get('readNode', '/node/:id', {
    access: requiresAnyOf('node:read'),
    summary: 'Read a node; can block.',
    reply: { 200: nodeShape },
    run({ context, params: { id } }) {
      const { world } = context
      return readObject(context, 'nodes', () =>
        nodeView(world, requireNode(world, checkId('node', id))),
      )
    },
  }),
  operation.get('listNodeAllocations', '/node/:id/allocations', {
    access: requiresAnyOf('node:read'),
    summary: 'List the allocations on a node, including ended ones; can block.',
    reply: { 200: list(allocationViewShape) },
    run({ context, params: { id } }) {
      const { world } = context
      // The list is also empty for a malformed ID (behaviour/scheduler#beyond).
      return readData(context, 'allocations', () =>
        allAllocationsOnNode(world, id)
          .filter(({ Namespace }) => context.caller.may(Namespace, 'read-job'))
          .map((row) => allocationView(world, row)),
      )
    },
  }),
]
