import { isObject } from '../../../state/kernel/objects.ts'
import { requireFound } from '../../../state/platform/messages.ts'
import { evaluationGroupsOf } from '../../../state/platform/policies/evaluations.ts'
import { checkCallbackToken, reportResult } from '../../../state/platform/run-tasks/callback.ts'
import { overrideStage } from '../../../state/platform/run-tasks/stage-moves.ts'
import {
  resultsOf,
  resultWithId,
  stagesOf,
  stageWithId,
  type TaskResult,
  type TaskStage,
} from '../../../state/platform/run-tasks/stages.ts'
import { addComment, addRunEvent } from '../../../state/platform/runs/run-events.ts'
import { type Run, runWithId } from '../../../state/platform/runs/runs.ts'
import { workspaceWithId } from '../../../state/platform/workspaces/workspaces.ts'
import { ok } from '../../http/declare/operation.ts'
import { bearerIn } from '../bearer.ts'
import {
  blankable,
  hyphenatedMembers,
  openQuery,
  optionalMembers,
  strictText,
} from '../json-api/attributes.ts'
import { relatedItems } from '../json-api/body.ts'
import { inclusionsOf } from '../json-api/include.ts'
import { documentOf, unpagedListOf, withExtraFields } from '../json-api/resource.ts'
import { operationsOn, type PlatformContext, type Scope } from '../operation.ts'
import { evaluationResource, evaluationShape } from '../policies/evaluation-resource.ts'
import { runResource, runShape } from '../runs/run-resource.ts'
import { findRunFor, requireWorkspace } from '../runs/run-scope.ts'
import { workspaceResource, workspaceShape } from '../workspaces/workspace-resource.ts'
import {
  mayOverride,
  resultResource,
  resultShape,
  stageResource,
  stageShape,
} from './stage-resource.ts'

function runOf(context: PlatformContext<unknown>, { run }: TaskStage): Run {
  return requireFound(runWithId(context.world, run))
}

const inclusions = inclusionsOf<TaskStage>(
  {
    run: { find: (stage, context) => [runResource(runOf(context, stage), context)] },
    'run.workspace': {
      find(stage, context) {
        const workspace = workspaceWithId(context.world, runOf(context, stage).workspace)
        return workspace === undefined ? [] : [workspaceResource(workspace, context)]
      },
    },
    'task-results': { find: ({ id }, { world }) => resultsOf(world, id).map(resultResource) },
    'policy-evaluations': {
      find: ({ id }, { world }) => evaluationGroupsOf(world, id).map(evaluationResource),
    },
  },
  [runShape, workspaceShape, resultShape, evaluationShape],
)

/**
 * Returns the stage in the path. Throws 404 unless the caller may read the run of the stage, and
 * 401 if the organization does not accept the caller's kind of token.
 */
export function findStage(scope: Scope): TaskStage {
  const stage = requireFound(stageWithId(scope.world, scope.params['task_stage_id'] ?? ''))
  requireRun(scope, stage.run)
  return stage
}

function requireRun(scope: Scope, id: string): void {
  requireWorkspace(scope, requireFound(runWithId(scope.world, id)).workspace, { runs: 'read' })
}

/**
 * Returns the stage in the path. Throws 404 unless the caller may override the stage. Also throws
 * the refusals of `findStage`.
 */
function findOverridableStage(scope: Scope): TaskStage {
  const stage = findStage(scope)
  return requireFound(mayOverride(scope.world, scope.caller, stage) ? stage : undefined)
}

/**
 * Returns the result in the path. Throws 404 for an unknown result. Access is not checked, because
 * the callback checks the token that the task received.
 */
function findResult({ world, params }: Scope): TaskResult {
  return requireFound(resultWithId(world, params['task_result_id'] ?? ''))
}

/**
 * Returns the result in the path. Throws 404 unless the caller may read the run of the result, and
 * 401 if the organization does not accept the caller's kind of token.
 */
