import { MILLISECOND, parseDuration } from '../../go/duration.ts'
import { bool, int, list, nullable, tagged, text, word } from '../../kernel/shape/kinds.ts'
import { described, optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { isSealed } from '../seal/seal.ts'
import { secretsTable } from '../table.ts'

/** A cluster's role in one kind of replication; `unknown` while sealed. */
export type ReplicationMode = 'disabled' | 'primary' | 'secondary' | 'bootstrapping' | 'unknown'

/** The modes of both kinds of replication. */
interface ReplicationModes {
  readonly performance: ReplicationMode
  readonly dr: ReplicationMode
}

/** A primary cluster (behaviour/secrets#api-replication). */
const primaryShape = struct({
  mode: word('primary'),
  /** Id of the set of clusters. A cluster keeps it when it is demoted or promoted. */
  cluster_id: text,
  /**
   * The address that secondaries receive, as the caller gave it; if empty, it is derived from the
   * API's address.
   */
  primary_cluster_addr: text,
})
interface PrimaryRow extends StoredOf<typeof primaryShape> {}

/** The connection of a secondary to its primary. */
const linkShape = struct({
  api_address: text,
  cluster_address: text,
  /** The credential that identifies the secondary to the primary. */
  credential: text,
  /** Trusted certificates in PEM format; if empty, the system's root certificates are trusted. */
  ca: list(text),
})
export interface PrimaryLink extends StoredOf<typeof linkShape> {}

/** The sync state of a secondary (behaviour/secrets#replication). */
const syncState = word('idle', 'merkle-diff', 'merkle-sync', 'stream-wals')
export type SyncState = StoredOf<typeof syncState>

/** A secondary cluster (behaviour/secrets#api-replication). */
const secondaryShape = struct({
  mode: word('secondary'),
  cluster_id: text,
  /** The name that the operator of the primary gave this cluster; empty without a primary. */
  secondary_id: text,
  node_id: text,
  /** The address of this cluster's API when it became a secondary. */
  api_address: text,
  /** The connection to the primary; null after a demotion and after the primary was cleared. */
  primary: nullable(linkShape),
  state: syncState,
  /**
   * The last commit of the primary that this cluster has; null before the first complete snapshot.
   */
  position: nullable(int),
  /** The primary's `last_wal` at that position. */
  last_remote_wal: int,
  /** True from `secondary/enable` until the first copy of the primary is complete. */
  copying: optional(bool),
})
export interface SecondaryRow extends StoredOf<typeof secondaryShape> {}

/** A cluster's role in DR replication; no row exists while DR replication is disabled. */
export type ReplicationRow = PrimaryRow | SecondaryRow

/** The cluster's DR replication, in a single row under `dr`. */
export const replications = secretsTable(
  'replication',
  tagged('mode', primaryShape, secondaryShape),
  { secrets: { members: ['primary/credential'] }, local: true },
)

/** The key of the single row. */
export const drReplication = 'dr'

/**
 * Returns the cluster's role in DR replication, also while sealed; undefined if DR replication is
 * disabled.
 */
export function replicationRow(world: World): ReplicationRow | undefined {
  return world.table(replications).get(drReplication)
}

/** Changes members of a secondary's row. Does nothing on other clusters. */
export function changeSecondary(world: World, change: Partial<SecondaryRow>): void {
  const row = replicationRow(world)
  if (row?.mode !== 'secondary') return
  world.write(() => world.table(replications).put(drReplication, { ...row, ...change }))
}

/** Returns whether the cluster is a DR secondary, on which most paths are disabled. */
export function isDrSecondary(world: World): boolean {
  return replicationRow(world)?.mode === 'secondary'
}

/** Returns the replication modes for the health endpoint (behaviour/secrets#health). */
export function replicationModes(world: World): ReplicationModes {
  if (isSealed(world)) return { performance: 'unknown', dr: 'unknown' }
  return { performance: 'disabled', dr: replicationRow(world)?.mode ?? 'disabled' }
}

/**
 * The end of the pause that follows a change of the replication role, in a single row under
 * `pause`.
 */
export const replicationPauses = secretsTable(
  'replication-pause',
  struct({ until: described(int, 'Milliseconds since 1970') }),
  { secrets: 'none', local: true },
)

const pauseKey = 'pause'

/** Default of the option `replicationPause`. */
const noPause = '0s'

/**
 * Begins the pause during which the service is unavailable. The option `replicationPause` sets its
 * duration; by default there is no pause (behaviour/secrets#replication).
 */
export function beginPause(world: World): void {
  const length = parseDuration(optionsOf(world).replicationPause) / MILLISECOND
  if (length <= 0) return
  const until = world.clock.now() + Math.ceil(length)
  world.write(() => world.table(replicationPauses).put(pauseKey, { until }))
}

/** Returns whether the service is paused now. */
export function isPaused(world: World, options = optionsOf(world)): boolean {
  // Fast path: every request calls this function, and almost no world uses pauses.
  if (options.replicationPause === noPause) return false
  const pause = world.table(replicationPauses).get(pauseKey)
  return pause !== undefined && world.clock.now() < pause.until
}
