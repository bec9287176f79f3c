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
import { described, struct, withDefault } from '../../../state/kernel/shape/members.ts'
import { readReplicationKey } from '../../../state/secrets/replication/keys.ts'
import {
  checkReplicationMove,
  demotePrimary,
  disablePrimary,
  enablePrimary,
} from '../../../state/secrets/replication/replication.ts'
import { revokeSecondary } from '../../../state/secrets/replication/secondaries.ts'
import { drStatus } from '../../../state/secrets/replication/status.ts'
import { dataOutcome, outcomeWithWarning } from '../envelope/outcome.ts'
import {
  enveloped,
  envelopeOf,
  structEnvelope,
  warningEnvelope,
  wrappedEnvelope,
} from '../envelope/schemas.ts'
import { duration, requiredText, textField } from '../fields/field-kinds.ts'
import { message } from '../messages.ts'
import { operationsOf, type SecretsOperation } from '../operation.ts'
import { issueSealedToken, issueWrappedToken } from '../replication/activation.ts'
import { secondaryReplicationOperations } from './replication-secondary.ts'

const operation = operationsOf({
  spec: 'behaviour/secrets#api-replication',
  rootOnly: true,
  onSecondary: true,
  access: 'anyone',
})

const textList = list(text)

const peer = (more: Readonly<Record<string, Shape>> = {}) =>
  struct({
    api_address: text,
    cluster_address: text,
    connection_status: word('connected', 'disconnected'),
    last_heartbeat: described(text, 'Timestamp'),
    ...more,
  })

/**
 * Schema of the replication status, with one alternative per mode
 * (behaviour/secrets#api-replication; behaviour/secrets#replication-status).
 */
const statusSchema = union(
  struct({ mode: constant('disabled') }),
  struct({
    cluster_id: text,
    known_secondaries: textList,
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
    known_primary_cluster_addrs: textList,
    last_remote_wal: uint,
    merkle_root: textOf({ pattern: '^[0-9a-f]{40}$' }),
    mode: constant('secondary'),
    primaries: list(peer()),
    primary_cluster_addr: text,
    secondary_id: text,
    state: word('stream-wals', 'merkle-diff', 'merkle-sync', 'idle'),
  }),
)

const primaryOperation = operationsOf({
  spec: 'behaviour/secrets#api-replication',
  rootOnly: true,
  enterprise: true,
})

/**
 * Default time to live of an activation token in seconds (30 minutes,
 * behaviour/secrets#api-limits).
 */
const defaultTtl = 1800

/** Operations that read the status of DR replication or change the replication. */
export const replicationOperations: readonly SecretsOperation[] = [
  operation.read('readReplicationStatus', 'replication/status', {
    summary: 'Read the state of all replication.',
    reply: enveloped({ dr: statusSchema, performance: struct({ mode: constant('disabled') }) }),
    run: ({ world, process: { replication } }) =>
      dataOutcome({
        dr: drStatus(world, replication.connections(world)),
        performance: { mode: 'disabled' },
      }),
  }),
  operation.read('readDrStatus', 'replication/dr/status', {
    summary: 'Read the state of DR replication.',
    enterprise: true,
    reply: { 200: envelopeOf(statusSchema) },
    run: ({ world, process: { replication } }) =>
      dataOutcome(drStatus(world, replication.connections(world))),
  }),
  primaryOperation.write('enableDrPrimary', 'replication/dr/primary/enable', {
    summary: 'Become a DR primary.',
    body: {
      primary_cluster_addr: textField(
        'Cluster address for secondaries; derived from the configuration if left out',
      ),
    },
    reply: { 200: warningEnvelope },
    run({ world, fields }) {
      enablePrimary(world, fields.primary_cluster_addr)
      return outcomeWithWarning(message('primary-being-enabled'))
    },
  }),
  primaryOperation.write('demoteDrPrimary', 'replication/dr/primary/demote', {
    summary: 'Turn the DR primary into a secondary without a primary.',
    reply: { 200: warningEnvelope },
    run({ world, request }) {
      demotePrimary(world, request.origin)
      return outcomeWithWarning(message('primary-being-demoted'))
    },
  }),
  primaryOperation.write('disableDrPrimary', 'replication/dr/primary/disable', {
    summary: 'End DR replication on the primary: no secondary can connect any more.',
    reply: { 200: warningEnvelope },
    run({ world }) {
      disablePrimary(world)
      return outcomeWithWarning(message('replication-being-disabled'))
    },
  }),
  primaryOperation.write('createDrSecondaryToken', 'replication/dr/primary/secondary-token', {
    summary: 'Create an activation token with which a secondary can join once.',
    secrets: { reply: ['data/token'] },
    access: 'sudo',
    body: {
      id: requiredText('Name of the secondary'),
      ttl: withDefault(duration('Lifetime of the token; `30m` if left out'), defaultTtl),
      secondary_public_key: textField(
        'Public key for which the credentials are encrypted, instead of wrapping them',
      ),
    },
    reply: { 200: union(wrappedEnvelope, structEnvelope({ token: text })) },
    run({ world, fields, path: at, request }) {
      checkReplicationMove(world, 'issue-token')
      const { id, secondary_public_key: key } = fields
      const ttl = fields.ttl || defaultTtl
      const invitation = { id, ttl, path: at, address: request.origin }
      if (key === '') return { kind: 'envelope', wrap: issueWrappedToken(world, invitation) }
      return dataOutcome({ token: issueSealedToken(world, readReplicationKey(key), invitation) })
    },
  }),
  primaryOperation.write('revokeDrSecondary', 'replication/dr/primary/revoke-secondary', {
    summary: 'Revoke a secondary; it needs a new activation token to connect again.',
    body: { id: requiredText('Name of the secondary') },
    apply({ world, fields }) {
      checkReplicationMove(world, 'revoke-secondary')
      revokeSecondary(world, fields.id)
    },
  }),
  ...secondaryReplicationOperations,
]
