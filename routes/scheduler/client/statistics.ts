import { quoteGo } from '../../../state/go/text.ts'
import { Refusal } from '../../../state/kernel/refusal.ts'
import { text, uint } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { agentNode, hostStats, hostStatsShape } from '../../../state/scheduler/agent/server.ts'
import { serverAddress } from '../../../state/scheduler/body-addresses.ts'
import { checkResults, checkResultsShape } from '../../../state/scheduler/client/checks.ts'
import { deleteTaskLogs } from '../../../state/scheduler/client/files.ts'
import { refuse } from '../../../state/scheduler/client/messages.ts'
import {
  restartAllocation,
  restartShape,
  signalAllocation,
  signalShape,
} from '../../../state/scheduler/client/requests.ts'
import { allocationUsage, allocationUsageShape } from '../../../state/scheduler/client/usage.ts'
import { findAllocation } from '../../../state/scheduler/cluster/allocations/allocations.ts'
import type { Allocation } from '../../../state/scheduler/cluster/model/allocation-shapes.ts'
import { hasEnded } from '../../../state/scheduler/cluster/model/allocation-status.ts'
import type { Node } from '../../../state/scheduler/cluster/model/node-shapes.ts'
import { allAllocationsOnNode, nodes } from '../../../state/scheduler/cluster/model/tables.ts'
import { refuse as requestRefusal } from '../../../state/scheduler/messages.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { hasAccessIn, requiresAnyOf, requiresCapability, within } from '../access.ts'
import { checkAllocationPath, checkId } from '../cluster/lookups.ts'
import { operationsOf, type SchedulerContext } from '../operation.ts'

/** Statuses of nodes that cannot be reached. */
const unreachable: ReadonlySet<string> = new Set(['down', 'disconnected'])

/**
 * Returns the allocation of a client request (behaviour/scheduler#statistics,
 * behaviour/scheduler#task-actions and behaviour/scheduler#files). Throws a refusal for the first
 * of these problems, in the reference's order: an invalid ID, an unknown allocation, a missing
 * right, or a node that cannot be reached.
 */
export function requireClientAllocation(context: SchedulerContext, id: string): Allocation {
  if (id.includes('/')) throw refuse('client-resource-unknown')
  const { world } = context
  const allocation = findAllocation(world, checkId('alloc', id))
  if (allocation === undefined) throw refuse('client-allocation-unknown', { id: quoteGo(id) })
  if (!hasAccessIn(context, allocation.Namespace)) throw requestRefusal('permission-denied')
  const status = world.table(nodes).get(allocation.NodeID)?.Status
  if (status !== undefined && unreachable.has(status)) throw refuse('client-node-unreachable')
  return allocation
}

/**
 * Returns the allocation whose file or log is streamed. As in the reference, streams report bad
 * tokens and missing rights with the given status instead of the usual one.
 */
export function requireStreamedAllocation(
  context: SchedulerContext,
  id: string,
  status: 403 | 500,
): Allocation {
  try {
    return requireClientAllocation(context, id)
  } catch (error) {
    const isAboutRights =
      error instanceof Refusal && (error.kind === 'denied' || error.rule.startsWith('client-token'))
    throw isAboutRights ? new Refusal('denied', error.reason, { status }) : error
  }
}

const operation = operationsOf({
  spec: 'behaviour/scheduler#statistics',
  withoutLeader: true,
  tokenResolver: 'client',
})
/** Parameters of requests that the client agent of a node serves. */
export const nodeQuery = parameters({
  node_id: described(text, 'ID of the node; the node of the agent if left out'),
})

/**
 * Returns the node that the request names; by default, the agent's own node. Throws a refusal if
 * the node does not exist or cannot be reached.
 */
export function requireClientNode({ world, query }: SchedulerContext, bodyId?: string): Node {
  const id = query.value('node_id') ?? bodyId
  const node = id === undefined ? agentNode(world) : world.table(nodes).get(checkId('node', id))
  if (node === undefined) {
    throw id === undefined ? refuse('client-node-missing') : refuse('client-node-unknown', { id })
  }
  if (unreachable.has(node.Status)) throw refuse('client-node-unreachable')
  return node
}

/**
 * Operations on the statistics and check results of clients, and on the garbage collection of ended
 * allocations.
 */
