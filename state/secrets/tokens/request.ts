import type { Refusal } from '../../kernel/refusal.ts'
import type { Said } from '../../kernel/wording.ts'
import type { World } from '../../kernel/world.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { rootNamespace } from '../namespaces/namespaces.ts'
import { optionsOf } from '../options.ts'
import { hasSudo } from '../policies/acl.ts'
import { hasPolicy } from '../policies/policies.ts'
import { createToken } from './creation.ts'
import { grantedPolicies } from './granted-policies.ts'
import { findRole, type TokenRole } from './roles.ts'
import { findToken, type Token, tokens } from './rows.ts'
import { refuse, say } from './texts.ts'

/** A caller's wishes for a new token. TTLs and periods in seconds. */
interface TokenRequest {
  readonly id?: string | undefined
  readonly policies?: readonly string[] | undefined
  readonly meta?: Readonly<Record<string, string>> | undefined
  readonly no_parent?: boolean | undefined
  readonly no_default_policy?: boolean | undefined
  readonly renewable?: boolean | undefined
  readonly ttl?: number | undefined
  /** The old name of `ttl`. */
  readonly lease?: number | undefined
  readonly explicit_max_ttl?: number | undefined
  readonly display_name?: string | undefined
  readonly num_uses?: number | undefined
  readonly period?: number | undefined
  readonly type?: string | undefined
  /** The official client always sends it, mostly empty. */
  readonly entity_alias?: string | undefined
}

/** Who asks, and by which of the paths `create`, `create-orphan` and `create/<role>`. */
interface TokenRequestContext {
  readonly parent: Token
  readonly namespace: Namespace
  /** From the namespace: `auth/token/create`. */
  readonly path: string
  readonly orphan: boolean
  readonly role?: string | undefined
}

/** The new token and warnings. */
export interface RequestedToken {
  readonly token: Token
  readonly warnings: readonly Said[]
}

/**
 * Makes a token for another token, within what that one may give away (1-secrets-decisions.md
 * section 3, POST auth/token/create). The order of checks is the reference's.
 *
 * @throws invalid with the reference's text for everything that is refused.
 */
export function requestToken(
  world: World,
  { parent: caller, namespace, path, orphan, role: roleName }: TokenRequestContext,
  request: TokenRequest,
): RequestedToken {
  const role = roleName === undefined ? undefined : findRole(world, namespace, roleName)
  if (roleName !== undefined && role === undefined) throw refuse('token-role-unknown', { roleName })
  const parent = world.table(tokens).get(caller.id) ?? caller
  checkParent(parent)
  const sudo = hasSudo(world, parent, namespace.path + path)
  const foreign = namespace.id !== parent.namespace
  if (foreign) checkForeign(sudo, request)
  const type = requestedType(request, role)
  const numUses = request.num_uses ?? 0
  if (numUses < 0) throw refuse('uses-negative')
  if (request.id !== undefined && request.id !== '') checkId(world, namespace, sudo, request.id)
  if (request.entity_alias) throw entityAliasRefused(role)
  const policies = grantedPolicies({ parent, sudo, foreign, role, request })
  checkRootPolicy(parent, policies, type)
  const noParent = role === undefined ? orphan || asksForOrphan(request, sudo) : role.orphan
  const warnings: Said[] = []
  const times = requestedTimes(request, role, type, sudo, warnings)
  const root = policies[0] === 'root'
  if (root && parent.ttl !== 0 && times.ttl + times.period + times.explicitMaxTtl === 0) {
    throw refuse('root-outlives-root')
  }
  const { token, warnings: cuts } = createToken(world, {
    ...times,
    ...(request.id ? { id: request.id } : {}),
    policies,
    type,
    namespace,
    path: role?.path_suffix ? `${path}/${role.path_suffix}` : path,
    parent: noParent ? undefined : parent,
    displayName: displayName(request.display_name),
    meta: request.meta ?? null,
    numUses: type === 'batch' ? 0 : numUses || (role?.num_uses ?? 0),
    renewable: (request.renewable ?? true) && (role?.renewable ?? true),
    entityId: noParent ? '' : parent.entity_id,
    role: role?.name ?? '',
    boundCidrs: role?.bound_cidrs ?? (noParent ? [] : parent.bound_cidrs),
  })
  warnings.push(...cuts)
  if (request.id) warnings.push(say('token-id-chosen'))
  for (const policy of policies) {
    if (!hasPolicy(world, namespace, policy)) warnings.push(say('policy-unknown', { policy }))
  }
  return { token, warnings }
}

