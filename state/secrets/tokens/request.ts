import { DurationError, parseDuration, toSeconds } from '../../go/duration.ts'
import { appendAll } from '../../kernel/lists.ts'
import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { aliasNamed } from '../identity/aliases.ts'
import { entityOfId } from '../identity/entities.ts'
import { entityForLogin } from '../logins/grants.ts'
import { mountOf } from '../mounts/mounts.ts'
import { tokenMountPath } from '../mounts/types.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { rootNamespace } from '../namespaces/namespaces.ts'
import { optionsOf } from '../options.ts'
import { hasSudo } from '../policies/acl.ts'
import { hasPolicy } from '../policies/policies.ts'
import { createToken } from './creation.ts'
import { matchesGlob } from './globs.ts'
import { grantedPolicies } from './granted-policies.ts'
import { message, refuse } from './messages.ts'
import { findRole, type TokenRole } from './roles.ts'
import { findToken, type Token, tokens } from './rows.ts'

/**
 * A request for a new token. TTLs and periods are strings, because the reference parses them after
 * all other checks and with its own error messages.
 */
interface TokenRequest {
  readonly id?: string | undefined
  readonly policies?: readonly string[] | undefined
  readonly meta?: Readonly<Record<string, string>> | undefined
  readonly no_parent?: boolean | undefined
  readonly no_default_policy?: boolean | undefined
  readonly renewable?: boolean | undefined
  readonly ttl?: string | undefined
  /** Old name of `ttl`. */
  readonly lease?: string | undefined
  readonly explicit_max_ttl?: string | undefined
  readonly display_name?: string | undefined
  readonly num_uses?: number | undefined
  readonly period?: string | undefined
  readonly type?: string | undefined
  /** Usually empty: the product's client sends this member in every request. */
  readonly entity_alias?: string | undefined
}

interface TokenRequestContext {
  readonly parent: Token
  readonly namespace: Namespace
  /** Path of the request within the namespace: `auth/token/create`. */
  readonly path: string
  readonly orphan: boolean
  readonly role?: string | undefined
}

export interface RequestedToken {
  readonly token: Token
  readonly warnings: readonly Message[]
}

/**
 * Creates a token at the request of a parent token, within the parent's limits
 * (behaviour/secrets#tokens). The checks run in the reference's order.
 *
 * @throws Refusal `invalid`, with the messages of the reference; `denied` for the alias of a
 *   disabled entity
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
  const callerHasSudo = hasSudo(world, parent, namespace.path + path)
  const isOtherNamespace = namespace.id !== parent.namespace
  if (isOtherNamespace) checkOtherNamespace(callerHasSudo, request)
  const type = requestedType(request, role)
  const numUses = request.num_uses ?? 0
  if (numUses < 0) throw refuse('uses-negative')
  const alias = request.entity_alias ?? ''
  if (alias !== '') checkEntityAlias(role, alias)
  if (request.id) checkIdChoice(namespace, callerHasSudo)
  const policies = grantedPolicies({ parent, callerHasSudo, isOtherNamespace, role, request })
  checkRootPolicy(parent, policies, type)
  const isOrphan = role === undefined ? wantsOrphan(request, callerHasSudo) || orphan : role.orphan
  const warnings: Message[] = []
  const ttls = requestedTtls(request, role, type, callerHasSudo, warnings)
  const neverExpires = policies[0] === 'root' && ttls.ttl + ttls.period + ttls.explicitMaxTtl === 0
  if (neverExpires && parent.ttl !== 0) throw refuse('root-outlives-root')
  const id = type === 'batch' ? '' : (request.id ?? '')
  if (id !== '') checkId(world, id)
  const { token, warnings: creationWarnings } = createToken(world, {
    policies,
    type,
    namespace,
    path: role?.path_suffix ? `${path}/${role.path_suffix}` : path,
    parent: isOrphan ? undefined : parent,
    displayName: displayName(request.display_name),
    meta: request.meta ?? null,
    numUses: type === 'batch' ? 0 : stricterOf(numUses, role?.num_uses ?? 0),
    renewable: (request.renewable ?? true) && (role?.renewable ?? true),
    entityId: alias === '' ? (isOrphan ? '' : parent.entity_id) : entityOf(world, namespace, alias),
    role: role?.name ?? '',
    boundCidrs: neverExpires ? [] : (role?.bound_cidrs ?? (isOrphan ? [] : parent.bound_cidrs)),
    ...ttls,
    ...(id === '' ? {} : { id }),
  })
  appendAll(warnings, creationWarnings)
  if (request.id) warnings.push(message('token-id-chosen'))
  for (const policy of policies) {
    if (!hasPolicy(world, namespace, policy)) warnings.push(message('policy-unknown', { policy }))
  }
  return { token, warnings }
}

function checkParent(parent: Token): void {
  // As in the reference, a request that consumes the last use of a token cannot create a child of
  // that token.
  if (parent.num_uses < 0) throw refuse('token-parent-gone')
  if (parent.type === 'batch') throw refuse('batch-token-has-no-children')
  if (parent.num_uses !== 0) throw refuse('restricted-token-has-no-children')
}

/**
 * Checks a request for a token in another namespace.
 * @throws Refusal if the caller lacks `sudo`, or if the request includes the policy `root`
 */
