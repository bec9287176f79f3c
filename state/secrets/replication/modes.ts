import { defineTable } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'
import { isSealed } from '../seal/seal.ts'

/** A cluster's part in one kind of replication; `unknown` while sealed. */
export type ReplicationMode = 'disabled' | 'primary' | 'secondary' | 'bootstrapping' | 'unknown'

/** Both kinds of replication. */
export interface ReplicationModes {
  readonly performance: ReplicationMode
  readonly dr: ReplicationMode
}

/** A cluster that others follow (1-secrets.md, DR status). */
export interface PrimaryRow {
  readonly mode: 'primary'
  /** Names the set of clusters; a demoted or promoted cluster keeps it. */
  readonly cluster_id: string
  /** The address that secondaries are told, as given; empty for the one derived from the API's. */
  readonly primary_cluster_addr: string
}

/** How a secondary reaches the primary that it follows. */
export interface PrimaryLink {
  readonly api_address: string
  readonly cluster_address: string
  /** What the primary knows the secondary by. */
  readonly credential: string
  /** PEM certificates to trust instead of the roots; empty for those. */
  readonly ca: readonly string[]
}

/** How far a secondary has come with what its primary sends (1-secrets-decisions.md section 7). */
export type SyncState = 'idle' | 'merkle-diff' | 'merkle-sync' | 'stream-wals'

/** A cluster that follows another (1-secrets.md, DR status). */
export interface SecondaryRow {
  readonly mode: 'secondary'
  readonly cluster_id: string
  /** The name that the primary's operator gave; empty without a primary. */
  readonly secondary_id: string
  readonly node_id: string
  /** Where this cluster was reached when it became a secondary. */
  readonly api_address: string
  /** Null after a demotion or once the knowledge of it was cleared. */
  readonly primary: PrimaryLink | null
  readonly state: SyncState
  /** The primary's last commit that this cluster has; null while it has no whole snapshot. */
  readonly position: number | null
  /** The primary's `last_wal` at that position. */
  readonly last_remote_wal: number
}

/** A cluster's part in DR replication; one that has none has no row. */
export type ReplicationRow = PrimaryRow | SecondaryRow

const text = { type: 'string' } as const

/** The cluster's one part in DR replication, under `dr`. */
export const replications = defineTable<ReplicationRow>({
  service: 'secrets',
  name: 'replication',
  local: true,
  schema: {
    oneOf: [
      {
        type: 'object',
        required: ['mode', 'cluster_id', 'primary_cluster_addr'],
        additionalProperties: false,
        properties: { mode: { const: 'primary' }, cluster_id: text, primary_cluster_addr: text },
      },
      {
        type: 'object',
        required: [
          'mode',
          'cluster_id',
          'secondary_id',
          'node_id',
          'api_address',
          'primary',
          'state',
          'position',
          'last_remote_wal',
        ],
        additionalProperties: false,
        properties: {
          mode: { const: 'secondary' },
          cluster_id: text,
          secondary_id: text,
          node_id: text,
          api_address: text,
          primary: {
            type: ['object', 'null'],
            required: ['api_address', 'cluster_address', 'credential', 'ca'],
            additionalProperties: false,
            properties: {
              api_address: text,
              cluster_address: text,
              credential: text,
              ca: { type: 'array', items: text },
            },
          },
          state: { enum: ['idle', 'merkle-diff', 'merkle-sync', 'stream-wals'] },
          position: { type: ['integer', 'null'] },
          last_remote_wal: { type: 'integer' },
        },
      },
    ],
  },
})

/** The key of the one row. */
export const drReplication = 'dr'

/** The cluster's part in DR replication, sealed or not; undefined when it has none. */
export function replicationRow(world: World): ReplicationRow | undefined {
  return world.table(replications).get(drReplication)
}

/** Whether the cluster follows another: then hardly any path answers. */
export function isDrSecondary(world: World): boolean {
  return replicationRow(world)?.mode === 'secondary'
}

/** The cluster's replication modes as health tells them (1-secrets-decisions.md section 2). */
export function replicationModes(world: World): ReplicationModes {
  if (isSealed(world)) return { performance: 'unknown', dr: 'unknown' }
  return { performance: 'disabled', dr: replicationRow(world)?.mode ?? 'disabled' }
}
