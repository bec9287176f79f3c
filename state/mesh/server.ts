import { name, uint } from '../kernel/shape/kinds.ts'
import { struct } from '../kernel/shape/members.ts'
import type { StoredOf } from '../kernel/shape/values.ts'
import { defineTable } from '../kernel/store/table.ts'
import { Ids } from '../kernel/worlds/ids.ts'
import type { World } from '../kernel/worlds/world.ts'
import { meshName, nextIndex } from './indexes.ts'

const serverShape = struct({
  node_id: name,
  /** The index of its records, which never change. */
  index: uint,
})

/** The only server of the datacenter (behaviour/mesh#server). */
interface MeshServer extends StoredOf<typeof serverShape> {}

/** One row, by the empty key. */
export const meshServers = defineTable({ service: meshName, name: 'server', shape: serverShape })

/** Address and ports at which the server says it is. */
export const serverAddress = '127.0.0.1'
export const serverPort = 8300
export const gossipPort = 8301

/** The only check there is: that the server's node is alive. */
export const serfHealth = 'serfHealth'

/**
 * Gives the server its node ID; part of a transaction. It goes by where the world's generator stands
 * and moves it no further: who asks for no server finds the same ids as without.
 */
export function seedServer(world: World): void {
  const node_id = new Ids(`node of ${world.ids.state.join(' ')}`).uuid()
  world.table(meshServers).put('', { node_id, index: nextIndex(world) })
}

/** The server of a world; no observation notes it, as it never changes. */
export function serverOf(world: World): MeshServer {
  return world.table(meshServers).peek('') ?? fallbackServer
}

/** The server of imported state that has none. */
const fallbackServer: MeshServer = { node_id: '00000000-0000-4000-8000-000000000000', index: 1 }
