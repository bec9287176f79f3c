import { isEqual } from '../../kernel/same.ts'
import type { Job, TaskGroup } from '../job/job-shape.ts'
import type { Task } from '../job/task-shape.ts'

/** The metadata that a task sees: the job's, the group's and its own, the nearest winning. */
function metaOf(job: Job, group: TaskGroup, task: Task): unknown {
  return { ...job.Meta, ...group.Meta, ...task.Meta }
}

/**
 * Parts of a group that cannot change under running tasks (behaviour/scheduler#updates).
 */
const groupParts: readonly (keyof TaskGroup)[] = ['Networks', 'Volumes', 'EphemeralDisk']

/** The same of a task. */
const taskParts: readonly (keyof Task)[] = [
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
 * Tells whether a group's allocations must be replaced for a new version of their job, or can be
 * changed in place.
 */
export function mustReplace(before: Job, after: Job, groupName: string): boolean {
  const old = before.TaskGroups?.find(({ Name }) => Name === groupName)
  const next = after.TaskGroups?.find(({ Name }) => Name === groupName)
  if (old === undefined || next === undefined) return true
  if (old === next && before.Meta === after.Meta) return false
  if (groupParts.some((part) => !isEqual(old[part], next[part]))) return true
  const tasks = next.Tasks ?? []
  if (tasks.length !== (old.Tasks ?? []).length) return true
  return tasks.some((task) => {
    const oldTask = old.Tasks?.find(({ Name }) => Name === task.Name)
    return (
      oldTask === undefined ||
      taskParts.some((part) => !isEqual(oldTask[part], task[part])) ||
      !isEqual(metaOf(before, old, oldTask), metaOf(after, next, task)) ||
      (oldTask.LogConfig?.Disabled ?? false) !== (task.LogConfig?.Disabled ?? false)
    )
  })
}
