import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { World } from '../../../state/kernel/world.ts'
import { eventLogOf } from '../../../state/scheduler/events/log.ts'
import type { EventLine } from '../../../state/scheduler/events/stream-events.ts'
import { isWanted, type Topics } from '../../../state/scheduler/events/topics.ts'
import { LiveBody } from '../../http/live-body.ts'
import type { SchedulerDialect } from '../dialect.ts'
import { lineText } from './payloads.ts'

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
  mayListen(): boolean
}

/** The time between two lines that say that the stream lives, in milliseconds. */
const heartbeat = 30_000

const alive = '{}\n'

/**
 * The events of a world as lines of JSON (behaviour/scheduler#event-stream), until the caller
 * leaves or may not listen any more, or the world ends or goes to another state. It says that it lives at
 * once, and then by the world's clock, as blocking reads wait.
 */
export function eventStream(settings: StreamSettings): Readable {
  const { response, world, dialect, topics, namespace, index, mayListen } = settings
  let stopListening = () => {}
  let stopWaiting = () => {}
  const stop = () => {
    stopListening()
    stopWaiting()
  }
  const body = new LiveBody(response, stop)
  /** What was there before is sent however much it is. */
  const before: string[] = [alive]
  let send = (line: string): void => void before.push(line)

  function end(): void {
    stop()
    body.end()
  }

  function hear(lines: readonly EventLine[]): void {
    for (const line of lines) {
      const events = line.events.filter((event) => isWanted(topics, namespace, event))
      if (events.length > 0) send(`${lineText(world, dialect, { ...line, events })}\n`)
    }
  }

  function wait(): void {
    stopWaiting = world.waitUntil(world.clock.now() + heartbeat, beat)
  }

  function beat(): void {
    send(alive)
    if (!body.destroyed) wait()
  }

  const rightsChanged = () => {
    if (!mayListen()) end()
  }
  wait()
  stopListening = eventLogOf(world).listen(world, index, { hear, rightsChanged, end })
  body.start(before)
  send = (line) => body.send(line)
  return body
}
