import { Readable } from 'node:stream'
import type { World } from '../../../state/kernel/world.ts'
import { eventLogOf } from '../../../state/scheduler/events/log.ts'
import type { EventLine } from '../../../state/scheduler/events/stream-events.ts'
import { isWanted, type Topics } from '../../../state/scheduler/events/topics.ts'
import type { SchedulerDialect } from '../dialect.ts'
import { lineText } from './payloads.ts'

/** What a stream tells. */
interface StreamSettings {
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
  const { world, dialect, topics, namespace, index, mayListen } = settings
  let stopListening = () => {}
  let stopWaiting = () => {}
  const stop = () => {
    stopListening()
    stopWaiting()
  }
  const stream = new Readable({
    read() {},
    destroy(error, done) {
      stop()
      done(error)
    },
  })

  function end(): void {
    stop()
    if (!stream.destroyed) stream.push(null)
  }

  function hear(lines: readonly EventLine[]): void {
    for (const line of lines) {
      const events = line.events.filter((event) => isWanted(topics, namespace, event))
      if (events.length === 0) continue
      stream.push(`${lineText(world, dialect, { ...line, events })}\n`)
    }
  }

  function beat(): void {
    stream.push(alive)
    stopWaiting = world.waitUntil(world.clock.now() + heartbeat, beat)
  }

  beat()
  const rightsChanged = () => {
    if (!mayListen()) end()
  }
  stopListening = eventLogOf(world).listen(world, index, { hear, rightsChanged, end })
  return stream
}
