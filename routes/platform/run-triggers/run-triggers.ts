import { text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import {
  createRunTrigger,
  deleteRunTrigger,
  managesRunTriggers,
  type RunTrigger,
  runTriggersOf,
  runTriggerWithId,
} from '../../../state/platform/run-triggers/run-triggers.ts'
import { attributeTime } from '../../../state/platform/timestamps.ts'
import { hasWorkspaceRight } from '../../../state/platform/workspaces/rights.ts'
import { type Workspace, workspaceWithId } from '../../../state/platform/workspaces/workspaces.ts'
import { ok } from '../../http/declare/operation.ts'
import { openQuery, optionalMembers } from '../json-api/attributes.ts'
import { relatedId } from '../json-api/body.ts'
import { type Inclusion, inclusionsOf } from '../json-api/include.ts'
import { pageOf } from '../json-api/pagination.ts'
import { toOne } from '../json-api/relations.ts'
import {
  listOf,
  type Resource,
  relationOf,
  resourceShape,
  selfLink,
  withExtraFields,
} from '../json-api/resource.ts'
import { operationsOn, type Rendering, type Scope } from '../operation.ts'
import { checkMember } from '../organizations/scopes.ts'
import { workspaceResource, workspaceShape } from '../workspaces/workspace-resource.ts'

const type = 'run-triggers'

const shape = resourceShape(
  type,
  struct({ 'workspace-name': text, 'sourceable-name': text, 'created-at': text }),
  {
    relationships: struct({
      workspace: relationOf('workspaces'),
      sourceable: relationOf('workspaces'),
    }),
    links: selfLink,
  },
)

function resourceOf(world: World, { id, workspace, source, created_at }: RunTrigger): Resource {
  return {
    id,
    type,
    attributes: {
      'workspace-name': workspaceWithId(world, workspace)?.name ?? '',
      'sourceable-name': workspaceWithId(world, source)?.name ?? '',
      'created-at': attributeTime(created_at),
    },
    relationships: {
      workspace: toOne('workspaces', workspace),
      sourceable: toOne('workspaces', source),
    },
    links: { self: `/api/v2/run-triggers/${id}` },
  }
}

/**
 * Returns the inclusion that renders a trigger's workspace or its source workspace. The inclusion
 * is empty if the caller may not see that workspace.
 */
function includesWorkspace(member: 'workspace' | 'source'): Inclusion<RunTrigger> {
  return {
    find(trigger, context) {
      const { world, caller } = context
      const workspace = workspaceWithId(world, trigger[member])
      if (workspace === undefined || !hasWorkspaceRight(world, caller, workspace, 'visible'))
        return []
      return [workspaceResource(workspace, context)]
    },
  }
}

const inclusions = inclusionsOf<RunTrigger>(
  { workspace: includesWorkspace('workspace'), sourceable: includesWorkspace('source') },
  [workspaceShape],
)

/**
 * Returns the workspace with an id. Throws 404 unless the caller manages its triggers, and 401 if
 * the organization does not accept the caller's kind of token.
 */
function requireManaged({ world, caller }: Scope, id: string): Workspace {
  const workspace = requireFound(workspaceWithId(world, id))
  checkMember(world, caller, workspace.organization)
  if (!managesRunTriggers(world, caller, workspace)) throw refuse('not-found')
  return workspace
}

function findTrigger(scope: Scope): RunTrigger {
  const trigger = requireFound(runTriggerWithId(scope.world, scope.params['run_trigger_id'] ?? ''))
  requireManaged(scope, trigger.workspace)
  return trigger
}

const typeParameter = 'filter[run-trigger][type]'
const spec = 'behaviour/platform#run-triggers'
const listPath = '/workspaces/:workspace_id/run-triggers'
const onePath = '/run-triggers/:run_trigger_id'
const rendering: Rendering<RunTrigger> = {
  shape,
  render: (one, { world }) => resourceOf(world, one),
}

const onTrigger = operationsOn('caller', findTrigger, spec)
const onWorkspace = operationsOn(
  'caller',
  (scope) => requireManaged(scope, scope.params['workspace_id'] ?? ''),
  spec,
)

export const runTriggerOperations = [
  onWorkspace.document('POST', listPath, rendering, {
    id: 'createRunTrigger',
    summary: 'Start runs of a workspace when runs of another one are applied.',
    body: { type, attributes: optionalMembers({}) },
    failures: [422],
    run({ context: { world, caller, subject }, body }) {
      const source = relatedId(body().relationships, 'sourceable')
      return createRunTrigger(world, caller, subject, source)
    },
  }),
  onWorkspace('GET', listPath, {
    id: 'listRunTriggers',
    summary: 'List the triggers that start runs of a workspace, or that its runs start.',
    query: openQuery({
      ...inclusions.query,
      [typeParameter]: described(text, '`inbound` or `outbound`'),
    }),
    failures: [400],
    reply: { 200: withExtraFields(listOf(shape), inclusions.shape) },
    run: ({ context, query }) => {
      const { world, subject, address } = context
      const { include, [typeParameter]: direction } = query
      if (direction !== 'inbound' && direction !== 'outbound') throw refuse('trigger-type-wrong')
      if (direction === 'outbound' && include) throw refuse('include-unknown')
      const included = inclusions.read(include, context)
      const found = runTriggersOf(world, subject.id, direction).toReversed()
      const render = (one: RunTrigger) => included.add(one, resourceOf(world, one))
      return ok({ ...pageOf(found, render, address), ...included.members() })
    },
  }),
  onTrigger('GET', onePath, {
    id: 'readRunTrigger',
    summary: 'Read a run trigger.',
    ...inclusions.readOperation(shape, (trigger, { world }) => resourceOf(world, trigger)),
  }),
  onTrigger('DELETE', onePath, {
    id: 'deleteRunTrigger',
    summary: 'Delete a run trigger.',
    run: ({ context: { world, subject } }) => deleteRunTrigger(world, subject),
  }),
]
