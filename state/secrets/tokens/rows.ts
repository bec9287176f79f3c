import { createHash } from 'node:crypto'
import {
  bool,
  int,
  intOf,
  list,
  map,
  name,
  nullable,
  text,
  uint,
  word,
} from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import {
  type InNamespace,
  type Namespace,
  namespaces,
  rootNamespace,
} from '../namespaces/namespaces.ts'
import { secretsTable } from '../table.ts'

/**
 * A client token (behaviour/secrets#tokens). Timestamps in milliseconds since 1970, TTLs and
 * periods in seconds.
 */
const tokenShape = struct({
  /**
   * String that clients send. Outside the root namespace, the string ends with `.<namespace id>`;
   * an encoded service token contains this suffix in its encoded part instead.
   */
  id: name,
  /** Empty for a batch token. */
  accessor: text,
  type: word('service', 'batch'),
  /** Namespace id. */
  namespace: text,
  /** Path of the namespace, to which paths in policies are relative. */
  namespace_path: text,
  /** Id of the parent token; null for orphans. */
  parent: nullable(text),
  /**
   * Policy names in lower case, sorted and without duplicates. `root` excludes all other policies.
   */
  policies: list(text),
  meta: nullable(map(text)),
  display_name: text,
  /** Path, within the namespace, of the request that created the token: `auth/token/create`. */
  path: text,
  /** Name of the token role with which the token was created; empty without a role. */
  role: text,
  /** Number of remaining uses; 0 means unlimited, -1 means that the last use is in progress. */
  num_uses: intOf({ minimum: -1 }),
  renewable: bool,
  creation_time: int,
  creation_ttl: uint,
  /** The TTL that was granted last, which renewals without an increment grant again. */
  ttl: uint,
  /** Maximum that the login method sets in addition to the mount's maximum; 0 if unset. */
  max_ttl: uint,
  explicit_max_ttl: uint,
  period: uint,
  /** Expiry in milliseconds since 1970; null if the token never expires. */
  expire_time: nullable(int),
  last_renewal: nullable(int),
  entity_id: text,
  bound_cidrs: list(text),
  /**
   * Group names that the login method reported. Renewals restore the memberships in these groups.
   */
  login_groups: optional(list(text)),
  /**
   * Client, provider and scopes of an OIDC access token, which can only read the user information.
   */
  oidc_access: optional(struct({ client_id: text, provider: text, scopes: list(text) })),
})
export interface Token extends StoredOf<typeof tokenShape> {}

/**
 * Tokens by id. The index `byAccessor` has the keys of `accessorKey`. The index `byParent` has the
 * prefix `childrenPrefix` of the parent, followed by the token's id. The index `byLease` has the
 * keys of `tokenLeaseKey`, and contains only service tokens that expire.
 */
export const tokens = secretsTable('tokens', tokenShape, {
  secrets: { key: true, members: ['id', 'parent'] },
  indexes: {
    byAccessor: ({ accessor }) => (accessor === '' ? undefined : accessorKey(accessor)),
    byParent: ({ id, parent }) => (parent === null ? undefined : childrenPrefix(parent) + id),
    byLease: (token) =>
      token.type === 'service' && token.expire_time !== null ? tokenLeaseKey(token) : undefined,
  },
})

/**
 * Returns the key of an accessor: `<namespace id>/<accessor>`. All accessors of a namespace share
 * the prefix, so they can be listed by it.
 */
function accessorKey(accessor: string): string {
  const period = accessor.indexOf('.')
  // Outside the root namespace, an accessor ends with a period and the namespace id.
  return `${period < 0 ? 'root' : accessor.slice(period + 1)}/${accessor}`
}

/** Returns the prefix of the keys of a token's children in `byParent`. */
export function childrenPrefix(id: string): string {
  // An id that a caller chose may contain slashes.
  return `${id.replaceAll('~', '~0').replaceAll('/', '~1')}/`
}

/**
 * Returns the key of an expiring token's lease. A hash hides the token's id, because lists of
 * leases show the key.
 */
export function tokenLeaseKey(token: Pick<Token, 'id' | 'namespace' | 'path'>): string {
  const hash = createHash('sha256').update(token.id).digest('hex')
  const suffix = token.namespace === 'root' ? '' : `.${token.namespace}`
  return `${token.namespace}/${token.path}/h${hash}${suffix}`
}

/**
 * Path of the root tokens that initialization and root token generation create. A root token that
 * another token created has another path.
 */
export const rootTokenPath = 'auth/token/root'

/**
 * Returns whether a token has a lease. Only root tokens of `rootTokenPath` that never expire have
 * no lease.
 */
export function isLeased({ expire_time, path }: Pick<Token, 'expire_time' | 'path'>): boolean {
  return expire_time !== null || path !== rootTokenPath
}

/**
 * Returns an identifier of a token without slashes, for the row keys of the token's leases and
 * cubbyhole.
 */
export function holderOf(token: Pick<Token, 'accessor' | 'id'>): string {
  // Callers can choose ids with slashes, but only for service tokens, which have an accessor.
  return token.accessor || token.id
}

/** Returns whether a token has expired, even if the agenda has not deleted it yet. */
function isExpired(world: World, token: Token): boolean {
  return token.expire_time !== null && token.expire_time <= world.clock.now()
}

/**
 * Returns whether the token's namespace no longer exists. Batch tokens can outlive their namespace,
 * because its deletion revokes only tokens with an accessor.
 */
function isNamespaceDeleted(world: World, token: Token): boolean {
  if (token.namespace === rootNamespace.id) return false
  return world.table(namespaces).get(token.namespace_path)?.id !== token.namespace
}

/**
 * Returns the token with an id. Returns undefined for an unknown or expired token, and for a token
 * of a deleted namespace. A token whose last use is in progress is still found.
 */
export function findToken(world: World, id: string): Token | undefined {
  const token = world.table(tokens).get(id)
  if (token === undefined || isExpired(world, token) || isNamespaceDeleted(world, token))
    return undefined
  return token
}

/**
 * Returns whether a token can be used in a namespace. A token is valid in its own namespace and in
 * namespaces below.
 */
export function isTokenValidIn(namespace: Namespace, token: Token): boolean {
  return namespace.path.startsWith(token.namespace_path)
}

/**
 * Returns whether lookups in a namespace find a token. As in the reference, lookups find the tokens
 * of the namespace itself and of namespaces below.
 */
export function isTokenVisibleIn(namespace: Namespace, token: Token): boolean {
  return token.namespace_path.startsWith(namespace.path)
}

/**
 * Returns the token with an accessor. Returns undefined for an unknown accessor, and for a token
 * that `findToken` does not find.
 */
export function findByAccessor(world: World, accessor: string): Token | undefined {
  const id = world.table(tokens).index('byAccessor').keyOf(accessorKey(accessor))
  return id === undefined ? undefined : findToken(world, id)
}

/** Returns the accessors of the valid tokens of a namespace, sorted. */
export function accessorsIn(world: World, namespace: InNamespace): string[] {
  const found: string[] = []
  for (const { id } of world.table(tokens).index('byAccessor').rows(`${namespace.id}/`)) {
    const live = findToken(world, id)
    if (live !== undefined) found.push(live.accessor)
  }
  return found
}
