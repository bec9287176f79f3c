import { drStatus } from '../../../state/secrets/replication/status.ts'
import { data } from '../envelope/outcome.ts'
import { envelopeOf } from '../envelope/schemas.ts'
import { operation } from '../operation.ts'
import { primaryReplicationOperations } from './replication-primary.ts'
import { secondaryReplicationOperations } from './replication-secondary.ts'

const spec = '1-secrets.md › Endpoints › DR replication'

const text = { type: 'string' } as const
const texts = { type: 'array', items: text } as const
const count = { type: 'integer', minimum: 0 } as const

const peer = (more: Record<string, unknown> = {}) => ({
  type: 'object',
  required: [
    'api_address',
    'cluster_address',
    'connection_status',
    'last_heartbeat',
    ...Object.keys(more),
  ],
  additionalProperties: false,
  properties: {
    api_address: text,
    cluster_address: text,
    connection_status: { enum: ['connected', 'disconnected'] },
    last_heartbeat: { type: 'string', description: 'Timestamp' },
    ...more,
  },
})

const whole = (properties: Record<string, unknown>) => ({
  type: 'object',
  required: Object.keys(properties),
  additionalProperties: false,
  properties,
})

/** Status by mode (1-secrets.md, DR status; 1-secrets-decisions.md section 7, Status). */
const statusSchema = {
  oneOf: [
    whole({ mode: { const: 'disabled' } }),
    whole({
      cluster_id: text,
      known_secondaries: texts,
      last_wal: count,
      merkle_root: { type: 'string', pattern: '^[0-9a-f]{40}$' },
      mode: { const: 'primary' },
      primary_cluster_addr: text,
      secondaries: { type: 'array', items: peer({ node_id: text }) },
      state: { const: 'running' },
    }),
    whole({
      cluster_id: text,
      connection_state: {
        enum: ['ready', 'connecting', 'idle', 'transient_failure', 'shutdown'],
      },
      known_primary_cluster_addrs: texts,
      last_remote_wal: count,
      merkle_root: { type: 'string', pattern: '^[0-9a-f]{40}$' },
      mode: { const: 'secondary' },
      primaries: { type: 'array', items: peer() },
      primary_cluster_addr: text,
      secondary_id: text,
      state: { enum: ['stream-wals', 'merkle-diff', 'merkle-sync', 'idle'] },
    }),
  ],
}

/** DR replication: how it stands, and everything that is done about it. */
export const replicationOperations = [
  operation({
    id: 'readReplicationStatus',
    verb: 'read',
    path: 'replication/status',
    summary: 'Read the state of all replication.',
    spec,
    rootOnly: true,
    access: 'anyone',
    onSecondary: true,
    reply: {
      200: envelopeOf(
        whole({ dr: statusSchema, performance: whole({ mode: { const: 'disabled' } }) }),
      ),
    },
    run: ({ world, process: { replication } }) =>
      data({
        dr: drStatus(world, replication.connections(world)),
        performance: { mode: 'disabled' },
      }),
  }),
  operation({
    id: 'readDrStatus',
    verb: 'read',
    path: 'replication/dr/status',
    summary: 'Read the state of DR replication.',
    spec,
    rootOnly: true,
    enterprise: true,
    access: 'anyone',
    onSecondary: true,
    reply: { 200: envelopeOf(statusSchema) },
    run: ({ world, process: { replication } }) =>
      data(drStatus(world, replication.connections(world))),
  }),
  ...primaryReplicationOperations,
  ...secondaryReplicationOperations,
]
