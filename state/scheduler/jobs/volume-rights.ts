import type { SchedulerCaller } from '../acl/callers.ts'
import type { Job, TaskGroup } from '../job/job-shape.ts'
import type { Task } from '../job/task-shape.ts'
import { refuse } from '../messages.ts'

/**
 * Refuses a job whose volumes the caller may not mount, or whose plugins the caller may not
 * register (behaviour/scheduler#auth). Only registrations check this; plans do not.
 *
 * @throws Refusal 403
 */
export function refuseVolumes(caller: SchedulerCaller, { Namespace, TaskGroups }: Job): void {
  for (const group of TaskGroups ?? []) {
    const isAllowed =
      mayMountVolumes(caller, Namespace, group) &&
      (group.Tasks ?? []).every((task) => mayRunTask(caller, Namespace, group, task))
    if (!isAllowed) throw refuse('permission-denied')
  }
}

function mayMountVolumes(
  caller: SchedulerCaller,
  namespace: string,
  { Volumes }: TaskGroup,
): boolean {
  return Object.values(Volumes ?? {}).every(({ Type, Source, ReadOnly }) => {
    if (Type === 'csi') {
      return caller.mayUse('plugin', 'read') && caller.may(namespace, 'csi-mount-volume')
    }
    return (
      caller.mayMount(Source, 'mount-readwrite') ||
      (ReadOnly && caller.mayMount(Source, 'mount-readonly'))
    )
  })
}

/**
 * Returns true if the caller may run a task: a bidirectional mount requires write access to its
 * volume, and a plugin requires the right to register plugins.
 */
function mayRunTask(
  caller: SchedulerCaller,
  namespace: string,
  { Volumes }: TaskGroup,
  { VolumeMounts, CSIPluginConfig }: Task,
): boolean {
  const mounts = (VolumeMounts ?? []).filter(
    ({ PropagationMode }) => PropagationMode === 'bidirectional',
  )
  return (
    mounts.every(({ Volume }) =>
      caller.mayMount(Volumes?.[Volume]?.Source ?? '', 'mount-readwrite'),
    ) &&
    (CSIPluginConfig === null || caller.may(namespace, 'csi-register-plugin'))
  )
}
