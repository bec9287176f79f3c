import { bool, instant, int, nullable, text, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { sortableNumber } from '../../kernel/sortable-number.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { platformTable } from '../table.ts'

const messageShape = struct({
  /** Id of the form `msg-<number>`. */
  id: text,
  kind: word('mail', 'sms'),
  /** Time of sending on the world's clock. */
  at: instant,
  /** Email address or phone number of the sender. */
  from: text,
  /** Email address or phone number of the recipient. */
  to: text,
  /** Subject of an email; null for text messages. */
  subject: nullable(text),
  text,
  /** Configured mail server; null for text messages and notifications. */
  server: nullable(struct({ host: text, port: int })),
  /** Whether a real mail server accepted the message. All other messages are only recorded. */
  delivered: bool,
})

/** A sent email or text message (behaviour/platform#test-mail). */
export interface OutboxMessage extends StoredOf<typeof messageShape> {}

/** Sent messages by number, in order of sending. */
export const outbox = platformTable('outbox', messageShape, {
  secrets: 'none',
})

/**
 * Last number that was used for a message or for a request to a webhook or run task. This separate
 * table keeps the number when the outbox is emptied.
 */
export const outboxNumber = platformTable('outbox-number', struct({ last: uint }), {
  secrets: 'none',
})

const rowKey = 'outbox'
const digits = 12

/** Adds a message to the outbox. Must run inside a transaction. */
export function recordMessage(
  world: World,
  message: Omit<OutboxMessage, 'id' | 'at'>,
): OutboxMessage {
  const number = nextMessageNumber(world)
  const recorded = { id: `msg-${number}`, at: world.clock.now(), ...message }
  world.table(outbox).put(sortableNumber(number, digits), recorded)
  return recorded
}

/** Increments and returns the message number. Must run inside a transaction. */
export function nextMessageNumber(world: World): number {
  const number = (world.table(outboxNumber).get(rowKey)?.last ?? 0) + 1
  world.table(outboxNumber).put(rowKey, { last: number })
  return number
}

export function outboxMessages(world: World): readonly OutboxMessage[] {
  return Array.from(world.table(outbox).rows())
}
