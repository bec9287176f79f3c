import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { setAlarm } from '../../state/kernel/time.ts'
import { LiveBody } from '../http/live-body.ts'
import { InputError } from '../http/validate.ts'
import { askedTypes, type EventType, eventTypes, type WorldEvent } from './hub.ts'
import { type Listening, listen } from './listen.ts'

/** Real milliseconds between two comments, which keep proxies from cutting what is silent. */
const usualPause = 15_000

/** What a stream of events tells, and whom. */
type Streaming = Omit<Listening, 'missed' | 'send' | 'end'> & {
  readonly response: ServerResponse
}

/** The other end of a stream. */
export interface Listener {
  readonly response: ServerResponse
  /** As it was sent. */
  readonly lastEventId: string | undefined
}

/** Writes events as server-sent ones until their world ends (behaviour/program#events). */
export function eventStream({ response, ...listening }: Streaming, pause = usualPause): Readable {
  const body = new LiveBody(response, () => {
    alarm.cancel()
    stop()
  })
  const remind = (): void => {
    body.send(': \n\n')
    alarm = setAlarm(pause, remind)
  }
  let alarm = setAlarm(pause, remind)
  const stop = listen({
    ...listening,
    missed: (events) => body.start([': events\n\n', ...events.map(written)]),
    tell: (event) => body.send(written(event)),
    ended: () => body.end(),
  })
  return body
}

function written({ id, type, data }: WorldEvent): string {
  return `event: ${type}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`
}

/**
 * Reads which events are asked for.
 *
 * @param text names parted by commas; undefined for all
 */
export function typesIn(text: string | undefined): ReadonlySet<EventType> {
  const names = text === undefined ? eventTypes : text.split(',')
  const known = askedTypes.filter((type) => names.some((name) => name === type))
  if (known.length === new Set(names).size) return new Set(known)
  throw new InputError([
    `query parameter types must be some of ${askedTypes.join(', ')}, parted by commas`,
  ])
}

/** Reads the header of a client that comes back. */
export function eventIdIn(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InputError(['header Last-Event-ID must be the id of an event, a whole number'])
}