function checkParent(parent: Token): void {
  if (parent.type === 'batch') throw refuse('batch-token-has-no-children')
  if (parent.num_uses !== 0) {
    throw refuse('restricted-token-has-no-children')
  }
}

/** A token for another namespace than the caller's own. */
function checkForeign(sudo: boolean, request: TokenRequest): void {
  if (!sudo) {
    throw refuse('foreign-token-needs-sudo')
  }
  if (request.policies?.includes('root')) {
    throw refuse('foreign-root')
  }
}

function requestedType(
  { type: asked = '', explicit_max_ttl, num_uses, period }: TokenRequest,
  role: TokenRole | undefined,
): 'service' | 'batch' {
  const forced = role?.token_type === 'service' || role?.token_type === 'batch'
  const fallback = role?.token_type === 'default-batch' ? 'batch' : 'service'
  const type = forced ? role.token_type : asked || fallback
  if (type === 'service') return type
  if (type !== 'batch') throw refuse('token-type-unknown')
  const contradiction = explicit_max_ttl
    ? 'explicit_max_ttl'
    : num_uses
      ? 'num_uses'
      : period
        ? 'period'
        : undefined
  if (contradiction === undefined) return type
  throw refuse('batch-token-setting', { contradiction })
}

function checkId(world: World, namespace: Namespace, sudo: boolean, id: string): void {
  const { serviceTokenPrefix } = optionsOf(world)
  if (!sudo) throw refuse('token-id-needs-sudo')
  if (namespace.id !== rootNamespace.id) {
    throw refuse('token-id-in-namespace')
  }
  if (id.startsWith(serviceTokenPrefix)) {
    throw refuse('token-id-prefix', { prefix: serviceTokenPrefix })
  }
  if (id.includes('.')) throw refuse('token-id-period')
  if (findToken(world, id) !== undefined) {
    throw refuse('token-id-taken')
  }
}

/** Roles allow no entity aliases here, because there are no entities. */
function entityAliasRefused(role: TokenRole | undefined): Refusal {
  return refuse(role === undefined ? 'entity-alias-without-role' : 'entity-alias-unknown')
}

function checkRootPolicy(
  parent: Token,
  policies: readonly string[],
  type: 'service' | 'batch',
): void {
  if (!policies.includes('root')) return
  if (!parent.policies.includes('root')) {
    throw refuse('root-by-root-only')
  }
  if (type === 'batch') throw refuse('batch-root')
}

function asksForOrphan({ no_parent = false }: TokenRequest, sudo: boolean): boolean {
  if (no_parent && !sudo) {
    throw refuse('orphan-needs-sudo')
  }
  return no_parent
}

interface Times {
  readonly ttl: number
  readonly period: number
  readonly explicitMaxTtl: number
}

/** Returns what is asked for, each the lesser of caller's and role's where both say something. */
function requestedTimes(
  request: TokenRequest,
  role: TokenRole | undefined,
  type: 'service' | 'batch',
  sudo: boolean,
  warnings: Said[],
): Times {
  const { explicit_max_ttl = 0, period = 0, ttl: asked, lease = 0 } = request
  if (explicit_max_ttl < 0) throw refuse('explicit-max-ttl-negative')
  if (period < 0) throw refuse('period-negative')
  if (period > 0 && !sudo) {
    throw refuse('period-needs-sudo')
  }
  if (asked !== undefined && asked < 0) throw refuse('ttl-negative')
  if (lease < 0) throw refuse('lease-negative')
  const ttl = asked ?? lease
  if (role === undefined || type === 'batch')
    return { ttl, period, explicitMaxTtl: explicit_max_ttl }
  const lesser = (what: string, own: number, roles: number): number => {
    if (own === 0 || roles === 0) return own || roles
    const least = Math.min(own, roles)
    warnings.push(say('lesser-of-role-and-request', { what, least }))
    return least
  }
  return {
    ttl,
    explicitMaxTtl: lesser('Explicit max TTL', explicit_max_ttl, role.explicit_max_ttl),
    period: lesser('Period', period, role.period),
  }
}

/** `token`, or `token-<name>` with everything but letters, digits and hyphens made hyphens. */
function displayName(name = ''): string {
  if (name === '') return 'token'
  return `token-${name}`.replace(/[^a-zA-Z0-9-]/g, '-').replace(/-$/, '')
}
