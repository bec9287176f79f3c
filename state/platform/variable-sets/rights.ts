import type { World } from '../../kernel/worlds/world.ts'
import type { Caller } from '../accounts/callers.ts'
import { hasProjectAccess } from '../team-access/rights.ts'
import { accessOfCaller, accessValues } from '../team-access/team-access.ts'
import { allows } from '../workspaces/right-levels.ts'
import {
  mayCreateWorkspaces,
  rightsInOrganization,
  visibleWorkspaces,
} from '../workspaces/rights.ts'
import type { VariableSet } from './variable-sets.ts'

/**
 * Returns whether the caller may manage the variable sets that an organization or a project owns.
 */
export function managesVariableSets(
  world: World,
  caller: Caller,
  { organization, project }: Pick<VariableSet, 'organization' | 'project'>,
): boolean {
  if (mayCreateWorkspaces(world, caller, organization)) return true
  if (project === null) return false
  const owner = { id: project, organization }
  return hasProjectAccess(world, caller, owner, 'variable-sets', ['write', 'manage'])
}

/**
 * Returns whether the caller may read the variable sets of an organization. The caller must see at
 * least one workspace, have rights in the organization that show all workspaces, or belong to a
 * team with read access to the variable sets of a project.
 */
export function readsVariableSets(world: World, caller: Caller, organization: string): boolean {
  if (allows(rightsInOrganization(world, caller, organization), 'visible')) return true
  const seesSets = accessOfCaller(world, caller, organization).some((access) => {
    const value = accessValues(access)['variable-sets']
    return value !== undefined && value !== 'none'
  })
  return seesSets || visibleWorkspaces(world, caller, organization).length > 0
}
