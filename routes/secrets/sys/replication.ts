import {
  constant,
  list,
  type Shape,
  text,
  textOf,
  uint,
  union,
  word,
} from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { drStatus } from '../../../state/secrets/replication/status.ts'
import { data } from '../envelope/outcome.ts'
import { enveloped, envelopeOf } from '../envelope/schemas.ts'
import { operationsOf } from '../operation.ts'
import { primaryReplicationOperations } from './replication-primary.ts'
import { secondaryReplicationOperations } from './replication-secondary.ts'

const operation = operationsOf({
  spec: 'behaviour/secrets#api-replication',
  rootOnly: true,
  onSecondary: true,
  access: 'anyone',
})

const texts = list(text)

const peer = (more: Readonly<Record<string, Shape>> = {}) =>
  struct({
    api_address: text,
    cluster_address: text,
    connection_status: word('connected', 'disconnected'),
    last_heartbeat: described(text, 'Timestamp'),
    ...more,
  })

/**
 * Schema of the status in each mode (behaviour/secrets#api-replication;
 * behaviour/secrets#replication-status).
 */
const statusSchema = union(
  struct({ mode: constant('disabled') }),
  struct({
    cluster_id: text,
    known_secondaries: texts,
    last_wal: uint,
    merkle_root: textOf({ pattern: '^[0-9a-f]{40}$' }),
    mode: constant('primary'),
    primary_cluster_addr: text,
    secondaries: list(peer({ node_id: text })),
    state: constant('running'),
  }),
  struct({
    cluster_id: text,
    connection_state: word('ready', 'connecting', 'idle', 'transient_failure', 'shutdown'),
    known_primary_cluster_addrs: texts,
    last_remote_wal: uint,
    merkle_root: textOf({ pattern: '^[0-9a-f]{40}$' }),
    mode: constant('secondary'),
    primaries: list(peer()),
    primary_cluster_addr: text,
    secondary_id: text,
    state: word('stream-wals', 'merkle-diff', 'merkle-sync', 'idle'),
  }),
)

/** Operations on DR replication: its status and all changes. */
export const replicationOperations = [
  operation.read('readReplicationStatus', 'replication/status', {
    summary: 'Read the state of all replication.',
    reply: enveloped({ dr: statusSchema, performance: struct({ mode: constant('disabled') }) }),
    run: ({ world, process: { replication } }) =>
      data({
        dr: drStatus(world, replication.connections(world)),
        performance: { mode: 'disabled' },
      }),
  }),
  operation.read('readDrStatus', 'replication/dr/status', {
    summary: 'Read the state of DR replication.',
    enterprise: true,
    reply: { 200: envelopeOf(statusSchema) },
    run: ({ world, process: { replication } }) =>
      data(drStatus(world, replication.connections(world))),
  }),
  ...primaryReplicationOperations,
  ...secondaryReplicationOperations,
]
