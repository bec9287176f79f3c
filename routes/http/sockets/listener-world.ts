import type { Duplex } from 'node:stream'

const listenerWorldKey = Symbol('the world whose listener it came to')

/** A client connection that remembers its world. */
interface StreamOfWorld extends Duplex {
  [listenerWorldKey]?: string
}

/**
 * Stores the world of the listener that accepted a connection. Requests on the connection need not
 * name a world.
 */
export function assignWorld(connection: Duplex, world: string): void {
  const stream: StreamOfWorld = connection
  stream[listenerWorldKey] = world
}

/** Copies the world of a connection to a stream that carries its data. */
export function inheritWorld(stream: Duplex, connection: Duplex): void {
  const world = listenerWorld(connection)
  if (world !== undefined) assignWorld(stream, world)
}

/**
 * Returns the world whose listener accepted a connection; undefined for a listener that no world
 * owns.
 */
export function listenerWorld(connection: Duplex): string | undefined {
  const stream: StreamOfWorld = connection
  return stream[listenerWorldKey]
}
