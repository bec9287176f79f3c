import type { World } from '../../kernel/worlds/world.ts'
import { newId, newSecret } from '../ids.ts'
import { addEvaluations, agentEvaluatedSets } from '../policies/evaluations.ts'
import type { Run } from '../runs/runs.ts'
import { type Workspace, workspaceWithId } from '../workspaces/workspaces.ts'
import { putStage, putTaskResult } from './stages.ts'
import {
  type RunTask,
  type StageName,
  stageNames,
  tasksOf,
  taskWithId,
  type WorkspaceTask,
  workspaceTasksOf,
} from './tasks.ts'

/**
 * A run task that a stage calls. `attachment` is the id of the attachment to the workspace, or null
 * if the task is called for all workspaces.
 */
interface CalledTask {
  readonly task: RunTask
  readonly level: WorkspaceTask['enforcement_level']
  readonly attachment: string | null
}

/**
 * Returns the enabled run tasks that a stage calls: tasks attached to the workspace, then tasks of
 * all workspaces. A task that is in both groups appears once, with the enforcement level of its
 * attachment.
 */
function tasksAt(world: World, workspace: Workspace, stage: StageName): CalledTask[] {
  const attachedTasks = workspaceTasksOf(world, workspace.id).flatMap(
    (attachment): CalledTask[] => {
      const task = taskWithId(world, attachment.task)
      if (task?.enabled !== true || !attachment.stages.includes(stage)) return []
      return [{ task, level: attachment.enforcement_level, attachment: attachment.id }]
    },
  )
  const globalTasks = tasksOf(world, workspace.organization).flatMap((task): CalledTask[] => {
    const { enabled, global_configuration: globalConfiguration } = task
    const isCalled =
      enabled && globalConfiguration?.enabled === true && globalConfiguration.stages.includes(stage)
    if (!isCalled || attachedTasks.some((one) => one.task.id === task.id)) return []
    return [{ task, level: globalConfiguration.enforcement_level, attachment: null }]
  })
  return [...attachedTasks, ...globalTasks]
}

/**
 * Adds the task stages of a new run, and a pending result for each run task of a stage. The stage
 * `post_plan` also gets the policy evaluations. Does not add a stage that has neither run tasks nor
 * policy evaluations (behaviour/platform#task-stages). Must run inside a transaction.
 */
export function addStages(world: World, newRun: Run): void {
  const { id: run, workspace, plan_only } = newRun
  const found = workspaceWithId(world, workspace)
  if (found === undefined) return
  const now = world.clock.now()
  const times = { created_at: now, updated_at: now, reached: {} }
  for (const stage of stageNames) {
    const stageTasks = tasksAt(world, found, stage)
    const sets = stage === 'post_plan' ? agentEvaluatedSets(world, found) : []
    if (stageTasks.length === 0 && sets.length === 0) continue
    const id = newId(world, 'ts')
    putStage(world, { ...times, id, run, stage, status: 'pending' })
    addEvaluations(world, newRun, id, sets)
    for (const { task, level, attachment } of stageTasks) {
      putTaskResult(world, {
        ...times,
        id: newId(world, 'taskrs'),
        task_stage: id,
        run,
        task: task.id,
        workspace_task: attachment,
        status: 'pending',
        message: null,
        url: null,
        task_name: task.name,
        task_url: task.url,
        stage,
        is_speculative: plan_only,
        workspace_task_enforcement_level: level,
        access_token: newSecret(world),
        awaits_callback: false,
        outcomes: [],
      })
    }
  }
}
