import type { World } from '../../kernel/worlds/world.ts'
import type { Caller } from '../accounts/callers.ts'
import { allows } from '../workspaces/right-levels.ts'
import {
  mayCreateWorkspaces,
  rightsInOrganization,
  visibleWorkspaces,
} from '../workspaces/rights.ts'
import type { VariableSet } from './variable-sets.ts'

/**
 * Returns whether a caller may create, change and delete the sets of an organization, or of one of
 * its projects.
 */
export function managesVariableSets(
  world: World,
  caller: Caller,
  { organization }: Pick<VariableSet, 'organization' | 'project'>,
): boolean {
  return mayCreateWorkspaces(world, caller, organization)
}

/**
 * Returns whether a caller may read the sets of an organization: everybody who sees all or one of
 * its workspaces.
 */
export function readsVariableSets(world: World, caller: Caller, organization: string): boolean {
  if (allows(rightsInOrganization(world, caller, organization), 'visible')) return true
  return visibleWorkspaces(world, caller, organization).length > 0
}
