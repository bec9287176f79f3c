import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { LiveBody } from './live-body.ts'

/** The result of reading a growing source. */
export interface StreamUpdate {
  /** The pieces that are new since the previous read. */
  readonly pieces: readonly (string | Buffer)[]
  /** True if there will be no more pieces. */
  readonly ended: boolean
  /**
   * Instant of the next pieces, in milliseconds since 1970; undefined if further pieces come only
   * when the data that were read change.
   */
  readonly next?: number | undefined
}

/**
 * Returns a body that grows while its connection is open. `read` is called immediately, whenever
 * the data that it has read change, and at each instant that it returns as `next`. The body ends
 * when `read` reports the end, when the world ends or is restored, or when the client disconnects
 * or reads too slowly.
 *
 * @param read called for each update; must not return the same piece twice
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
