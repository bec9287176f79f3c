import { text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  type Caller,
  checkRight,
  checkTokenKind,
  isMember,
  isOwner,
  type PlatformRight,
} from '../../../state/platform/accounts/callers.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import {
  type Organization,
  organizations,
} from '../../../state/platform/organizations/organizations.ts'
import type { Scope } from '../operation.ts'

/**
 * Query parameters that filter a list by name: a part of the name, ignoring case, or a list of full
 * names.
 */
export const nameQuery = {
  q: described(text, 'Part of a name'),
  'filter[names]': described(text, 'Comma-separated names'),
}

/**
 * Returns the filter for the parameters of `nameQuery`. The letter case matters in `names` only. An
 * empty text matches every name.
 */
export function nameFilter(part: string, names: string) {
  const requestedNames = names === '' ? undefined : names.split(',')
  return ({ name }: { readonly name: string }): boolean =>
    name.toLowerCase().includes(part.toLowerCase()) && (requestedNames?.includes(name) ?? true)
}

/**
 * Throws 404 unless the caller belongs to the organization, and 401 if the organization does not
 * accept the caller's kind of token.
 */
export function checkMember(world: World, caller: Caller, organization: string): void {
  if (!isMember(world, caller, organization)) throw refuse('not-found')
  checkTokenKind(world, caller, organization)
}

/**
 * Returns the organization in the path. Throws 404 unless the caller belongs to the organization,
 * and 401 if the organization does not accept the caller's kind of token.
 */
export function findOrganization({ world, caller, params }: Scope): Organization {
  const organization = requireFound(
    world.table(organizations).get(params['organization_name'] ?? ''),
  )
  checkMember(world, caller, organization.name)
  return organization
}

/**
 * Returns the organization in the path. Throws 404 unless the caller has owner rights, and 401 if
 * the organization does not accept the caller's kind of token.
 */
export function findOwnedOrganization(scope: Scope): Organization {
  const organization = findOrganization(scope)
  if (!isOwner(scope.world, scope.caller, organization.name)) throw refuse('not-found')
  return organization
}

/**
 * Returns a function that finds the organization in the path. The function throws 404 unless the
 * caller has the given permission, and 401 if the organization does not accept the caller's kind of
 * token.
 */
export function findOrganizationFor(right: PlatformRight): (scope: Scope) => Organization {
  return (scope) => {
    const organization = findOrganization(scope)
    checkRight(scope.world, scope.caller, organization.name, right)
    return organization
  }
}
