import { any, instant, map, text, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { sortableNumber } from '../../kernel/sortable-number.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { nextMessageNumber, outbox } from '../settings/outbox.ts'
import { platformTable } from '../table.ts'

const requestShape = struct({
  /** `msg-` and a number, counted together with mails and text messages. */
  id: text,
  kind: word('notification', 'run-task'),
  /** Time of sending by the world's clock. */
  at: instant,
  url: text,
  body: map(any),
  /** HMAC-SHA512 of the body; empty without a key. */
  signature: text,
  /** Address of the platform as callers use it; empty if it is not known. */
  base: text,
  /** Id of the task's result or of the notification configuration. */
  subject: text,
  /** `recorded` requests are not sent. */
  state: word('recorded', 'waiting', 'delivered', 'failed'),
})

/** A request that the platform sent, or would send (behaviour/platform#task-stages). */
export interface SentRequest extends StoredOf<typeof requestShape> {}

/** Sent requests by number, in order of sending. */
export const sentRequests = platformTable('sent-requests', requestShape, {
  secrets: { members: ['body/access_token'] },
  indexes: {
    waiting: ({ state }, key) => (state === 'waiting' ? key : undefined),
    byId: ({ id }) => id,
  },
})

/** Records a request. Must run inside a transaction. */
export function recordRequest(world: World, request: Omit<SentRequest, 'id'>): SentRequest {
  const number = nextMessageNumber(world)
  const recorded = { id: `msg-${number}`, ...request }
  world.table(sentRequests).put(sortableNumber(number, 12), recorded)
  return recorded
}

/** Stores a changed request. Must run inside a transaction. */
export function putRequest(world: World, request: SentRequest): void {
  const table = world.table(sentRequests)
  const key = table.index('byId').keyOf(request.id)
  if (key !== undefined) table.put(key, request)
}

/** Returns the requests that wait to be sent, oldest first. */
export function waitingRequests(world: World): SentRequest[] {
  return Array.from(world.table(sentRequests).index('waiting').rows())
}

/** Returns all requests, oldest first. */
export function allSentRequests(world: World): SentRequest[] {
  return Array.from(world.table(sentRequests).rows())
}

/** Empties the outbox, also of requests that wait to be sent. Numbering continues. */
export function emptyOutbox(world: World): void {
  world.write(() => {
    world.table(outbox).deleteAll('')
    world.table(sentRequests).deleteAll('')
  })
}
