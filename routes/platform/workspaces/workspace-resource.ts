import { bool, constant, nullable, text, word } from '../../../state/kernel/shape/kinds.ts'
import { optional, struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { versionsOf } from '../../../state/platform/configuration-versions/configuration-versions.ts'
import { teamWithId } from '../../../state/platform/organizations/teams.ts'
import {
  defaultProject,
  type Project,
  projectWithId,
} from '../../../state/platform/projects/projects.ts'
import {
  workspacePermissionNames,
  workspacePermissions,
} from '../../../state/platform/workspaces/rights.ts'
import {
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
  type Resource,
  relationOf,
  resourceShape,
} from '../json-api/resource.ts'
import type { PlatformContext } from '../operation.ts'
import { tagType } from './tag-input.ts'

/** Resource type of workspaces. */
export const workspaceType = 'workspaces'

const workspaceRenderer = attributeRenderer(workspaceAttributes)

const attributes = struct({
  ...workspaceRenderer.shape.fields,
  operations: bool,
  environment: constant('default'),
  'resource-count': constant(0),
  'workspace-kpis-runs-count': constant(null),
  'vcs-repo': constant(null),
  actions: struct({ 'is-destroyable': bool }),
  permissions: flags(workspacePermissionNames),
})

const emptyRelation = struct({ data: constant(null) })
const optionalRelation = (type: string) => struct({ data: nullable(identifierOf(type)) })

/** Shape of a workspace (behaviour/platform#beyond). */
export const workspaceShape = resourceShape(workspaceType, attributes, {
  relationships: struct({
    organization: relationOf('organizations'),
    project: optionalRelation('projects'),
    'tag-bindings': linkShape,
    'effective-tag-bindings': linkWithData('effective-tag-bindings'),
    'agent-pool': optionalRelation('agent-pools'),
    'current-run': emptyRelation,
    'current-state-version': emptyRelation,
    'current-configuration-version': optionalRelation('configuration-versions'),
    'locked-by': struct({
      data: nullable(struct({ id: text, type: word('users', 'teams') })),
      links: optional(struct({ related: text })),
    }),
  }),
  links: struct({ self: text, 'self-html': text }),
})

/** Returns the project of a workspace. */
export function projectOf(
  world: World,
  { project, organization }: Pick<Workspace, 'project' | 'organization'>,
): Project | undefined {
  return projectWithId(world, project ?? '') ?? defaultProject(world, organization)
}

/** Returns the configuration version that is current in a workspace. */
export function currentVersion(world: World, { id }: Pick<Workspace, 'id'>) {
  return versionsOf(world, id).find((one) => one.provisional !== true)
}

/** Renders a workspace with the caller's permissions. */
export function workspaceResource(
  workspace: Workspace,
  { world, dialect, caller }: Pick<PlatformContext<unknown>, 'world' | 'dialect' | 'caller'>,
): Resource {
  const { id, organization, name, execution_mode: mode } = workspace
  const project = projectOf(world, workspace)
  const version = currentVersion(world, workspace)
  const relationTo = (type: string, to: { readonly id: string } | undefined) => ({
    data: to === undefined ? null : { id: to.id, type },
  })
  const resource: Resource = {
    id,
    type: workspaceType,
    attributes: {
      ...workspaceRenderer.render(workspace),
      operations: mode !== 'local',
      environment: 'default',
      'resource-count': 0,
      'workspace-kpis-runs-count': null,
      'vcs-repo': null,
      actions: { 'is-destroyable': true },
      permissions: workspacePermissions(world, caller, workspace),
    },
    relationships: {
      organization: { data: { id: organization, type: 'organizations' } },
      project: relationTo('projects', project),
      'tag-bindings': { links: { related: `/api/v2/workspaces/${id}/tag-bindings` } },
      'effective-tag-bindings': {
        links: { related: `/api/v2/workspaces/${id}/effective-tag-bindings` },
      },
      'agent-pool': {
        data:
          workspace.agent_pool == null ? null : { id: workspace.agent_pool, type: 'agent-pools' },
      },
      'current-run': { data: null },
      'current-state-version': { data: null },
      'current-configuration-version': relationTo('configuration-versions', version),
      'locked-by': lockedBy(world, workspace),
    },
    links: {
      self: `/api/v2/organizations/${organization}/workspaces/${name}`,
      'self-html': `/app/${organization}/workspaces/${name}`,
    },
  }
  return inDialect(resource, attributes, dialect)
}

/** Renders the relationship to the user or the team that locked a workspace. */
function lockedBy(world: World, { locked_by: id = null }: Workspace) {
  if (id === null) return { data: null }
  return linkedRelation(teamWithId(world, id) === undefined ? 'users' : 'teams', id)
}

/** Shape of a tag. */
export const tagShape = resourceShape(tagType, struct({ name: text }))

/** Renders a tag of a workspace. */
export function tagResource(name: string): Resource {
  return { id: name, type: tagType, attributes: { name } }
}
