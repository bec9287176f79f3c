import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { LiveBody } from './live-body.ts'

/** The finding of a look at something that grows. */
export interface StreamUpdate {
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
 * world ends or goes to another state. A client that leaves ends it too, as does one that reads too
 * slowly.
 *
 * @param read called anew each time; it remembers what it has told
 */
export function streamingBody(
  world: World,
  response: ServerResponse,
  read: () => StreamUpdate,
): Readable {
  const { watchers } = world.store
  const { generation } = watchers
  let cleanUp = () => {}
  const body = new LiveBody(response, () => cleanUp())

  function update(send: (pieces: StreamUpdate['pieces']) => void): void {
    cleanUp()
    cleanUp = () => {}
    if (body.destroyed) return
    const { result, observation } = world.observe(read)
    send(result.pieces)
    if (body.destroyed) return
    if (result.ended || world.closed || watchers.generation !== generation) {
      body.end()
      return
    }
    const unwatch = observation.watch(sendUpdate)
    const cancelWait =
      result.next === undefined ? () => {} : world.waitUntil(result.next, sendUpdate)
    cleanUp = () => {
      unwatch()
      cancelWait()
    }
  }

  function sendUpdate(): void {
    update((pieces) => {
      for (const piece of pieces) body.send(piece)
    })
  }

  update((pieces) => body.start(pieces))
  return body
}
