import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { eventLogOf } from '../../../state/scheduler/events/log.ts'
import type { EventLine } from '../../../state/scheduler/events/stream-events.ts'
import { matchesTopics, type Topics } from '../../../state/scheduler/events/topics.ts'
import { LiveBody } from '../../http/blocking/live-body.ts'
import type { SchedulerDialect } from '../dialect.ts'
import { renderLine } from './payloads.ts'

/** What a stream tells. */
interface StreamSettings {
  /** Who reads it; too slowly, and the connection is cut. */
  readonly response: ServerResponse
  readonly world: World
  readonly dialect: SchedulerDialect
  readonly topics: Topics
  /** `*` for all of them. */
  readonly namespace: string
  /** Begins with what is kept from here on; 0 with all of it. */
  readonly index: number
  /** Tells whether the caller may still listen. */
  canListen(): boolean
}

/** The time between two lines that say that the stream lives, in milliseconds. */
const keepAliveInterval = 30_000

const keepAliveLine = '{}\n'

/**
 * The events of a world as lines of JSON (behaviour/scheduler#event-stream), until the caller
 * leaves or may not listen any more, or the world ends or goes to another state. It says that it lives at
 * once, and then by the world's clock, as blocking reads wait.
 */
export function eventStream(settings: StreamSettings): Readable {
  const { response, world, dialect, topics, namespace, index, canListen } = settings
  let stopListening = () => {}
  let cancelKeepAlive = () => {}
  const stop = () => {
    stopListening()
    cancelKeepAlive()
  }
  const body = new LiveBody(response, stop)
  /** What was there before is sent however much it is. */
  const backlog: string[] = [keepAliveLine]
  let sendLine = (line: string): void => void backlog.push(line)

  function onEnd(): void {
    stop()
    body.end()
  }

  function onEvents(lines: readonly EventLine[]): void {
    for (const line of lines) {
      const events = line.events.filter((event) => matchesTopics(topics, namespace, event))
      if (events.length > 0) sendLine(`${renderLine(world, dialect, { ...line, events })}\n`)
    }
  }

  function scheduleKeepAlive(): void {
    cancelKeepAlive = world.waitUntil(world.clock.now() + keepAliveInterval, sendKeepAlive)
  }

  function sendKeepAlive(): void {
    sendLine(keepAliveLine)
    if (!body.destroyed) scheduleKeepAlive()
  }

  const onRightsChanged = () => {
    if (!canListen()) onEnd()
  }
  scheduleKeepAlive()
  stopListening = eventLogOf(world).listen(world, index, { onEvents, onRightsChanged, onEnd })
  body.start(backlog)
  sendLine = (line) => body.send(line)
  return body
}
