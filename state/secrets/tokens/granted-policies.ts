import { quoteGo } from '../../go/text.ts'
import { responseWrapping } from '../policies/policies.ts'
import { sanitizePolicies } from './creation.ts'
import type { TokenRole } from './roles.ts'
import type { Token } from './rows.ts'
import { refuse } from './texts.ts'

/** The facts that decide which policies a new token gets. */
interface PolicyGrant {
  readonly parent: Token
  /** True when the parent may give away what it does not have. */
  readonly sudo: boolean
  /** True when the token is for another namespace than the parent's. */
  readonly foreign: boolean
  readonly role: TokenRole | undefined
  readonly request: {
    readonly policies?: readonly string[] | undefined
    readonly no_default_policy?: boolean | undefined
  }
}

/**
 * The policies of a new token (1-secrets-decisions.md section 3, Tokens): without any asked for the
 * parent's; parents with sudo give any and `default`, others a part of their own; a role with lists
 * of its own decides by those instead.
 *
 * @throws invalid `child policies must be subset of parent` and the role's refusals.
 */
export function grantedPolicies(grant: PolicyGrant): string[] {
  const { no_default_policy = false } = grant.request
  const without = no_default_policy || grant.role?.no_default_policy === true
  const granted = ownGrant(grant, without)
  const policies = without ? granted.filter((name) => name !== 'default') : granted
  if (policies.includes(responseWrapping)) {
    throw refuse('policy-not-assignable', { responseWrapping })
  }
  return policies
}

function ownGrant({ parent, sudo, foreign, role, request }: PolicyGrant, without: boolean) {
  const asked = request.policies ?? []
  if (role !== undefined && hasLists(role)) return roleGrant(parent, role, asked, without)
  if (foreign) return sanitizePolicies(asked, !without)
  if (asked.length === 0) return sanitizePolicies(parent.policies, false)
  if (sudo) return sanitizePolicies(asked, !without)
  const policies = sanitizePolicies(asked, false)
  if (!policies.every((name) => parent.policies.includes(name))) {
    throw refuse('policies-beyond-parent')
  }
  return sanitizePolicies(policies, !without && parent.policies.includes('default'))
}

function hasLists(role: TokenRole): boolean {
  return [
    role.allowed_policies,
    role.allowed_policies_glob,
    role.disallowed_policies,
    role.disallowed_policies_glob,
  ].some((list) => list.length > 0)
}

/** A role's lists stand in for the parent's policies; `default` belongs to them unless disallowed. */
function roleGrant(
  parent: Token,
  role: TokenRole,
  asked: readonly string[],
  without: boolean,
): string[] {
  const isDisallowed = (name: string) =>
    role.disallowed_policies.includes(name) ||
    role.disallowed_policies_glob.some((glob) => matchesGlob(glob, name))
  const addDefault = !without && !isDisallowed('default')
  const allowed =
    role.allowed_policies.length > 0 ? sanitizePolicies(role.allowed_policies, addDefault) : []
  const restricted = allowed.length > 0 || role.allowed_policies_glob.length > 0
  let policies = asked.length > 0 ? sanitizePolicies(asked, addDefault) : []
  if (policies.length === 0) {
    policies = allowed.length > 0 ? allowed : sanitizePolicies(parent.policies, addDefault)
  }
  const isAllowed = (name: string) =>
    allowed.includes(name) ||
    (addDefault && name === 'default') ||
    role.allowed_policies_glob.some((glob) => matchesGlob(glob, name))
  if (restricted && !policies.every(isAllowed)) {
    throw refuse('policies-beyond-role', {
      policies: listed(policies),
      allowed: listed(allowed),
      globs: listed(role.allowed_policies_glob),
    })
  }
  for (const name of policies) {
    if (isDisallowed(name)) throw refuse('policy-disallowed-by-role', { name })
  }
  return policies
}

/** A list of texts as Go's `%q` prints it. */
function listed(names: readonly string[]): string {
  return `[${names.map(quoteGo).join(' ')}]`
}

/** Matches a name with any number of `*`, each standing for any text. */
function matchesGlob(glob: string, name: string): boolean {
  const [first = '', ...rest] = glob.split('*')
  const last = rest.pop()
  if (last === undefined) return name === glob
  if (!name.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return name.length - last.length >= at && name.endsWith(last)
}
