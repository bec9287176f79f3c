import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { type ReplicationMode, replicationModes } from '../replication/modes.ts'
import { activeSince, isInitialized, nodeState } from './node-machine.ts'
import { clusterId, isSealed } from './seal.ts'

/** The conditions that decide health's status (behaviour/secrets#api-health). */
export type HealthCondition =
  | 'uninitialized'
  | 'sealed'
  | 'dr-secondary'
  | 'performance-standby'
  | 'standby'
  | 'active'

/** The body of `sys/health` (behaviour/secrets#api-health), the same whatever the status. */
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

/** Far enough off that no clock in a test passes it by accident (decided). */
export const license: License = {
  state: 'autoloaded',
  expiry_time: '2099-12-31T23:59:59Z',
  terminated: false,
}

/** The first condition that holds, in the order of behaviour/secrets#health. */
export function healthCondition(world: World): HealthCondition {
  const state = nodeState(world)
  if (state === 'uninitialized' || state === 'sealed') return state
  return replicationModes(world).dr === 'secondary' ? 'dr-secondary' : state
}

/** The node's health as told to anyone who asks. */
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
    // Sealed nodes count as standbys in the reference.
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
 * Position of the last write-ahead entry: how many commits the service has had. 0 where there is
 * none to tell: on a node that is not active, and in the community edition.
 */
export function lastWal(world: World): number {
  const told = activeSince(world) !== null && optionsOf(world).edition === 'enterprise'
  return told ? world.store.index('secrets') : 0
}
