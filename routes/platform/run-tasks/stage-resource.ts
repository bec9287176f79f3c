import { constant, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Caller } from '../../../state/platform/accounts/callers.ts'
import { hasRight } from '../../../state/platform/accounts/callers.ts'
import { evaluationGroupsOf } from '../../../state/platform/policies/evaluations.ts'
import {
  resultAttributes,
  resultsOf,
  resultTimes,
  stageAttributes,
  stageTimes,
  type TaskResult,
  type TaskStage,
} from '../../../state/platform/run-tasks/stages.ts'
import { runWithId } from '../../../state/platform/runs/runs.ts'
import { workspaceWithId } from '../../../state/platform/workspaces/workspaces.ts'
import { attributeRenderer, timestampRenderer } from '../json-api/attributes.ts'
import { toMany } from '../json-api/relations.ts'
import {
  flags,
  type Resource,
  relationOf,
  relationsOf,
  resourceShape,
  selfLink,
} from '../json-api/resource.ts'

const stageRenderer = attributeRenderer(stageAttributes)
const stageTimesRenderer = timestampRenderer(stageTimes.fields)
const permissionNames = ['can-override-policy', 'can-override-tasks', 'can-override'] as const

/** Shape of a stage of a run (behaviour/platform#task-stages). */
export const stageShape = resourceShape(
  'task-stages',
  struct({
    ...stageRenderer.shape.fields,
    'status-timestamps': stageTimesRenderer.shape,
    permissions: flags(permissionNames),
    actions: flags(['is-overridable']),
  }),
  {
    relationships: struct({
      run: relationOf('runs'),
      'task-results': relationsOf('task-results'),
      'policy-evaluations': relationsOf('policy-evaluations'),
    }),
    links: selfLink,
  },
)

export function mayOverride(world: World, caller: Caller, { run }: TaskStage): boolean {
  const { workspace = '' } = { ...runWithId(world, run) }
  const { organization = '' } = { ...workspaceWithId(world, workspace) }
  return hasRight(world, caller, organization, 'manage-policy-overrides')
}

/** Renders a stage of a run with the caller's permissions. */
export function stageResource(world: World, caller: Caller, stage: TaskStage): Resource {
  const { id, run, status, reached } = stage
  const canOverride = mayOverride(world, caller, stage)
  return {
    id,
    type: 'task-stages',
    attributes: {
      ...stageRenderer.render(stage),
      'status-timestamps': stageTimesRenderer.render(reached),
      permissions: {
        'can-override-policy': canOverride,
        'can-override-tasks': false,
        'can-override': canOverride,
      },
      actions: { 'is-overridable': status === 'awaiting_override' },
    },
    relationships: {
      run: { data: { id: run, type: 'runs' } },
      'task-results': {
        data: resultsOf(world, id).map((result) => ({ id: result.id, type: 'task-results' })),
      },
      'policy-evaluations': toMany(
        'policy-evaluations',
        evaluationGroupsOf(world, id).map(([first]) => first.id),
      ),
    },
    links: { self: `/api/v2/task-stages/${id}` },
  }
}

const resultRenderer = attributeRenderer(resultAttributes)
const resultTimesRenderer = timestampRenderer(resultTimes.fields)

/** Shape of the result of a task (behaviour/platform#task-stages). */
export const resultShape = resourceShape(
  'task-results',
  struct({
    ...resultRenderer.shape.fields,
    'status-timestamps': resultTimesRenderer.shape,
    'task-id': text,
    'workspace-task-id': nullable(text),
    'agent-pool-id': constant(null),
  }),
  {
    relationships: struct({
      'task-stage': relationOf('task-stages'),
      outcomes: relationsOf('task-result-outcomes'),
    }),
    links: selfLink,
  },
)

export function resultResource(result: TaskResult): Resource {
  const { id, task, workspace_task, task_stage, outcomes, reached } = result
  return {
    id,
    type: 'task-results',
    attributes: {
      ...resultRenderer.render(result),
      'status-timestamps': resultTimesRenderer.render(reached),
      'task-id': task,
      'workspace-task-id': workspace_task,
      'agent-pool-id': null,
    },
    relationships: {
      'task-stage': { data: { id: task_stage, type: 'task-stages' } },
      outcomes: { data: outcomes.map((one) => ({ id: one.id, type: 'task-result-outcomes' })) },
    },
    links: { self: `/api/v2/task-results/${id}` },
  }
}
