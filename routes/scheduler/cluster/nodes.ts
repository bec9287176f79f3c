import { Refusal } from '../../../state/kernel/refusal.ts'
import { bool, goList } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/world.ts'
import { allocationViewShape } from '../../../state/scheduler/cluster/allocation-shapes.ts'
import { allocationView } from '../../../state/scheduler/cluster/allocation-view.ts'
import { allAllocationsOnNode } from '../../../state/scheduler/cluster/node-allocations.ts'
import {
  type Node,
  nodePoolShape,
  nodeShape,
  nodeStubShape,
} from '../../../state/scheduler/cluster/node-shapes.ts'
import { listedNode, nodeView } from '../../../state/scheduler/cluster/node-view.ts'
import { allNodePools, allNodes, nodeWithId } from '../../../state/scheduler/cluster/nodes.ts'
import { nodePools } from '../../../state/scheduler/cluster/tables.ts'
import { refuse as refuseOfCluster } from '../../../state/scheduler/cluster/texts.ts'
import { indexOf } from '../../../state/scheduler/indexes.ts'
import { refuse } from '../../../state/scheduler/texts.ts'
import { parameters } from '../../http/parameters.ts'
import type { Query } from '../../http/query.ts'
import { demandUse, forEach, needs, within } from '../access.ts'
import { filterOf } from '../filters.ts'
import { foundOr404 } from '../found.ts'
import { operation, type Reading } from '../operation.ts'
import { pageOf } from '../pages.ts'
import { boolParameter, type ReadOptions } from '../query.ts'
import { checkId, checkPrefix } from './lookups.ts'

const spec = '3b-scheduler-decisions.md section 10'

/** Members that lists tell only when they are asked for them. */
const onDemand: ReadonlySet<string> = new Set(['Attributes', 'NodeResources', 'ReservedResources'])
const stubNames = new Set(Object.keys(nodeStubShape.fields).filter((name) => !onDemand.has(name)))

/** What a list tells of each node besides. */
interface NodeFields {
  readonly resources: boolean
  readonly os: boolean
}

/** A node as lists show it. */
function nodeStub(world: World, node: Node, { resources, os }: NodeFields): object {
  const view = listedNode(world, node)
  const { NodeResources, ReservedResources } = view
  return {
    ...Object.fromEntries(Object.entries(view).filter(([name]) => stubNames.has(name))),
    Version: node.Version,
    ...(os && { Attributes: { 'os.name': node.Attributes?.['os.name'] ?? '' } }),
    ...(resources && { NodeResources, ReservedResources }),
  }
}

/** Bad ones are 400, unlike those of other lists (3b-scheduler-decisions.md section 1). */
function nodeFields(query: Query): NodeFields {
  try {
    return {
      resources: boolParameter(query, 'resources') ?? false,
      os: boolParameter(query, 'os') ?? false,
    }
  } catch (error) {
    throw error instanceof Refusal ? refuse('node-list-unreadable', { why: error.said }) : error
  }
}

/** A page of nodes in order of ID; filters look at them in full. */
function nodePage(
  world: World,
  nodes: readonly Node[],
  fields: NodeFields,
  options: ReadOptions,
): Reading {
  const { filter, prefix } = options
  const matches = filterOf(filter, nodeShape) ?? (() => true)
  const seen = nodes.filter(
    (node) => node.ID.startsWith(prefix) && matches(listedNode(world, node)),
  )
  const { items, nextToken } = pageOf(seen, ({ ID }) => ID, nodeShape, { ...options, filter: '' })
  const body = items.map((node) => nodeStub(world, node, fields))
  return { index: indexOf(world, 'nodes'), body, nextToken }
}

/** The nodes of the simulated cluster. */
export const nodeOperations = [
  operation({
    id: 'listNodes',
    method: 'GET',
    path: '/nodes',
    access: within(needs('node:read')),
    summary: 'List nodes by ID; can block.',
    spec,
    query: parameters({
      resources: described(bool, 'Tell the resources of each'),
      os: described(bool, 'Tell the operating system of each'),
    }),
    answers: goList(nodeStubShape),
    run({ context }) {
      const { world, query } = context
      return context.read((options) => {
        const fields = nodeFields(query)
        demandUse(context, 'node:read')
        return nodePage(world, allNodes(world), fields, checkPrefix('node', options))
      })
    },
  }),
  operation({
    id: 'readNode',
    method: 'GET',
    path: '/node/:id',
    access: needs('node:read'),
    summary: 'Read a node; can block.',
    spec,
    answers: nodeShape,
    run({ context, params: { id } }) {
      const { world } = context
      return context.read(() => {
        return foundOr404(
          () => indexOf(world, 'nodes'),
          () => nodeView(world, nodeWithId(world, checkId('node', id))),
        )
      })
    },
  }),
  operation({
    id: 'listNodeAllocations',
    method: 'GET',
    path: '/node/:id/allocations',
    access: needs('node:read'),
    summary: 'List the allocations on a node, those that ended too; can block.',
    spec,
    answers: goList(allocationViewShape),
    run({ context, params: { id } }) {
      const { world } = context
      return context.read(() => {
        // Of what is no ID either there is nothing (section 10).
        const found = allAllocationsOnNode(world, id)
        const seen = found.filter(({ Namespace }) => context.caller.may(Namespace, 'read-job'))
        const body = seen.map((row) => allocationView(world, row))
        return { index: indexOf(world, 'allocations'), body }
      })
    },
  }),
  operation({
    id: 'listNodePools',
    method: 'GET',
    path: '/node/pools',
    access: forEach(needs('node_pool:read')),
    summary: 'List node pools by name; can block.',
    spec,
    answers: goList(nodePoolShape),
    run({ context }) {
      const { world } = context
      return context.read((options) => {
        const seen = allNodePools(world).filter(({ Name }) =>
          context.caller.mayUsePool(Name, 'read'),
        )
        const page = pageOf(seen, ({ Name }) => Name, nodePoolShape, options)
        const index = indexOf(world, 'node-pools')
        return { index, body: page.items, nextToken: page.nextToken }
      })
    },
  }),
  operation({
    id: 'readNodePool',
    method: 'GET',
    path: '/node/pool/:name',
    access: needs('node_pool:read'),
    summary: 'Read a node pool; can block.',
    spec,
    answers: nodePoolShape,
    run({ context, params: { name } }) {
      const { world } = context
      return context.read(() =>
        foundOr404(
          () => indexOf(world, 'node-pools'),
          () => {
            const pool = world.table(nodePools).get(name)
            if (pool === undefined) throw refuseOfCluster('node-pool-not-found')
            return pool
          },
        ),
      )
    },
  }),
]
