import type { World } from '../../kernel/worlds/world.ts'
import { nextIndex } from '../indexes.ts'
import { allocationsOnNode } from './allocations/node-allocations.ts'
import { evaluateNode } from './evaluations/node-evaluations.ts'
import { unblockEvaluations } from './model/evaluations.ts'
import type { Node } from './model/node-shapes.ts'
import { cancelDrain, drainStep, requestMigration, startDrain } from './nodes/node-drain.ts'
import { withEvent, writeNode } from './nodes/nodes.ts'
import { reconnect } from './tasks/disconnection.ts'
import { pauseTasks } from './tasks/task-instances.ts'
import { resumeTasks } from './tasks/task-runtime.ts'

/** Events that change the state of a node. */
export type NodeStateChange =
  | 'down'
  | 'ready'
  | 'disconnected'
  | 'ineligible'
  | 'eligible'
  | 'drained'

const unreachableStatuses: ReadonlySet<string> = new Set(['down', 'disconnected'])

function stateChangeFields(
  world: World,
  node: Node,
  change: Exclude<NodeStateChange, 'drained'>,
): Partial<Node> {
  const StatusUpdatedAt = Math.floor(world.clock.now() / 1000)
  switch (change) {
    case 'down':
    case 'disconnected':
      return {
        Status: change,
        StatusUpdatedAt,
        ...(unreachableStatuses.has(node.Status)
          ? {}
          : {
              Events: withEvent(world, node, 'missed'),
              LastMissedHeartbeatIndex: nextIndex(world),
            }),
      }
    case 'ready':
      return {
        Status: 'ready',
        Drain: false,
        SchedulingEligibility: 'eligible',
        StatusUpdatedAt,
        LastMissedHeartbeatIndex: 0,
        ...(unreachableStatuses.has(node.Status) ? { Events: withEvent(world, node, 'back') } : {}),
      }
    case 'ineligible':
      return {
        SchedulingEligibility: 'ineligible',
        StatusUpdatedAt,
        Events: withEvent(world, node, 'ineligible'),
      }
    case 'eligible':
      return {
        SchedulingEligibility: 'eligible',
        Drain: false,
        StatusUpdatedAt,
        Events: withEvent(world, node, 'eligible'),
      }
  }
}

/**
 * Applies an event to a node: its allocations are rescheduled, and blocked evaluations may be
 * retried (behaviour/scheduler#evaluations: node-update). Inside a transaction.
 */
export function applyNodeStateChange(world: World, node: Node, change: NodeStateChange): Node {
  if (change === 'drained') return drainAtOnce(world, node)
  const endsDrain = node.DrainStrategy != null && (change === 'ready' || change === 'eligible')
  const before = endsDrain ? cancelDrain(world, node) : node
  const changed = writeNode(world, { ...before, ...stateChangeFields(world, before, change) })
  for (const allocation of allocationsOnNode(world, node.ID)) {
    if (unreachableStatuses.has(change)) pauseTasks(world, allocation)
    else if (allocation.ClientStatus === 'unknown') {
      if (change === 'ready') reconnect(world, allocation)
    } else if (node.Status !== 'ready') resumeTasks(world, allocation)
  }
  if (change === 'ready' || change === 'eligible') unblockEvaluations(world)
  if (change !== 'ineligible') evaluateNode(world, changed, { evenIfPending: false })
  return changed
}

/** Drains a node at once, ignoring how many allocations of a group may migrate at a time. */
function drainAtOnce(world: World, node: Node): Node {
  const draining = startDrain(world, node, { Deadline: 0, IgnoreSystemJobs: false })
  const remaining = allocationsOnNode(world, node.ID)
  requestMigration(world, remaining)
  if (remaining.length === 0) drainStep(world, node.ID)
  return draining
}
