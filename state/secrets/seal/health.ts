import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { type ReplicationMode, replicationModes } from '../replication/modes.ts'
import { activeSince, isInitialized, nodeState } from './node-machine.ts'
import { clusterId, isSealed } from './seal.ts'

/**
 * The conditions that determine the status code of the health endpoint
 * (behaviour/secrets#api-health).
 */
export type HealthCondition =
  | 'uninitialized'
  | 'sealed'
  | 'dr-secondary'
  | 'performance-standby'
  | 'standby'
  | 'active'

/** Body of `sys/health` for every HTTP status (behaviour/secrets#api-health). */
export interface Health {
  readonly initialized: boolean
  readonly sealed: boolean
  readonly standby: boolean
  readonly performance_standby: boolean
  readonly replication_performance_mode: ReplicationMode
  readonly replication_dr_mode: ReplicationMode
  /** Seconds since 1970. */
  readonly server_time_utc: number
  readonly version: string
  readonly cluster_name?: string
  readonly cluster_id?: string
  readonly last_wal?: number
  readonly license?: License
}

interface License {
  readonly state: string
  readonly expiry_time: string
  readonly terminated: boolean
}

/**
 * License of an enterprise node. The expiry is so far in the future that no test reaches it by
 * accident.
 */
export const license: License = {
  state: 'autoloaded',
  expiry_time: '2099-12-31T23:59:59Z',
  terminated: false,
}

/** Returns the first condition that applies, in the order of behaviour/secrets#health. */
export function healthCondition(world: World): HealthCondition {
  const state = nodeState(world)
  if (state === 'uninitialized' || state === 'sealed') return state
  return replicationModes(world).dr === 'secondary' ? 'dr-secondary' : state
}

/** Returns the data of the health endpoint, which needs no token and also works while sealed. */
export function nodeHealth(world: World): Health {
  const { version, edition, clusterName } = optionsOf(world)
  const state = nodeState(world)
  const sealed = isSealed(world)
  const modes = replicationModes(world)
  const id = sealed ? undefined : clusterId(world)
  const wal = lastWal(world)
  return {
    initialized: isInitialized(world),
    sealed,
    // As in the reference, every node that is not active is a standby, even a sealed node.
    standby: state !== 'active',
    performance_standby: state === 'performance-standby',
    replication_performance_mode: modes.performance,
    replication_dr_mode: modes.dr,
    server_time_utc: Math.floor(world.clock.now() / 1000),
    version,
    ...(id === undefined ? {} : { cluster_name: clusterName, cluster_id: id }),
    ...(wal === 0 ? {} : { last_wal: wal }),
    ...(edition === 'enterprise' ? { license } : {}),
  }
}

/**
 * Returns the position of the last write-ahead entry: the commit index of the service. Returns 0 in
 * the community edition and on a node that is not active.
 */
export function lastWal(world: World): number {
  const isReported = activeSince(world) !== null && optionsOf(world).edition === 'enterprise'
  return isReported ? world.store.index('secrets') : 0
}
