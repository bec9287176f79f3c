import { bool, instant, int, nullable, text, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'

const messageShape = struct({
  /** `msg-` and its number. */
  id: text,
  kind: word('mail', 'sms'),
  /** By the world's clock. */
  at: instant,
  /** The mail's sender, or the number that it comes from. */
  from: text,
  /** A mail address or a number. */
  to: text,
  /** Mails only. */
  subject: nullable(text),
  text,
  /** The mail server as it is set; null for text messages. */
  server: nullable(struct({ host: text, port: int })),
  /** True when a real server took it; else it is only noted here. */
  delivered: bool,
})

/** A mail or text message that went out (behaviour/platform#settings). */
export interface OutboxMessage extends StoredOf<typeof messageShape> {}

/** By number, in order of sending. */
export const outbox = defineTable({ service: 'platform', name: 'outbox', shape: messageShape })

/** Where the number of the last message is, emptied outbox or not. */
export const outboxNumber = defineTable({
  service: 'platform',
  name: 'outbox-number',
  shape: struct({ last: uint }),
})

const rowKey = 'outbox'
const digits = 12

/** Notes a message that went out; part of a transaction. */
export function recordMessage(
  world: World,
  message: Omit<OutboxMessage, 'id' | 'at'>,
): OutboxMessage {
  const number = (world.table(outboxNumber).get(rowKey)?.last ?? 0) + 1
  const recorded = { id: `msg-${number}`, at: world.clock.now(), ...message }
  world.table(outboxNumber).put(rowKey, { last: number })
  world.table(outbox).put(String(number).padStart(digits, '0'), recorded)
  return recorded
}

/** Every message that went out, oldest first. */
export function outboxMessages(world: World): readonly OutboxMessage[] {
  return Array.from(world.table(outbox).rows())
}

/** Empties the outbox; numbers go on. */
export function emptyOutbox(world: World): void {
  world.write(() => world.table(outbox).deleteAll(''))
}
