import { MILLISECOND } from '../../go/duration.ts'
import { any, float, goList, int, name, text, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { Ids } from '../../kernel/worlds/ids.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { allocationConsumption, roundToHundredths } from '../client/usage.ts'
import { toNanoseconds } from '../cluster/model/evaluations.ts'
import type { Node } from '../cluster/model/node-shapes.ts'
import { allocationsOnNode, nodes } from '../cluster/model/tables.ts'
import { nodeCapacity, processorCount } from '../cluster/nodes/node-resources.ts'
import { schedulerTable } from '../indexes.ts'
import { optionsOf } from '../options.ts'

const serverShape = struct({
  id: name,
  /** Time of the server's creation in milliseconds since 1970. */
  since: float,
})

interface SchedulerServer extends StoredOf<typeof serverShape> {}

/** Table with the only server of a world, under the empty key. */
export const schedulerServers = schedulerTable('server', serverShape, { secrets: 'none' })

/** The server's name, to which lists of members append the region. */
export const serverName = 'sched-server-1'

export const serverDatacenter = 'dc1'

/** The address that the server reports, whatever address the mock listens on. */
export const serverAddress = '127.0.0.1'
export const ports = { HTTP: 4646, RPC: 4647, Serf: 4648 } as const

export const rpcAddress = `${serverAddress}:${ports.RPC}`

/** The term of the raft protocol, which never changes. */
export const raftTerm = 2

/**
 * Creates the row of the server. The server's ID is derived from the state of the world's random
 * generator without advancing the generator, so other IDs do not change. Must run inside a
 * transaction.
 */
export function seedServer(world: World): void {
  const id = new Ids(`scheduler of ${world.ids.state.join(' ')}`).uuid()
  world.table(schedulerServers).put('', { id, since: world.clock.now() })
}

/** Returns the server of a world. The read is not observed, because the server never changes. */
export function serverOf(world: World): SchedulerServer {
  return world.table(schedulerServers).peek('') ?? fallbackServer
}

/** Server of a world whose imported state contains no server. */
const fallbackServer: SchedulerServer = { id: '00000000-0000-4000-8000-000000000000', since: 0 }

/**
 * Returns the node of the agent that answers requests, which is the first node by ID
 * (behaviour/scheduler#agent). Returns undefined if the cluster has no nodes.
 */
export function agentNode(world: World): Node | undefined {
  return world.table(nodes).ceiling('')?.[1]
}

/** A server as it appears in the list of cluster members (behaviour/scheduler#agent). */
export const memberShape = struct('AgentMember', {
  Name: text,
  Addr: text,
  Port: uint,
  Tags: struct('AgentMemberTags', {
    id: text,
    role: word({ sched: 'nomad' }),
    region: text,
    dc: text,
    build: text,
    vsn: text,
    raft_vsn: text,
    expect: text,
    bootstrap: text,
    port: text,
    rpc_addr: text,
    revision: text,
  }),
  Status: text,
  ProtocolMin: uint,
  ProtocolMax: uint,
  ProtocolCur: uint,
  DelegateMin: uint,
  DelegateMax: uint,
  DelegateCur: uint,
})

/**
 * Reply with the list of servers. The first three members describe the server that sends the reply.
 */
export const membersShape = struct('ServerMembers', {
  ServerName: text,
  ServerRegion: text,
  ServerDC: text,
  Members: goList(memberShape),
})

export function serverMember(world: World): StoredOf<typeof memberShape> {
  const { region, version } = optionsOf(world)
  return {
    Name: `${serverName}.${region}`,
    Addr: serverAddress,
    Port: ports.Serf,
    Tags: {
      id: serverOf(world).id,
      role: 'sched',
      region,
      dc: serverDatacenter,
      build: version,
      vsn: '1',
      raft_vsn: '3',
      expect: '1',
      bootstrap: '1',
      port: String(ports.RPC),
      rpc_addr: serverAddress,
      revision: '',
    },
    Status: 'alive',
    ProtocolMin: 1,
    ProtocolMax: 5,
    ProtocolCur: 2,
    DelegateMin: 2,
    DelegateMax: 5,
    DelegateCur: 4,
  }
}

export function serverMembers(world: World): StoredOf<typeof membersShape> {
  return {
    ServerName: serverName,
    ServerRegion: optionsOf(world).region,
    ServerDC: serverDatacenter,
    Members: [serverMember(world)],
  }
}

const diskShape = struct('HostDiskStats', {
  Device: text,
  Mountpoint: text,
  /** Bytes, like `Used` and `Available`. */
  Size: int,
  Used: int,
  Available: int,
  UsedPercent: float,
  InodesUsedPercent: float,
})

/** The resource usage of a node's host (behaviour/scheduler#statistics). */
export const hostStatsShape = struct('HostStats', {
  Memory: struct('HostMemoryStats', { Total: int, Available: int, Used: int, Free: int }),
  CPU: goList(
    struct('HostCPUStats', {
      CPU: text,
      User: float,
      System: float,
      Idle: float,
      TotalPercent: float,
      TotalTicks: float,
    }),
  ),
  DiskStats: goList(diskShape),
  AllocDirStats: diskShape,
  DeviceStats: any,
  /** Duration in seconds. */
  Uptime: int,
  CPUTicksConsumed: float,
  /** Nanoseconds since 1970. */
  Timestamp: int,
})

const mebibyte = 1024 * 1024

/** Share of a node's resources that the host itself uses, even if no task runs. */
const hostShare = 0.1

/**
 * Returns the resource usage of a node's host. Usage of CPU and memory is that of the running tasks
 * plus `hostShare`; usage of the disk is always `hostShare`.
 */
export function hostStats(world: World, node: Node): StoredOf<typeof hostStatsShape> {
  const { CPU, MemoryMB, DiskMB } = nodeCapacity(node)
  const consumption = allocationsOnNode(world, node.ID).map(allocationConsumption)
  const ticks = roundToHundredths(
    consumption.reduce((sum, each) => sum + each.ticks, CPU * hostShare),
  )
  const total = MemoryMB * mebibyte
  const bytes = consumption.reduce((sum, each) => sum + each.bytes, 0)
  const used = Math.min(total, Math.round(bytes + total * hostShare))
  const now = world.clock.now()
  return {
    Memory: { Total: total, Available: total - used, Used: used, Free: total - used },
    CPU: processorStats(node, CPU, ticks),
    DiskStats: [{ ...diskStats(DiskMB), Device: '/dev/vda', Mountpoint: '/' }],
    AllocDirStats: diskStats(DiskMB),
    DeviceStats: null,
    Uptime: Math.max(0, Math.floor((now - serverOf(world).since) * (MILLISECOND / 1e9))),
    CPUTicksConsumed: ticks,
    Timestamp: toNanoseconds(now),
  }
}

function processorStats(node: Node, shares: number, ticks: number) {
  const count = processorCount(node)
  const TotalPercent = shares === 0 ? 0 : roundToHundredths(Math.min(100, (ticks / shares) * 100))
  const System = roundToHundredths(TotalPercent / 4)
  return Array.from({ length: count }, (_, at) => ({
    CPU: `cpu${at}`,
    User: roundToHundredths(TotalPercent - System),
    System,
    Idle: roundToHundredths(100 - TotalPercent),
    TotalPercent,
    TotalTicks: roundToHundredths(ticks / count),
  }))
}

function diskStats(megabytes: number): StoredOf<typeof diskShape> {
  const Size = megabytes * mebibyte
  const Used = Math.round(Size * hostShare)
  return {
    Device: '',
    Mountpoint: '',
    Size,
    Used,
    Available: Size - Used,
    UsedPercent: hostShare * 100,
    InodesUsedPercent: 1,
  }
}
