import type { Duplex } from 'node:stream'

const listenerWorldKey = Symbol('the world whose listener it came to')

/** A connection of a client, whatever it runs over. */
interface StreamOfWorld extends Duplex {
  [listenerWorldKey]?: string
}

/** Notes that a connection came to a listener of a world's own: its requests need not name one. */
export function assignWorld(connection: Duplex, world: string): void {
  const stream: StreamOfWorld = connection
  stream[listenerWorldKey] = world
}

/** Notes that a stream carries what came by another: both belong to the same world. */
export function inheritWorld(stream: Duplex, connection: Duplex): void {
  const world = listenerWorld(connection)
  if (world !== undefined) assignWorld(stream, world)
}

/** The world whose listener a connection came to; undefined for one of the process's. */
export function listenerWorld(connection: Duplex): string | undefined {
  const stream: StreamOfWorld = connection
  return stream[listenerWorldKey]
}
