import { Refusal } from '../../../state/kernel/refusal.ts'
import { constant, list, text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import { refuse as refuseAccess } from '../../../state/mesh/acl/messages.ts'
import {
  type EventInput,
  eventShape,
  eventsIndex,
  fireEvent,
  listEvents,
  type MeshEvent,
  validateEvent,
} from '../../../state/mesh/events/events.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import { insideOperation, perEntry } from '../../http/declare/access.ts'
import { ok } from '../../http/declare/operation.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { requires, rightChecker } from '../access.ts'
import { objectRenderer } from '../dialect.ts'
import { type MeshContext, operationsOf } from '../operation.ts'

const { l_time, ...eventFields } = eventShape.fields
const eventRenderer = objectRenderer({ ...eventFields, version: constant(1), l_time })

/**
 * Renders an event.
 *
 * @param time Lamport time in the reply
 */
function eventView(event: MeshEvent, time = event.l_time) {
  return eventRenderer.render({ ...event, version: 1, l_time: time })
}

/**
 * Throws a refusal (403) if the caller may not fire an event with this name. Throws a refusal (500)
 * if the caller's token is unknown.
 */
function requireEventRight(context: MeshContext, name: string): void {
  let mayFire: ReturnType<typeof rightChecker>
  try {
    mayFire = rightChecker(context, 'event:write')
  } catch (error) {
    if (!(error instanceof Refusal) || error.rule !== 'token-unknown') throw error
    throw refuse('event-token-unknown')
  }
  if (!mayFire({ name })) throw refuseAccess('right-missing-bare')
}

const operation = operationsOf({ spec: 'behaviour/mesh#events' })

export const eventOperations = [
  operation.put('fireEvent', '/event/fire/:name', {
    access: insideOperation(requires('event:write')),
    tenancy: 'none',
    summary: 'Send a user event to the agents.',
    rawBody: true,
    query: parameters({
      node: described(text, 'Expression for the names of the nodes that receive it'),
      service: described(text, 'Expression for a service that a node must have'),
      tag: described(text, 'Expression for a tag of that service'),
    }),
    reply: { 200: storedSchema(eventRenderer.shape) },
    run({ context, params: { name } }) {
      const { world, query, body: payload } = context
      if (name === '') throw refuse('event-unnamed')
      const input: EventInput = {
        name,
        payload,
        nodeFilter: query.value('node') ?? '',
        serviceFilter: query.value('service') ?? '',
        tagFilter: query.value('tag') ?? '',
      }
      const filters = validateEvent(input)
      context.requireOwnDatacenter()
      requireEventRight(context, name)
      return ok(eventView(fireEvent(world, input, filters), 0))
    },
  }),
  operation.get('listEvents', '/event/list', {
    access: perEntry(requires('event:read')),
    tenancy: 'none',
    summary: 'List the latest user events that the agent received; can block.',
    query: parameters({ name: described(text, 'Only events of this name') }),
    reply: { 200: storedSchema(list(eventRenderer.shape)) },
    run: ({ context }) => {
      const requested = context.query.value('name') ?? ''
      return context.read(() => {
        const isReadable = rightChecker(context, 'event:read')
        const events = listEvents(context.world).filter(
          ({ name }) => (requested === '' || name === requested) && isReadable({ name }),
        )
        const body = events.map((event) => eventView(event))
        return { index: 0, unorderedIndex: eventsIndex(events), body }
      })
    },
  }),
]
