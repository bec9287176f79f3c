import { bool, instant, list, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { nextKey } from '../creation-order.ts'
import { requireFound } from '../messages.ts'

/** Stages of a run at which tasks are called, in their order. */
export const stageNames = ['pre_plan', 'post_plan', 'pre_apply', 'post_apply'] as const

/** Stage of a run at which tasks are called. */
export type StageName = (typeof stageNames)[number]

/** Whether a failed task ends the run. */
export const enforcementLevels = ['advisory', 'mandatory'] as const

/** Members that define when a task runs and whether its failure stops a run. */
const participation = {
  enforcement_level: word(...enforcementLevels),
  stages: list(word(...stageNames)),
}

/** Attributes of a task as the API returns them; the key is always null there. */
export const taskAttributes = {
  name: text,
  url: text,
  description: text,
  category: word('task'),
  enabled: bool,
  /** Place of the task in the runs of all workspaces; null for none. */
  global_configuration: nullable(struct({ enabled: bool, ...participation })),
}

const taskShape = struct({
  ...taskAttributes,
  /** Id of the form `task-…`. */
  id: text,
  /** The organization's name. */
  organization: text,
  /** Key that signs the calls; null for unsigned calls. */
  hmac_key: nullable(text),
  /** Id of the agent pool that calls the task; null if the platform does. */
  agent_pool: nullable(text),
  created_at: instant,
})

/** A task of an organization, which runs call (behaviour/platform#run-tasks). */
export interface RunTask extends StoredOf<typeof taskShape> {}

/** Tasks by `<organization>/<number>`, numbered in creation order. */
export const runTasks = defineTable({
  service: 'platform',
  name: 'run-tasks',
  secrets: { members: ['hmac_key'] },
  shape: taskShape,
  indexes: {
    byId: ({ id }) => id,
    byName: ({ organization, name }) => `${organization}/${name}`,
  },
})

/** Returns the tasks of an organization, oldest first. */
export function tasksOf(world: World, organization: string): RunTask[] {
  return Array.from(world.table(runTasks).rows(`${organization}/`))
}

/** Returns the task with this id, if it exists. */
export function taskWithId(world: World, id: string): RunTask | undefined {
  return world.table(runTasks).index('byId').get(id)
}

/** Returns the task with this name in an organization, if it exists. */
export function taskNamed(world: World, organization: string, name: string): RunTask | undefined {
  return world.table(runTasks).index('byName').get(`${organization}/${name}`)
}

/** Adds a task or stores a changed one. Must run inside a transaction. */
export function putTask(world: World, task: RunTask): RunTask {
  const table = world.table(runTasks)
  table.put(table.index('byId').keyOf(task.id) ?? nextKey(table, `${task.organization}/`), task)
  return task
}

/** Deletes a task, but not its places in workspaces. Must run inside a transaction. */
export function dropTask(world: World, { id }: RunTask): void {
  const table = world.table(runTasks)
  table.delete(requireFound(table.index('byId').keyOf(id)))
}

/** Deletes the tasks of an organization. Must run inside a transaction. */
export function dropTasks(world: World, organization: string): void {
  world.table(runTasks).deleteAll(`${organization}/`)
}

/** Moves the tasks of an organization to its new name. Must run inside a transaction. */
export function moveTasks(world: World, before: string, organization: string): void {
  const table = world.table(runTasks)
  for (const [key, task] of Array.from(table.entries(`${before}/`))) {
    table.delete(key)
    table.put(organization + key.slice(before.length), { ...task, organization })
  }
}

const workspaceTaskShape = struct({
  ...participation,
  /** Id of the form `wstask-…`. */
  id: text,
  /** Ids of the workspace and of the task. */
  workspace: text,
  task: text,
})

/** The place of a task in a workspace (behaviour/platform#run-tasks). */
export interface WorkspaceTask extends StoredOf<typeof workspaceTaskShape> {}

/** Places of tasks by `<workspace>/<number>`, numbered in creation order. */
export const workspaceTasks = defineTable({
  service: 'platform',
  name: 'workspace-tasks',
  secrets: 'none',
  shape: workspaceTaskShape,
  indexes: {
    byId: ({ id }) => id,
    byTask: ({ task, workspace }) => `${task}/${workspace}`,
  },
})

/** Returns the places of tasks in a workspace, oldest first. */
export function workspaceTasksOf(world: World, workspace: string): WorkspaceTask[] {
  return Array.from(world.table(workspaceTasks).rows(`${workspace}/`))
}

/** Returns the places of a task in workspaces. */
export function placesOfTask(world: World, task: string): WorkspaceTask[] {
  return Array.from(world.table(workspaceTasks).index('byTask').rows(`${task}/`))
}

/** Returns the place of a task with this id, if it exists. */
export function workspaceTaskWithId(world: World, id: string): WorkspaceTask | undefined {
  return world.table(workspaceTasks).index('byId').get(id)
}

/** Adds a place of a task or stores a changed one. Must run inside a transaction. */
export function putWorkspaceTask(world: World, place: WorkspaceTask): WorkspaceTask {
  const table = world.table(workspaceTasks)
  table.put(table.index('byId').keyOf(place.id) ?? nextKey(table, `${place.workspace}/`), place)
  return place
}

/** Takes a task out of a workspace. Must run inside a transaction. */
export function dropWorkspaceTask(world: World, { id }: WorkspaceTask): void {
  const table = world.table(workspaceTasks)
  table.delete(requireFound(table.index('byId').keyOf(id)))
}

/** Takes all tasks out of a deleted workspace. Must run inside a transaction. */
export function dropWorkspaceTasks(world: World, workspace: string): void {
  world.table(workspaceTasks).deleteAll(`${workspace}/`)
}
