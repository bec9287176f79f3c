import { quoteGo } from '../../../state/go/text.ts'
import { refuse } from '../../../state/scheduler/client/messages.ts'
import { findAllocation } from '../../../state/scheduler/cluster/allocations/allocations.ts'
import type { Allocation } from '../../../state/scheduler/cluster/model/allocation-shapes.ts'
import { nodes } from '../../../state/scheduler/cluster/model/tables.ts'
import { refuse as requestRefusal } from '../../../state/scheduler/messages.ts'
import { hasAccessIn } from '../access.ts'
import { checkId } from '../cluster/lookups.ts'
import type { SchedulerContext } from '../operation.ts'

/** Statuses of nodes that cannot be reached. */
export const unreachable: ReadonlySet<string> = new Set(['down', 'disconnected'])

/**
 * Returns the allocation of a client request (behaviour/scheduler#statistics to
 * behaviour/scheduler#files). Throws, in the reference's order, if the allocation is missing, if
 * the caller lacks the declared right, or if the node cannot be reached.
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
