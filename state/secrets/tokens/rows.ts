import { createHash } from 'node:crypto'
import { defineTable } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'
import { type Namespace, namespaces, rootNamespace } from '../namespaces/namespaces.ts'

/**
 * A client token (1-secrets-decisions.md section 3, Tokens). Instants in milliseconds since 1970,
 * TTLs and periods in seconds.
 */
export interface Token {
  /** What the client sends; inside a namespace it ends in `.<namespace id>`. */
  readonly id: string
  /** Empty for batch tokens. */
  readonly accessor: string
  readonly type: 'service' | 'batch'
  /** Namespace id. */
  readonly namespace: string
  /** The namespace's path: policies count from there. */
  readonly namespace_path: string
  /** The id of the parent token; null for orphans. */
  readonly parent: string | null
  /** Lower case, sorted, each once; only `root` when that is one of them. */
  readonly policies: readonly string[]
  readonly meta: Readonly<Record<string, string>> | null
  readonly display_name: string
  /** The path that made it, from the namespace: `auth/token/create`. */
  readonly path: string
  /** The token role that made it; empty without one. */
  readonly role: string
  /** Uses left; 0 is unlimited, -1 that the last use is under way. */
  readonly num_uses: number
  readonly renewable: boolean
  readonly creation_time: number
  readonly creation_ttl: number
  /** The TTL granted last; what a renewal grants that asks for none. */
  readonly ttl: number
  /** A lower maximum than the mount's, set by the login method; 0 for none. */
  readonly max_ttl: number
  readonly explicit_max_ttl: number
  readonly period: number
  /** Null: never. */
  readonly expire_time: number | null
  readonly last_renewal: number | null
  readonly entity_id: string
  readonly bound_cidrs: readonly string[]
}

const seconds = { type: 'integer', minimum: 0 } as const
const text = { type: 'string' } as const

/**
 * By id. Indexes: `byAccessor` by `accessorKey`; `byParent` by what `childrenPrefix` begins and the
 * id; `byLease`, those that have a lease, by `tokenLeaseKey`.
 */
export const tokens = defineTable<Token>()({
  service: 'secrets',
  name: 'tokens',
  indexes: {
    byAccessor: ({ accessor }) => (accessor === '' ? undefined : accessorKey(accessor)),
    byParent: ({ id, parent }) => (parent === null ? undefined : childrenPrefix(parent) + id),
    byLease: (token) =>
      token.type === 'service' && token.expire_time !== null ? tokenLeaseKey(token) : undefined,
  },
  schema: {
    type: 'object',
    required: [
      'id',
      'accessor',
      'type',
      'namespace',
      'namespace_path',
      'parent',
      'policies',
      'meta',
      'display_name',
      'path',
      'role',
      'num_uses',
      'renewable',
      'creation_time',
      'creation_ttl',
      'ttl',
      'max_ttl',
      'explicit_max_ttl',
      'period',
      'expire_time',
      'last_renewal',
      'entity_id',
      'bound_cidrs',
    ],
    additionalProperties: false,
    properties: {
      id: { type: 'string', minLength: 1 },
      accessor: text,
      type: { enum: ['service', 'batch'] },
      namespace: text,
      namespace_path: text,
      parent: { type: ['string', 'null'] },
      policies: { type: 'array', items: text },
      meta: { type: ['object', 'null'], additionalProperties: text },
      display_name: text,
      path: text,
      role: text,
      num_uses: { type: 'integer', minimum: -1 },
      renewable: { type: 'boolean' },
      creation_time: { type: 'integer' },
      creation_ttl: seconds,
      ttl: seconds,
      max_ttl: seconds,
      explicit_max_ttl: seconds,
      period: seconds,
      expire_time: { type: ['integer', 'null'] },
      last_renewal: { type: ['integer', 'null'] },
      entity_id: text,
      bound_cidrs: { type: 'array', items: text },
    },
  },
})

/** The key of an accessor: `<namespace id>/<accessor>`, so that a namespace's are one range. */
export function accessorKey(accessor: string): string {
  const period = accessor.indexOf('.')
  // What follows a period in an accessor is its namespace's id.
  return `${period < 0 ? 'root' : accessor.slice(period + 1)}/${accessor}`
}

/** What the keys of a token's children begin with. */
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

/** What stands for a token in keys of what belongs to it: text without a slash. */
export function holderOf(token: Pick<Token, 'accessor' | 'id'>): string {
  // Ids of service tokens may be chosen and hold slashes; accessors and batch tokens are base62.
  return token.accessor || token.id
}

/** Whether a token's time is over, though the agenda may not have come to it yet. */
function isExpired(world: World, token: Token): boolean {
  return token.expire_time !== null && token.expire_time <= world.clock.now()
}

/** Whether a token's namespace was deleted: batch tokens, which have no accessor, may outlast it. */
function isHomeless(world: World, token: Token): boolean {
  if (token.namespace === rootNamespace.id) return false
  return world.table(namespaces).get(token.namespace_path)?.id !== token.namespace
}

/** A token that exists and has not expired. One whose last use is under way counts. */
export function findToken(world: World, id: string): Token | undefined {
  const token = world.table(tokens).get(id)
  if (token === undefined || isExpired(world, token) || isHomeless(world, token)) return undefined
  return token
}

/** Whether a token is one for a namespace: its own, or one below. */
export function worksIn(namespace: Namespace, token: Token): boolean {
  return namespace.path.startsWith(token.namespace_path)
}

/**
 * Whether a namespace may know of a token: those of namespaces above and beside it do not exist there,
 * as in the reference.
 */
export function isKnownIn(namespace: Namespace, token: Token): boolean {
  return token.namespace_path.startsWith(namespace.path)
}

/** The token behind an accessor, if it exists and has not expired. */
export function findByAccessor(world: World, accessor: string): Token | undefined {
  const id = world.table(tokens).index('byAccessor').keyOf(accessorKey(accessor))
  return id === undefined ? undefined : findToken(world, id)
}

/** The accessors of a namespace's tokens, sorted (1-secrets-decisions.md section 3, Tokens). */
export function accessorsIn(world: World, namespace: { readonly id: string }): string[] {
  const found: string[] = []
  for (const { id } of world.table(tokens).index('byAccessor').rows(`${namespace.id}/`)) {
    const live = findToken(world, id)
    if (live !== undefined) found.push(live.accessor)
  }
  return found
}
