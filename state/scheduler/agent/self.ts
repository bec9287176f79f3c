import { goMap, text } from '../../kernel/shape/kinds.ts'
import { optional, struct, vendorNamed } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { allocationsOnNode } from '../cluster/model/tables.ts'
import { lastIndex } from '../indexes.ts'
import { optionsOf } from '../options.ts'
import { agentConfiguration, configurationShape } from './configuration.ts'
import { agentNode, memberShape, raftTerm, rpcAddress, serverMember, serverOf } from './server.ts'

/** Statistics of the agent by subsystem. As in the reference, numbers are strings. */
const statsShape = struct('AgentStats', {
  sched: vendorNamed('nomad', goMap(text)),
  raft: goMap(text),
  serf: goMap(text),
  runtime: goMap(text),
  /** Present if the agent is also a client. */
  client: optional(goMap(text)),
})

/**
 * Returns the server's statistics. Values about the process, such as the number of goroutines, are
 * constants.
 * @param index index of the last commit
 */
function serverStats(world: World, index: number) {
  const { noLeader } = optionsOf(world)
  const { id } = serverOf(world)
  const last = String(index)
  return {
    sched: {
      server: 'true',
      leader: String(!noLeader),
      leader_addr: noLeader ? '' : rpcAddress,
      bootstrap: 'true',
      known_regions: '1',
    },
    raft: {
      state: noLeader ? 'Follower' : 'Leader',
      term: String(raftTerm),
      last_log_index: last,
      last_log_term: String(raftTerm),
      commit_index: last,
      applied_index: last,
      fsm_pending: '0',
      last_snapshot_index: '0',
      last_snapshot_term: '0',
      protocol_version: '3',
      protocol_version_min: '0',
      protocol_version_max: '3',
      snapshot_version_min: '0',
      snapshot_version_max: '1',
      latest_configuration: `[{Suffrage:Voter ID:${id} Address:${rpcAddress}}]`,
      latest_configuration_index: '0',
      last_contact: noLeader ? 'never' : '0',
      num_peers: '0',
    },
    serf: {
      members: '1',
      failed: '0',
      left: '0',
      health_score: '0',
      member_time: '1',
      event_time: '1',
      query_time: '1',
      intent_queue: '0',
      event_queue: '0',
      query_queue: '0',
      encrypted: 'false',
      coordinate_resets: '0',
    },
    runtime: {
      'kernel.name': 'linux',
      arch: 'amd64',
      version: 'go1.24',
      cpu_count: '4',
      max_procs: '4',
      goroutines: '120',
    },
  }
}

/**
 * Description of the agent that answers the request. This agent is the only server and, if the
 * cluster has nodes, also the client on the first node (behaviour/scheduler#agent).
 */
export const selfShape = struct('AgentSelf', {
  config: configurationShape,
  member: memberShape,
  stats: statsShape,
})

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
    config: agentConfiguration(world),
    member: serverMember(world),
    stats: client === undefined ? stats : { ...stats, client },
  }
}
