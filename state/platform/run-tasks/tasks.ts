import { bool, instant, list, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { lookupByName, ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'

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
  /** When the runs of all workspaces call the task; null if only attached workspaces do. */
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
export const runTasks = platformTable('run-tasks', taskShape, {
  secrets: { members: ['hmac_key'] },
  indexes: {
    byId: ({ id }) => id,
    byName: ({ organization, name }) => `${organization}/${name}`,
  },
})

/**
 * Functions that list the tasks of an organization, oldest first, find one by its id, store and
 * delete tasks, and move them to the new name of their organization. Deleting a task does not
 * detach it from workspaces.
 */
export const {
  of: tasksOf,
  withId: taskWithId,
  put: putTask,
  drop: dropTask,
  dropAll: dropTasks,
  move: moveTasks,
} = ownedRows(runTasks, 'organization')

/** Lookup of a task by the name of its organization and its own name. */
export const taskNamed = lookupByName(runTasks)

const workspaceTaskShape = struct({
  ...participation,
  /** Id of the form `wstask-…`. */
  id: text,
  /** Ids of the workspace and of the task. */
  workspace: text,
  task: text,
})

/** The attachment of a task to a workspace (behaviour/platform#run-tasks). */
export interface WorkspaceTask extends StoredOf<typeof workspaceTaskShape> {}

/** Attachments of tasks to workspaces by `<workspace>/<number>`, numbered in creation order. */
export const workspaceTasks = platformTable('workspace-tasks', workspaceTaskShape, {
  secrets: 'none',
  indexes: {
    byId: ({ id }) => id,
    byTask: ({ task, workspace }) => `${task}/${workspace}`,
  },
})

/**
 * Functions that list the tasks attached to a workspace, oldest first, find an attachment by its
 * id, and store and delete attachments.
 */
export const {
  of: workspaceTasksOf,
  withId: workspaceTaskWithId,
  put: putWorkspaceTask,
  drop: dropWorkspaceTask,
  dropAll: dropWorkspaceTasks,
} = ownedRows(workspaceTasks, 'workspace')

/** Returns the attachments of a task to workspaces. */
export function attachmentsOfTask(world: World, task: string): WorkspaceTask[] {
  return Array.from(world.table(workspaceTasks).index('byTask').rows(`${task}/`))
}
