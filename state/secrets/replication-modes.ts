import type { World } from '../kernel/world.ts'
import { isSealed } from './seal.ts'

/** A cluster's part in one kind of replication; `unknown` while sealed. */
export type ReplicationMode = 'disabled' | 'primary' | 'secondary' | 'bootstrapping' | 'unknown'

/** Both kinds of replication. */
export interface ReplicationModes {
  readonly performance: ReplicationMode
  readonly dr: ReplicationMode
}

/** The cluster's replication modes (1-secrets-decisions.md section 2). Nothing replicates yet. */
export function replicationModes(world: World): ReplicationModes {
  const mode = isSealed(world) ? 'unknown' : 'disabled'
  return { performance: mode, dr: mode }
}
