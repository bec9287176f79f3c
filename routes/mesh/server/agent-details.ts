import type { World } from '../../../state/kernel/worlds/world.ts'
import { meshName } from '../../../state/mesh/indexes.ts'
import { optionsOf } from '../../../state/mesh/options.ts'
import { serverOf } from '../../../state/mesh/server.ts'

/**
 * Returns the server's configuration, reduced to the members that clients read
 * (behaviour/mesh#agent).
 */
export function agentDebugConfig(world: World) {
  const { aclEnabled, datacenter, defaultPolicy, nodeName, version } = optionsOf(world)
  return {
    ACLsEnabled: aclEnabled,
    ACLResolverSettings: {
      ACLDefaultPolicy: defaultPolicy,
      ACLDownPolicy: 'extend-cache',
      ACLsEnabled: aclEnabled,
      Datacenter: datacenter,
      NodeName: nodeName,
    },
    Bootstrap: true,
    Datacenter: datacenter,
    PrimaryDatacenter: datacenter,
    DevMode: false,
    EnableDebug: false,
    NodeID: serverOf(world).node_id,
    NodeName: nodeName,
    ServerMode: true,
    Version: version,
    KVMaxValueSize: 524_288,
    TxnMaxReqLen: 524_288,
    DefaultQueryTime: '5m0s',
    MaxQueryTime: '10m0s',
    SessionTTLMin: '0s',
    GRPCPort: -1,
    GRPCTLSPort: -1,
    HTTPPort: 8500,
    UIConfig: { Enabled: false },
    ConnectEnabled: false,
    PeeringEnabled: false,
  }
}

/**
 * Returns the server's statistics as text. Figures of the process are constants, so that replies
 * stay reproducible.
 */
export function agentStats(world: World, product: string, leader: string) {
  const { aclEnabled, version, noLeader } = optionsOf(world)
  const index = String(world.store.index(meshName))
  const [release = '', metadata = ''] = version.split('+')
  return {
    agent: { check_monitors: '0', check_ttls: '0', checks: '0', services: '0' },
    build: { prerelease: '', revision: '', version: release, version_metadata: metadata },
    [product]: {
      acl: aclEnabled ? 'enabled' : 'disabled',
      bootstrap: 'true',
      known_datacenters: '1',
      leader: String(!noLeader),
      leader_addr: noLeader ? '' : leader,
      server: 'true',
    },
    raft: {
      applied_index: index,
      commit_index: index,
      last_contact: noLeader ? 'never' : '0',
      last_log_index: index,
      num_peers: '0',
      state: noLeader ? 'Follower' : 'Leader',
      term: '2',
    },
    runtime: {
      arch: 'amd64',
      cpu_count: '1',
      goroutines: '100',
      max_procs: '1',
      os: 'linux',
      version: 'go1.21.7',
    },
    serf_lan: { failed: '0', left: '0', members: '1' },
  }
}