function checkOtherNamespace(callerHasSudo: boolean, request: TokenRequest): void {
  if (!callerHasSudo) throw refuse('foreign-token-needs-sudo')
  if (request.policies?.includes('root')) throw refuse('foreign-root')
}

function requestedType(
  { type: requested = '', explicit_max_ttl, num_uses, period }: TokenRequest,
  role: TokenRole | undefined,
): 'service' | 'batch' {
  const isTypeForced = role?.token_type === 'service' || role?.token_type === 'batch'
  const defaultType = role?.token_type === 'default-batch' ? 'batch' : 'service'
  const type = isTypeForced ? role.token_type : requested || defaultType
  if (type === 'service') return type
  if (type !== 'batch') throw refuse('token-type-unknown')
  if (isNonzeroDuration('explicit_max_ttl', explicit_max_ttl)) {
    throw refuse('batch-token-setting', { contradiction: 'explicit_max_ttl' })
  }
  if (num_uses) throw refuse('batch-token-setting', { contradiction: 'num_uses' })
  if (isNonzeroDuration('period', period)) {
    throw refuse('batch-token-setting', { contradiction: 'period' })
  }
  return type
}

/**
 * Returns whether a string is a duration other than 0.
 * @throws Refusal for a text that is not a duration
 */
function isNonzeroDuration(field: string, text = ''): boolean {
  try {
    return parseDuration(text) !== 0
  } catch (error) {
    if (error instanceof DurationError) throw refuse('batch-token-duration', { field })
    throw error
  }
}

function checkIdChoice(namespace: Namespace, callerHasSudo: boolean): void {
  if (!callerHasSudo) throw refuse('token-id-needs-sudo')
  if (namespace.id !== rootNamespace.id) throw refuse('token-id-in-namespace')
}

/** Prefix of tokens in old versions of the product and in the neutral dialect. */
const legacyPrefix = 's.'

function checkId(world: World, id: string): void {
  const { serviceTokenPrefix } = optionsOf(world)
  for (const prefix of [serviceTokenPrefix, legacyPrefix]) {
    if (id.startsWith(prefix)) throw refuse('token-id-prefix', { prefix })
  }
  if (id.includes('.')) throw refuse('token-id-period')
  if (findToken(world, id) !== undefined) throw refuse('token-id-taken')
}

function checkEntityAlias(role: TokenRole | undefined, alias: string): void {
  if (role === undefined) throw refuse('entity-alias-without-role')
  const allowed = role.allowed_entity_aliases ?? []
  if (!allowed.some((glob) => matchesGlob(glob, alias.toLowerCase()))) {
    throw refuse('entity-alias-unknown')
  }
}

