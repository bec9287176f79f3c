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
import { keyPart, nodeKey } from '../catalog/tables.ts'
import { meshTable } from '../indexes.ts'
import { namespaceKey } from '../namespaces/namespaces.ts'

const keyShape = struct({
  /** The namespace's name as `namespaceKey` returns it. */
  namespace: text,
  key: name,
  /** Base64-encoded bytes. */
  value: text,
  /** Flags; a string if a number would lose precision. */
  flags: union(uint, textOf({ pattern: '^[0-9]+$' })),
  /** Number of times that the key was locked since the last plain write. Left out if 0. */
  lock_index: optional(uint),
  /** The session that holds the lock; left out if the key is not locked. */
  session: optional(name),
  create_index: uint,
  modify_index: uint,
})

/** A key with its value and its lock (behaviour/mesh#kv). */
export interface KeyEntry extends StoredOf<typeof keyShape> {}

/**
 * Keys by namespace and key: `team-1/app/db`. The index `bySession` uses `<session>/<row key>` and
 * contains only locked keys.
 */
export const keyEntries = meshTable('keys', keyShape, {
  secrets: { members: ['value'] },
  indexes: {
    bySession: ({ session }, location) =>
      session === undefined ? undefined : `${session}/${location}`,
  },
})

/**
 * Indexes of deletions, by the row key of the deleted key. A row stays until the key is created
 * again or its namespace is removed.
 */
export const keyDeletions = meshTable('key-deletions', struct({ index: uint }), { secrets: 'none' })

export const sessionShape = struct({
  id: name,
  name: text,
  /** Name of the session's node as the request spells it. */
  node: text,
  /** Time for which the session's keys cannot be locked after its end, in nanoseconds. */
  lock_delay: int,
  /** Whether the end of the session releases or deletes its keys. */
  behavior: word('release', 'delete'),
  /** The Go duration that was sent; empty for a session that never expires. */
  ttl: text,
  /** Checks of the node; null if the request contained null. */
  node_checks: nullable(list(text)),
  /**
   * Checks in the older member `Checks`; left out if the request lacks this member, names
   * `serfHealth` alone, or has an empty `NodeChecks`.
   */
  checks: optional(list(text)),
  service_checks: optional(list(struct({ ID: text, Namespace: text }))),
  create_index: uint,
  modify_index: uint,
  /** The namespace's name as `namespaceKey` returns it. */
  namespace: text,
})

/** A session, which can lock keys (behaviour/mesh#sessions). */
export interface MeshSession extends StoredOf<typeof sessionShape> {}

/** Returns the names of the checks that a session depends on. */
export function checkNamesOf({
  checks = [],
  node_checks,
  service_checks = [],
}: Pick<MeshSession, 'checks' | 'node_checks' | 'service_checks'>): readonly string[] {
  return [...checks, ...(node_checks ?? []), ...service_checks.map(({ ID }) => ID)]
}

/**
 * Sessions by namespace and ID: `team-1/<uuid>`. The index `byCheck` lists each session under its
 * node with each of its checks, and under its node alone.
 */
export const meshSessions = meshTable('sessions', sessionShape, {
  secrets: 'none',
  indexes: {
    byCheck: (row, key) => {
      const names = new Set(['', ...checkNamesOf(row)])
      return [...names].map((each) => `${nodeKey(row.node)}/${keyPart(each)}/${key}`)
    },
  },
})

/** Returns the row key of a key or session, or the prefix of row keys for a prefix of keys. */
export function rowKeyOf(namespace: string, key: string): string {
  return `${namespaceKey(namespace)}/${key}`
}
