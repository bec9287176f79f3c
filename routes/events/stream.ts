import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { stringifyJson } from '../../state/kernel/deep-json.ts'
import { setAlarm } from '../../state/kernel/time.ts'
import { LiveBody } from '../http/blocking/live-body.ts'
import { InputError } from '../http/declare/validate.ts'
import { type EventType, eventTypes, requestableTypes, type WorldEvent } from './hub.ts'
import { listen, type Subscription } from './listen.ts'

/**
 * Interval between comments, in milliseconds of real time. The comments keep proxies from closing
 * idle connections.
 */
const defaultHeartbeat = 15_000

type StreamOptions = Omit<Subscription, 'replay' | 'send' | 'end'> & {
  readonly response: ServerResponse
}

export interface EventClient {
  readonly response: ServerResponse
  /** Value of the header `Last-Event-ID`, which clients send when they reconnect. */
  readonly lastEventId: string | undefined
}

/**
 * Returns a stream of server-sent events, which ends with the world (behaviour/program#events).
 *
 * @param heartbeat interval between comments, in milliseconds of real time
 */
export function eventStream(
  { response, ...subscription }: StreamOptions,
  heartbeat = defaultHeartbeat,
): Readable {
  const body = new LiveBody(response, () => {
    alarm.cancel()
    stop()
  })
  const sendHeartbeat = (): void => {
    body.send(': \n\n')
    alarm = setAlarm(heartbeat, sendHeartbeat)
  }
  let alarm = setAlarm(heartbeat, sendHeartbeat)
  const stop = listen({
    ...subscription,
    replay: (events) => body.start([': events\n\n', ...events.map(renderEvent)]),
    send: (event) => body.send(renderEvent(event)),
    end: () => body.end(),
  })
  return body
}

function renderEvent({ id, type, data }: WorldEvent): string {
  return `event: ${type}\nid: ${id}\ndata: ${stringifyJson(data)}\n\n`
}

/**
 * Parses the requested event types.
 *
 * @param text names separated by commas; undefined for the default types
 * @throws {InputError} for an unknown name
 */
export function parseEventTypes(text: string | undefined): ReadonlySet<EventType> {
  const names = text === undefined ? eventTypes : text.split(',')
  const known = requestableTypes.filter((type) => names.some((name) => name === type))
  if (known.length === new Set(names).size) return new Set(known)
  throw new InputError([
    `query parameter types must be some of ${requestableTypes.join(', ')}, parted by commas`,
  ])
}

/**
 * Parses the header `Last-Event-ID`; a missing or empty value means that no events are replayed.
 *
 * @throws {InputError} for anything but a number of at most 15 digits
 */
export function parseLastEventId(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InputError(['header Last-Event-ID must be the id of an event, a whole number'])
}
