import type { World } from '../../kernel/worlds/world.ts'
import { type Caller, hasRight } from '../accounts/callers.ts'
import type { Project } from '../projects/projects.ts'
import {
  allRights,
  createRights,
  noRights,
  type RightLevels,
  rightLevels,
  unionOf,
  type WorkspaceRights,
} from '../workspaces/right-levels.ts'
import type { AccessValue } from './access-levels.ts'
import { accessOfCaller, accessValues, type TeamAccess } from './team-access.ts'

/** Access levels that include all rights on workspaces, except the right to move workspaces. */
const adminLevels: ReadonlySet<string> = new Set(['maintain', 'admin'])

/** Returns the workspace rights that the access of a team grants. */
function rightsFrom(access: TeamAccess): WorkspaceRights {
  const values = accessValues(access)
  const move = values['move'] === true
  if (adminLevels.has(access.access)) return { ...allRights, move }
  const level = <Name extends keyof typeof rightLevels>(
    name: Name,
    value: AccessValue | undefined,
  ) =>
    (rightLevels[name] as readonly AccessValue[]).includes(value ?? '') ? { [name]: value } : {}
  const grantedLevels: RightLevels = {
    ...level('runs', values['runs']),
    ...level('variables', values['variables']),
    ...level('state', values['state-versions']),
  }
  return createRights(grantedLevels, {
    lock: values['workspace-locking'] === true || values['locking'] === true,
    tasks: values['run-tasks'] === true,
    delete: values['delete'] === true,
    move,
  })
}

/**
 * Returns the union of the rights that the caller's teams have on a workspace, directly or through
 * the project.
 */
export function rightsFromTeams(
  world: World,
  caller: Caller,
  organization: string,
  workspace: string,
  project: string | undefined,
): WorkspaceRights {
  const granted = [workspace, ...(project === undefined ? [] : [project])]
    .flatMap((target) => accessOfCaller(world, caller, organization, target))
    .map(rightsFrom)
  return granted.reduce(unionOf, noRights)
}

/** A permission of project access that `hasProjectAccess` can check. */
type ProjectPermission = 'settings' | 'teams' | 'variable-sets' | 'create' | 'move'

/**
 * Returns whether at least one of the caller's teams has one of the given values for a permission
 * on a project.
 */
export function hasProjectAccess(
  world: World,
  caller: Caller,
  { id, organization }: Pick<Project, 'id' | 'organization'>,
  permission: ProjectPermission,
  values: readonly AccessValue[],
): boolean {
  return accessOfCaller(world, caller, organization, id).some((access) => {
    const value = accessValues(access)[permission]
    return value !== undefined && values.includes(value)
  })
}

/**
 * Returns whether the caller may update or delete a project or manage its team access. The
 * organization permission `manage-projects` or team access to the project grants this.
 */
export function managesProject(
  world: World,
  caller: Caller,
  project: Pick<Project, 'id' | 'organization'>,
  action: 'update' | 'delete' | 'teams',
): boolean {
  if (hasRight(world, caller, project.organization, 'manage-projects')) return true
  if (action === 'teams') return hasProjectAccess(world, caller, project, 'teams', ['manage'])
  const settings = action === 'update' ? ['update', 'delete'] : ['delete']
  return hasProjectAccess(world, caller, project, 'settings', settings)
}