export const statisticsOperations = [
  operation.get('readAllocationStats', '/client/allocation/:id/stats', {
    acceptsAnyMethod: true,
    access: within(requiresCapability('read-job')),
    summary: "Return the CPU and memory usage of an allocation's tasks.",
    query: parameters({ task: described(text, 'Only this task') }),
    reply: { 200: allocationUsageShape },
    run: ({ context, params: { id } }) =>
      context.readUnindexed(() => {
        const { world, query } = context
        return allocationUsage(world, requireClientAllocation(context, id), query.value('task'))
      }),
  }),
  operation.get('readAllocationChecks', '/client/allocation/:id/checks', {
    acceptsAnyMethod: true,
    access: within(requiresCapability('read-job')),
    summary: "Return the results of the checks of an allocation's services.",
    reply: { 200: checkResultsShape },
    run: ({ context, params: { id } }) =>
      context.readUnindexed(() =>
        checkResults(context.world, requireClientAllocation(context, id)),
      ),
  }),
  operation.post('collectAllocation', '/client/allocation/:id/gc', {
    acceptsAnyMethod: true,
    access: within(requiresCapability('submit-job')),
    summary: 'Make the client collect an allocation that has ended.',
    run: ({ context, params: { id } }) =>
      context.readUnindexed(() => {
        const allocation = requireClientAllocation(context, id)
        if (!hasEnded(allocation)) throw refuse('client-not-collectable')
        deleteTaskLogs(context.world, allocation)
        return undefined
      }),
  }),
  operation.get('readClientStats', '/client/stats', {
    acceptsAnyMethod: true,
    access: requiresAnyOf('node:read'),
    summary: 'Return the resource usage of a node and its tasks.',
    query: nodeQuery,
    reply: { 200: hostStatsShape },
    run: ({ context }) =>
      context.readUnindexed(() => hostStats(context.world, requireClientNode(context))),
  }),
  operation.post('collectClient', '/client/gc', {
    acceptsAnyMethod: true,
    access: requiresAnyOf('node:write'),
    summary: 'Make a node collect all allocations that have ended.',
    query: nodeQuery,
    run: ({ context }) =>
      context.readUnindexed(() => {
        const { world } = context
        const { ID } = requireClientNode(context)
        const ended = allAllocationsOnNode(world, ID).filter(hasEnded)
        for (const allocation of ended) deleteTaskLogs(world, allocation)
        return undefined
      }),
  }),
]

const taskOperation = operationsOf({
  spec: 'behaviour/scheduler#task-actions',
  withoutLeader: true,
  tokenResolver: 'client',
})

/** Reply to requests that the client agent of a node carries out; `Index` is always 0. */
const replyShape = struct('GenericResponse', { Index: uint })

/** Operations that the client agent of a node carries out on the tasks of its allocations. */
export const clientRequestOperations = [
  taskOperation.post('restartAllocation', '/client/allocation/:id/restart', {
    acceptsAnyMethod: true,
    access: within(requiresCapability('alloc-lifecycle')),
    summary: 'Restart a task of an allocation, all running tasks, or also those that have ended.',
    body: restartShape,
    bodyOptional: true,
    bodyError: (why) => refuse('restart-body-unreadable', { why }),
    reply: { 200: replyShape },
    run({ context, params: { id }, body }) {
      const input = context.hasBody ? body() : { TaskName: '', AllTasks: false }
      return context.readUnindexed(() => {
        restartAllocation(context.world, requireClientAllocation(context, id), input)
        return { Index: 0 }
      })
    },
  }),
  taskOperation.post('signalAllocation', '/client/allocation/:id/signal', {
    checkPath: checkAllocationPath,
    access: within(requiresCapability('alloc-lifecycle')),
    summary: 'Send a signal to a task of an allocation, or to all of them.',
    body: signalShape,
    bodyAddress: serverAddress,
    bodyError: (why) => refuse('signal-body-unreadable', { why }),
    reply: { 200: replyShape },
    run({ context, params: { id }, body }) {
      const input = body()
      return context.readUnindexed(() => {
        signalAllocation(context.world, requireClientAllocation(context, id), input)
        return { Index: 0 }
      })
    },
  }),
]
