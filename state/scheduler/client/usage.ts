import { createHash } from 'node:crypto'
import { any, float, goList, goMap, int, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Allocation } from '../cluster/model/allocation-shapes.ts'
import { hasEnded } from '../cluster/model/allocation-status.ts'
import { toNanoseconds } from '../cluster/model/evaluations.ts'
import { groupOf } from '../cluster/placement/feasibility.ts'
import type { Task } from '../job/task-shape.ts'
import { startedAt } from './files.ts'

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
    /** Bytes, like the other members of `MemoryStats` that are numbers. */
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

/** Resource usage of an allocation and of each task (behaviour/scheduler#statistics). */
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

/** Amounts of resources in use: CPU in megahertz and memory in bytes. */
interface Consumption {
  readonly ticks: number
  readonly bytes: number
}

const mebibyte = 1024 * 1024

/** Returns a number between `min` and `max` that depends only on `seed`. */
function stableShare(seed: string, min: number, max: number): number {
  const share = createHash('sha256').update(seed).digest().readUInt32BE() / 0xffff_ffff
  return min + share * (max - min)
}

/**
 * Returns the usage of a task: a constant share of the resources that the task requests, or 0 if
 * the task does not run (behaviour/scheduler#statistics). A task that had started before its
 * allocation ended keeps its usage.
 */
function taskConsumption(allocation: Allocation, { Name, Resources }: Task): Consumption {
  const state = allocation.TaskStates?.[Name]
  const hasStarted = startedAt(state) !== undefined
  const isCounted = state?.State === 'running' || (hasStarted && hasEnded(allocation))
  if (!isCounted) return { ticks: 0, bytes: 0 }
  const key = `${allocation.ID} ${Name}`
  const memory = Number(Resources?.MemoryMB ?? 0) * mebibyte
  return {
    ticks: roundToHundredths(
      Number(Resources?.CPU ?? 0) * stableShare(`processor ${key}`, 0.05, 0.4),
    ),
    bytes: Math.round(memory * stableShare(`memory ${key}`, 0.2, 0.7)),
  }
}

/** Rounds to two decimal places. */
export function roundToHundredths(value: number): number {
  return Math.round(value * 100) / 100
}

/**
 * Returns the total usage of an allocation's running tasks. If the allocation has ended, returns
 * the total of all tasks that had started.
 */
export function allocationConsumption(allocation: Allocation): Consumption {
  return totalConsumption(
    (groupOf(allocation)?.Tasks ?? []).map((task) => taskConsumption(allocation, task)),
  )
}

function totalConsumption(all: readonly Consumption[]): Consumption {
  return {
    ticks: roundToHundredths(all.reduce((sum, { ticks }) => sum + ticks, 0)),
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

/**
 * Converts usage to the form that clients report.
 * @param cpuShares the requested CPU in megahertz, which is 100 % in the reply
 */
function usageReply({ ticks, bytes }: Consumption, cpuShares: number, DeviceStats: [] | null) {
  const Percent = cpuShares === 0 ? 0 : roundToHundredths((ticks / cpuShares) * 100)
  const SystemMode = roundToHundredths(Percent / 4)
  return {
    CpuStats: {
      Measured: ['System Mode', 'User Mode', 'Percent'],
      Percent,
      SystemMode,
      UserMode: roundToHundredths(Percent - SystemMode),
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
 * Returns the resource usage of an allocation.
 *
 * @param onlyTask limits the reply to this task; undefined for all tasks
 */
export function allocationUsage(
  world: World,
  allocation: Allocation,
  onlyTask: string | undefined,
): StoredOf<typeof allocationUsageShape> {
  const now = toNanoseconds(world.clock.now())
  const Timestamp = hasEnded(allocation) ? allocation.ModifyTime : now
  const all = groupOf(allocation)?.Tasks ?? []
  const tasks = onlyTask === undefined ? all : all.filter(({ Name }) => Name === onlyTask)
  const consumption = tasks.map((task) => taskConsumption(allocation, task))
  const cpuShares = tasks.reduce((sum, { Resources }) => sum + Number(Resources?.CPU ?? 0), 0)
  const taskEntries = tasks.map((task) => {
    const ResourceUsage = usageReply(
      taskConsumption(allocation, task),
      Number(task.Resources?.CPU ?? 0),
      null,
    )
    return [task.Name, { ResourceUsage, Timestamp, Pids: null }] as const
  })
  return {
    ResourceUsage: usageReply(totalConsumption(consumption), cpuShares, []),
    Tasks: Object.fromEntries(taskEntries),
    Timestamp,
  }
}
