import type { World } from '../../kernel/world.ts'
import { optionsOf } from '../options.ts'
import { refuse } from '../texts.ts'
import { Authorization } from './authorization.ts'
import type { Capability } from './capabilities.ts'
import type { SingleKey } from './rule-document.ts'
import { noRules, type Rules, readRules, variableName } from './rules.ts'
import { type AclPolicy, type AclToken, aclPolicies, aclRoles } from './tables.ts'
import { RulesError } from './texts.ts'
import { tokenOfSecret } from './token-rows.ts'

/** What can be done with a variable. */
export type VariableAccess = 'list' | 'read' | 'write' | 'destroy'

/** Who calls. */
export interface SchedulerCaller {
  /** The AccessorID of the caller's token; empty with ACLs off, `anonymous` for callers without one. */
  readonly accessorId: string
  /** True when the caller may do everything; so with ACLs off. */
  readonly isManagement: boolean
  /** The caller's token; undefined with ACLs off and for callers without one. */
  readonly token: AclToken | undefined
  /** Names of the policies that the caller holds, by roles too. */
  readonly policies: readonly string[]
  /** IDs of the roles that the caller's token has. */
  readonly roles: readonly string[]
  /** Tells whether the caller has a capability in a namespace; in `*`: in some namespace. */
  may(namespace: string, capability: Capability): boolean
  /** Tells whether the caller has it in some namespace. */
  mayAny(capability: Capability): boolean
  /** Tells whether the caller may do anything at all in a namespace. */
  maySee(namespace: string): boolean
  /** Tells whether the caller may read or write nodes, agents and so on. */
  mayUse(what: SingleKey, access: 'read' | 'write'): boolean
  /** Tells whether the caller may do something with a node pool. */
  mayUsePool(name: string, access: 'read' | 'write' | 'delete'): boolean
  /** Tells whether there is any variable that the caller may list. */
  mayListVariables(): boolean
  /** Tells whether the caller may do something with a variable. */
  mayVariable(namespace: string, path: string, access: VariableAccess): boolean
}

/** Who may do everything. */
const everything = {
  isManagement: true,
  policies: [],
  roles: [],
  may: () => true,
  mayAny: () => true,
  maySee: () => true,
  mayUse: () => true,
  mayUsePool: () => true,
  mayListVariables: () => true,
  mayVariable: () => true,
} as const

const anybody: SchedulerCaller = { ...everything, accessorId: '', token: undefined }

/**
 * The name of a caller without a token, and of the policy that such a caller holds if it exists.
 */
export const anonymous = 'anonymous'

/**
 * The caller of a token (behaviour/scheduler#auth). With ACLs off everybody may do
 * everything and nobody looks at tokens. No observation notes the caller: who waits for data does not
 * wait for what happens to tokens and policies.
 *
 * @param secret undefined or empty for none
 * @throws Refusal 403 for an unknown, malformed or expired token
 */
export function schedulerCaller(world: World, secret: string | undefined): SchedulerCaller {
  if (!optionsOf(world).aclEnabled) return anybody
  return world.unobserved(() => callerWith(world, secret))
}

function callerWith(world: World, secret: string | undefined): SchedulerCaller {
  const token = secret ? tokenOfSecret(world, secret) : undefined
  if (secret && token === undefined) throw refuse('permission-denied')
  if (token?.Type === 'management') {
    return { accessorId: token.AccessorID, token, ...everything }
  }
  const roles = token?.Roles ?? []
  const policies = token === undefined ? [anonymous] : policiesOf(world, token, roles)
  return new PolicyCaller(token, policies, roles, authorizationOf(world, policies))
}

/** A caller who may do what policies grant. */
class PolicyCaller implements SchedulerCaller {
  readonly isManagement = false
  readonly accessorId: string
  readonly token: AclToken | undefined
  readonly policies: readonly string[]
  readonly roles: readonly string[]
  readonly #granted: Authorization

  constructor(
    token: AclToken | undefined,
    policies: readonly string[],
    roles: readonly string[],
    granted: Authorization,
  ) {
    this.accessorId = token?.AccessorID ?? anonymous
    this.token = token
    this.policies = policies
    this.roles = roles
    this.#granted = granted
  }

  may(namespace: string, capability: Capability): boolean {
    const { namespaces } = this.#granted
    if (namespace === '*' && namespaces.some(capability)) return true
    return namespaces.of(namespace).has(capability)
  }

  mayAny(capability: Capability): boolean {
    return this.#granted.namespaces.some(capability)
  }

  maySee(namespace: string): boolean {
    return this.#granted.namespaces.of(namespace).size > 0
  }

  mayUse(what: SingleKey, access: 'read' | 'write'): boolean {
    return this.#granted.allows(what, access)
  }

  mayUsePool(name: string, access: 'read' | 'write' | 'delete'): boolean {
    return this.#granted.nodePools.of(name).has(access)
  }

  mayListVariables(): boolean {
    return this.#granted.variables.some('list')
  }

  mayVariable(namespace: string, path: string, access: VariableAccess): boolean {
    return this.#granted.variables.of(variableName(namespace, path)).has(access)
  }
}

/** The policies of a token and of its roles; a role that is gone has none. */
function policiesOf(
  world: World,
  { Policies }: AclToken,
  roles: readonly string[],
): readonly string[] {
  if (roles.length === 0) return Policies ?? []
  const linked = roles.flatMap((id) => world.table(aclRoles).get(id)?.Policies ?? [])
  return [...new Set([...(Policies ?? []), ...linked.map(({ Name }) => Name)])]
}

/** What policies grant together. Most callers have one, of which it is kept while it stays as it is. */
function authorizationOf(world: World, names: readonly string[]): Authorization {
  const policies = names.flatMap((name) => world.table(aclPolicies).get(name) ?? [])
  const [only, ...others] = policies
  if (only !== undefined && others.length === 0) return world.derived(only, grantedBy)
  return new Authorization(policies.map((policy) => world.derived(policy, rulesOf)))
}

function grantedBy(policy: AclPolicy): Authorization {
  return new Authorization([rulesOf(policy)])
}

/** The rules of a stored policy; imported ones that cannot be read grant nothing. */
function rulesOf({ Rules: text }: AclPolicy): Rules {
  try {
    return readRules(text, false)
  } catch (error) {
    if (!(error instanceof RulesError)) throw error
    return noRules
  }
}

/** Refuses what only management tokens may do (403). */
export function requireManagement({ isManagement }: SchedulerCaller): void {
  if (!isManagement) throw refuse('permission-denied')
}

/** Refuses the endpoints of the ACL system while it is off (400). */
export function requireAcls(world: World): void {
  if (!optionsOf(world).aclEnabled) throw refuse('acls-disabled')
}