/**
 * Returns the id of the entity to which an alias of the login method `token` belongs. Creates the
 * entity if it is missing. Returns an empty id if the method is not mounted.
 * @throws Refusal for a disabled entity
 */
function entityOf(world: World, namespace: Namespace, name: string): string {
  const mount = mountOf(world, namespace, tokenMountPath)
  if (mount === undefined) return ''
  const known = aliasNamed(world, mount.accessor, name)
  if (known !== undefined && entityOfId(world, known.canonical_id)?.disabled === true) {
    throw refuse('entity-alias-disabled')
  }
  return entityForLogin(world, { namespace, mount, name, metadata: null }).id
}

function checkRootPolicy(parent: Token, policies: readonly string[], type: 'service' | 'batch') {
  if (!policies.includes('root')) return
  if (!parent.policies.includes('root')) throw refuse('root-by-root-only')
  if (type === 'batch') throw refuse('batch-root')
}

function wantsOrphan({ no_parent = false }: TokenRequest, callerHasSudo: boolean): boolean {
  if (no_parent && !callerHasSudo) throw refuse('orphan-needs-sudo')
  return no_parent
}

/**
 * TTLs of a new token in seconds. The values in `requested` come from the request alone; the other
 * values also consider the role.
 */
interface TokenTtls {
  readonly ttl: number
  readonly period: number
  readonly explicitMaxTtl: number
  readonly requested: { readonly period: number; readonly explicitMaxTtl: number }
}

/**
 * Returns the TTLs of a new token. If both the request and the role limit a TTL, applies the
 * stricter limit and adds a warning to `warnings`. The role does not limit batch tokens.
 * @throws Refusal for a negative or unreadable TTL, and for a period without `sudo`
 */
function requestedTtls(
  request: TokenRequest,
  role: TokenRole | undefined,
  type: 'service' | 'batch',
  sudo: boolean,
  warnings: Message[],
): TokenTtls {
  const explicitMaxTtl = secondsOf(request.explicit_max_ttl, 'explicit-max-ttl-negative')
  const period = secondsOf(request.period, 'period-negative')
  if (period > 0 && !sudo) throw refuse('period-needs-sudo')
  const ttl = request.ttl
    ? secondsOf(request.ttl, 'ttl-negative')
    : secondsOf(request.lease, 'lease-negative')
  const requested = { period, explicitMaxTtl }
  if (role === undefined || type === 'batch') return { ttl, ...requested, requested }
  const stricterLimit = (what: string, requestedSeconds: number, roleSeconds: number): number => {
    const seconds = stricterOf(requestedSeconds, roleSeconds)
    if (requestedSeconds > 0 && roleSeconds > 0) {
      warnings.push(message('lesser-of-role-and-request', { what, least: seconds }))
    }
    return seconds
  }
  return {
    ttl,
    explicitMaxTtl: stricterLimit('Explicit max TTL', explicitMaxTtl, role.explicit_max_ttl),
    period: stricterLimit('Period', period, role.period),
    requested,
  }
}

/**
 * Parses a duration and rounds it down to seconds.
 *
 * @param negative rule of the refusal that is thrown for a negative duration
 * @throws Refusal for an unreadable and for a negative duration
 */
function secondsOf(text: string | undefined, negative: NegativeDuration): number {
  const length = parseDuration(text ?? '')
  if (length < 0) throw refuse(negative)
  return toSeconds(length)
}

type NegativeDuration =
  | 'explicit-max-ttl-negative'
  | 'period-negative'
  | 'ttl-negative'
  | 'lease-negative'

/** Returns the smaller limit; 0 means unlimited. */
function stricterOf(a: number, b: number): number {
  return a === 0 || b === 0 ? a || b : Math.min(a, b)
}

/**
 * Returns the display name of a new token: `token` or `token-<name>`. Characters of the name other
 * than letters, digits and hyphens become hyphens, and one hyphen at the end is dropped.
 */
function displayName(name = ''): string {
  if (name === '') return 'token'
  return `token-${name}`.replace(/[^a-zA-Z0-9-]/g, '-').replace(/-$/, '')
}
