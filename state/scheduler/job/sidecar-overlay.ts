import type { SidecarTask } from './connect-shapes.ts'
import type { Resources } from './scheduling-shapes.ts'
import type { Task } from './task-shape.ts'

/** Resources of a generated task, unless a `sidecar_task` block sets others. */
export const generatedResources: Resources = {
  CPU: 250,
  MemoryMB: 128,
  DiskMB: 0,
  IOPS: 0,
  Devices: null,
  Networks: null,
  Cores: 0,
  MemoryMaxMB: 0,
  SecretsMB: 0,
  NUMA: null,
}

/** Overlays a generated task with a `sidecar_task` block. Values of the block take precedence. */
export function overlaidTask(task: Task, sidecar: SidecarTask | null | undefined): Task {
  if (!sidecar) return task
  const isOtherDriver = sidecar.Driver !== '' && sidecar.Driver !== task.Driver
  return {
    ...task,
    Name: sidecar.Name || task.Name,
    Driver: isOtherDriver ? sidecar.Driver : task.Driver,
    Config: isOtherDriver ? sidecar.Config : merged(task.Config, sidecar.Config),
    User: sidecar.User || task.User,
    Env: merged(task.Env, sidecar.Env),
    Resources: mergedResources(task.Resources ?? generatedResources, sidecar.Resources),
    Meta: merged(task.Meta, sidecar.Meta),
    KillTimeout: sidecar.KillTimeout ?? task.KillTimeout,
    LogConfig: mergedLogs(task.LogConfig, sidecar.LogConfig),
    ShutdownDelay: sidecar.ShutdownDelay ?? task.ShutdownDelay,
    KillSignal: sidecar.KillSignal || task.KillSignal,
    VolumeMounts: sidecar.VolumeMounts ?? task.VolumeMounts,
  }
}

function merged<Value>(
  base: Readonly<Record<string, Value>> | null,
  override: Readonly<Record<string, Value>> | null,
): Readonly<Record<string, Value>> | null {
  return base === null || override === null ? (override ?? base) : { ...base, ...override }
}

/**
 * Overlays resources. Members of `override` that are 0 or null have no effect. IOPS and NUMA of
 * `override` are ignored.
 */
function mergedResources(base: Resources, override: Resources | null): Resources {
  if (override === null) return base
  const set = Object.entries(override).filter(
    ([name, value]) => value !== 0 && value !== null && name !== 'IOPS' && name !== 'NUMA',
  )
  return { ...base, ...Object.fromEntries(set) }
}

function mergedLogs(base: Task['LogConfig'], override: Task['LogConfig']): Task['LogConfig'] {
  if (base === null || override === null) return override ?? base
  return {
    ...base,
    MaxFiles: override.MaxFiles > 0 ? override.MaxFiles : base.MaxFiles,
    MaxFileSizeMB: override.MaxFileSizeMB > 0 ? override.MaxFileSizeMB : base.MaxFileSizeMB,
  }
}
