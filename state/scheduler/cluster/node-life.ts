import type { World } from '../../kernel/world.ts'
import { nextIndex } from '../indexes.ts'
import { reconnect } from './disconnection.ts'
import { unblockEvaluations } from './evaluations.ts'
import { allocationsOnNode } from './node-allocations.ts'
import { cancelDrain, drainStep, moveOff, startDrain } from './node-drain.ts'
import { evaluateNode } from './node-evaluations.ts'
import { withEvent } from './node-events.ts'
import type { Node } from './node-shapes.ts'
import { writeNode } from './nodes.ts'
import { pauseTasks } from './task-actors.ts'
import { resumeTasks } from './task-life.ts'

/** The events of a node. */
export type NodeEvent = 'down' | 'ready' | 'disconnected' | 'ineligible' | 'eligible' | 'drained'

const away: ReadonlySet<string> = new Set(['down', 'disconnected'])

function changeOf(world: World, node: Node, event: Exclude<NodeEvent, 'drained'>): Partial<Node> {
  const StatusUpdatedAt = Math.floor(world.clock.now() / 1000)
  switch (event) {
    case 'down':
    case 'disconnected':
      return {
        Status: event,
        StatusUpdatedAt,
        ...(away.has(node.Status)
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
        ...(away.has(node.Status) ? { Events: withEvent(world, node, 'back') } : {}),
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
 * Something happens to a node: what was on it is placed anew, and what waits for room may find some
 * (behaviour/scheduler#evaluations: node-update). Inside a transaction.
 */
export function changeNode(world: World, node: Node, event: NodeEvent): Node {
  if (event === 'drained') return clear(world, node)
  const ends = node.DrainStrategy != null && (event === 'ready' || event === 'eligible')
  const before = ends ? cancelDrain(world, node) : node
  const changed = writeNode(world, { ...before, ...changeOf(world, before, event) })
  for (const allocation of allocationsOnNode(world, node.ID)) {
    if (away.has(event)) pauseTasks(world, allocation)
    else if (allocation.ClientStatus === 'unknown') {
      if (event === 'ready') reconnect(world, allocation)
    } else if (node.Status !== 'ready') resumeTasks(world, allocation)
  }
  if (event === 'ready' || event === 'eligible') unblockEvaluations(world)
  if (event !== 'ineligible') evaluateNode(world, changed, { evenIfPending: false })
  return changed
}

/** Drains a node without regard to how many of a group may leave at a time. */
function clear(world: World, node: Node): Node {
  const draining = startDrain(world, node, { Deadline: 0, IgnoreSystemJobs: false })
  const left = allocationsOnNode(world, node.ID)
  moveOff(world, left)
  if (left.length === 0) drainStep(world, node.ID)
  return draining
}
