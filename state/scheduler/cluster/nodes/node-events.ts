import { formatTimestamp } from '../../../kernel/time.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { nextIndex } from '../../indexes.ts'
import type { Node, NodeEvent } from '../model/node-shapes.ts'

/** Maximum number of stored events of a node (behaviour/scheduler#node-endpoints). */
const maxNodeEvents = 10

/** Subsystem and message of each node event, as in the reference. */
const nodeEventTexts = {
  registered: ['Cluster', 'Node registered'],
  missed: ['Cluster', 'Node heartbeat missed'],
  back: ['Cluster', 'Node reregistered by heartbeat'],
  eligible: ['Cluster', 'Node marked as eligible for scheduling'],
  ineligible: ['Cluster', 'Node marked as ineligible for scheduling'],
  drainSet: ['Drain', 'Node drain strategy set'],
  drainUpdated: ['Drain', 'Node drain strategy updated'],
  drainDisabled: ['Drain', 'Node drain disabled'],
  drainComplete: ['Drain', 'Node drain complete'],
} as const

/** The name of a node event. */
export type NodeEventName = keyof typeof nodeEventTexts

/**
 * Returns the events of a newly registered node. As in the reference, its first event has no index.
 */
export function initialEvents(world: World): readonly NodeEvent[] {
  return [{ ...newEvent(world, 'registered', null), CreateIndex: 0 }]
}

/** Returns a node's events with one added. */
export function withEvent(
  world: World,
  { Events }: Pick<Node, 'Events'>,
  eventName: NodeEventName,
  details: NodeEvent['Details'] = null,
): readonly NodeEvent[] {
  return [...(Events ?? []), newEvent(world, eventName, details)].slice(-maxNodeEvents)
}

function newEvent(
  world: World,
  eventName: NodeEventName,
  Details: NodeEvent['Details'],
): NodeEvent {
  const [Subsystem, Message] = nodeEventTexts[eventName]
  const Timestamp = formatTimestamp(world.clock.now())
  return { Message, Subsystem, Details, Timestamp, CreateIndex: nextIndex(world) }
}
