import { defineTable } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'

/** A mail or text message that went out (2-platform-decisions.md section 6). */
export interface OutboxMessage {
  /** `msg-` and its number. */
  readonly id: string
  readonly kind: 'mail' | 'sms'
  /** Milliseconds since 1970 by the world's clock. */
  readonly at: number
  /** The mail's sender, or the number that it comes from. */
  readonly from: string
  /** A mail address or a number. */
  readonly to: string
  /** Mails only. */
  readonly subject: string | null
  readonly text: string
  /** The mail server as it is set; null for text messages. */
  readonly server: { readonly host: string; readonly port: number } | null
  /** Whether a real server took it; else it is only noted here. */
  readonly delivered: boolean
}

const text = { type: 'string' } as const

/** By number, in order of sending. */
export const outbox = defineTable<OutboxMessage>({
  service: 'platform',
  name: 'outbox',
  schema: {
    type: 'object',
    required: ['id', 'kind', 'at', 'from', 'to', 'subject', 'text', 'server', 'delivered'],
    additionalProperties: false,
    properties: {
      id: text,
      kind: { enum: ['mail', 'sms'] },
      at: { type: 'integer' },
      from: text,
      to: text,
      subject: { type: ['string', 'null'] },
      text,
      server: {
        type: ['object', 'null'],
        required: ['host', 'port'],
        additionalProperties: false,
        properties: { host: text, port: { type: 'integer' } },
      },
      delivered: { type: 'boolean' },
    },
  },
})

/** Where the number of the last message is, emptied outbox or not. */
export const outboxNumber = defineTable<{ readonly last: number }>({
  service: 'platform',
  name: 'outbox-number',
  schema: {
    type: 'object',
    required: ['last'],
    additionalProperties: false,
    properties: { last: { type: 'integer', minimum: 0 } },
  },
})

const only = 'outbox'
const digits = 12

/** Notes a message that went out; part of a transaction. */
export function noteSent(world: World, message: Omit<OutboxMessage, 'id' | 'at'>): OutboxMessage {
  const number = (world.table(outboxNumber).get(only)?.last ?? 0) + 1
  const noted = { id: `msg-${number}`, at: world.clock.now(), ...message }
  world.table(outboxNumber).put(only, { last: number })
  world.table(outbox).put(String(number).padStart(digits, '0'), noted)
  return noted
}

/** Every message that went out, oldest first. */
export function sentMessages(world: World): readonly OutboxMessage[] {
  return Array.from(world.table(outbox).rows())
}

/** Empties the outbox; numbers go on. */
export function emptyOutbox(world: World): void {
  world.write(() => world.table(outbox).deleteAll(''))
}
