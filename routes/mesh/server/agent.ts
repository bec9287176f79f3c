import { any, list, map, text, uint } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { agentChecks, agentServices } from '../../../state/mesh/agent/tables.ts'
import { hasFailed } from '../../../state/mesh/catalog/node-transition.ts'
import { meshName } from '../../../state/mesh/indexes.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import { isCommunity, optionsOf, versionOf } from '../../../state/mesh/options.ts'
import {
  gossipPort,
  serverAddress,
  serverMeta,
  serverOf,
  serverPort,
} from '../../../state/mesh/server.ts'
import { beforeBody, perEntry } from '../../http/declare/access.ts'
import { ok } from '../../http/declare/operation.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { JsonText } from '../../http/json-text.ts'
import { requires, rightChecker, withNodeTarget } from '../access.ts'
import { filterableMember, filterOf, filterParameter } from '../catalog/filters.ts'
import type { MeshDialect } from '../dialect.ts'
import { operationsOf, readWithoutIndex } from '../operation.ts'
import { buildDate } from './agent-reports.ts'

/** Gossip address that the reported configuration of the agent contains. */
const gossipAddress = `tcp://${serverAddress}:${gossipPort}`

/**
 * Returns the configuration of the server, limited to the members that clients read
 * (behaviour/mesh#agent).
 */
