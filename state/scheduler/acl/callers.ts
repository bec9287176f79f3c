import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from '../messages.ts'
import { optionsOf } from '../options.ts'
import { Authorization, type UnlabelledAccess } from './authorization.ts'
import { RulesError } from './messages.ts'
import type { UnlabelledKey } from './rule-document.ts'
import type { Capability } from './rules.ts'
import { emptyRules, type Rules, readRules, variableGrantName } from './rules.ts'
import { type AclPolicy, type AclToken, aclPolicies, aclRoles } from './tables.ts'
import { findTokenBySecret, isExpired } from './token-bodies.ts'
import { badTokenRefusal, type TokenResolver } from './token-resolution.ts'

/** Access levels that an operation on a variable may need. */
export type VariableAccess = 'list' | 'read' | 'write' | 'destroy'

/** The caller of a request and the caller's rights. */
export interface SchedulerCaller {
  /**
   * AccessorID of the caller's token. The value is empty while ACLs are off, and `anonymous` for
   * callers without a token.
   */
  readonly accessorId: string
  /** True for management tokens, and for every caller while ACLs are off. */
  readonly isManagement: boolean
  /** The caller's token; undefined while ACLs are off and for callers without a token. */
  readonly token: AclToken | undefined
  /** Names of the caller's policies, including those that the token's roles add. */
  readonly policies: readonly string[]
  /** IDs of the token's roles. */
  readonly roles: readonly string[]
  /**
   * Returns true if the caller has a capability in a namespace. For the namespace `*`, a capability
   * in any namespace is enough.
   */
  may(namespace: string, capability: Capability): boolean
  mayInAnyNamespace(capability: Capability): boolean
  /**
   * Returns true if the caller has any capability in a namespace. For the namespace `*`, a
   * capability in any namespace is enough.
   */
  maySee(namespace: string): boolean
  /**
   * Returns true if a rule without a label (`node`, `agent` and so on) grants the caller this
   * access.
   */
  mayUse(rule: UnlabelledKey, access: UnlabelledAccess): boolean
  mayUsePool(name: string, access: 'read' | 'write' | 'delete'): boolean
  /**
   * Returns true if the caller may search node pools. A rule for any pool is enough, unless the
   * rule denies access.
   */
  maySearchPools(): boolean
  mayMount(volume: string, access: 'mount-readonly' | 'mount-readwrite'): boolean
  /**
   * Returns true if the caller may search the variables of a namespace. As in the reference, any
   * rule for variables is enough, even a `deny`, if the name of the rule's namespace begins with
   * `namespace`. For the namespace `*`, a rule for any namespace is enough.
   */
  maySearchVariables(namespace: string): boolean
  mayAccessVariable(namespace: string, path: string, access: VariableAccess): boolean
}

/** Rights of management tokens, and of every caller while ACLs are off. */
const unrestrictedRights = {
  isManagement: true,
  policies: [],
  roles: [],
  may: () => true,
  mayInAnyNamespace: () => true,
  maySee: () => true,
  mayUse: () => true,
  mayUsePool: () => true,
  maySearchPools: () => true,
  mayMount: () => true,
  maySearchVariables: () => true,
  mayAccessVariable: () => true,
} as const

const unrestrictedCaller: SchedulerCaller = {
  ...unrestrictedRights,
  accessorId: '',
  token: undefined,
}

/** AccessorID of callers without a token, and name of the policy that applies to these callers. */
export const anonymous = 'anonymous'

/**
 * Resolves the caller from a token (behaviour/scheduler#auth). While ACLs are off, every caller may
 * do everything, and tokens are ignored. The reads are not observed, so blocking queries do not
 * wait for changes of tokens and policies.
 *
 * @param secret undefined or empty if there is no token
 * @throws Refusal for an unknown, malformed or expired token: 403 if a server resolves the token,
 *   otherwise 403 or 500
 */
