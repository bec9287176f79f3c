import { formatTimestamp } from '../../../kernel/time.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { nextIndex } from '../../indexes.ts'
import type { Node, NodeEvent } from '../model/node-shapes.ts'

/** So many of its events a node keeps (behaviour/scheduler#node-endpoints). */
const maxNodeEvents = 10

/** What happens to nodes: the part of the reference that says so, and what it says. */
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

/** Something that happens to a node. */
export type NodeEventName = keyof typeof nodeEventTexts

/** The events of a node that has just been registered; the reference gives this one no index. */
export function initialEvents(world: World): readonly NodeEvent[] {
  return [{ ...newEvent(world, 'registered', null), CreateIndex: 0 }]
}

/** A node's events with one more. */
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
