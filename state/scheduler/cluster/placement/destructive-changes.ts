import { isEqual } from '../../../kernel/equality.ts'
import type { Job, TaskGroup } from '../../job/job-shape.ts'
import type { Task } from '../../job/task-shape.ts'

/**
 * Merges the metadata that a task sees. Metadata of the task take precedence over those of the
 * group, which take precedence over those of the job.
 */
function mergedMeta(job: Job, group: TaskGroup, task: Task): unknown {
  return { ...job.Meta, ...group.Meta, ...task.Meta }
}

/**
 * Members of a group. If one of them changes, the group's allocations are replaced
 * (behaviour/scheduler#updates).
 */
const replacingGroupMembers: readonly (keyof TaskGroup)[] = ['Networks', 'Volumes', 'EphemeralDisk']

/** Members of a task. If one of them changes, the allocation is replaced. */
const replacingTaskMembers: readonly (keyof Task)[] = [
  'Driver',
  'User',
  'Config',
  'Env',
  'Artifacts',
  'Templates',
  'Secrets',
  'Resources',
  'VolumeMounts',
]

/**
 * Returns true if a new version of a job must replace the allocations of a group, and false if the
 * allocations can be updated in place.
 */
export function requiresReplacement(before: Job, after: Job, groupName: string): boolean {
  const oldGroup = before.TaskGroups?.find(({ Name }) => Name === groupName)
  const newGroup = after.TaskGroups?.find(({ Name }) => Name === groupName)
  if (oldGroup === undefined || newGroup === undefined) return true
  if (oldGroup === newGroup && before.Meta === after.Meta) return false
  if (replacingGroupMembers.some((member) => !isEqual(oldGroup[member], newGroup[member])))
    return true
  const tasks = newGroup.Tasks ?? []
  if (tasks.length !== (oldGroup.Tasks ?? []).length) return true
  return tasks.some((task) => {
    const oldTask = oldGroup.Tasks?.find(({ Name }) => Name === task.Name)
    return (
      oldTask === undefined ||
      replacingTaskMembers.some((member) => !isEqual(oldTask[member], task[member])) ||
      !isEqual(mergedMeta(before, oldGroup, oldTask), mergedMeta(after, newGroup, task)) ||
      (oldTask.LogConfig?.Disabled ?? false) !== (task.LogConfig?.Disabled ?? false)
    )
  })
}
