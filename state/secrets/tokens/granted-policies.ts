import { quoteGo } from '../../go/text.ts'
import { unassignablePolicy } from '../policies/policies.ts'
import { sanitizePolicies } from './creation.ts'
import { matchesGlob } from './globs.ts'
import { refuse } from './messages.ts'
import type { TokenRole } from './roles.ts'
import type { Token } from './rows.ts'

interface PolicyGrantRequest {
  readonly parent: Token
  /** Whether the parent may grant policies that it does not have. */
  readonly callerHasSudo: boolean
  /** Whether the new token belongs to another namespace than its parent. */
  readonly isOtherNamespace: boolean
  readonly role: TokenRole | undefined
  readonly request: {
    readonly policies?: readonly string[] | undefined
    readonly no_default_policy?: boolean | undefined
  }
}

/**
 * Returns the policies of a new token (behaviour/secrets#tokens). If the request contains no
 * policies, the token gets the parent's policies. A parent with `sudo` can grant any policy, and
 * the token also gets `default`. Any other parent can grant only its own policies. In another
 * namespace, the token gets only the requested policies and `default`. The policy lists of a role
 * replace all the rules above. A request can exclude `default`.
 *
 * @throws Refusal `invalid` for policies that the parent does not have (`child policies must be
 *   subset of parent`), that the role forbids, or that no request may grant
 */
export function grantedPolicies(grant: PolicyGrantRequest): string[] {
  const { no_default_policy: withoutDefault = false } = grant.request
  const granted = grantByParent(grant, withoutDefault)
  const policies = withoutDefault ? granted.filter((name) => name !== 'default') : granted
  const name = unassignablePolicy(policies)
  if (name !== undefined) throw refuse('policy-not-assignable', { name })
  return policies
}

function grantByParent(
  { parent, callerHasSudo, isOtherNamespace, role, request }: PolicyGrantRequest,
  withoutDefault: boolean,
) {
  const requested = request.policies ?? []
  if (role !== undefined && hasLists(role)) {
    return grantByRole(parent, role, requested, withoutDefault || role.no_default_policy)
  }
  if (isOtherNamespace) return sanitizePolicies(requested, !withoutDefault)
  if (requested.length === 0) return sanitizePolicies(parent.policies, false)
  if (callerHasSudo) return sanitizePolicies(requested, !withoutDefault)
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
 * Returns the policies of a new token according to the policy lists of a role. If the request
 * contains no policies, the token gets `allowed_policies`, or the parent's policies if the role
 * allows nothing by name or glob. Adds `default` unless the role or the request excludes it.
 * @throws Refusal for policies that the role does not allow
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
  const addsDefault = !withoutDefault && !isDisallowed('default')
  const hasAllowList = role.allowed_policies.length + role.allowed_policies_glob.length > 0
  const defaultPolicies = hasAllowList ? role.allowed_policies : parent.policies
  const allowed = sanitizePolicies(defaultPolicies, addsDefault)
  const requestedPolicies = requested.length > 0 ? sanitizePolicies(requested, addsDefault) : []
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

/** Formats strings as Go's `%q` formats a list. */
function quoteList(names: readonly string[]): string {
  return `[${names.map(quoteGo).join(' ')}]`
}
