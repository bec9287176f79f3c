import { bool, constant, int, nullable, text, word } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { currentAssessment } from '../../../state/platform/assessments/assessments.ts'
import { reportedVersionOf } from '../../../state/platform/configuration-versions/configuration-versions.ts'
import {
  type ProvisionedSource,
  provisionedSourceOf,
} from '../../../state/platform/no-code/workspaces.ts'
import { readmeOf } from '../../../state/platform/runs/readmes.ts'
import { outputsOf } from '../../../state/platform/states/state-versions.ts'
import { tagNamed } from '../../../state/platform/tags/organization-tags.ts'
import { attributeTime } from '../../../state/platform/timestamps.ts'
import { variablesOf } from '../../../state/platform/variables/variables.ts'
import { executionOf, projectOf } from '../../../state/platform/workspaces/execution.ts'
import { holderKind } from '../../../state/platform/workspaces/locks.ts'
import { overviewOf, type WorkspaceOverview } from '../../../state/platform/workspaces/overview.ts'
import {
  workspacePermissionNames,
  workspacePermissions,
} from '../../../state/platform/workspaces/rights.ts'
import {
  attributeDefaults,
  type Workspace,
  workspaceAttributes,
} from '../../../state/platform/workspaces/workspaces.ts'
import { attributeRenderer } from '../json-api/attributes.ts'
import {
  flags,
  identifierOf,
  inDialect,
  linkedRelation,
  linkShape,
  linkWithData,
  optionalRelationOf,
  type Resource,
  relationOf,
  relationsOf,
  resourceShape,
} from '../json-api/resource.ts'
import type { PlatformContext } from '../operation.ts'
import { workspaceOutputIdentifiers } from '../states/state-version-resource.ts'
import { repositoryOf, repositoryShape } from './repository-resource.ts'
import { tagType } from './tag-input.ts'

export const workspaceType = 'workspaces'

const workspaceRenderer = attributeRenderer(workspaceAttributes)

const overviewAttributes = struct({
  'resource-count': int,
  'latest-change-at': text,
  'apply-duration-average': nullable(int),
  'plan-duration-average': nullable(int),
  'policy-check-failures': nullable(int),
  'run-failures': nullable(int),
  'workspace-kpis-runs-count': nullable(int),
})

const attributes = struct({
  ...workspaceRenderer.shape.fields,
  ...overviewAttributes.fields,
  operations: bool,
  environment: constant('default'),
  'vcs-repo': nullable(repositoryShape),
  'hyok-enabled': constant(false),
  'can-queue-destroy-plan': bool,
  'last-assessment-result-at': nullable(text),
  'source-module-id': described(
    optional(nullable(text)),
    'Only for a workspace from a no-code module',
  ),
  'no-code-upgrade-available': described(
    optional(bool),
    'Only for a workspace from a no-code module',
  ),
  'unarchived-workspace-change-requests-count': constant(0),
  actions: struct({ 'is-destroyable': bool }),
  permissions: flags(workspacePermissionNames),
})

const noRelation = struct({ data: constant(null) })
const linkedOptionalRelation = (type: string) =>
  struct({ data: nullable(identifierOf(type)), links: struct({ related: text }) })

/** Shape of a workspace (behaviour/platform#workspaces). */
export const workspaceShape = resourceShape(workspaceType, attributes, {
  relationships: struct({
    organization: relationOf('organizations'),
    project: optionalRelationOf('projects'),
    'agent-pool': optionalRelationOf('agent-pools'),
    'current-run': optionalRelationOf('runs'),
    'latest-run': optionalRelationOf('runs'),
    'current-state-version': optionalRelationOf('state-versions'),
    'current-configuration-version': optionalRelationOf('configuration-versions'),
    'locked-by': struct({
      data: nullable(struct({ id: text, type: word('users', 'teams', 'runs') })),
      links: optional(struct({ related: text })),
    }),
    'ssh-key': optionalRelationOf('ssh-keys'),
    readme: linkedOptionalRelation('workspace-readme'),
    outputs: relationsOf('workspace-outputs'),
    'remote-state-consumers': linkShape,
    vars: linkWithData('vars'),
    'tag-bindings': linkShape,
    'effective-tag-bindings': linkWithData('effective-tag-bindings'),
    tags: relationsOf(tagType),
    'current-assessment-result': linkedOptionalRelation('assessment-results'),
    'data-retention-policy': noRelation,
  }),
  links: struct({ self: text, 'self-html': text }),
})

