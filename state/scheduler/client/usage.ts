import { createHash } from 'node:crypto'
import { any, float, goList, goMap, int, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/world.ts'
import type { Allocation } from '../cluster/allocation-shapes.ts'
import { zeroTime } from '../cluster/allocations.ts'
import { toNanoseconds } from '../cluster/evaluations.ts'
import { groupOf } from '../cluster/feasibility.ts'
import { hasEnded } from '../cluster/standing.ts'
import type { Task } from '../job/task-shape.ts'

const usageShape = struct('ResourceUsage', {
  CpuStats: struct('CpuStats', {
    Measured: goList(text),
    Percent: float,
    SystemMode: float,
    UserMode: float,
    TotalTicks: float,
    ThrottledPeriods: int,
    ThrottledTime: int,
  }),
  MemoryStats: struct('MemoryStats', {
    Measured: goList(text),
    /** Bytes, as the next ones. */
    RSS: int,
    Swap: int,
    Usage: int,
    MaxUsage: int,
    Cache: int,
    KernelUsage: int,
    KernelMaxUsage: int,
    MappedFile: int,
  }),
  DeviceStats: any,
})
type Usage = StoredOf<typeof usageShape>

/** What the tasks of an allocation take, and all of them together (behaviour/scheduler#statistics). */
export const allocationUsageShape = struct('AllocResourceUsage', {
  ResourceUsage: usageShape,
  Tasks: goMap(
    struct('TaskResourceUsage', {
      ResourceUsage: usageShape,
      /** Nanoseconds since 1970. */
      Timestamp: int,
      Pids: any,
    }),
  ),
  Timestamp: int,
})

/** The processor and memory that something takes: shares as tasks ask for them, and bytes. */
export interface Taken {
  readonly ticks: number
  readonly bytes: number
}

const mebibyte = 1024 * 1024

/** A share between two that depends on nothing but a text. */
function shareOf(what: string, least: number, most: number): number {
  const share = createHash('sha256').update(what).digest().readUInt32BE() / 0xffff_ffff
  return least + share * (most - least)
}

/** Returns what a task takes: as much as it asked for at most, and always the same (behaviour/scheduler#statistics). */
function takenBy(allocation: Allocation, { Name, Resources }: Task): Taken {
  const state = allocation.TaskStates?.[Name]
  const ran = state !== undefined && state.StartedAt !== zeroTime
  // What has ended keeps its last figures.
  const counts = state?.State === 'running' || (ran && hasEnded(allocation))
  if (!counts) return { ticks: 0, bytes: 0 }
  const key = `${allocation.ID} ${Name}`
  const memory = (Resources?.MemoryMB ?? 0) * mebibyte
  return {
    ticks: rounded((Resources?.CPU ?? 0) * shareOf(`processor ${key}`, 0.05, 0.4)),
    bytes: Math.round(memory * shareOf(`memory ${key}`, 0.2, 0.7)),
  }
}

/** To two places. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100
}

/** Returns what the running tasks of an allocation take together. */
export function takenByAllocation(allocation: Allocation): Taken {
  return sumOf((groupOf(allocation)?.Tasks ?? []).map((task) => takenBy(allocation, task)))
}

function sumOf(all: readonly Taken[]): Taken {
  return {
    ticks: rounded(all.reduce((sum, { ticks }) => sum + ticks, 0)),
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

/** What was taken as clients tell it; `asked` are the shares of the processor that are a whole. */
function usage({ ticks, bytes }: Taken, asked: number, DeviceStats: [] | null): Usage {
  const Percent = asked === 0 ? 0 : rounded((ticks / asked) * 100)
  const SystemMode = rounded(Percent / 4)
  return {
    CpuStats: {
      Measured: ['System Mode', 'User Mode', 'Percent'],
      Percent,
      SystemMode,
      UserMode: rounded(Percent - SystemMode),
      TotalTicks: ticks,
      ThrottledPeriods: 0,
      ThrottledTime: 0,
    },
    MemoryStats: {
      Measured: ['RSS', 'Swap'],
      RSS: bytes,
      Swap: 0,
      Usage: bytes,
      MaxUsage: bytes,
      Cache: 0,
      KernelUsage: 0,
      KernelMaxUsage: 0,
      MappedFile: 0,
    },
    DeviceStats,
  }
}

/**
 * The statistics of an allocation.
 *
 * @param only the task that is asked for; undefined: all
 */
export function allocationUsage(
  world: World,
  allocation: Allocation,
  only: string | undefined,
): StoredOf<typeof allocationUsageShape> {
  const now = toNanoseconds(world.clock.now())
  const Timestamp = hasEnded(allocation) ? allocation.ModifyTime : now
  const all = groupOf(allocation)?.Tasks ?? []
  const tasks = only === undefined ? all : all.filter(({ Name }) => Name === only)
  const taken = tasks.map((task) => takenBy(allocation, task))
  const asked = tasks.reduce((sum, { Resources }) => sum + (Resources?.CPU ?? 0), 0)
  const ofTasks = tasks.map((task) => {
    const ResourceUsage = usage(takenBy(allocation, task), task.Resources?.CPU ?? 0, null)
    return [task.Name, { ResourceUsage, Timestamp, Pids: null }] as const
  })
  return {
    ResourceUsage: usage(sumOf(taken), asked, []),
    Tasks: Object.fromEntries(ofTasks),
    Timestamp,
  }
}
