import { MILLISECOND, parseDuration } from '../../go/duration.ts'
import { bool, int, list, nullable, tagged, text, word } from '../../kernel/shape/kinds.ts'
import { described, optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { isSealed } from '../seal/seal.ts'

/** A cluster's part in one kind of replication; `unknown` while sealed. */
export type ReplicationMode = 'disabled' | 'primary' | 'secondary' | 'bootstrapping' | 'unknown'

/** Both kinds of replication. */
interface ReplicationModes {
  readonly performance: ReplicationMode
  readonly dr: ReplicationMode
}

/** A cluster that others follow (behaviour/secrets#api-replication). */
const primaryShape = struct({
  mode: word('primary'),
  /** Names the set of clusters; a demoted or promoted cluster keeps it. */
  cluster_id: text,
  /** The address that secondaries are told, as given; empty for the one derived from the API's. */
  primary_cluster_addr: text,
})
interface PrimaryRow extends StoredOf<typeof primaryShape> {}

/** Describes how a secondary reaches the primary that it follows. */
const linkShape = struct({
  api_address: text,
  cluster_address: text,
  /** The credential by which the primary knows the secondary. */
  credential: text,
  /** PEM certificates to trust instead of the roots; empty for those. */
  ca: list(text),
})
export interface PrimaryLink extends StoredOf<typeof linkShape> {}

/** The progress of a secondary with what its primary sends (behaviour/secrets#replication). */
const syncState = word('idle', 'merkle-diff', 'merkle-sync', 'stream-wals')
export type SyncState = StoredOf<typeof syncState>

/** A cluster that follows another (behaviour/secrets#api-replication). */
const secondaryShape = struct({
  mode: word('secondary'),
  cluster_id: text,
  /** The name that the primary's operator gave; empty without a primary. */
  secondary_id: text,
  node_id: text,
  /** Where this cluster was reached when it became a secondary. */
  api_address: text,
  /** Null after a demotion or once the knowledge of it was cleared. */
  primary: nullable(linkShape),
  state: syncState,
  /** The primary's last commit that this cluster has; null while it has no whole snapshot. */
  position: nullable(int),
  /** The primary's `last_wal` at that position. */
  last_remote_wal: int,
  /** True from `secondary/enable` until the first copy of the primary has come whole. */
  copying: optional(bool),
})
export interface SecondaryRow extends StoredOf<typeof secondaryShape> {}

/** A cluster's part in DR replication; one that has none has no row. */
export type ReplicationRow = PrimaryRow | SecondaryRow

/** The cluster's one part in DR replication, under `dr`. */
export const replications = defineTable({
  service: 'secrets',
  name: 'replication',
  local: true,
  shape: tagged('mode', primaryShape, secondaryShape),
})

/** The key of the one row. */
export const drReplication = 'dr'

/** The cluster's part in DR replication, sealed or not; undefined when it has none. */
export function replicationRow(world: World): ReplicationRow | undefined {
  return world.table(replications).get(drReplication)
}

/** Changes some facts of a secondary; nothing when the cluster is none. */
export function changeSecondary(world: World, change: Partial<SecondaryRow>): void {
  const row = replicationRow(world)
  if (row?.mode !== 'secondary') return
  world.write(() => world.table(replications).put(drReplication, { ...row, ...change }))
}

/** Tells whether the cluster follows another: then hardly any path answers. */
export function isDrSecondary(world: World): boolean {
  return replicationRow(world)?.mode === 'secondary'
}

/** The cluster's replication modes as health tells them (behaviour/secrets#health). */
export function replicationModes(world: World): ReplicationModes {
  if (isSealed(world)) return { performance: 'unknown', dr: 'unknown' }
  return { performance: 'disabled', dr: replicationRow(world)?.mode ?? 'disabled' }
}

/** Until when the service is away after a change of its part in replication, under `pause`. */
export const replicationPauses = defineTable({
  service: 'secrets',
  name: 'replication-pause',
  local: true,
  shape: struct({
    until: described(int, 'Milliseconds since 1970'),
  }),
})

const pauseKey = 'pause'

/** The option's default. */
const noPause = '0s'

/**
 * Begins the brief period in which the service is away, for as long as the option
 * `replicationPause` says: not at all by default (behaviour/secrets#replication).
 */
export function beginPause(world: World): void {
  const length = parseDuration(optionsOf(world).replicationPause) / MILLISECOND
  if (length <= 0) return
  const until = world.clock.now() + Math.ceil(length)
  world.write(() => world.table(replicationPauses).put(pauseKey, { until }))
}

/** Tells whether the service is away now. */
export function isPaused(world: World, options = optionsOf(world)): boolean {
  // Asked for each request: nearly all worlds have no pauses.
  if (options.replicationPause === noPause) return false
  const pause = world.table(replicationPauses).get(pauseKey)
  return pause !== undefined && world.clock.now() < pause.until
}
