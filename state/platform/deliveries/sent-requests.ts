import { any, instant, map, text, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { sortableNumber } from '../../kernel/sortable-number.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { nextMessageNumber, outbox } from '../settings/outbox.ts'
import { platformTable } from '../table.ts'

const requestShape = struct({
  /**
   * Id of the form `msg-<number>`. Requests, emails and text messages share one sequence of
   * numbers.
   */
  id: text,
  kind: word('notification', 'run-task'),
  /** Time of sending on the world's clock. */
  at: instant,
  url: text,
  body: map(any),
  /** HMAC-SHA512 of the body in hexadecimal digits; empty without a key. */
  signature: text,
  /** Base URL at which clients reach the platform; empty if unknown. */
  base: text,
  /** Id of the task result or the notification configuration. */
  subject: text,
  /** A `recorded` request is only stored and never sent. */
  state: word('recorded', 'waiting', 'delivered', 'failed'),
})

/**
 * A request to a run task or a webhook that the platform has sent or would send
 * (behaviour/platform#task-stages).
 */
export interface SentRequest extends StoredOf<typeof requestShape> {}

/**
 * Requests by number, which is the order of sending. The index `waiting` has the requests that
 * still have to be sent.
 */
export const sentRequests = platformTable('sent-requests', requestShape, {
  secrets: { members: ['body/access_token'] },
  indexes: {
    waiting: ({ state }, key) => (state === 'waiting' ? key : undefined),
    byId: ({ id }) => id,
  },
})

/**
 * Stores a request under the next number and returns it with its id. Must run inside a transaction.
 */
export function recordRequest(world: World, request: Omit<SentRequest, 'id'>): SentRequest {
  const number = nextMessageNumber(world)
  const recordedRequest = { id: `msg-${number}`, ...request }
  world.table(sentRequests).put(sortableNumber(number, 12), recordedRequest)
  return recordedRequest
}

/** Stores a changed request, unless it was deleted. Must run inside a transaction. */
export function putRequest(world: World, request: SentRequest): void {
  const table = world.table(sentRequests)
  const key = table.index('byId').keyOf(request.id)
  if (key !== undefined) table.put(key, request)
}

/** Returns the requests that still have to be sent, oldest first. */
export function waitingRequests(world: World): SentRequest[] {
  return Array.from(world.table(sentRequests).index('waiting').rows())
}

export function allSentRequests(world: World): SentRequest[] {
  return Array.from(world.table(sentRequests).rows())
}

/**
 * Deletes all requests and messages, including requests that still have to be sent. Later requests
 * and messages do not reuse the deleted numbers.
 */
export function emptyOutbox(world: World): void {
  world.write(() => {
    world.table(outbox).deleteAll('')
    world.table(sentRequests).deleteAll('')
  })
}
