import { bool, instant, int, nullable, text, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { sortableNumber } from '../../kernel/sortable-number.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { platformTable } from '../table.ts'

const messageShape = struct({
  /** `msg-` and the message's number. */
  id: text,
  kind: word('mail', 'sms'),
  /** Time of sending by the world's clock. */
  at: instant,
  /** Sender: a mail address or a phone number. */
  from: text,
  /** Recipient: a mail address or a phone number. */
  to: text,
  /** Subject of a mail; null for text messages. */
  subject: nullable(text),
  text,
  /** Configured mail server; null for text messages. */
  server: nullable(struct({ host: text, port: int })),
  /** Whether a real server accepted the mail. Otherwise the message is only recorded here. */
  delivered: bool,
})

/** A mail or text message that was sent (behaviour/platform#settings). */
export interface OutboxMessage extends StoredOf<typeof messageShape> {}

/** Sent messages by number, in order of sending. */
export const outbox = platformTable('outbox', messageShape, {
  secrets: 'none',
})

/** Holds the number of the last message, so that numbers continue after the outbox is emptied. */
export const outboxNumber = platformTable('outbox-number', struct({ last: uint }), {
  secrets: 'none',
})

const rowKey = 'outbox'
const digits = 12

/** Records a sent message. Must run inside a transaction. */
export function recordMessage(
  world: World,
  message: Omit<OutboxMessage, 'id' | 'at'>,
): OutboxMessage {
  const number = nextMessageNumber(world)
  const recorded = { id: `msg-${number}`, at: world.clock.now(), ...message }
  world.table(outbox).put(sortableNumber(number, digits), recorded)
  return recorded
}

/** Returns the next number of a message. Must run inside a transaction. */
export function nextMessageNumber(world: World): number {
  const number = (world.table(outboxNumber).get(rowKey)?.last ?? 0) + 1
  world.table(outboxNumber).put(rowKey, { last: number })
  return number
}

/** Returns all sent messages, oldest first. */
export function outboxMessages(world: World): readonly OutboxMessage[] {
  return Array.from(world.table(outbox).rows())
}
