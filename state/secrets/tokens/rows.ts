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
 * A client token (behaviour/secrets#tokens). Instants in milliseconds since 1970, TTLs and periods
 * in seconds.
 */
const tokenShape = struct({
  /** The text that the client sends; inside a namespace it ends in `.<namespace id>`. */
  id: name,
  /** Empty for batch tokens. */
  accessor: text,
  type: word('service', 'batch'),
  /** Namespace id. */
  namespace: text,
  /** The path of the namespace. The paths of policies are relative to it. */
  namespace_path: text,
  /** Id of the parent token; null for orphans. */
  parent: nullable(text),
  /**
   * Policy names in lower case, sorted, without duplicates. If `root` is one of them, it is the
   * only one.
   */
  policies: list(text),
  meta: nullable(map(text)),
  display_name: text,
  /** The path within the namespace at which the token was created: `auth/token/create`. */
  path: text,
  /** The token role with which the token was created; empty if there was none. */
  role: text,
  /** Number of uses that are left; 0 means unlimited, -1 means that the last use is in progress. */
  num_uses: intOf({ minimum: -1 }),
  renewable: bool,
  creation_time: int,
  creation_ttl: uint,
  /** The TTL that was granted last. A renewal without an increment grants it again. */
  ttl: uint,
  /**
   * A maximum that the login method sets and that applies if it is lower than the mount's; 0 if
   * unset.
   */
  max_ttl: uint,
  explicit_max_ttl: uint,
  period: uint,
  /** Expiry in milliseconds since 1970; null if the token never expires. */
  expire_time: nullable(int),
  last_renewal: nullable(int),
  entity_id: text,
  bound_cidrs: list(text),
  /**
   * Group names that the login method reported. Renewals update the group memberships with these
   * names.
   */
  login_groups: optional(list(text)),
  /**
   * The client, provider and scopes of an access token of OIDC, which opens the user information
   * alone.
   */
  oidc_access: optional(struct({ client_id: text, provider: text, scopes: list(text) })),
})
export interface Token extends StoredOf<typeof tokenShape> {}

/**
 * Tokens by id. Indexes: `byAccessor` by `accessorKey`; `byParent` by `childrenPrefix` of the
 * parent plus the token's id; `byLease`, for tokens with a lease, by `tokenLeaseKey`.
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
 * Returns the key of an accessor, `<namespace id>/<accessor>`. The accessors of one namespace thus
 * form a range of keys.
 */
function accessorKey(accessor: string): string {
  const period = accessor.indexOf('.')
  // The part of an accessor after the period is its namespace's id.
  return `${period < 0 ? 'root' : accessor.slice(period + 1)}/${accessor}`
}

/** Returns the common prefix of the keys of a token's children. */
export function childrenPrefix(id: string): string {
  // Ids chosen by callers may contain slashes.
  return `${id.replaceAll('~', '~0').replaceAll('/', '~1')}/`
}

/** Returns the key of an expiring token's lease: its path, `/h` and a hash that hides the id. */
export function tokenLeaseKey(token: Pick<Token, 'id' | 'namespace' | 'path'>): string {
  const hash = createHash('sha256').update(token.id).digest('hex')
  const suffix = token.namespace === 'root' ? '' : `.${token.namespace}`
  return `${token.namespace}/${token.path}/h${hash}${suffix}`
}

/**
 * The path of root tokens that were created by initialization or by generation, and not by another
 * token.
 */
export const rootTokenPath = 'auth/token/root'

/**
 * Returns whether a token has a lease: all tokens except root tokens from `rootTokenPath` that
 * never expire.
 */
export function isLeased({ expire_time, path }: Pick<Token, 'expire_time' | 'path'>): boolean {
  return expire_time !== null || path !== rootTokenPath
}

/**
 * Returns a name of a token that contains no slash, for the keys of rows that belong to the token.
 */
export function holderOf(token: Pick<Token, 'accessor' | 'id'>): string {
  // Ids of service tokens may be chosen and contain slashes; accessors and batch tokens are base62.
  return token.accessor || token.id
}

/** Returns whether a token has expired. The agenda may not have removed an expired token yet. */
function isExpired(world: World, token: Token): boolean {
  return token.expire_time !== null && token.expire_time <= world.clock.now()
}

/**
 * Returns whether a token's namespace was deleted: batch tokens, which have no accessor, may
 * outlive it.
 */
function isNamespaceDeleted(world: World, token: Token): boolean {
  if (token.namespace === rootNamespace.id) return false
  return world.table(namespaces).get(token.namespace_path)?.id !== token.namespace
}

/**
 * Returns a token that exists and has not expired. A token counts as existing during its last use.
 */
export function findToken(world: World, id: string): Token | undefined {
  const token = world.table(tokens).get(id)
  if (token === undefined || isExpired(world, token) || isNamespaceDeleted(world, token))
    return undefined
  return token
}

/**
 * Returns whether a token can be used in a namespace, which must be its own or a namespace below
 * its own.
 */
export function isTokenValidIn(namespace: Namespace, token: Token): boolean {
  return namespace.path.startsWith(token.namespace_path)
}

/**
 * Returns whether a namespace can see a token. As in the reference, a namespace does not see tokens
 * of its ancestors and siblings.
 */
export function isTokenVisibleIn(namespace: Namespace, token: Token): boolean {
  return token.namespace_path.startsWith(namespace.path)
}

/** Returns the token with this accessor, if it exists and has not expired. */
export function findByAccessor(world: World, accessor: string): Token | undefined {
  const id = world.table(tokens).index('byAccessor').keyOf(accessorKey(accessor))
  return id === undefined ? undefined : findToken(world, id)
}

/** Returns the accessors of a namespace's tokens, sorted (behaviour/secrets#tokens). */
export function accessorsIn(world: World, namespace: InNamespace): string[] {
  const found: string[] = []
  for (const { id } of world.table(tokens).index('byAccessor').rows(`${namespace.id}/`)) {
    const live = findToken(world, id)
    if (live !== undefined) found.push(live.accessor)
  }
  return found
}
