import { float, name } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { Ids } from '../../kernel/worlds/ids.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Node } from '../cluster/model/node-shapes.ts'
import { nodes } from '../cluster/model/tables.ts'
import { schedulerTable } from '../indexes.ts'

const serverShape = struct({
  id: name,
  /** Start of the server, in milliseconds since 1970. */
  since: float,
})

/** The only server of the cluster (behaviour/scheduler#agent). */
interface SchedulerServer extends StoredOf<typeof serverShape> {}

/** A single row under the empty key. */
export const schedulerServers = schedulerTable('server', serverShape)

/** The server's name, without the region that follows it in lists of members. */
export const serverName = 'sched-server-1'

/** The datacenter that the server is in. */
export const serverDatacenter = 'dc1'

/** The address that the server reports, regardless of where it listens. */
export const serverAddress = '127.0.0.1'
export const ports = { HTTP: 4646, RPC: 4647, Serf: 4648 } as const

/** The address that the server reports for RPC. */
export const rpcAddress = `${serverAddress}:${ports.RPC}`

/** The raft term. */
export const term = 2

/**
 * Gives the server its ID, inside a transaction. The ID is derived from the world's random
 * generator without advancing it, so other IDs do not change.
 */
export function seedServer(world: World): void {
  const id = new Ids(`scheduler of ${world.ids.state.join(' ')}`).uuid()
  world.table(schedulerServers).put('', { id, since: world.clock.now() })
}

/** Returns the server of a world. The read is not observed, because the server never changes. */
export function serverOf(world: World): SchedulerServer {
  return world.table(schedulerServers).peek('') ?? fallbackServer
}

/** Server of imported state without one. */
const fallbackServer: SchedulerServer = { id: '00000000-0000-4000-8000-000000000000', since: 0 }

/**
 * Returns the node that the agent also is: the first by ID (behaviour/scheduler#agent); undefined
 * if the cluster has no nodes.
 */
export function agentNode(world: World): Node | undefined {
  return world.table(nodes).ceiling('')?.[1]
}
