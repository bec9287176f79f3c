import { int, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Caller } from '../../../state/platform/accounts/callers.ts'
import { policyCheckOf } from '../../../state/platform/policies/policy-checks.ts'
import { stagesOf } from '../../../state/platform/run-tasks/stages.ts'
import { allowedActions } from '../../../state/platform/runs/actions.ts'
import { costEstimateOf } from '../../../state/platform/runs/cost-estimates.ts'
import { commentsOf, eventsOf } from '../../../state/platform/runs/run-events.ts'
import { runTimes } from '../../../state/platform/runs/run-times.ts'
import { type Run, runAttributes } from '../../../state/platform/runs/runs.ts'
import { attributeTime } from '../../../state/platform/timestamps.ts'
import type { RequiredRight } from '../../../state/platform/workspaces/right-levels.ts'
import { allows, noRights } from '../../../state/platform/workspaces/right-levels.ts'
import { workspaceRights } from '../../../state/platform/workspaces/rights.ts'
import { workspaceWithId } from '../../../state/platform/workspaces/workspaces.ts'
import { attributeRenderer, timestampRenderer } from '../json-api/attributes.ts'
import {
  flags,
  inDialect,
  linkedRelation,
  linkedRelationOf,
  linkWithData,
  optionalRelationOf,
  type Resource,
  relationOf,
  relationsOf,
  resourceShape,
  selfLink,
} from '../json-api/resource.ts'
import type { PlatformContext } from '../operation.ts'
import { mayOverride } from '../policies/policy-check-resource.ts'

export const runType = 'runs'

/** Right that a caller needs for each permission on a run, by the permission's name in the API. */
const permissionRights: Readonly<Record<string, RequiredRight>> = {
  'can-apply': { runs: 'apply' },
  'can-cancel': { runs: 'apply' },
  'can-comment': { runs: 'plan' },
  'can-discard': { runs: 'apply' },
  'can-force-execute': { runs: 'apply' },
  'can-force-cancel': 'admin',
}
const permissionEntries = Object.entries(permissionRights)

const runRenderer = attributeRenderer(runAttributes)
const timesRenderer = timestampRenderer(runTimes.fields)

const attributes = struct({
  ...runRenderer.shape.fields,
  'status-timestamps': timesRenderer.shape,
  actions: flags(['is-cancelable', 'is-confirmable', 'is-discardable', 'is-force-cancelable']),
  permissions: flags([...Object.keys(permissionRights), 'can-override-policy-check']),
  'force-cancel-available-at': described(optional(text), 'Only for canceled runs'),
  'position-in-queue': described(optional(int), 'Only in the queue of the organization'),
})

/** Shape of a run (behaviour/platform#run-resource). */
export const runShape = resourceShape(runType, attributes, {
  relationships: struct({
    workspace: relationOf('workspaces'),
    plan: relationOf('plans'),
    apply: relationOf('applies'),
    'configuration-version': relationOf('configuration-versions'),
    'created-by': linkedRelationOf('users'),
    'confirmed-by': optionalRelationOf('users'),
    'canceled-by': optionalRelationOf('users'),
    'input-state-version': optionalRelationOf('state-versions'),
    'cost-estimate': described(
      optional(relationOf('cost-estimates')),
      'Only if costs are estimated',
    ),
    'policy-checks': linkWithData('policy-checks'),
    'task-stages': linkWithData('task-stages'),
    'run-events': linkWithData('run-events'),
    comments: linkWithData('comments'),
    'workspace-run-alerts': relationsOf('workspace-run-alerts'),
  }),
  links: selfLink,
})

/** Returns the permissions of a caller on a run, by their names in the API. */
function permissionsOn(world: World, caller: Caller, run: Run): Readonly<Record<string, boolean>> {
  const workspace = workspaceWithId(world, run.workspace)
  const rights = workspace === undefined ? noRights : workspaceRights(world, caller, workspace)
  const permissions: Record<string, boolean> = {}
  for (const [name, right] of permissionEntries) permissions[name] = allows(rights, right)
  return permissions
}

/** Renders a run. `position` is its position in the queue of the organization, from 1. */
export function runResource(
  run: Run,
  { world, caller, dialect }: Pick<PlatformContext<unknown>, 'world' | 'caller' | 'dialect'>,
  position?: number,
): Resource {
  const { id, force_cancel_at: forceCancelAt } = run
  const self = `/api/v2/runs/${id}`
  const one = (type: string, other: string | null) => ({
    data: other === null ? null : { id: other, type },
  })
  const toManyRelation = (
    type: string,
    name: string,
    items: readonly { readonly id: string }[],
  ) => ({
    data: items.map((item) => ({ id: item.id, type })),
    links: { related: `${self}/${name}` },
  })
  const check = policyCheckOf(world, id)
  const estimate = costEstimateOf(world, id)
  const resource: Resource = {
    id,
    type: runType,
    attributes: {
      ...runRenderer.render(run),
      'status-timestamps': timesRenderer.render(run.reached),
      actions: allowedActions(world, run),
      permissions: {
        ...permissionsOn(world, caller, run),
        'can-override-policy-check': mayOverride({ world, caller }, run),
      },
      ...(forceCancelAt === null
        ? {}
        : { 'force-cancel-available-at': attributeTime(forceCancelAt) }),
      ...(position === undefined ? {} : { 'position-in-queue': position }),
    },
    relationships: {
      workspace: one('workspaces', run.workspace),
      plan: one('plans', run.plan.id),
      apply: one('applies', run.apply.id),
      'configuration-version': one('configuration-versions', run.configuration_version),
      'created-by': linkedRelation('users', run.created_by),
      'confirmed-by': one('users', run.confirmed_by),
      'canceled-by': one('users', run.canceled_by),
      'input-state-version': one('state-versions', run.input_state),
      ...(estimate === undefined ? {} : { 'cost-estimate': one('cost-estimates', estimate.id) }),
      'policy-checks': toManyRelation(
        'policy-checks',
        'policy-checks',
        check === undefined ? [] : [check],
      ),
      'task-stages': toManyRelation('task-stages', 'task-stages', stagesOf(world, id)),
      'run-events': toManyRelation('run-events', 'run-events', eventsOf(world, id)),
      comments: toManyRelation('comments', 'comments', commentsOf(world, id)),
      'workspace-run-alerts': { data: [] },
    },
    links: { self },
  }
  return inDialect(resource, attributes, dialect)
}
