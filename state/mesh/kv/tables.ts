import {
  int,
  list,
  name,
  nullable,
  text,
  textOf,
  uint,
  union,
  word,
} from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import { meshName } from '../indexes.ts'
import { namespaceKey } from '../namespaces/namespaces.ts'

const keyShape = struct({
  /** The namespace's name as `namespaceKey` returns it. */
  namespace: text,
  key: name,
  /** Base64-encoded bytes. */
  value: text,
  /** A string if a number would lose precision. */
  flags: union(uint, textOf({ pattern: '^[0-9]+$' })),
  /** Number of times the key was locked, reset by plain writes; omitted for 0. */
  lock_index: optional(uint),
  /** The session that holds the lock; omitted if there is none. */
  session: optional(name),
  create_index: uint,
  modify_index: uint,
})

/** A key with its value (behaviour/mesh#kv). */
export interface KeyEntry extends StoredOf<typeof keyShape> {}

/**
 * Keys by namespace and key: `team-1/app/db`. The index `bySession` uses `<session>/<row key>` and
 * contains only locked keys.
 */
export const keyEntries = defineTable({
  service: meshName,
  name: 'keys',
  secrets: { members: ['value'] },
  shape: keyShape,
  indexes: {
    bySession: ({ session }, place) => (session === undefined ? undefined : `${session}/${place}`),
  },
})

/** Indexes of the deletions of keys that no longer exist, by row key. Rows are kept forever. */
export const keyDeletions = defineTable({
  service: meshName,
  name: 'key-deletions',
  secrets: 'none',
  shape: struct({ index: uint }),
})

const sessionShape = struct({
  id: name,
  name: text,
  /** The node of the session, as its creator named it. */
  node: text,
  /** Time for which the session's keys cannot be locked after it ends, in nanoseconds. */
  lock_delay: int,
  /** Effect of the session's end on its keys. */
  behavior: word('release', 'delete'),
  /** The Go duration that was sent; empty for a session that never expires. */
  ttl: text,
  /** Null if the list was sent as null. */
  node_checks: nullable(list(text)),
  /** Checks of the older member, if it has others than the default. */
  checks: optional(list(text)),
  /** Empty if an empty list was sent. No service has checks that a session could name. */
  service_checks: optional(list(text, { maxItems: 0 })),
  create_index: uint,
  modify_index: uint,
  /** The namespace's name as `namespaceKey` returns it. */
  namespace: text,
})

/** A session, which can hold locks on keys (behaviour/mesh#server, 3). */
export interface MeshSession extends StoredOf<typeof sessionShape> {}

/** Sessions by namespace and ID: `team-1/<uuid>`. */
export const meshSessions = defineTable({
  service: meshName,
  name: 'sessions',
  secrets: 'none',
  shape: sessionShape,
})

/** Returns the row key of a key or of a prefix of keys. */
export function rowKeyOf(namespace: string, key: string): string {
  return `${namespaceKey(namespace)}/${key}`
}
