import { bool, list } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { refuse } from '../../../state/scheduler/cluster/model/messages.ts'
import {
  type NodePoolInput,
  nodePoolRowShape,
  nodePoolShape,
  nodeStubShape,
} from '../../../state/scheduler/cluster/model/node-shapes.ts'
import {
  allNodePools,
  deleteNodePool,
  hasNodePool,
  nodePoolView,
  nodesInPool,
  requireNodePool,
  upsertNodePool,
} from '../../../state/scheduler/cluster/nodes/node-pools.ts'
import { dataIndex } from '../../../state/scheduler/indexes.ts'
import { type Job, jobShape } from '../../../state/scheduler/job/job-shape.ts'
import { listJobs } from '../../../state/scheduler/jobs/listing.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { CachedJson } from '../../http/json-text.ts'
import {
  forEach,
  requirePoolNodesRead,
  requirePoolWrite,
  requiresAnyOf,
  within,
} from '../access.ts'
import { jobListJson } from '../jobs/listing.ts'
import { jobStubShape } from '../jobs/reply-shapes.ts'
import { operationsOf, type SchedulerContext } from '../operation.ts'
import { boolParameter } from '../query.ts'
import { compileListFilter, namespacesWith, pageOf, readObject } from '../reads.ts'
import { nodeFields, nodeListQuery, nodePage } from './nodes.ts'

const spec = 'behaviour/scheduler#beyond'
const operation = operationsOf({ spec: 'behaviour/scheduler#node-endpoints' })

/** Operations on node pools, which are sets of nodes that jobs can select. */
export const nodePoolOperations = [
  operation.get('listNodePools', '/node/pools', {
    access: forEach(requiresAnyOf('node_pool:read')),
    summary: 'List node pools by name; can block.',
    spec,
    reply: { 200: list(nodePoolShape) },
    run({ context }) {
      const { world } = context
      return context.read((options) => {
        const visiblePools = allNodePools(world)
          .filter(({ Name }) => context.caller.mayUsePool(Name, 'read'))
          .map((pool) => world.derived(pool, nodePoolView))
        const page = pageOf(visiblePools, ({ Name }) => Name, nodePoolShape, options)
        const index = dataIndex(world, 'node-pools')
        return { index, body: page.items, nextToken: page.nextToken }
      })
    },
  }),
  operation.post('createNodePool', '/node/pools', {
    access: within(requiresAnyOf('node_pool:write')),
    summary: 'Create a node pool, or replace one.',
    body: nodePoolRowShape,
    run: ({ context, body }) => putNodePoolReply(context, body(), ''),
  }),
  operation.get('readNodePool', '/node/pool/:name', {
    access: requiresAnyOf('node_pool:read'),
    summary: 'Read a node pool; can block.',
    spec,
    reply: { 200: nodePoolShape },
    run({ context, params: { name } }) {
      const { world } = context
      return readObject(context, 'node-pools', () =>
        world.derived(requireNodePool(world, name), nodePoolView),
      )
    },
  }),
  operation.post('putNodePool', '/node/pool/:name', {
    access: within(requiresAnyOf('node_pool:write')),
    summary: 'Create or replace the node pool that the path names.',
    body: nodePoolRowShape,
    run: ({ context, params: { name }, body }) => putNodePoolReply(context, body(), name),
  }),
  operation.delete('deleteNodePool', '/node/pool/:name', {
    access: requiresAnyOf('node_pool:delete'),
    summary: 'Delete an empty node pool.',
    run({ context, params: { name } }) {
      deleteNodePool(context.world, name)
      return context.writeReply()
    },
  }),
  operation.get('listJobsOfNodePool', '/node/pool/:name/jobs', {
    access: requiresAnyOf('node_pool:read'),
    summary: 'List the jobs of a node pool that the caller may list; can block.',
    query: parameters({ meta: described(bool, 'Whether to include the meta of each job') }),
    reply: { 200: list(jobStubShape) },
    run({ context, params: { name } }) {
      const { world, query } = context
      return context.read(({ prefix, nextToken, perPage, filter, reverse }) => {
        if (prefix !== '') throw refuse('prefix-not-allowed')
        const meta = boolParameter(query, 'meta') ?? false
        if (!hasNodePool(world, name)) return { index: 0, body: [] }
        const matches = compileListFilter<Job>(filter, jobShape) ?? (() => true)
        const page = listJobs(world, {
          namespaces: namespacesWith(context, 'list-jobs'),
          nextToken,
          perPage,
          reverse,
          filter: (job) => job.NodePool === name && matches(job),
        })
        const index = Math.max(dataIndex(world, 'jobs'), dataIndex(world, 'summaries'))
        const body = new CachedJson(jobListJson(context, page.items, meta))
        return { index, body, nextToken: page.nextToken }
      })
    },
  }),
  operation.get('listNodesOfNodePool', '/node/pool/:name/nodes', {
    access: within(requiresAnyOf('node:read+node_pool:read')),
    summary: 'List the nodes of a node pool by ID; can block.',
    query: nodeListQuery,
    reply: { 200: list(nodeStubShape) },
    run({ context, params: { name } }) {
      const { world, query } = context
      return context.read((options) => {
        const fields = nodeFields(query)
        if (options.prefix !== '') throw refuse('prefix-not-allowed')
        requirePoolNodesRead(context, name)
        if (!hasNodePool(world, name)) return { index: 0, body: [] }
        return nodePage(world, nodesInPool(world, name), fields, options)
      })
    },
  }),
]

function putNodePoolReply(context: SchedulerContext, input: NodePoolInput, pathName: string) {
  const { world } = context
  upsertNodePool(world, input, pathName, (name) => requirePoolWrite(context, name))
  return context.writeReply()
}