function findReadableResult(scope: Scope): TaskResult {
  const result = findResult(scope)
  requireRun(scope, result.run)
  return result
}

/**
 * Returns the attributes of each outcome in a callback, with hyphenated names; undefined for an
 * outcome without attributes.
 */
function outcomesIn(relationships: Readonly<Record<string, unknown>>): readonly unknown[] {
  return (relatedItems(relationships, 'outcomes') ?? []).map((item) => {
    const attributes = isObject(item) ? item['attributes'] : undefined
    return isObject(attributes) ? hyphenatedMembers(attributes) : undefined
  })
}

const spec = 'behaviour/platform#task-stages'
const resultRendering = { shape: resultShape, render: resultResource }

const onRun = operationsOn('caller', findRunFor({ runs: 'read' }), spec)
const onStage = operationsOn('caller', findStage, spec)
const onOverridableStage = operationsOn('caller', findOverridableStage, spec)
const onReadableResult = operationsOn('caller', findReadableResult, spec)
const onResult = operationsOn('anyone', findResult, spec)

/** Operations on the stages of runs at which tasks are called, and on the results of tasks. */
export const taskStageOperations = [
  onRun('GET', '/runs/:run_id/task-stages', {
    id: 'listTaskStages',
    summary: 'List the stages of a run at which tasks are called, in their order.',
    query: openQuery(inclusions.query),
    failures: [400],
    reply: { 200: withExtraFields(unpagedListOf(stageShape), inclusions.shape) },
    run: ({ context, query }) => {
      const { world, caller, subject } = context
      const included = inclusions.read(query.include, context)
      const render = (stage: TaskStage) => included.add(stage, stageResource(world, caller, stage))
      return ok({ data: stagesOf(world, subject.id).map(render), ...included.members() })
    },
  }),
  onStage('GET', '/task-stages/:task_stage_id', {
    id: 'readTaskStage',
    summary: 'Read a stage of a run at which tasks are called.',
    ...inclusions.readOperation(stageShape, (stage, { world, caller }) =>
      stageResource(world, caller, stage),
    ),
  }),
  onOverridableStage('POST', '/task-stages/:task_stage_id/actions/override', {
    id: 'overrideTaskStage',
    summary: 'Override the failed tasks of a stage, so that its run continues.',
    body: {
      attributes: optionalMembers({ comment: blankable }),
      topLevel: ['comment'],
      dataOptional: true,
    },
    failures: [409],
    reply: { 200: documentOf(stageShape) },
    run: ({ context, body }) => {
      const { world, caller, subject } = context
      const { comment } = body().attributes
      return world.write(() => {
        const stage = overrideStage(world, subject)
        const run = runOf(context, subject)
        const event = { action: 'overridden', actor: caller.user.id, created_at: world.clock.now() }
        addRunEvent(world, run, event)
        if (comment?.trim()) addComment(world, run, comment, caller.user.id)
        return ok({ data: stageResource(world, caller, stage) })
      })
    },
  }),
  onReadableResult.document('GET', '/task-results/:task_result_id', resultRendering, {
    id: 'readTaskResult',
    summary: 'Read the result of a run task.',
    run: ({ context }) => context.subject,
  }),
  onResult('PATCH', '/task-results/:task_result_id/callback', {
    id: 'reportTaskResult',
    summary: 'Report the result of a run task, with the token from the call of the task.',
    body: {
      type: 'task-results',
      attributes: optionalMembers({ status: strictText, message: strictText, url: strictText }),
    },
    failures: [401, 404],
    reply: { 200: null },
    run: ({ context: { world, subject, header }, body }) => {
      checkCallbackToken(world, subject, bearerIn(header('authorization')) ?? '')
      const { attributes, relationships } = body()
      reportResult(world, subject, { ...attributes, outcomes: outcomesIn(relationships) })
      return { status: 200 as const }
    },
  }),
]
