import { formatTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type ReplicationRow, replicationRow, type SyncState } from './modes.ts'
import { knownSecondaries } from './secondaries.ts'

/** Status of the link to one cluster. */
export interface LinkStatus {
  readonly connected: boolean
  /** Time of the last contact in milliseconds since 1970; null if there was no contact. */
  readonly last_heartbeat: number | null
}

/** State of the connection to the primary, in the words of gRPC, as in the reference. */
export type ConnectionState = 'ready' | 'connecting' | 'idle' | 'transient_failure' | 'shutdown'

/** Live connections, which belong to the running process and not to the stored state. */
export interface Connections {
  readonly merkle_root: string
  /** Status of a secondary's link to its primary. */
  readonly primary: LinkStatus & { readonly connection_state: ConnectionState }
  /** Returns the status of a primary's link to one of its secondaries. */
  secondary(id: string): LinkStatus
}

type ConnectionStatus = 'connected' | 'disconnected'

interface Peer {
  readonly api_address: string
  readonly cluster_address: string
  readonly connection_status: ConnectionStatus
  readonly last_heartbeat: string
}

/**
 * Data of the DR status (behaviour/secrets#api-replication; behaviour/secrets#replication-status).
 */
type DrStatus =
  | { readonly mode: 'disabled' }
  | {
      readonly cluster_id: string
      readonly known_secondaries: readonly string[]
      readonly last_wal: number
      readonly merkle_root: string
      readonly mode: 'primary'
      readonly primary_cluster_addr: string
      readonly secondaries: readonly (Peer & { readonly node_id: string })[]
      readonly state: 'running'
    }
  | {
      readonly cluster_id: string
      readonly connection_state: ConnectionState
      readonly known_primary_cluster_addrs: readonly string[]
      readonly last_remote_wal: number
      readonly merkle_root: string
      readonly mode: 'secondary'
      readonly primaries: readonly Peer[]
      readonly primary_cluster_addr: string
      readonly secondary_id: string
      readonly state: SyncState
    }

/** Returns the status of DR replication, which callers can read without a token. */
export function drStatus(world: World, connections: Connections): DrStatus {
  const row = replicationRow(world)
  if (row === undefined) return { mode: 'disabled' }
  return row.mode === 'primary'
    ? primaryStatus(world, row, connections)
    : secondaryStatus(row, connections)
}

function primaryStatus(
  world: World,
  row: Extract<ReplicationRow, { mode: 'primary' }>,
  connections: Connections,
): DrStatus {
  const known = knownSecondaries(world)
  return {
    cluster_id: row.cluster_id,
    known_secondaries: known.map(({ id }) => id),
    last_wal: world.store.index('secrets'),
    merkle_root: connections.merkle_root,
    mode: 'primary',
    primary_cluster_addr: row.primary_cluster_addr,
    secondaries: known.map(({ id, node_id, api_address }) => ({
      ...peerOf(api_address, clusterAddress(api_address), connections.secondary(id)),
      node_id,
    })),
    state: 'running',
  }
}

function secondaryStatus(
  row: Extract<ReplicationRow, { mode: 'secondary' }>,
  { merkle_root, primary }: Connections,
): DrStatus {
  const { cluster_address = '', api_address = '' } = row.primary ?? {}
  const hasPrimary = row.primary !== null
  return {
    cluster_id: row.cluster_id,
    connection_state: primary.connection_state,
    known_primary_cluster_addrs: hasPrimary ? [cluster_address] : [],
    last_remote_wal: row.last_remote_wal,
    merkle_root,
    mode: 'secondary',
    primaries: hasPrimary ? [peerOf(api_address, cluster_address, primary)] : [],
    primary_cluster_addr: cluster_address,
    secondary_id: row.secondary_id,
    state: row.state,
  }
}

function peerOf(api_address: string, cluster_address: string, link: LinkStatus): Peer {
  return {
    api_address,
    cluster_address,
    connection_status: link.connected ? 'connected' : 'disconnected',
    // Go's zero time means "never".
    last_heartbeat:
      link.last_heartbeat === null ? '0001-01-01T00:00:00Z' : formatTimestamp(link.last_heartbeat),
  }
}

/**
 * Derives the cluster address of a node as the reference does: the host of the API with the next
 * port, always over TLS. Nothing listens at this address, because replication uses the address of
 * the API. Returns an empty string for an invalid address.
 */
export function clusterAddress(apiAddress: string): string {
  if (!URL.canParse(apiAddress)) return ''
  const { hostname, port, protocol } = new URL(apiAddress)
  const defaultPort = protocol === 'https:' ? 443 : 80
  return `https://${hostname}:${Number(port || defaultPort) + 1}`
}
