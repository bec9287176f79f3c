import type { Json } from '../../kernel/json.ts'
import type { World } from '../../kernel/world.ts'
import type { TaskGroup } from '../job/job-shape.ts'
import type { Allocation } from './allocation-shapes.ts'

/** Dynamic ports lie here, as the reference's do. */
const firstDynamicPort = 20_000
const dynamicPorts = 12_001

/** Returns what the tasks of a group ask for together. */
export function totalResources({
  Tasks,
  EphemeralDisk,
}: TaskGroup): NonNullable<Allocation['Resources']> {
  const sum = (of: 'CPU' | 'MemoryMB') =>
    (Tasks ?? []).reduce((total, { Resources }) => total + (Resources?.[of] ?? 0), 0)
  return {
    CPU: sum('CPU'),
    MemoryMB: sum('MemoryMB'),
    DiskMB: EphemeralDisk?.SizeMB ?? 0,
    IOPS: 0,
  }
}

/** Returns what an allocation gets: a part for each task, and disk and ports that they share. */
export function allocatedResources(
  world: World,
  { Tasks, EphemeralDisk, Networks }: TaskGroup,
): Json {
  const tasks = (Tasks ?? []).map(({ Name, Resources }): [string, Json] => [
    Name,
    {
      Cpu: { CpuShares: Resources?.CPU ?? 0 },
      Memory: { MemoryMB: Resources?.MemoryMB ?? 0, MemoryMaxMB: Resources?.MemoryMaxMB ?? 0 },
      Networks: null,
      Devices: null,
    },
  ])
  const ports = (Networks ?? []).flatMap(({ ReservedPorts, DynamicPorts }) => [
    ...(ReservedPorts ?? []),
    ...(DynamicPorts ?? []).map((port) => ({
      ...port,
      Value: firstDynamicPort + world.ids.below(dynamicPorts),
    })),
  ])
  return {
    Tasks: Object.fromEntries(tasks),
    TaskLifecycles: null,
    Shared: {
      DiskMB: EphemeralDisk?.SizeMB ?? 0,
      Networks: null,
      Ports:
        ports.length === 0
          ? null
          : ports.map(({ Label, Value, To }) => ({ Label, Value, To, HostIP: '127.0.0.1' })),
    },
  }
}
