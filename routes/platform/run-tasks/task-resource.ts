import { bool, constant, text, word } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  attachmentsOfTask,
  type RunTask,
  stageNames,
  taskAttributes,
  taskWithId,
  type WorkspaceTask,
} from '../../../state/platform/run-tasks/tasks.ts'
import { attributeRenderer } from '../json-api/attributes.ts'
import {
  optionalRelationOf,
  type Resource,
  relationOf,
  relationsOf,
  resourceShape,
  selfLink,
} from '../json-api/resource.ts'

export const taskType = 'tasks'
export const workspaceTaskType = 'workspace-tasks'

const { global_configuration, ...plainAttributes } = taskAttributes
const renderer = attributeRenderer(plainAttributes)
const globalRenderer = attributeRenderer(global_configuration.to.fields)

/** Shape of a task (behaviour/platform#run-tasks). */
export const taskShape = resourceShape(
  taskType,
  struct({
    ...renderer.shape.fields,
    'global-configuration': globalRenderer.shape,
    'hmac-key': constant(null),
  }),
  {
    relationships: struct({
      organization: relationOf('organizations'),
      'workspace-tasks': relationsOf(workspaceTaskType),
      'agent-pool': optionalRelationOf('agent-pools'),
    }),
    links: selfLink,
  },
)

/** Global configuration of a task that is called only in the workspaces to which it is attached. */
const noGlobalConfiguration = {
  enabled: false,
  stages: ['post_plan'],
  enforcement_level: 'advisory',
} as const

export function taskResource(world: World, task: RunTask): Resource {
  const { id, organization, agent_pool: pool, global_configuration: globalConfiguration } = task
  const attachments = attachmentsOfTask(world, id).map((attachment) => ({
    id: attachment.id,
    type: workspaceTaskType,
  }))
  return {
    id,
    type: taskType,
    attributes: {
      ...renderer.render(task),
      'global-configuration': globalRenderer.render(globalConfiguration ?? noGlobalConfiguration),
      'hmac-key': null,
    },
    relationships: {
      organization: { data: { id: organization, type: 'organizations' } },
      'workspace-tasks': { data: attachments },
      'agent-pool': { data: pool === null ? null : { id: pool, type: 'agent-pools' } },
    },
    links: { self: `/api/v2/tasks/${id}` },
  }
}

const attachmentRenderer = attributeRenderer({
  enforcement_level: text,
  stages: global_configuration.to.fields.stages.shape,
})

/** Shape of the attachment of a task to a workspace (behaviour/platform#run-tasks). */
export const workspaceTaskShape = resourceShape(
  workspaceTaskType,
  struct({ ...attachmentRenderer.shape.fields, stage: word(...stageNames), enabled: bool }),
  {
    relationships: struct({ task: relationOf(taskType), workspace: relationOf('workspaces') }),
    links: selfLink,
  },
)

/** Renders the attachment of a task to a workspace. */
export function workspaceTaskResource(world: World, attachment: WorkspaceTask): Resource {
  const { id, task, workspace, stages } = attachment
  return {
    id,
    type: workspaceTaskType,
    attributes: {
      ...attachmentRenderer.render(attachment),
      stage: stages[0],
      enabled: taskWithId(world, task)?.enabled === true,
    },
    relationships: {
      task: { data: { id: task, type: taskType } },
      workspace: { data: { id: workspace, type: 'workspaces' } },
    },
    links: { self: `/api/v2/workspaces/${workspace}/tasks/${id}` },
  }
}
