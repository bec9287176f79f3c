import type { Message } from '../../../state/kernel/message.ts'
import { text, union } from '../../../state/kernel/shape/kinds.ts'
import { struct, withDefault } from '../../../state/kernel/shape/members.ts'
import { readReplicationKey } from '../../../state/secrets/replication/keys.ts'
import {
  checkReplicationMove,
  demotePrimary,
  disablePrimary,
  enablePrimary,
} from '../../../state/secrets/replication/replication.ts'
import { revokeSecondary } from '../../../state/secrets/replication/secondaries.ts'
import { data, type SecretsOutcome } from '../envelope/outcome.ts'
import { envelopeOf, warningEnvelope, wrappedEnvelope } from '../envelope/schemas.ts'
import { duration, requiredText, textField } from '../fields/field-kinds.ts'
import { message } from '../messages.ts'
import { operationsOf } from '../operation.ts'
import { issueSealedToken, issueWrappedToken } from '../replication/activation.ts'

const operation = operationsOf({
  spec: 'behaviour/secrets#api-replication',
  rootOnly: true,
  enterprise: true,
})

/** Returns 200 with one warning, which the reference sends in place of 204. */
export function outcomeWithWarning(warning: Message): SecretsOutcome {
  return { kind: 'envelope', warnings: [warning] }
}

/** Default time to live of an activation token in seconds: `30m` (behaviour/secrets#api-limits). */
const defaultTtl = 1800

/** Operations on a primary: becoming one, ending it, and admitting secondaries. */
export const primaryReplicationOperations = [
  operation.write('enableDrPrimary', 'replication/dr/primary/enable', {
    summary: 'Become a DR primary.',
    body: {
      primary_cluster_addr: textField(
        'Cluster address given to secondaries instead of the one derived',
      ),
    },
    reply: { 200: warningEnvelope },
    run({ world, fields }) {
      enablePrimary(world, fields.primary_cluster_addr)
      return outcomeWithWarning(message('primary-being-enabled'))
    },
  }),
  operation.write('demoteDrPrimary', 'replication/dr/primary/demote', {
    summary: 'Turn the DR primary into a secondary that follows nobody yet.',
    reply: { 200: warningEnvelope },
    run({ world, request }) {
      demotePrimary(world, request.origin)
      return outcomeWithWarning(message('primary-being-demoted'))
    },
  }),
  operation.write('disableDrPrimary', 'replication/dr/primary/disable', {
    summary: 'End DR replication on the primary: no secondary can connect any more.',
    reply: { 200: warningEnvelope },
    run({ world }) {
      disablePrimary(world)
      return outcomeWithWarning(message('replication-being-disabled'))
    },
  }),
  operation.write('createDrSecondaryToken', 'replication/dr/primary/secondary-token', {
    summary: 'Make an activation token with which a secondary can join once.',
    secrets: { reply: ['data/token'] },
    access: 'sudo',
    body: {
      id: requiredText('Name of the secondary'),
      ttl: withDefault(duration('How long the token is good; `30m` by default'), defaultTtl),
      secondary_public_key: textField(
        'Encrypts the credentials to this key instead of wrapping them',
      ),
    },
    reply: { 200: union(wrappedEnvelope, envelopeOf(struct({ token: text }))) },
    run({ world, fields, path: at, request }) {
      checkReplicationMove(world, 'issue-token')
      const { id, secondary_public_key: key } = fields
      const ttl = fields.ttl || defaultTtl
      const invitation = { id, ttl, path: at, address: request.origin }
      if (key === '') return { kind: 'envelope', wrap: issueWrappedToken(world, invitation) }
      return data({ token: issueSealedToken(world, readReplicationKey(key), invitation) })
    },
  }),
  operation.write('revokeDrSecondary', 'replication/dr/primary/revoke-secondary', {
    summary: 'Shut a secondary out: it needs a new activation token to connect again.',
    body: { id: requiredText('Name of the secondary') },
    apply({ world, fields }) {
      checkReplicationMove(world, 'revoke-secondary')
      revokeSecondary(world, fields.id)
    },
  }),
]
