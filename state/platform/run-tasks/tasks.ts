import { bool, instant, list, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { lookupByName, ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'

/** Task stages in the order in which a run reaches them. */
export const stageNames = ['pre_plan', 'post_plan', 'pre_apply', 'post_apply'] as const

export type StageName = (typeof stageNames)[number]

/** Enforcement levels of run tasks. Only the failure of a mandatory run task stops a run. */
export const enforcementLevels = ['advisory', 'mandatory'] as const

/** Members that an attachment and a global configuration have in common. */
const callSettings = {
  enforcement_level: word(...enforcementLevels),
  stages: list(word(...stageNames)),
}

/**
 * Attributes of a run task that the API returns. The HMAC key is not included, because the API
 * always returns null for the key.
 */
export const taskAttributes = {
  name: text,
  url: text,
  description: text,
  category: word('task'),
  enabled: bool,
  /**
   * Settings with which the runs of all workspaces call the task; null if only runs of attached
   * workspaces call the task.
   */
  global_configuration: nullable(struct({ enabled: bool, ...callSettings })),
}

const taskShape = struct({
  ...taskAttributes,
  /** Id of the form `task-…`. */
  id: text,
  /** The organization's name. */
  organization: text,
  /** Key of the HMAC signature; null if calls are not signed. */
  hmac_key: nullable(text),
  /**
   * Id of the agent pool that sends the calls in the product; null if the platform sends them. The
   * mock always sends the calls itself.
   */
  agent_pool: nullable(text),
  created_at: instant,
})

/** A web service that the runs of an organization call (behaviour/platform#run-tasks). */
export interface RunTask extends StoredOf<typeof taskShape> {}

/** Run tasks by `<organization>/<number>`, numbered in creation order. */
export const runTasks = platformTable('run-tasks', taskShape, {
  secrets: { members: ['hmac_key'] },
  indexes: {
    byId: ({ id }) => id,
    byName: ({ organization, name }) => `${organization}/${name}`,
  },
})

/**
 * Functions of `ownedRows` for the run tasks of an organization. Lists are in creation order.
 * `dropTask` does not detach the task from workspaces. `moveTasks` moves the run tasks of an
 * organization that is renamed.
 */
export const {
  of: tasksOf,
  withId: taskWithId,
  put: putTask,
  drop: dropTask,
  dropAll: dropTasks,
  move: moveTasks,
} = ownedRows(runTasks, 'organization')

/**
 * Returns the run task with the given name in an organization, or undefined if no run task has that
 * name.
 */
export const taskNamed = lookupByName(runTasks)

const workspaceTaskShape = struct({
  ...callSettings,
  /** Id of the form `wstask-…`. */
  id: text,
  /** Workspace id. */
  workspace: text,
  /** Run task id. */
  task: text,
})

/** The attachment of a run task to a workspace (behaviour/platform#run-tasks). */
export interface WorkspaceTask extends StoredOf<typeof workspaceTaskShape> {}

/** Attachments by `<workspace id>/<number>`, numbered in creation order. */
export const workspaceTasks = platformTable('workspace-tasks', workspaceTaskShape, {
  secrets: 'none',
  indexes: {
    byId: ({ id }) => id,
    byTask: ({ task, workspace }) => `${task}/${workspace}`,
  },
})

/** Functions of `ownedRows` for the attachments of a workspace. Lists are in creation order. */
export const {
  of: workspaceTasksOf,
  withId: workspaceTaskWithId,
  put: putWorkspaceTask,
  drop: dropWorkspaceTask,
  dropAll: dropWorkspaceTasks,
} = ownedRows(workspaceTasks, 'workspace')

/** Returns the attachments of a run task, in all workspaces. */
export function attachmentsOfTask(world: World, task: string): WorkspaceTask[] {
  return Array.from(world.table(workspaceTasks).index('byTask').rows(`${task}/`))
}