/** Renders a workspace with the caller's permissions. */
export function workspaceResource(
  workspace: Workspace,
  {
    world,
    dialect,
    caller,
    origin,
  }: Pick<PlatformContext<unknown>, 'world' | 'dialect' | 'caller' | 'origin'>,
): Resource {
  const { id, organization, name, allow_destroy_plan } = workspace
  const { mode, pool } = executionOf(world, workspace)
  const overview = overviewOf(world, workspace)
  const permissions = workspacePermissions(world, caller, workspace)
  const assessment = currentAssessment(world, id)
  const rendered = workspaceRenderer.render({ ...attributeDefaults, ...workspace })
  rendered['execution-mode'] = mode
  if (workspace.inherits_project_auto_destroy !== false) {
    rendered['auto-destroy-activity-duration'] ??=
      projectOf(world, workspace)?.auto_destroy_activity_duration ?? null
  }
  const resource: Resource = {
    id,
    type: workspaceType,
    attributes: {
      ...rendered,
      'resource-count': overview.resourceCount,
      'latest-change-at': attributeTime(overview.latestChangeAt),
      'apply-duration-average': overview.applyDuration,
      'plan-duration-average': overview.planDuration,
      'policy-check-failures': overview.policyCheckFailures,
      'run-failures': overview.runFailures,
      'workspace-kpis-runs-count': overview.runCount,
      operations: mode !== 'local',
      environment: 'default',
      'vcs-repo': repositoryOf(workspace, origin),
      'hyok-enabled': false,
      'can-queue-destroy-plan': allow_destroy_plan && permissions['can-queue-destroy'] === true,
      'last-assessment-result-at':
        assessment === undefined ? null : attributeTime(assessment.created_at),
      'unarchived-workspace-change-requests-count': 0,
      ...sourceAttributes(provisionedSourceOf(world, workspace)),
      actions: { 'is-destroyable': true },
      permissions,
    },
    relationships: {
      ...relationshipsOf(world, workspace, overview),
      'agent-pool': relationTo('agent-pools', pool ?? undefined),
    },
    links: {
      self: `/api/v2/organizations/${organization}/workspaces/${name}`,
      'self-html': `/app/${organization}/workspaces/${name}`,
    },
  }
  return inDialect(resource, attributes, dialect)
}

/**
 * Renders the module that a no-code workspace was made from, and whether another version is
 * offered; empty for other workspaces.
 */
function sourceAttributes(source: ProvisionedSource | undefined) {
  if (source === undefined) return {}
  return { 'source-module-id': source.id, 'no-code-upgrade-available': source.isUpgradeAvailable }
}

function relationTo(type: string, id: string | undefined) {
  return { data: id === undefined ? null : { id, type } }
}

/** Renders the relationships of a workspace except that to its agent pool. */
function relationshipsOf(world: World, workspace: Workspace, overview: WorkspaceOverview) {
  const { id, organization, locked_by } = workspace
  const self = `/api/v2/workspaces/${id}`
  const linkTo = (path: string) => ({ links: { related: `${self}/${path}` } })
  return {
    organization: { data: { id: organization, type: 'organizations' } },
    project: relationTo('projects', projectOf(world, workspace)?.id),
    'current-run': relationTo('runs', overview.currentRun?.id),
    'latest-run': relationTo('runs', overview.latestRun?.id),
    'current-state-version': relationTo('state-versions', overview.currentState),
    'current-configuration-version': relationTo(
      'configuration-versions',
      reportedVersionOf(world, id)?.id,
    ),
    'locked-by':
      locked_by == null ? { data: null } : linkedRelation(lockHolderType(locked_by), locked_by),
    'ssh-key': relationTo('ssh-keys', workspace.ssh_key_id ?? undefined),
    readme: {
      ...relationTo('workspace-readme', readmeOf(world, id) === undefined ? undefined : id),
      ...linkTo('readme'),
    },
    outputs: {
      data: workspaceOutputIdentifiers(
        overview.currentState === undefined ? [] : outputsOf(world, { id: overview.currentState }),
      ),
    },
    'remote-state-consumers': linkTo('relationships/remote-state-consumers'),
    vars: {
      data: variablesOf(world, id).map((one) => ({ id: one.id, type: 'vars' })),
      ...linkTo('vars'),
    },
    'tag-bindings': linkTo('tag-bindings'),
    'effective-tag-bindings': linkTo('effective-tag-bindings'),
    tags: {
      data: workspace.tag_names.map((tag) => ({
        id: tagNamed(world, organization, tag).id,
        type: tagType,
      })),
    },
    'current-assessment-result': {
      ...relationTo('assessment-results', currentAssessment(world, id)?.id),
      ...linkTo('current-assessment-result'),
    },
    'data-retention-policy': { data: null },
  }
}

/** Returns the resource type of a lock's holder. */
function lockHolderType(id: string): string {
  return { User: 'users', Team: 'teams', Run: 'runs' }[holderKind(id)]
}
