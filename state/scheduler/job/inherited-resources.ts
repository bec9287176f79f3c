import type { InputResources } from './scheduling-shapes.ts'
import type { InputVolumeMount } from './task-parts.ts'

/**
 * Returns resources with the default CPU share. A task that sets cores, even to 0, gets no default.
 */
export function withProcessor(resources: InputResources | null): InputResources | null {
  const CPU = resources?.CPU ?? ((resources?.Cores ?? null) === null ? 100 : 0)
  return { ...(resources ?? emptyResources), CPU }
}

const emptyResources: InputResources = {
  CPU: null,
  MemoryMB: null,
  DiskMB: null,
  IOPS: null,
  Devices: null,
  Networks: null,
}

/** Removes mounts that name no volume, as the reference's server does. */
export function namedMounts(
  mounts: readonly InputVolumeMount[] | null,
): readonly InputVolumeMount[] | null {
  return mounts === null ? null : mounts.filter(({ Volume }) => Volume !== null)
}
