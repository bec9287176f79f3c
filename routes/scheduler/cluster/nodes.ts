import { Refusal } from '../../../state/kernel/refusal.ts'
import { bool, goList } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import type { Stored } from '../../../state/kernel/shape/values.ts'
import { allocationViewShape } from '../../../state/scheduler/cluster/allocation-shapes.ts'
import { allocationView } from '../../../state/scheduler/cluster/allocation-view.ts'
import { allAllocationsOnNode } from '../../../state/scheduler/cluster/node-allocations.ts'
import {
  type Node,
  type NodeCapacity,
  nodePoolShape,
  nodeRowShape,
  nodeShape,
  nodeStubShape,
} from '../../../state/scheduler/cluster/node-shapes.ts'
import { allNodePools, allNodes, nodeWithId } from '../../../state/scheduler/cluster/nodes.ts'
import { nodePools } from '../../../state/scheduler/cluster/tables.ts'
import { refuse as refuseOfCluster } from '../../../state/scheduler/cluster/texts.ts'
import { indexOf } from '../../../state/scheduler/indexes.ts'
import { refuse } from '../../../state/scheduler/texts.ts'
import { parameters } from '../../http/parameters.ts'
import type { Query } from '../../http/query.ts'
import { demandUse, forEach, needs, within } from '../access.ts'
import { foundOr404 } from '../found.ts'
import { operation } from '../operation.ts'
import { pageOf } from '../pages.ts'
import { boolParameter } from '../query.ts'
import { checkId, checkPrefix } from './lookups.ts'

const spec = '3b-scheduler-decisions.md section 10'

/** Members that lists tell only when they are asked for them. */
const onDemand: ReadonlySet<string> = new Set(['Attributes', 'NodeResources', 'ReservedResources'])
const stubNames = Object.keys(nodeStubShape.fields).filter((name) => !onDemand.has(name))

/** What a list tells of each node besides. */
interface NodeFields {
  readonly resources: boolean
  readonly os: boolean
}

/** A node as lists show it. */
function nodeStub(node: Node, { resources, os }: NodeFields): object {
  const { NodeResources, ReservedResources } = nodeView(node)
  return {
    ...Object.fromEntries(Object.entries(node).filter(([name]) => stubNames.includes(name))),
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

/** Capacity of a node without one of its own. */
const nominal: NodeCapacity = { CPU: 4000, MemoryMB: 8192, DiskMB: 100_000 }

/** A node in full. */
export function nodeView({ Capacity, ...node }: Node): Stored<typeof nodeShape> {
  return {
    ...node,
    NodeResources: amountsOf(Capacity ?? nominal),
    ReservedResources: amountsOf({ CPU: 0, MemoryMB: 0, DiskMB: 0 }),
  }
}

function amountsOf({ CPU, MemoryMB, DiskMB }: NodeCapacity) {
  return { Cpu: { CpuShares: CPU }, Memory: { MemoryMB }, Disk: { DiskMB } }
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
        const page = pageOf(
          allNodes(world),
          ({ ID }) => ID,
          nodeRowShape,
          checkPrefix('node', options),
        )
        const index = indexOf(world, 'nodes')
        return {
          index,
          body: page.items.map((node) => nodeStub(node, fields)),
          nextToken: page.nextToken,
        }
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
          () => nodeView(nodeWithId(world, checkId('node', id))),
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
