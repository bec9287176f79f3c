import { MILLISECOND } from '../../go/duration.ts'
import { any, float, goList, int, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { serverOf } from '../agent/server.ts'
import { allocationsOnNode } from '../cluster/model/tables.ts'
import { toNanoseconds } from '../cluster/model/evaluations.ts'
import type { Node } from '../cluster/model/node-shapes.ts'
import { nodeCapacity, processorCount } from '../cluster/nodes/node-resources.ts'
import { allocationConsumption, rounded } from './usage.ts'

const diskShape = struct('HostDiskStats', {
  Device: text,
  Mountpoint: text,
  /** Bytes, like the next members. */
  Size: int,
  Used: int,
  Available: int,
  UsedPercent: float,
  InodesUsedPercent: float,
})

/** A node's resource usage (behaviour/scheduler#statistics). */
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
  /** Seconds. */
  Uptime: int,
  CPUTicksConsumed: float,
  /** Nanoseconds since 1970. */
  Timestamp: int,
})

const mebibyte = 1024 * 1024

/** The share of its resources that a node uses itself. */
const hostShare = 0.1

/**
 * Returns the statistics of a node: the usage of its running tasks, plus a tenth of its resources.
 */
export function hostStats(world: World, node: Node): StoredOf<typeof hostStatsShape> {
  const { CPU, MemoryMB, DiskMB } = nodeCapacity(node)
  const consumption = allocationsOnNode(world, node.ID).map(allocationConsumption)
  const ticks = rounded(consumption.reduce((sum, each) => sum + each.ticks, CPU * hostShare))
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
  const TotalPercent = shares === 0 ? 0 : rounded(Math.min(100, (ticks / shares) * 100))
  const System = rounded(TotalPercent / 4)
  return Array.from({ length: count }, (_, at) => ({
    CPU: `cpu${at}`,
    User: rounded(TotalPercent - System),
    System,
    Idle: rounded(100 - TotalPercent),
    TotalPercent,
    TotalTicks: rounded(ticks / count),
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
