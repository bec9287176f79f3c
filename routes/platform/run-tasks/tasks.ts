import { isObject } from '../../../state/kernel/objects.ts'
import { any, bool, list, text, textOf, union } from '../../../state/kernel/shape/kinds.ts'
import { secret } from '../../../state/kernel/shape/members.ts'
import { checkRight } from '../../../state/platform/accounts/callers.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import {
  attachTask,
  changeTask,
  changeWorkspaceTask,
  createTask,
  deleteTask,
} from '../../../state/platform/run-tasks/task-changes.ts'
import {
  attachmentsOfTask,
  dropWorkspaceTask,
  type RunTask,
  tasksOf,
  taskWithId,
  type WorkspaceTask,
  workspaceTasksOf,
  workspaceTaskWithId,
} from '../../../state/platform/run-tasks/tasks.ts'
import { hasWorkspaceRight } from '../../../state/platform/workspaces/rights.ts'
import { workspaceWithId } from '../../../state/platform/workspaces/workspaces.ts'
import { ok } from '../../http/declare/operation.ts'
import {
  hyphenatedMembers,
  inState,
  openQuery,
  optionalMembers,
  strictText,
} from '../json-api/attributes.ts'
import { relatedId } from '../json-api/body.ts'
import { inclusionsOf } from '../json-api/include.ts'
import { pageOf } from '../json-api/pagination.ts'
import { listOf, withExtraFields } from '../json-api/resource.ts'
import {
  operationsOn,
  type ParsedBody,
  type PlatformContext,
  type Rendering,
  type Scope,
} from '../operation.ts'
import { checkMember, findOrganizationFor } from '../organizations/scopes.ts'
import { findWorkspaceFor } from '../workspaces/scopes.ts'
import { workspaceResource, workspaceShape } from '../workspaces/workspace-resource.ts'
import {
  taskResource,
  taskShape,
  taskType,
  workspaceTaskResource,
  workspaceTaskShape,
  workspaceTaskType,
} from './task-resource.ts'

const taskInput = optionalMembers({
  name: strictText,
  url: strictText,
  description: strictText,
  category: strictText,
  'hmac-key': secret(strictText),
  enabled: union(bool, textOf({ pattern: '^(true|false)$' })),
  'global-configuration': any,
})

function inputOf({ attributes, relationships }: ParsedBody<typeof taskInput>) {
  const { enabled, 'global-configuration': everywhere, ...others } = attributes
  const pool = relationships['agent-pool']
  return {
    ...inState(others),
    ...(enabled === undefined ? {} : { enabled: String(enabled) === 'true' }),
    ...(everywhere === undefined
      ? {}
      : {
          global_configuration: isObject(everywhere) ? hyphenatedMembers(everywhere) : everywhere,
        }),
    ...(pool === undefined ? {} : { agent_pool: relatedId(relationships, 'agent-pool') ?? null }),
  }
}

/** Returns the attachments of a task to the workspaces that the caller sees. */
function visibleAttachments(task: RunTask, { world, caller }: PlatformContext<unknown>) {
  return attachmentsOfTask(world, task.id).flatMap((attachment) => {
    const workspace = workspaceWithId(world, attachment.workspace)
    if (workspace === undefined || !hasWorkspaceRight(world, caller, workspace, 'visible'))
      return []
    return [{ attachment, workspace }]
  })
}

const inclusions = inclusionsOf<RunTask>(
  {
    'workspace-tasks': {
      find: (task, context) =>
        visibleAttachments(task, context).map(({ attachment }) =>
          workspaceTaskResource(context.world, attachment),
        ),
    },
    'workspace-tasks.workspace': {
      find: (task, context) =>
        visibleAttachments(task, context).map(({ workspace }) =>
          workspaceResource(workspace, context),
        ),
    },
  },
  [workspaceTaskShape, workspaceShape],
)

/**
 * Returns the task in the path. Throws 404 unless the caller manages tasks, and 401 if the
 * organization does not accept the caller's kind of token.
 */
function findTask({ world, caller, params }: Scope): RunTask {
  const task = requireFound(taskWithId(world, params['task_id'] ?? ''))
  checkMember(world, caller, task.organization)
  checkRight(world, caller, task.organization, 'manage-run-tasks')
  return task
}

const findWorkspace = findWorkspaceFor('tasks')

/**
 * Returns the attachment that the path names. Throws 404 unless the attachment belongs to the
 * workspace in the path. Also throws the refusals of `findWorkspaceFor`.
 */
function findAttachment(scope: Scope): WorkspaceTask {
  const { id } = findWorkspace(scope)
  const attachment = requireFound(
    workspaceTaskWithId(scope.world, scope.params['workspace_task_id'] ?? ''),
  )
  return requireFound(attachment.workspace === id ? attachment : undefined)
}

