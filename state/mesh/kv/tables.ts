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
  /** Name of the namespace in lower case, as `namespaceKey` returns it. */
  namespace: text,
  key: name,
  /** Base64-encoded bytes. */
  value: text,
  /**
   * Number that the client chooses; a string of digits if a JavaScript number would lose precision.
   */
  flags: union(uint, textOf({ pattern: '^[0-9]+$' })),
  /** Number of times that the key was locked since `putKey` last stored a value. Left out if 0. */
  lock_index: optional(uint),
  /** ID of the session that holds the lock; left out if the key is not locked. */
  session: optional(name),
  create_index: uint,
  modify_index: uint,
})

/** A key with its value and its lock (behaviour/mesh#kv). */
export interface KeyEntry extends StoredOf<typeof keyShape> {}

/**
 * Keys and their values, stored under `<namespace>/<key>`, for example `team-1/app/db`. The index
 * `bySession` contains only locked keys, under `<session>/<row key>`.
 */
export const keyEntries = meshTable('keys', keyShape, {
  secrets: { members: ['value'] },
  indexes: {
    bySession: ({ session }, location) =>
      session === undefined ? undefined : `${session}/${location}`,
  },
})

/**
 * For each deleted key, the index of its deletion, under the row key that the key had. A row stays
 * until the key is created again or its namespace is removed.
 */
export const keyDeletions = meshTable('key-deletions', struct({ index: uint }), { secrets: 'none' })

export const sessionShape = struct({
  id: name,
  name: text,
  /** Name of the session's node as the request spells it. */
  node: text,
  /** Time after the end of the session during which its keys cannot be locked, in nanoseconds. */
  lock_delay: int,
  /** Whether the end of the session releases or deletes its keys. */
  behavior: word('release', 'delete'),
  /**
   * TTL as a Go duration in the spelling of the request. If it is empty or zero, the session never
   * expires.
   */
  ttl: text,
  /** IDs of the node checks that the session depends on; null if the request contained null. */
  node_checks: nullable(list(text)),
  /**
   * Check IDs in the request's member `Checks`, which is older than `NodeChecks`. Left out if
   * `Checks` contains only `serfHealth`, or if `NodeChecks` is empty or null.
   */
  checks: optional(list(text)),
  service_checks: optional(list(struct({ ID: text, Namespace: text }))),
  create_index: uint,
  modify_index: uint,
  /** Name of the namespace in lower case, as `namespaceKey` returns it. */
  namespace: text,
})

/** A session, which can lock keys (behaviour/mesh#sessions). */
export interface MeshSession extends StoredOf<typeof sessionShape> {}

/** Returns the IDs of the checks that a session depends on. */
export function checkNamesOf({
  checks = [],
  node_checks,
  service_checks = [],
}: Pick<MeshSession, 'checks' | 'node_checks' | 'service_checks'>): readonly string[] {
  return [...checks, ...(node_checks ?? []), ...service_checks.map(({ ID }) => ID)]
}

/**
 * Sessions by namespace and ID: `team-1/<uuid>`. The index `byCheck` contains a session under
 * `<node>/<check>/<row key>` for each of its checks. Each session also has an entry with an empty
 * check, so that a session without checks is found by its node.
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

/**
 * Returns the row key of a key or session. For a prefix of keys, returns the prefix of their row
 * keys.
 */
export function rowKeyOf(namespace: string, key: string): string {
  return `${namespaceKey(namespace)}/${key}`
}
