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
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Namespace, namespaces, rootNamespace } from '../namespaces/namespaces.ts'

/**
 * A client token (behaviour/secrets#tokens). Instants in milliseconds since 1970,
 * TTLs and periods in seconds.
 */
const tokenShape = struct({
  /** The text that the client sends; inside a namespace it ends in `.<namespace id>`. */
  id: name,
  /** Empty for batch tokens. */
  accessor: text,
  type: word('service', 'batch'),
  /** Namespace id. */
  namespace: text,
  /** The namespace's path: policies count from there. */
  namespace_path: text,
  /** The id of the parent token; null for orphans. */
  parent: nullable(text),
  /** Lower case, sorted, each once; only `root` when that is one of them. */
  policies: list(text),
  meta: nullable(map(text)),
  display_name: text,
  /** The path that made it, from the namespace: `auth/token/create`. */
  path: text,
  /** The token role that made it; empty without one. */
  role: text,
  /** Uses left; 0 is unlimited, -1 that the last use is under way. */
  num_uses: intOf({ minimum: -1 }),
  renewable: bool,
  creation_time: int,
  creation_ttl: uint,
  /** The TTL granted last; what a renewal grants that asks for none. */
  ttl: uint,
  /** A lower maximum than the mount's, set by the login method; 0 for none. */
  max_ttl: uint,
  explicit_max_ttl: uint,
  period: uint,
  /** Null: never. */
  expire_time: nullable(int),
  last_renewal: nullable(int),
  entity_id: text,
  bound_cidrs: list(text),
  /** Names of groups that the login said, where its method knows any; renewals follow them. */
  login_groups: optional(list(text)),
})
export interface Token extends StoredOf<typeof tokenShape> {}

/**
 * By id. Indexes: `byAccessor` by `accessorKey`; `byParent` by what `childrenPrefix` begins and the
 * id; `byLease`, those that have a lease, by `tokenLeaseKey`.
 */
export const tokens = defineTable({
  service: 'secrets',
  name: 'tokens',
  secretKeys: true,
  indexes: {
    byAccessor: ({ accessor }) => (accessor === '' ? undefined : accessorKey(accessor)),
    byParent: ({ id, parent }) => (parent === null ? undefined : childrenPrefix(parent) + id),
    byLease: (token) =>
      token.type === 'service' && token.expire_time !== null ? tokenLeaseKey(token) : undefined,
  },
  shape: tokenShape,
})

/** The key of an accessor: `<namespace id>/<accessor>`, so that a namespace's are one range. */
function accessorKey(accessor: string): string {
  const period = accessor.indexOf('.')
  // What follows a period in an accessor is its namespace's id.
  return `${period < 0 ? 'root' : accessor.slice(period + 1)}/${accessor}`
}

/** Returns what the keys of a token's children begin with. */
export function childrenPrefix(id: string): string {
  // Ids that callers chose may hold slashes.
  return `${id.replaceAll('~', '~0').replaceAll('/', '~1')}/`
}

/** The key of an expiring token's lease: its path, `/h` and a hash that does not give the id away. */
export function tokenLeaseKey(token: Pick<Token, 'id' | 'namespace' | 'path'>): string {
  const hash = createHash('sha256').update(token.id).digest('hex')
  const suffix = token.namespace === 'root' ? '' : `.${token.namespace}`
  return `${token.namespace}/${token.path}/h${hash}${suffix}`
}

/** The path of root tokens that initialising or generating made, not another token. */
export const rootTokenPath = 'auth/token/root'

/** Tells whether a token has a lease, as all have but those root tokens: an endless one, it may be. */
export function isLeased({ expire_time, path }: Pick<Token, 'expire_time' | 'path'>): boolean {
  return expire_time !== null || path !== rootTokenPath
}

/** Returns what stands for a token in keys of what belongs to it: text without a slash. */
export function holderOf(token: Pick<Token, 'accessor' | 'id'>): string {
  // Ids of service tokens may be chosen and hold slashes; accessors and batch tokens are base62.
  return token.accessor || token.id
}

/** Tells whether a token's time is over, though the agenda may not have come to it yet. */
function isExpired(world: World, token: Token): boolean {
  return token.expire_time !== null && token.expire_time <= world.clock.now()
}

/**
 * Tells whether a token's namespace was deleted: batch tokens, which have no accessor, may outlast
 * it.
 */
function isNamespaceDeleted(world: World, token: Token): boolean {
  if (token.namespace === rootNamespace.id) return false
  return world.table(namespaces).get(token.namespace_path)?.id !== token.namespace
}

/** A token that exists and has not expired. One whose last use is under way counts. */
export function findToken(world: World, id: string): Token | undefined {
  const token = world.table(tokens).get(id)
  if (token === undefined || isExpired(world, token) || isNamespaceDeleted(world, token))
    return undefined
  return token
}

/** Tells whether a token is one for a namespace: its own, or one below. */
export function isTokenValidIn(namespace: Namespace, token: Token): boolean {
  return namespace.path.startsWith(token.namespace_path)
}

/**
 * Tells whether a namespace may know of a token: those of namespaces above and beside it do not
 * exist there, as in the reference.
 */
export function isTokenVisibleIn(namespace: Namespace, token: Token): boolean {
  return token.namespace_path.startsWith(namespace.path)
}

/** The token behind an accessor, if it exists and has not expired. */
export function findByAccessor(world: World, accessor: string): Token | undefined {
  const id = world.table(tokens).index('byAccessor').keyOf(accessorKey(accessor))
  return id === undefined ? undefined : findToken(world, id)
}

/** The accessors of a namespace's tokens, sorted (behaviour/secrets#tokens). */
export function accessorsIn(world: World, namespace: { readonly id: string }): string[] {
  const found: string[] = []
  for (const { id } of world.table(tokens).index('byAccessor').rows(`${namespace.id}/`)) {
    const live = findToken(world, id)
    if (live !== undefined) found.push(live.accessor)
  }
  return found
}
