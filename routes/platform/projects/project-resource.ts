import { constant, int, nullable, text, word } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { organizations } from '../../../state/platform/organizations/organizations.ts'
import { type Project, projectAttributes } from '../../../state/platform/projects/projects.ts'
import { hasProjectAccess, managesProject } from '../../../state/platform/team-access/rights.ts'
import { teamAccessTo } from '../../../state/platform/team-access/team-access.ts'
import {
  mayCreateWorkspaceIn,
  mayCreateWorkspaces,
} from '../../../state/platform/workspaces/rights.ts'
import { workspacesIn } from '../../../state/platform/workspaces/workspaces.ts'
import { attributeRenderer } from '../json-api/attributes.ts'
import {
  flags,
  identifierOf,
  linkShape,
  linkWithData,
  type Resource,
  relationOf,
  resourceShape,
  selfLink,
} from '../json-api/resource.ts'
import type { PlatformContext } from '../operation.ts'

export const projectType = 'projects'

const permissionNames = [
  'can-read',
  'can-update',
  'can-destroy',
  'can-create-workspace',
  'can-move-workspace',
  'can-move-stack',
  'can-deploy-no-code-modules',
  'can-read-teams',
  'can-manage-teams',
] as const

const projectRenderer = attributeRenderer(projectAttributes)

const overwriteNames = ['default-execution-mode', 'default-agent-pool'] as const

/** Shape of a project (behaviour/platform#projects). */
export const projectShape = resourceShape(
  projectType,
  struct({
    ...projectRenderer.shape.fields,
    'auto-destroy-activity-duration': nullable(text),
    'default-execution-mode': word('remote', 'local', 'agent'),
    'setting-overwrites': flags(overwriteNames),
    'workspace-count': int,
    'team-count': int,
    'is-unified': constant(false),
    permissions: flags(permissionNames),
  }),
  {
    relationships: struct({
      organization: relationOf('organizations'),
      'default-agent-pool': struct({ data: nullable(identifierOf('agent-pools')) }),
      'tag-bindings': linkShape,
      'effective-tag-bindings': linkWithData('effective-tag-bindings'),
    }),
    links: selfLink,
  },
)

/** Returns the permissions of the caller on a project, by their names in the API. */
export function permissionsOf({ world, caller }: ProjectReader, project: Project) {
  const { organization, is_default } = project
  const manages = mayCreateWorkspaces(world, caller, organization)
  const mayCreate = mayCreateWorkspaceIn(world, caller, project)
  const mayManageTeams = managesProject(world, caller, project, 'teams')
  return {
    'can-read': true,
    'can-update': managesProject(world, caller, project, 'update'),
    'can-destroy': !is_default && managesProject(world, caller, project, 'delete'),
    'can-create-workspace': mayCreate,
    'can-move-workspace': manages || hasProjectAccess(world, caller, project, 'move', [true]),
    'can-move-stack': false,
    'can-deploy-no-code-modules': mayCreate,
    'can-read-teams': mayManageTeams || hasProjectAccess(world, caller, project, 'teams', ['read']),
    'can-manage-teams': mayManageTeams,
  }
}

/** The world of a project, and the caller whose permissions are rendered with the project. */
export type ProjectReader = Pick<PlatformContext<unknown>, 'world' | 'caller'>

/** Renders a project with the caller's permissions. */
export function projectResource(project: Project, context: ProjectReader): Resource {
  const { world } = context
  const { id, organization, default_execution_mode: mode, default_agent_pool: pool } = project
  const self = `/api/v2/projects/${id}`
  const { default_execution_mode } = { ...world.table(organizations).get(organization) }
  return {
    id,
    type: projectType,
    attributes: {
      ...projectRenderer.render({ auto_destroy_activity_duration: null, ...project }),
      'default-execution-mode': mode ?? default_execution_mode ?? 'remote',
      'setting-overwrites': {
        'default-execution-mode': mode != null,
        // A project that overrides the execution mode also overrides the agent pool, even with
        // null.
        'default-agent-pool': mode != null || pool != null,
      },
      'workspace-count': workspacesIn(world, project).length,
      'team-count': teamAccessTo(world, id).length,
      'is-unified': false,
      permissions: permissionsOf(context, project),
    },
    relationships: {
      organization: { data: { id: organization, type: 'organizations' } },
      'default-agent-pool': { data: pool == null ? null : { id: pool, type: 'agent-pools' } },
      'tag-bindings': { links: { related: `${self}/tag-bindings` } },
      'effective-tag-bindings': { links: { related: `${self}/effective-tag-bindings` } },
    },
    links: { self },
  }
}
