import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { allocationsOnNode } from '../cluster/allocations/node-allocations.ts'
import { lastIndex } from '../indexes.ts'
import { configurationOf, configurationShape } from './configuration.ts'
import { memberShape, serverMember } from './member.ts'
import { agentNode, rpcAddress } from './server.ts'
import { serverStats, statsShape } from './stats.ts'

/** The agent that answers: server and first client in one (behaviour/scheduler#agent). */
export const selfShape = struct('AgentSelf', {
  config: configurationShape,
  member: memberShape,
  stats: statsShape,
})

/** All that the agent tells of itself. */
export function agentSelf(world: World): StoredOf<typeof selfShape> {
  const node = agentNode(world)
  const stats = serverStats(world, lastIndex(world))
  const client = node && {
    node_id: node.ID,
    known_servers: rpcAddress,
    num_allocations: String(allocationsOnNode(world, node.ID).length),
    last_heartbeat: '5s',
    heartbeat_ttl: '15s',
  }
  return {
    config: configurationOf(world),
    member: serverMember(world),
    stats: client === undefined ? stats : { ...stats, client },
  }
}
