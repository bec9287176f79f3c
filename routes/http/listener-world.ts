import type { Duplex } from 'node:stream'

const owner = Symbol('the world whose listener it came to')

/** A connection of a client, whatever it runs over. */
interface Owned extends Duplex {
  [owner]?: string
}

/** Notes that a connection came to a listener of a world's own: its requests need not name one. */
export function belongTo(connection: Duplex, world: string): void {
  const owned: Owned = connection
  owned[owner] = world
}

/** Notes that a stream carries what came by another: both belong to the same world. */
export function inherit(stream: Duplex, connection: Duplex): void {
  const world = listenerWorld(connection)
  if (world !== undefined) belongTo(stream, world)
}

/** The world whose listener a connection came to; undefined for one of the process's. */
export function listenerWorld(connection: Duplex): string | undefined {
  const owned: Owned = connection
  return owned[owner]
}