export function schedulerCaller(
  world: World,
  secret: string | undefined,
  resolver: TokenResolver = 'server',
): SchedulerCaller {
  if (!optionsOf(world).aclEnabled) return unrestrictedCaller
  return world.unobserved(() => callerFromToken(world, secret, resolver))
}

function callerFromToken(
  world: World,
  secret: string | undefined,
  resolver: TokenResolver,
): SchedulerCaller {
  const token = secret ? findTokenBySecret(world, secret) : undefined
  if (secret && (token === undefined || isExpired(world, token))) {
    throw badTokenRefusal(resolver, secret, token)
  }
  if (token?.Type === 'management') {
    return { accessorId: token.AccessorID, token, ...unrestrictedRights }
  }
  const roles = token?.Roles ?? []
  const policies = token === undefined ? [anonymous] : policyNamesOf(world, token, roles)
  return policyCaller(token, policies, roles, authorizationOf(world, policies))
}

function policyCaller(
  token: AclToken | undefined,
  policies: readonly string[],
  roles: readonly string[],
  authorization: Authorization,
): SchedulerCaller {
  const { namespaces, nodePools, hostVolumes, variables } = authorization
  return {
    isManagement: false,
    accessorId: token?.AccessorID ?? anonymous,
    token,
    policies,
    roles,
    may: (namespace, capability) =>
      (namespace === '*' && namespaces.grantsAnywhere(capability)) ||
      namespaces.of(namespace).has(capability),
    mayInAnyNamespace: (capability) => namespaces.grantsAnywhere(capability),
    maySee: (namespace) =>
      (namespace === '*' && namespaces.grantsAnything()) || namespaces.of(namespace).size > 0,
    mayUse: (rule, access) => authorization.allows(rule, access),
    mayUsePool: (name, access) => nodePools.of(name).has(access),
    maySearchPools: () => nodePools.hasRuleWithoutDeny(),
    mayMount: (volume, access) => hostVolumes.of(volume).has(access),
    maySearchVariables: (namespace) => variables.hasRuleFor(namespace === '*' ? '' : namespace),
    mayAccessVariable: (namespace, path, access) =>
      variables.of(variableGrantName(namespace, path)).has(access),
  }
}

/** Collects the policy names of a token and of its roles. Deleted roles add no policies. */
function policyNamesOf(world: World, { Policies }: AclToken, roles: readonly string[]) {
  if (roles.length === 0) return Policies ?? []
  const rolePolicies = roles.flatMap((id) => world.table(aclRoles).get(id)?.Policies ?? [])
  return [...new Set([...(Policies ?? []), ...rolePolicies.map(({ Name }) => Name)])]
}

/**
 * Combines the rights of several policies. For a single policy, the common case, the result is
 * cached until the policy changes.
 */
function authorizationOf(world: World, names: readonly string[]): Authorization {
  const policies = names.flatMap((name) => world.table(aclPolicies).get(name) ?? [])
  const [onlyPolicy, ...others] = policies
  if (onlyPolicy !== undefined && others.length === 0)
    return world.derived(onlyPolicy, policyAuthorization)
  return new Authorization(policies.map((policy) => world.derived(policy, parseStoredRules)))
}

function policyAuthorization(policy: AclPolicy): Authorization {
  return new Authorization([parseStoredRules(policy)])
}

/**
 * Parses the rules of a stored policy. Rules that cannot be parsed, which only imported state can
 * contain, grant nothing.
 */
function parseStoredRules({ Rules: text }: AclPolicy): Rules {
  try {
    return readRules(text)
  } catch (error) {
    if (!(error instanceof RulesError)) throw error
    return emptyRules
  }
}

/** Throws a refusal (403) unless the caller has a management token. */
export function requireManagement({ isManagement }: SchedulerCaller): void {
  if (!isManagement) throw refuse('permission-denied')
}

/** Throws a refusal (400) while ACLs are off. */
export function requireAcls(world: World): void {
  if (!optionsOf(world).aclEnabled) throw refuse('acls-disabled')
}
