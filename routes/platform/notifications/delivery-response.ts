import { bool, list, map, text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import type { DeliveryResponse } from '../../../state/platform/notifications/configurations.ts'
import { attributeTime } from '../../../state/platform/timestamps.ts'

/** Shape of the reply to a notification. */
export const deliveryResponseShape = struct({
  url: text,
  body: text,
  code: text,
  headers: map(list(text)),
  'sent-at': text,
  successful: bool,
})

/** Renders the reply to a notification. */
export function deliveryResponse({ sent_at, ...response }: DeliveryResponse) {
  return { ...response, 'sent-at': attributeTime(sent_at) }
}
