import { MILLISECOND, parseDuration } from '../../go/duration.ts'
import { bool, int, list, nullable, tagged, text, word } from '../../kernel/shape/kinds.ts'
import { described, optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { isSealed } from '../seal/seal.ts'
import { secretsTable } from '../table.ts'

/** Role of a cluster in one kind of replication, as the API returns it; `unknown` while sealed. */
export type ReplicationMode = 'disabled' | 'primary' | 'secondary' | 'bootstrapping' | 'unknown'

interface ReplicationModes {
  readonly performance: ReplicationMode
  readonly dr: ReplicationMode
}

/** Row of a primary cluster (behaviour/secrets#api-replication). */
const primaryShape = struct({
  mode: word('primary'),
  /** Id of the set of clusters. A cluster keeps this id when it is demoted or promoted. */
  cluster_id: text,
  /**
   * Address for secondaries, as the caller gave it. If the address is empty, the cluster derives
   * the address from that of its API.
   */
  primary_cluster_addr: text,
})
interface PrimaryRow extends StoredOf<typeof primaryShape> {}

/** Addresses, secret and certificates with which a secondary connects to its primary. */
const linkShape = struct({
  api_address: text,
  cluster_address: text,
  /** Secret that authenticates the secondary to the primary. */
  credential: text,
  /** Trusted certificates as PEM; if empty, the root certificates of the system are trusted. */
  ca: list(text),
})
export interface PrimaryLink extends StoredOf<typeof linkShape> {}

/**
 * Sync state of a secondary, from least to most complete (behaviour/secrets#replication-status).
 */
const syncState = word('idle', 'merkle-diff', 'merkle-sync', 'stream-wals')
export type SyncState = StoredOf<typeof syncState>

/** Row of a secondary cluster (behaviour/secrets#api-replication). */
const secondaryShape = struct({
  mode: word('secondary'),
  cluster_id: text,
  /** Name that the operator of the primary gave this cluster; empty without a primary. */
  secondary_id: text,
  node_id: text,
  /** Address of this cluster's API at the time when the cluster became a secondary. */
  api_address: text,
  /** Null after a demotion, and after the primary was cleared. */
  primary: nullable(linkShape),
  state: syncState,
  /**
   * Sequence number of the last commit of the primary that this cluster has; null before the first
   * complete snapshot, and without a primary.
   */
  position: nullable(int),
  /** `last_wal` of the primary up to which its data have arrived; 0 without a primary. */
  last_remote_wal: int,
  /** True from `secondary/enable` until the first copy is complete. */
  copying: optional(bool),
})
export interface SecondaryRow extends StoredOf<typeof secondaryShape> {}

/** Role of this cluster in DR replication. While DR replication is disabled, there is no row. */
export type ReplicationRow = PrimaryRow | SecondaryRow

/** The role of the cluster in DR replication, in a single row under `dr`. */
export const replications = secretsTable(
  'replication',
  tagged('mode', primaryShape, secondaryShape),
  { secrets: { members: ['primary/credential'] }, local: true },
)

/** Key of the only row of `replications`. */
export const drReplication = 'dr'

/**
 * Returns the row of this cluster; undefined if DR replication is disabled. Unlike
 * `replicationModes`, also works while sealed.
 */
export function replicationRow(world: World): ReplicationRow | undefined {
  return world.table(replications).get(drReplication)
}

/** Changes members of a secondary's row. Does nothing on a cluster that is not a secondary. */
export function changeSecondary(world: World, change: Partial<SecondaryRow>): void {
  const row = replicationRow(world)
  if (row?.mode !== 'secondary') return
  world.write(() => world.table(replications).put(drReplication, { ...row, ...change }))
}

/** Returns whether the cluster is a DR secondary, on which most paths are disabled. */
export function isDrSecondary(world: World): boolean {
  return replicationRow(world)?.mode === 'secondary'
}

/** Returns the modes that the health endpoint reports (behaviour/secrets#health). */
export function replicationModes(world: World): ReplicationModes {
  if (isSealed(world)) return { performance: 'unknown', dr: 'unknown' }
  return { performance: 'disabled', dr: replicationRow(world)?.mode ?? 'disabled' }
}

/**
 * End of the period in which the service is unavailable after a change of the replication mode, in
 * a single row under `pause`.
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
 * Makes the service unavailable for the duration in the option `replicationPause`. By default, the
 * duration is 0 (behaviour/secrets#replication).
 */
export function beginPause(world: World): void {
  const length = parseDuration(optionsOf(world).replicationPause) / MILLISECOND
  if (length <= 0) return
  const until = world.clock.now() + Math.ceil(length)
  world.write(() => world.table(replicationPauses).put(pauseKey, { until }))
}

export function isPaused(world: World, options = optionsOf(world)): boolean {
  // Fast path, because every request calls this function and almost no world sets the option.
  if (options.replicationPause === noPause) return false
  const pause = world.table(replicationPauses).get(pauseKey)
  return pause !== undefined && world.clock.now() < pause.until
}
