import type { World } from '../../kernel/worlds/world.ts'
import {
  type Caller,
  isOrganizationToken,
  isOwner,
  type PlatformRight,
  teamsOfCaller,
} from '../accounts/callers.ts'
import { refuse } from '../messages.ts'
import { organizations } from '../organizations/organizations.ts'
import type { Project } from '../projects/projects.ts'
import { hasProjectAccess, rightsFromTeams } from '../team-access/rights.ts'
import { accessOfCaller, accessValues } from '../team-access/team-access.ts'
import { projectOf } from './execution.ts'
import {
  allows,
  allRights,
  createRights,
  noRights,
  type RequiredRight,
  rightName,
  unionOf,
  type WorkspaceRights,
} from './right-levels.ts'
import { type Workspace, workspacesOf } from './workspaces.ts'

/** Members of a workspace that determine the rights on it. */
type RightSubject = Pick<Workspace, 'id' | 'organization' | 'project'>

const allReadRights = createRights({ runs: 'read', variables: 'read', state: 'read' })
const runReadRights = createRights({ runs: 'read' })
const organizationTokenRights = createRights(
  { variables: 'write' },
  { settings: true, delete: true, move: true, tasks: true },
)

/**
 * Organization permissions that give a team rights on all workspaces, and the rights that each
 * permission gives.
 */
const grants: readonly (readonly [PlatformRight, WorkspaceRights])[] = [
  ['manage-workspaces', allRights],
  ['manage-projects', allRights],
  ['read-workspaces', allReadRights],
  ['manage-agent-pools', allReadRights],
  ['manage-policies', runReadRights],
  ['manage-policy-overrides', runReadRights],
]

/**
 * Returns the rights of a caller on every workspace of an organization. Callers with owner rights
 * have all rights, and the organization's own token has fixed rights. All other callers have every
 * right that a permission of at least one of their teams grants.
 */
export function rightsInOrganization(
  world: World,
  caller: Caller,
  organization: string,
): WorkspaceRights {
  if (isOwner(world, caller, organization)) return allRights
  if (isOrganizationToken(caller, organization)) return organizationTokenRights
  let sum = noRights
  for (const { organization_access } of teamsOfCaller(world, caller, organization)) {
    for (const [right, granted] of grants) {
      if (organization_access[right] === true) sum = unionOf(sum, granted)
    }
  }
  return sum
}

/**
 * Returns all rights of a caller on a workspace: the rights on every workspace of the organization,
 * and the rights from team access.
 */
export function workspaceRights(
  world: World,
  caller: Caller,
  workspace: RightSubject,
): WorkspaceRights {
  const { id, organization } = workspace
  const organizationRights = rightsInOrganization(world, caller, organization)
  if (organizationRights.admin) return organizationRights
  const project = projectOf(world, workspace)?.id
  return unionOf(organizationRights, rightsFromTeams(world, caller, organization, id, project))
}

/** Returns the workspaces of an organization that the caller can see, sorted by name. */
export function visibleWorkspaces(world: World, caller: Caller, organization: string): Workspace[] {
  const all = workspacesOf(world, organization)
  if (allows(rightsInOrganization(world, caller, organization), 'visible')) return all
  return all.filter((one) => hasWorkspaceRight(world, caller, one, 'visible'))
}

export function hasWorkspaceRight(
  world: World,
  caller: Caller,
  workspace: RightSubject,
  required: RequiredRight,
): boolean {
  return allows(workspaceRights(world, caller, workspace), required)
}

/** Throws 404 unless the caller has the right on the workspace. */
export function checkRightOn(
  world: World,
  caller: Caller,
  workspace: RightSubject & Pick<Workspace, 'name'>,
  required: RequiredRight,
): void {
  if (hasWorkspaceRight(world, caller, workspace, required)) return
  const { name } = workspace
  throw refuse('not-found').withDetails({ workspace: name, right: rightName(required) })
}

/** Returns whether the caller may delete a workspace that is locked or has resources. */
export function mayForceDelete(world: World, caller: Caller, workspace: RightSubject): boolean {
  const { organization } = workspace
  if (isOwner(world, caller, organization)) return true
  if (isOrganizationToken(caller, organization)) return true
  const { allow_force_delete_workspaces } = { ...world.table(organizations).get(organization) }
  return (
    allow_force_delete_workspaces === true && hasWorkspaceRight(world, caller, workspace, 'admin')
  )
}

/** Returns whether the caller may create workspaces in all projects of an organization. */
export function mayCreateWorkspaces(world: World, caller: Caller, organization: string): boolean {
  return allows(rightsInOrganization(world, caller, organization), 'settings')
}

/** Returns whether the caller may create workspaces in a project. */
export function mayCreateWorkspaceIn(world: World, caller: Caller, project: Project): boolean {
  if (mayCreateWorkspaces(world, caller, project.organization)) return true
  return hasProjectAccess(world, caller, project, 'create', [true])
}

/** Returns whether the caller may create workspaces in at least one project of an organization. */
export function mayCreateWorkspaceSomewhere(
  world: World,
  caller: Caller,
  organization: string,
): boolean {
  if (mayCreateWorkspaces(world, caller, organization)) return true
  return accessOfCaller(world, caller, organization).some(
    (access) => accessValues(access)['create'] === true,
  )
}

/** Returns whether the caller may manage team access to a workspace. */
export function managesTeamAccess(world: World, caller: Caller, workspace: RightSubject): boolean {
  if (isOrganizationToken(caller, workspace.organization)) return true
  return hasWorkspaceRight(world, caller, workspace, 'admin')
}

/** Returns the values of all permissions on a workspace, by their names in the API. */
export function workspacePermissions(
  world: World,
  caller: Caller,
  workspace: RightSubject,
): Readonly<Record<string, boolean>> {
  const granted = workspaceRights(world, caller, workspace)
  const permissions: Record<string, boolean> = {
    'can-force-delete': mayForceDelete(world, caller, workspace),
  }
  for (const [name, required] of permissionRights) permissions[name] = allows(granted, required)
  return permissions
}

/** Name of each permission in the API, and the right that it requires. */
const permissionRights: readonly (readonly [string, RequiredRight])[] = [
  ['can-update', 'settings'],
  ['can-destroy', 'delete'],
  ['can-read-settings', 'admin'],
  ['can-force-unlock', 'admin'],
  ['can-manage-tags', 'settings'],
  ['can-manage-assessments', 'admin'],
  ['can-manage-ephemeral-workspaces', 'admin'],
  ['can-manage-run-tasks', 'tasks'],
  ['can-read-run', { runs: 'read' }],
  ['can-read-assessment-results', { runs: 'read' }],
  ['can-queue-run', { runs: 'plan' }],
  ['can-queue-apply', { runs: 'apply' }],
  ['can-queue-destroy', { runs: 'apply' }],
  ['can-lock', 'lock'],
  ['can-unlock', 'lock'],
  ['can-read-variable', { variables: 'read' }],
  ['can-update-variable', { variables: 'write' }],
  ['can-read-state-outputs', { state: 'read-outputs' }],
  ['can-read-state-versions', { state: 'read' }],
  ['can-create-state-versions', { state: 'write' }],
]

/** Names of the permissions that `workspacePermissions` returns. */
export const workspacePermissionNames: readonly string[] = [
  ...permissionRights.map(([name]) => name),
  'can-force-delete',
]
