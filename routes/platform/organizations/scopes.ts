import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  type Caller,
  checkTokenKind,
  hasRight,
  isMember,
  isOwner,
  type PlatformRight,
} from '../../../state/platform/accounts/callers.ts'
import { refuse } from '../../../state/platform/messages.ts'
import {
  type Organization,
  organizations,
} from '../../../state/platform/organizations/organizations.ts'
import type { Scope } from '../operation.ts'

/** 404 unless a caller belongs to an organization; 401 where it does not take such a token. */
export function checkMember(world: World, caller: Caller, organization: string): void {
  if (!isMember(world, caller, organization)) throw refuse('not-found')
  checkTokenKind(world, caller, organization)
}

/** The organization that a path names, for those who belong to it; else 404. */
export function findOrganization({ world, caller, params }: Scope): Organization {
  const organization = world.table(organizations).get(params['organization_name'] ?? '')
  if (organization === undefined) throw refuse('not-found')
  checkMember(world, caller, organization.name)
  return organization
}

/** The organization that a path names, for those who may do everything there; else 404. */
export function findOwnedOrganization(scope: Scope): Organization {
  const organization = findOrganization(scope)
  if (!isOwner(scope.world, scope.caller, organization.name)) throw refuse('not-found')
  return organization
}

/** The organization that a path names, for those who have a right there; else 404. */
export function findOrganizationFor(right: PlatformRight): (scope: Scope) => Organization {
  return (scope) => {
    const organization = findOrganization(scope)
    if (!hasRight(scope.world, scope.caller, organization.name, right)) throw refuse('not-found')
    return organization
  }
}
