import { refuse, requireFound } from '../../../state/platform/messages.ts'
import type { Organization } from '../../../state/platform/organizations/organizations.ts'
import {
  managesVariableSets,
  readsVariableSets,
} from '../../../state/platform/variable-sets/rights.ts'
import {
  type VariableSet,
  variableSetWithId,
} from '../../../state/platform/variable-sets/variable-sets.ts'
import type { Scope } from '../operation.ts'
import { checkMember, findOrganization } from '../organizations/scopes.ts'

/**
 * Returns the organization in the path. Throws 404 unless the caller reads its variable sets, and
 * 401 if the organization does not accept the caller's kind of token.
 */
export function findOrganizationOfSets(scope: Scope): Organization {
  const organization = findOrganization(scope)
  if (!readsVariableSets(scope.world, scope.caller, organization.name)) throw refuse('not-found')
  return organization
}

/**
 * Returns the variable set in the path. Throws 404 unless the caller reads variable sets, and 401
 * if the organization does not accept the caller's kind of token.
 */
export function findVariableSet({ world, caller, params }: Scope): VariableSet {
  const set = requireFound(variableSetWithId(world, params['variable_set_id'] ?? ''))
  checkMember(world, caller, set.organization)
  if (!readsVariableSets(world, caller, set.organization)) throw refuse('not-found')
  return set
}

/**
 * Returns the variable set in the path. Throws 404 unless the caller may change the set, and 401 if
 * the organization does not accept the caller's kind of token.
 */
export function findManagedVariableSet(scope: Scope): VariableSet {
  const set = requireFound(variableSetWithId(scope.world, scope.params['variable_set_id'] ?? ''))
  checkMember(scope.world, scope.caller, set.organization)
  if (!managesVariableSets(scope.world, scope.caller, set)) throw refuse('not-found')
  return set
}
