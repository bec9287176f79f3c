import { hasRight, type PlatformRight } from '../../../state/platform/accounts/callers.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import type { Organization } from '../../../state/platform/organizations/organizations.ts'
import type { Scope } from '../operation.ts'
import { checkMember, findOrganization } from '../organizations/scopes.ts'

/**
 * Purpose of a request about policies. For each purpose, the caller needs at least one of the
 * permissions in `rights`.
 */
type Purpose = 'read' | 'manage'

const rights: Readonly<Record<Purpose, readonly PlatformRight[]>> = {
  read: ['manage-policies', 'manage-policy-overrides', 'read-workspaces'],
  manage: ['manage-policies'],
}

function checkPolicies({ world, caller }: Scope, organization: string, purpose: Purpose): void {
  checkMember(world, caller, organization)
  if (rights[purpose].some((right) => hasRight(world, caller, organization, right))) return
  const [right] = rights[purpose]
  throw refuse('not-found').withDetails({ organization, right })
}

/**
 * Returns a function that finds the organization in the path. The function throws 404 unless the
 * caller has a permission for the purpose, and 401 if the organization does not accept the caller's
 * kind of token.
 */
export function findPolicyOrganizationFor(purpose: Purpose): (scope: Scope) => Organization {
  return (scope) => {
    const organization = findOrganization(scope)
    checkPolicies(scope, organization.name, purpose)
    return organization
  }
}

/**
 * Returns a function that finds an object of an organization. The function throws 404 if `find`
 * returns undefined or the caller lacks a permission for the purpose, and 401 if the organization
 * does not accept the caller's kind of token.
 */
export function findPolicyItemFor<Item extends { readonly organization: string }>(
  purpose: Purpose,
  find: (scope: Scope) => Item | undefined,
): (scope: Scope) => Item {
  return (scope) => {
    const item = requireFound(find(scope))
    checkPolicies(scope, item.organization, purpose)
    return item
  }
}
