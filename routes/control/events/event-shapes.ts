import { any, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import { eventTypes, requestableTypes } from '../../events/hub.ts'

/** Filter of an event stream. */
export const eventsQueryShape = withOthers(
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
