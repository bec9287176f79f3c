import { quoteGo } from '../../go/text.ts'
import { responseWrapping } from '../policies/policies.ts'
import { sanitizePolicies } from './creation.ts'
import { matchesGlob } from './globs.ts'
import { refuse } from './messages.ts'
import type { TokenRole } from './roles.ts'
import type { Token } from './rows.ts'

/** The facts that decide which policies a new token gets. */
interface PolicyGrantRequest {
  readonly parent: Token
  /** True when the parent may give away what it does not have. */
  readonly sudo: boolean
  /** True when the token is for another namespace than the parent's. */
  readonly isOtherNamespace: boolean
  readonly role: TokenRole | undefined
  readonly request: {
    readonly policies?: readonly string[] | undefined
    readonly no_default_policy?: boolean | undefined
  }
}

/**
 * The policies of a new token (behaviour/secrets#tokens): without any asked for the
 * parent's; parents with sudo give any and `default`, others a part of their own; a role with lists
 * of its own decides by those instead, one without has no say, not on `default` either.
 *
 * @throws invalid `child policies must be subset of parent` and the role's refusals.
 */
export function grantedPolicies(grant: PolicyGrantRequest): string[] {
  const { no_default_policy: withoutDefault = false } = grant.request
  const granted = grantByParent(grant, withoutDefault)
  const policies = withoutDefault ? granted.filter((name) => name !== 'default') : granted
  if (policies.includes(responseWrapping)) {
    throw refuse('policy-not-assignable', { responseWrapping })
  }
  return policies
}

function grantByParent(
  { parent, sudo, isOtherNamespace: foreign, role, request }: PolicyGrantRequest,
  withoutDefault: boolean,
) {
  const requested = request.policies ?? []
  if (role !== undefined && hasLists(role)) {
    return grantByRole(parent, role, requested, withoutDefault || role.no_default_policy)
  }
  if (foreign) return sanitizePolicies(requested, !withoutDefault)
  if (requested.length === 0) return sanitizePolicies(parent.policies, false)
  if (sudo) return sanitizePolicies(requested, !withoutDefault)
  const policies = sanitizePolicies(requested, false)
  if (!policies.every((name) => parent.policies.includes(name))) {
    throw refuse('policies-beyond-parent')
  }
  return sanitizePolicies(policies, !withoutDefault && parent.policies.includes('default'))
}

function hasLists(role: TokenRole): boolean {
  return [
    role.allowed_policies,
    role.allowed_policies_glob,
    role.disallowed_policies,
    role.disallowed_policies_glob,
  ].some((list) => list.length > 0)
}

/**
 * A role's lists stand in for the parent's policies; `default` belongs to them unless somebody says
 * no. With globs alone there is nothing that could be given unasked.
 */
function grantByRole(
  parent: Token,
  role: TokenRole,
  requested: readonly string[],
  withoutDefault: boolean,
): string[] {
  const isDisallowed = (name: string) =>
    role.disallowed_policies.includes(name) ||
    role.disallowed_policies_glob.some((glob) => matchesGlob(glob, name))
  const addDefault = !withoutDefault && !isDisallowed('default')
  const hasAllowList = role.allowed_policies.length + role.allowed_policies_glob.length > 0
  const defaultPolicies = hasAllowList ? role.allowed_policies : parent.policies
  const allowed = sanitizePolicies(defaultPolicies, addDefault)
  const requestedPolicies = requested.length > 0 ? sanitizePolicies(requested, addDefault) : []
  const policies = requestedPolicies.length > 0 ? requestedPolicies : allowed
  const isAllowed = (name: string) =>
    allowed.includes(name) || role.allowed_policies_glob.some((glob) => matchesGlob(glob, name))
  if (hasAllowList && !policies.every(isAllowed)) {
    throw refuse('policies-beyond-role', {
      policies: quoteList(policies),
      allowed: quoteList(allowed),
      globs: quoteList(role.allowed_policies_glob),
    })
  }
  for (const name of policies) {
    if (isDisallowed(name)) throw refuse('policy-disallowed-by-role', { name })
  }
  return policies
}

/** A list of texts as Go's `%q` prints it. */
function quoteList(names: readonly string[]): string {
  return `[${names.map(quoteGo).join(' ')}]`
}
