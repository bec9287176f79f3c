import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { World } from '../../state/kernel/world.ts'

/** The finding of a look at something that grows. */
export interface Growth {
  /** What has come since the look before. */
  readonly pieces: readonly (string | Buffer)[]
  /** No more will come. */
  readonly ended: boolean
  /** When more comes by itself, in milliseconds since 1970; undefined: only by a change of what was read. */
  readonly next?: number | undefined
}

/**
 * A body that grows while its connection is held: looks at once, whenever something that it read
 * changes, and at the instants of the world's clock that it names, and ends when it says so, or when the
 * world ends or goes to another state. A client that leaves ends it too.
 *
 * @param look called anew each time; it remembers what it has told
 */
export function following(world: World, response: ServerResponse, look: () => Growth): Readable {
  const { watchers } = world.store
  const { generation } = watchers
  let settle = () => {}
  const stream = new Readable({
    read() {
      // Who waits for the first piece learns that the request was taken.
      if (!response.headersSent) response.flushHeaders()
    },
    destroy(error, done) {
      settle()
      done(error)
    },
  })

  function again(): void {
    settle()
    settle = () => {}
    if (stream.destroyed) return
    const { result, observed } = world.observe(look)
    for (const piece of result.pieces) stream.push(piece)
    if (result.ended || world.closed || watchers.generation !== generation) {
      stream.push(null)
      return
    }
    const unwatch = observed.watch(again)
    const unwait = result.next === undefined ? () => {} : world.waitUntil(result.next, again)
    settle = () => {
      unwatch()
      unwait()
    }
  }

  again()
  return stream
}
