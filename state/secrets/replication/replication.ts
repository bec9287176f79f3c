import { defineMachine } from '../../kernel/machine.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { seedSystemMount } from '../mounts/start-mounts.ts'
import { storeRekey } from '../rekey/rekey-machine.ts'
import { keyrings } from '../seal/keyring.ts'
import { nodes } from '../seal/node-machine.ts'
import { seals } from '../seal/seal.ts'
import { dropArrivals } from './arrivals.ts'
import { resumeJobs, suspendJobs } from './feed.ts'
import { refuse } from './messages.ts'
import {
  beginPause,
  drReplication,
  type PrimaryLink,
  type ReplicationRow,
  replicationRow,
  replications,
  type SecondaryRow,
} from './modes.ts'
import { dropOperationTokens } from './operation-tokens.ts'
import { primaryLinkId, removeAllSecondaries, restoreLink } from './secondaries.ts'

const spec = 'behaviour/secrets#api-replication'

/**
 * Transitions of the replication mode. An event that does not change the mode, such as
 * `issue-token`, only states the mode in which the request is allowed.
 */
const replicationModeMachine = defineMachine()({
  name: 'DR replication mode',
  states: ['disabled', 'primary', 'secondary'],
  moves: [
    { on: 'enable-primary', from: 'disabled', to: 'primary', spec },
    { on: 'demote', from: 'primary', to: 'secondary', spec },
    { on: 'disable-primary', from: 'primary', to: 'disabled', spec },
    { on: 'issue-token', from: 'primary', to: 'primary', spec },
    { on: 'revoke-secondary', from: 'primary', to: 'primary', spec },
    { on: 'enable-secondary', from: 'disabled', to: 'secondary', spec },
    { on: 'promote', from: 'secondary', to: 'primary', spec },
    { on: 'update-primary', from: 'secondary', to: 'secondary', spec },
    { on: 'disable-secondary', from: 'secondary', to: 'disabled', spec },
  ],
})

type ReplicationEvent = (typeof replicationModeMachine.moves)[number]['on']

/**
 * Throws an `invalid` refusal if the mode of the cluster does not allow the event
 * (behaviour/secrets#replication).
 */
export function checkReplicationMove(world: World, event: ReplicationEvent): void {
  const mode = replicationRow(world)?.mode ?? 'disabled'
  if (replicationModeMachine.allows(mode, event)) return
  const [move] = replicationModeMachine.moves.filter(({ on }) => on === event)
  throw move?.from === 'disabled'
    ? refuse('replication-enabled')
    : refuse('replication-not-enabled', { mode: String(move?.from) })
}

/** Data that a secondary receives from its primary when it joins. */
export interface ReplicationMembership {
  readonly cluster_id: string
  readonly secondary_id: string
  readonly primary: PrimaryLink
}

/** Data that a secondary sends to its primary when it joins. */
export interface SecondaryInfo {
  readonly node_id: string
  readonly api_address: string
}

/**
 * Makes a cluster the primary of a new set of clusters, which has no other member yet. Calls
 * `beginPause`. Throws an `invalid` refusal unless DR replication is disabled.
 */
export function enablePrimary(world: World, primaryClusterAddr: string): void {
  checkReplicationMove(world, 'enable-primary')
  world.write(() => {
    const cluster_id = world.ids.uuid()
    putReplicationRow(world, {
      mode: 'primary',
      cluster_id,
      primary_cluster_addr: primaryClusterAddr,
    })
    beginPause(world)
  })
}

/**
 * Demotes a primary to a secondary that has no primary. The cluster keeps its data and can later
 * rejoin its set. Removes all secondaries, suspends the pending jobs and calls `beginPause`. Also
 * cancels a rekey in progress, because only the primary replaces the shares of a secondary. Throws
 * an `invalid` refusal unless the cluster is a primary.
 */
export function demotePrimary(world: World, apiAddress: string): void {
  checkReplicationMove(world, 'demote')
  const row = replicationRow(world)
  world.write(() => {
    storeRekey(world, undefined)
    removeAllSecondaries(world)
    suspendJobs(world)
    putReplicationRow(world, {
      ...withoutPrimary,
      cluster_id: row?.cluster_id ?? '',
      node_id: world.ids.uuid(),
      api_address: apiAddress,
    })
    beginPause(world)
  })
}

/**
 * Disables replication on a primary. The set of clusters ends: its secondaries can no longer
 * connect. Calls `beginPause`. Throws an `invalid` refusal unless the cluster is a primary.
 */
export function disablePrimary(world: World): void {
  checkReplicationMove(world, 'disable-primary')
  world.write(() => {
    removeAllSecondaries(world)
    world.table(replications).delete(drReplication)
    beginPause(world)
  })
}

/**
 * Makes a cluster a secondary. Deletes all local data and pending jobs immediately; the first
 * snapshot of the primary replaces them. The local node, seal and keyring stay until then, because
 * an initialized cluster needs a key. Reseeds the ids and calls `beginPause`. Throws an `invalid`
 * refusal unless DR replication is disabled.
 */
