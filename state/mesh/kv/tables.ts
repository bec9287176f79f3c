import { list, name, text, textOf, uint, union, word } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import { meshName } from '../indexes.ts'
import { namespaceKey } from '../namespaces/namespaces.ts'

const keyShape = struct({
  /** The namespace, as `namespaceKey` has it. */
  namespace: text,
  key: name,
  /** Base64. */
  value: text,
  /** A text where a number would not be exact. */
  flags: union(uint, textOf({ pattern: '^[0-9]+$' })),
  /** How often it was locked, while a plain write does not say 0; left out for 0. */
  lock_index: optional(uint),
  /** The session that holds it; left out while none does. */
  session: optional(name),
  create_index: uint,
  modify_index: uint,
})

/** One key with its value (behaviour/mesh#kv). */
export interface KeyEntry extends StoredOf<typeof keyShape> {}

/** By namespace and key: `team-1/app/db`. Under `bySession` by `<session>/<that>`, while held. */
export const keyEntries = defineTable({
  service: meshName,
  name: 'keys',
  shape: keyShape,
  indexes: {
    bySession: ({ session }, place) => (session === undefined ? undefined : `${session}/${place}`),
  },
})

/** The indexes of the deletions of keys that are not there, under the same keys; kept for good. */
export const keyDeletions = defineTable({
  service: meshName,
  name: 'key-deletions',
  shape: struct({ index: uint }),
})

const sessionShape = struct({
  id: name,
  name: text,
  /** The node that it lives on, as it was named. */
  node: text,
  /** For how long its keys cannot be locked after its end, in nanoseconds. */
  lock_delay: uint,
  /** What its end does to its keys. */
  behavior: word('release', 'delete'),
  /** A Go duration as it was sent; empty for a session that does not end by itself. */
  ttl: text,
  node_checks: list(text),
  create_index: uint,
  modify_index: uint,
  /** As `namespaceKey` has it. */
  namespace: text,
})

/** A session, which can hold keys (behaviour/mesh#server, 3). */
export interface MeshSession extends StoredOf<typeof sessionShape> {}

/** By namespace and ID: `team-1/<uuid>`. */
export const meshSessions = defineTable({
  service: meshName,
  name: 'sessions',
  shape: sessionShape,
})

/** Where a key, or whatever begins like it, stands in the tables. */
export function rowKeyOf(namespace: string, key: string): string {
  return `${namespaceKey(namespace)}/${key}`
}
