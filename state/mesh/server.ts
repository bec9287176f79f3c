import { name, uint } from '../kernel/shape/kinds.ts'
import { struct } from '../kernel/shape/members.ts'
import type { StoredOf } from '../kernel/shape/values.ts'
import { Ids } from '../kernel/worlds/ids.ts'
import type { World } from '../kernel/worlds/world.ts'
import { meshTable, nextIndex } from './indexes.ts'

const serverShape = struct({
  node_id: name,
  /** Index of the server's records, which never change. */
  index: uint,
})

/** The only server of the datacenter (behaviour/mesh#server). */
interface MeshServer extends StoredOf<typeof serverShape> {}

/** One row, stored under the empty key. */
export const meshServers = meshTable('server', serverShape, { secrets: 'none' })

/** Address that the server reports. */
export const serverAddress = '127.0.0.1'
export const serverPort = 8300
export const gossipPort = 8301

/** ID of the only check, which checks that the node of the server is alive. */
export const serfHealth = 'serfHealth'

/**
 * Stores the node ID of the server. The ID derives from the state of the world's generator without
 * advancing it, so that other generated IDs do not change. Must run inside a transaction.
 */
export function seedServer(world: World): void {
  const node_id = new Ids(`node of ${world.ids.state.join(' ')}`).uuid()
  world.table(meshServers).put('', { node_id, index: nextIndex(world) })
}

/** Returns the server of a world. The read is not observed, because the row never changes. */
export function serverOf(world: World): MeshServer {
  return world.table(meshServers).peek('') ?? fallbackServer
}

/** Server of imported state that lacks one. */
const fallbackServer: MeshServer = { node_id: '00000000-0000-4000-8000-000000000000', index: 1 }
