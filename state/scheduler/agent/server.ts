import { float, name } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import { Ids } from '../../kernel/worlds/ids.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Node } from '../cluster/model/node-shapes.ts'
import { nodes } from '../cluster/model/tables.ts'
import { schedulerName } from '../indexes.ts'

const serverShape = struct({
  id: name,
  /** When it began, in milliseconds since 1970. */
  since: float,
})

/** The only server of the cluster (behaviour/scheduler#agent). */
interface SchedulerServer extends StoredOf<typeof serverShape> {}

/** One row, by the empty key. */
export const schedulerServers = defineTable({
  service: schedulerName,
  name: 'server',
  shape: serverShape,
})

/** The name of the server; among servers of all regions the region follows it. */
export const serverName = 'sched-server-1'

/** The datacenter that the server is in. */
export const serverDatacenter = 'dc1'

/** Address and ports at which the server says it is, whichever it really answers on. */
export const serverAddress = '127.0.0.1'
export const ports = { HTTP: 4646, RPC: 4647, Serf: 4648 } as const

/** Where the server listens to others of its kind, and to clients. */
export const rpcAddress = `${serverAddress}:${ports.RPC}`

/** The term in which the server leads. */
export const term = 2

/**
 * Gives the server its ID; part of a transaction. It goes by where the world's generator stands and
 * moves it no further: who asks for no server finds the same ids as without.
 */
export function seedServer(world: World): void {
  const id = new Ids(`scheduler of ${world.ids.state.join(' ')}`).uuid()
  world.table(schedulerServers).put('', { id, since: world.clock.now() })
}

/** The server of a world; no observation notes it, as it never changes. */
export function serverOf(world: World): SchedulerServer {
  return world.table(schedulerServers).peek('') ?? fallbackServer
}

/** The server of imported state that has none. */
const fallbackServer: SchedulerServer = { id: '00000000-0000-4000-8000-000000000000', since: 0 }

/**
 * The node that the agent is besides being the server: the first by ID (behaviour/scheduler#agent); undefined where the
 * cluster has none.
 */
export function agentNode(world: World): Node | undefined {
  return world.table(nodes).ceiling('')?.[1]
}