const spec = 'behaviour/platform#run-tasks'
const taskRendering: Rendering<RunTask> = {
  shape: taskShape,
  render: (one, { world }) => taskResource(world, one),
}
const workspaceTaskRendering: Rendering<WorkspaceTask> = {
  shape: workspaceTaskShape,
  render: (one, { world }) => workspaceTaskResource(world, one),
}

const onOrganization = operationsOn('caller', findOrganizationFor('manage-run-tasks'), spec)
const onTask = operationsOn('caller', findTask, spec)
const onWorkspace = operationsOn('caller', findWorkspace, spec)
const onAttachment = operationsOn('caller', findAttachment, spec)

const listPath = '/organizations/:organization_name/tasks'
const attachmentsPath = '/workspaces/:workspace_id/tasks'
const attachmentPath = `${attachmentsPath}/:workspace_task_id` as const

const attachmentInput = optionalMembers({
  'enforcement-level': strictText,
  stage: strictText,
  stages: union(list(text)),
})
const attachmentForm = { type: workspaceTaskType, attributes: attachmentInput } as const

const organizationTaskOperations = [
  onOrganization('GET', listPath, {
    id: 'listTasks',
    summary: 'List the run tasks of an organization, newest first.',
    query: openQuery(inclusions.query),
    failures: [400],
    reply: { 200: withExtraFields(listOf(taskShape), inclusions.shape) },
    run: ({ context, query }) => {
      const { world, subject, address } = context
      const included = inclusions.read(query.include, context)
      const render = (task: RunTask) => included.add(task, taskResource(world, task))
      const page = pageOf(tasksOf(world, subject.name).toReversed(), render, address)
      return ok({ ...page, ...included.members() })
    },
  }),
  onOrganization.document('POST', listPath, taskRendering, {
    id: 'createTask',
    summary: 'Add a run task to an organization.',
    body: { type: taskType, attributes: taskInput },
    failures: [404],
    run: ({ context: { world, subject }, body }) =>
      createTask(world, subject.name, inputOf(body())),
  }),
  onTask('GET', '/tasks/:task_id', {
    id: 'readTask',
    summary: 'Read a run task.',
    ...inclusions.readOperation(taskShape, (task, { world }) => taskResource(world, task)),
  }),
  onTask.document('PATCH', '/tasks/:task_id', taskRendering, {
    id: 'changeTask',
    summary: 'Change a run task.',
    body: { type: taskType, attributes: taskInput },
    run: ({ context: { world, subject }, body }) => changeTask(world, subject, inputOf(body())),
  }),
  onTask('DELETE', '/tasks/:task_id', {
    id: 'deleteTask',
    summary: 'Delete a run task, also from all workspaces.',
    run: ({ context: { world, subject } }) => deleteTask(world, subject),
  }),
]

const workspaceTaskOperations = [
  onWorkspace.page(attachmentsPath, workspaceTaskRendering, {
    id: 'listWorkspaceTasks',
    summary: 'List the run tasks of a workspace, newest first.',
    run: ({ context: { world, subject } }) => workspaceTasksOf(world, subject.id).toReversed(),
  }),
  onWorkspace.document('POST', attachmentsPath, workspaceTaskRendering, {
    id: 'createWorkspaceTask',
    summary: 'Add a run task to a workspace, whose runs then call it.',
    body: attachmentForm,
    failures: [404],
    run({ context: { world, subject }, body }) {
      const { attributes, relationships } = body()
      const task = relatedId(relationships, 'task')
      if (task === undefined) throw refuse('task-required')
      return attachTask(world, subject, task, inState(attributes))
    },
  }),
  onAttachment.document('GET', attachmentPath, workspaceTaskRendering, {
    id: 'readWorkspaceTask',
    summary: 'Read how the runs of a workspace call a run task.',
    run: ({ context: { subject } }) => subject,
  }),
  onAttachment.document('PATCH', attachmentPath, workspaceTaskRendering, {
    id: 'changeWorkspaceTask',
    summary: 'Change how the runs of a workspace call a run task.',
    body: attachmentForm,
    run: ({ context: { world, subject }, body }) =>
      changeWorkspaceTask(world, subject, inState(body().attributes)),
  }),
  onAttachment('DELETE', attachmentPath, {
    id: 'deleteWorkspaceTask',
    summary: 'Remove a run task from a workspace.',
    run: ({ context: { world, subject } }) => world.write(() => dropWorkspaceTask(world, subject)),
  }),
]

export const runTaskOperations = [...organizationTaskOperations, ...workspaceTaskOperations]