export function becomeSecondary(
  world: World,
  secondaryInfo: SecondaryInfo,
  membership: ReplicationMembership,
): void {
  checkReplicationMove(world, 'enable-secondary')
  world.write(() => {
    wipeData(world)
    const startState = { state: 'merkle-diff', copying: true } as const
    putReplicationRow(world, { ...withoutPrimary, ...secondaryInfo, ...membership, ...startState })
    beginPause(world)
  })
  // Clusters that were started with the same seed would otherwise generate identical ids.
  world.ids.reseed([...world.ids.state, membership.primary.credential].join('/'))
}

/**
 * Replaces the primary of this secondary with another cluster of the set. The data stay; pending
 * arrivals are dropped. Restores a severed link and calls `beginPause`. Throws an `invalid` refusal
 * unless this cluster is a secondary.
 */
export function changePrimary(
  world: World,
  secondaryInfo: SecondaryInfo,
  membership: ReplicationMembership,
): void {
  checkReplicationMove(world, 'update-primary')
  world.write(() => {
    const row = secondaryOf(world)
    const { position, last_remote_wal, copying = false } = row
    const kept = { position, last_remote_wal, copying }
    dropArrivals(world)
    putReplicationRow(world, {
      ...withoutPrimary,
      ...secondaryInfo,
      ...membership,
      state: 'merkle-diff',
      ...kept,
    })
    restoreLink(world, primaryLinkId)
    beginPause(world)
  })
}

/** Throws an `invalid` refusal if a primary belongs to another set of clusters. */
export function checkSameCluster(world: World, clusterId: string): void {
  if (replicationRow(world)?.cluster_id !== clusterId) throw refuse('other-replication-cluster')
}

/**
 * Disconnects a secondary from its primary. The data stay; pending arrivals are dropped. Restores a
 * severed link and calls `beginPause`. Throws an `invalid` refusal unless the cluster is a
 * secondary.
 */
export function forgetPrimary(world: World): void {
  checkReplicationMove(world, 'update-primary')
  world.write(() => {
    const { cluster_id, node_id, api_address, copying = false } = secondaryOf(world)
    dropArrivals(world)
    putReplicationRow(world, { ...withoutPrimary, cluster_id, node_id, api_address, copying })
    restoreLink(world, primaryLinkId)
    beginPause(world)
  })
}

/**
 * Promotes a secondary to a primary without secondaries. The cluster takes over the pending jobs of
 * the old primary. Deletes operation tokens and pending arrivals, restores a severed link, and
 * calls `beginPause`. Throws an `invalid` refusal unless the cluster is a secondary.
 */
export function promoteSecondary(world: World, primaryClusterAddr: string): void {
  checkReplicationMove(world, 'promote')
  world.write(() => {
    const { cluster_id } = secondaryOf(world)
    dropOperationTokens(world)
    dropArrivals(world)
    putReplicationRow(world, {
      mode: 'primary',
      cluster_id,
      primary_cluster_addr: primaryClusterAddr,
    })
    restoreLink(world, primaryLinkId)
    resumeJobs(world)
    beginPause(world)
  })
}

/**
 * Disables replication on a secondary. The cluster keeps its data, runs the pending jobs of the
 * primary itself, and becomes independent. Deletes operation tokens and pending arrivals, restores
 * a severed link, and calls `beginPause`. Throws an `invalid` refusal unless the cluster is a
 * secondary.
 */
export function disableSecondary(world: World): void {
  checkReplicationMove(world, 'disable-secondary')
  world.write(() => {
    dropOperationTokens(world)
    dropArrivals(world)
    world.table(replications).delete(drReplication)
    restoreLink(world, primaryLinkId)
    resumeJobs(world)
    beginPause(world)
  })
}

/** Members of a secondary that has no primary (behaviour/secrets#replication). */
const withoutPrimary = {
  mode: 'secondary',
  secondary_id: '',
  primary: null,
  state: 'idle',
  position: null,
  last_remote_wal: 0,
} as const

function putReplicationRow(world: World, row: ReplicationRow): void {
  world.table(replications).put(drReplication, row)
}

function secondaryOf(world: World): SecondaryRow {
  const row = replicationRow(world)
  if (row?.mode !== 'secondary') throw new Error('only for a secondary')
  return row
}

const tablesKeptOnWipe: ReadonlySet<string> = new Set([nodes.id, seals.id, keyrings.id])

function wipeData(world: World): void {
  for (const { id, definition } of world.store.tables.values()) {
    if (definition.service === 'secrets' && !tablesKeptOnWipe.has(id)) {
      world.table(definition).deleteAll('')
    }
  }
  for (const { job, id } of [...world.agenda.all()]) {
    if (job.startsWith('secrets.')) world.agenda.cancel(job, id)
  }
  seedSystemMount(world)
}