function agentDebugConfig(world: World) {
  const { aclEnabled, datacenter, defaultPolicy, nodeName } = optionsOf(world)
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
    SerfAdvertiseAddrLAN: gossipAddress,
    SerfAdvertiseAddrWAN: gossipAddress,
    SerfBindAddrLAN: gossipAddress,
    SerfBindAddrWAN: gossipAddress,
    ServerMode: true,
    Version: versionOf(world),
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
 * Returns the statistics of the server as text. Figures about the process are constants, so that
 * replies are reproducible.
 */
function agentStats(world: World, product: string, leaderAddress: string) {
  const { aclEnabled, noLeader } = optionsOf(world)
  const index = String(world.store.index(meshName))
  const [release = '', metadata = ''] = versionOf(world).split('+')
  return {
    agent: agentCounts(world),
    build: { prerelease: '', revision: '', version: release, version_metadata: metadata },
    [product]: {
      acl: aclEnabled ? 'enabled' : 'disabled',
      bootstrap: 'true',
      known_datacenters: '1',
      leader: String(!noLeader),
      leader_addr: noLeader ? '' : leaderAddress,
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

/** Counts the agent's services and checks. The counts are strings, as all statistics are. */
function agentCounts(world: World) {
  const checks = [...world.table(agentChecks).rows()]
  const monitors = checks.filter(({ type }) => type === 'script' || type === 'docker')
  return {
    check_monitors: String(monitors.length),
    check_ttls: String(checks.filter(({ ttl }) => ttl !== undefined).length),
    checks: String(checks.length),
    services: String(world.table(agentServices).size),
  }
}

const operation = operationsOf({ spec: 'behaviour/mesh#agent' })

const leaderAddress = `${serverAddress}:${serverPort}`

/** Numbers that stand for statuses of gossip members in the product's replies. */
const aliveStatus = 1
const failedStatus = 4

/** Returns the server as a member of the gossip pool. */
function gossipMember(world: World, { product }: MeshDialect, isWan = false) {
  const { aclEnabled, datacenter, nodeName } = optionsOf(world)
  return {
    Name: isWan ? `${nodeName}.${datacenter}` : nodeName,
    Addr: serverAddress,
    Port: gossipPort,
    Tags: {
      acls: aclEnabled ? '1' : '0',
      bootstrap: '1',
      build: `${versionOf(world)}:`,
      dc: datacenter,
      ft_fs: '1',
      ft_si: '1',
      id: serverOf(world).node_id,
      port: String(serverPort),
      raft_vsn: '3',
      role: product,
      segment: '',
      vsn: '2',
      vsn_max: '3',
      vsn_min: '2',
    },
    Status: hasFailed(world, nodeName) ? failedStatus : aliveStatus,
    ProtocolMin: 1,
    ProtocolMax: 5,
    ProtocolCur: 2,
    DelegateMin: 2,
    DelegateMax: 5,
    DelegateCur: 4,
  }
}

const memberShape = struct({ ...filterableMember.fields, Status: uint })

const selfShape = struct({
  Config: map(any),
  DebugConfig: map(any),
  Coord: map(any),
  Member: memberShape,
  Stats: map(map(text)),
  Meta: map(text),
})

function agentSelf(world: World, dialect: MeshDialect) {
  const { datacenter, nodeName } = optionsOf(world)
  const { product } = dialect
  const version = versionOf(world)
  return {
    Config: {
      Datacenter: datacenter,
      PrimaryDatacenter: datacenter,
      NodeName: nodeName,
      NodeID: serverOf(world).node_id,
      Revision: '',
      Server: true,
      Version: version,
      BuildDate: buildDate,
    },
    DebugConfig: agentDebugConfig(world),
    Coord: { Vec: [0, 0, 0, 0, 0, 0, 0, 0], Error: 1.5, Adjustment: 0, Height: 0.00001 },
    Member: gossipMember(world, dialect),
    Stats: agentStats(world, product, leaderAddress),
    Meta: serverMeta(world, product),
  }
}

export const serverOperations = [
  operation.get('readLeader', '/status/leader', {
    access: 'anyone',
    tenancy: 'none',
    summary: 'Return the address of the leader; needs no token.',
    reply: { 200: storedSchema(text) },
    run: ({ context }) =>
      readWithoutIndex(context, () => {
        const address = optionsOf(context.world).noLeader ? '' : leaderAddress
        return new JsonText(JSON.stringify(address))
      }),
  }),
  operation.get('listPeers', '/status/peers', {
    access: 'anyone',
    tenancy: 'none',
    summary: 'Return the addresses of the servers: there is one; needs no token.',
    reply: { 200: storedSchema(list(text)) },
    run: ({ context }) => readWithoutIndex(context, () => [leaderAddress]),
  }),
  operation.get('readAgent', '/agent/self', {
    access: beforeBody(withNodeTarget(requires('agent:read'))),
    tenancy: 'none',
    summary: 'Describe the server that answers.',
    reply: { 200: storedSchema(selfShape) },
    run: ({ context: { world, dialect } }) => ok(agentSelf(world, dialect)),
  }),
  operation.get('listMembers', '/agent/members', {
    access: perEntry(requires('node:read')),
    tenancy: 'partition',
    summary: 'List the members of the gossip: there is one.',
    query: parameters({
      wan: described(text, 'Members of all datacenters; the value is ignored'),
      segment: described(text, 'Empty or `_all`, because there are no segments'),
      ...filterParameter,
    }),
    reply: { 200: storedSchema(list(memberShape)) },
    run: ({ context }) => {
      const { world, dialect, query } = context
      const hasSegment = !['', '_all'].includes(query.value('segment') ?? '')
      if (hasSegment && query.has('wan')) throw refuse('segment-of-wan')
      return context.read(
        () => {
          if (hasSegment && isCommunity(world)) throw refuse('segments-unsupported')
          const name = optionsOf(world).nodeName
          const isVisible = rightChecker(context, 'node:read')({ name })
          const member = gossipMember(world, dialect, query.has('wan'))
          const isMatch = filterOf(context, filterableMember)(member) && !hasSegment
          const body = isMatch && isVisible ? [member] : []
          return { index: 0, body, isFiltered: isMatch && !isVisible }
        },
        { isPlain: true },
      )
    },
  }),
  operation.get('readRaftConfiguration', '/operator/raft/configuration', {
    access: requires('operator:read'),
    tenancy: 'none',
    summary: 'List the servers that keep the state: there is one.',
    reply: { 200: storedSchema(struct({ Servers: list(map(any)), Index: uint })) },
    run({ context }) {
      const { world } = context
      return readWithoutIndex(context, () => {
        const server = {
          ID: serverOf(world).node_id,
          Node: optionsOf(world).nodeName,
          Address: leaderAddress,
          Leader: true,
          ProtocolVersion: '3',
          Voter: true,
          LastIndex: world.store.index(meshName),
        }
        return { Servers: [server], Index: 0 }
      })
    },
  }),
]
