import { any, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import { eventTypes, requestableTypes } from '../../events/hub.ts'
import { answer, type Operation } from '../../http/declare/operation.ts'
import { type ControlContext, operation } from '../context.ts'

/** Query that selects the types of events in a stream. */
const eventsQueryShape = withOthers(
  struct({
    types: optional(
      described(
        text,
        `Some of ${requestableTypes.join(', ')}, parted by commas; default: ${eventTypes.join(', ')}`,
      ),
    ),
  }),
  any,
)

const eventsDeclaration = {
  method: 'GET',
  spec: 'behaviour/program#events',
  query: eventsQueryShape,
  reply: { 200: text },
  mediaType: 'text/event-stream',
} as const

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Without this header, nginx holds back events until its buffer is full
  // (behaviour/program#events).
  'x-accel-buffering': 'no',
}

export const eventOperations: readonly Operation<ControlContext>[] = [
  operation({
    ...eventsDeclaration,
    id: 'streamEvents',
    path: '/events',
    summary:
      'Stream requests, changes, clock and faults of the world, and the creation and end of all worlds, as server-sent events.',
    run: ({ context: { world, eventClient }, query }) =>
      answer(200, world.stream({ ...eventClient, types: query.types, allWorlds: true }), {
        headers,
      }),
  }),
  operation({
    ...eventsDeclaration,
    id: 'streamEventsOfWorld',
    path: '/worlds/:world/events',
    summary: 'Stream the events of this world only, until it ends.',
    run: ({ context: { world, eventClient }, query }) =>
      answer(200, world.stream({ ...eventClient, types: query.types, allWorlds: false }), {
        headers,
      }),
  }),
]
