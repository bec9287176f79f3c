import { compileGoRegex, type GoRegex, RegexError } from '../../go/regex.ts'
import { name, nullable, text, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { sortableNumber } from '../../kernel/sortable-number.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { agentServices } from '../agent/tables.ts'
import { meshTable } from '../indexes.ts'
import { refuse } from '../messages.ts'
import { optionsOf } from '../options.ts'

export const eventShape = struct({
  id: name,
  name,
  /** Base64-encoded bytes; null for an event without a payload. */
  payload: nullable(text),
  node_filter: text,
  service_filter: text,
  tag_filter: text,
  /** Lamport time of the event. The first event has 2. */
  l_time: uint,
})

/** A user event that the agent has received (behaviour/mesh#events). */
export interface MeshEvent extends StoredOf<typeof eventShape> {}

/** The events that the agent lists, by Lamport time. */
export const meshEvents = meshTable('events', eventShape, {
  secrets: 'none',
  keepsIndex: true,
})

/** Lamport time of the latest event, listed or not. One row, stored under the empty key. */
export const eventClock = meshTable('event-clock', struct({ l_time: uint }), {
  secrets: 'none',
  keepsIndex: true,
})

/**
 * Maximum number of events that the agent keeps. At this number, a new event replaces the oldest
 * event.
 */
const maxEvents = 256

/** Maximum size of an event in bytes, measured by `sizeOf`. */
const maxEventSize = 512

/** Lamport time of the first event. */
const firstLamportTime = 2

export interface EventInput {
  readonly name: string
  readonly payload: Buffer
  readonly nodeFilter: string
  readonly serviceFilter: string
  readonly tagFilter: string
}

/** The compiled filters of an event; undefined for empty filters. */
interface EventFilters {
  readonly node: GoRegex | undefined
  readonly service: GoRegex | undefined
  readonly tag: GoRegex | undefined
}

/**
 * Compiles the filters of an event. Throws a refusal (500) for a filter that is not a regular
 * expression, and for a tag without a service.
 */
export function validateEvent({ nodeFilter, serviceFilter, tagFilter }: EventInput): EventFilters {
  const node = compiledFilter('node', nodeFilter)
  const service = compiledFilter('service', serviceFilter)
  const tag = compiledFilter('tag', tagFilter)
  if (tagFilter !== '' && serviceFilter === '') throw refuse('event-tag-without-service')
  return { node, service, tag }
}

/**
 * Fires an event. The mesh has only one agent, which keeps the event if the filters match its node
 * and, with a service filter, one of its services. Throws a refusal (500) if the event is too
 * large.
 */
export function fireEvent(world: World, input: EventInput, filters: EventFilters): MeshEvent {
  if (sizeOf(input) > maxEventSize) throw refuse('event-too-large', { largest: maxEventSize })
  const isKept = isMeantForAgent(world, filters)
  return world.write(() => {
    const l_time = (world.table(eventClock).get('')?.l_time ?? firstLamportTime - 1) + 1
    world.table(eventClock).put('', { l_time })
    const event: MeshEvent = {
      id: world.ids.uuid(),
      name: input.name,
      payload: input.payload.length === 0 ? null : input.payload.toString('base64'),
      node_filter: input.nodeFilter,
      service_filter: input.serviceFilter,
      tag_filter: input.tagFilter,
      l_time,
    }
    if (isKept) keepEvent(world, event)
    return event
  })
}

/**
 * Returns whether the filters match the agent. The node filter must match the name of the agent's
 * node. The service filter must match one of the agent's services, and the tag filter one of the
 * tags of that service. A filter that is left out matches everything.
 */
function isMeantForAgent(world: World, { node, service, tag }: EventFilters): boolean {
  if (node?.test(optionsOf(world).nodeName) === false) return false
  if (service === undefined) return true
  return Array.from(world.table(agentServices).rows()).some(
    ({ name, tags }) =>
      service.test(name) && (tag === undefined || tags.some((each) => tag.test(each))),
  )
}

function keepEvent(world: World, event: MeshEvent): void {
  const events = world.table(meshEvents)
  events.put(sortableNumber(event.l_time, 16), event)
  if (events.size <= maxEvents) return
  const [oldest] = events.first('') ?? []
  if (oldest !== undefined) events.delete(oldest)
}

/** Estimates the size of an event on the wire in bytes: its name, filters and payload. */
function sizeOf({ name, payload, nodeFilter, serviceFilter, tagFilter }: EventInput): number {
  return Buffer.byteLength(name + nodeFilter + serviceFilter + tagFilter) + payload.length
}

/** Returns the events that the agent keeps, oldest first. */
export function listEvents(world: World): readonly MeshEvent[] {
  return [...world.table(meshEvents).rows()]
}

/**
 * Returns the index of a list of events: the exclusive or of the two halves of the last event's ID,
 * as an unsigned 64-bit number. An empty list has the index 1.
 */
export function eventsIndex(events: readonly MeshEvent[]): bigint {
  const last = events.at(-1)
  if (last === undefined) return 1n
  const digits = last.id.replaceAll('-', '')
  return BigInt(`0x${digits.slice(0, 16)}`) ^ BigInt(`0x${digits.slice(16)}`)
}

/**
 * Compiles a filter; undefined for an empty one. Throws a refusal (500) for an invalid expression.
 */
function compiledFilter(subject: 'node' | 'service' | 'tag', filter: string): GoRegex | undefined {
  if (filter === '') return undefined
  try {
    return compileGoRegex(filter)
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    throw refuse('event-filter-invalid', { subject, problem: error.message })
  }
}
