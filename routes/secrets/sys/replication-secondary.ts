import { bool, int, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { type Deferred, defer } from '../../../state/kernel/worlds/deferred.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { generateReplicationKey } from '../../../state/secrets/replication/keys.ts'
import { isDrSecondary, replicationRow } from '../../../state/secrets/replication/modes.ts'
import { checkOperationToken } from '../../../state/secrets/replication/operation-tokens.ts'
import {
  becomeSecondary,
  changePrimary,
  checkReplicationMove,
  checkSameCluster,
  disableSecondary,
  forgetPrimary,
  promoteSecondary,
  type ReplicationMembership,
} from '../../../state/secrets/replication/replication.ts'
import { dataOutcome, outcomeWithWarning, type SecretsOutcome } from '../envelope/outcome.ts'
import { enveloped, envelopeOf, warningEnvelope } from '../envelope/schemas.ts'
import { flag, requiredField, requiredText, textField } from '../fields/field-kinds.ts'
import type { FieldValues } from '../fields/fields.ts'
import { message, refuse } from '../messages.ts'
import { type Call, operationsOf } from '../operation.ts'
import type { Membership } from '../replication/activation.ts'
import type { JoinRequest } from '../replication/replication.ts'

const operation = operationsOf({
  spec: 'behaviour/secrets#api-replication',
  rootOnly: true,
  enterprise: true,
})

const operationToken = requiredText(
  'DR operation token, or a batch token of the primary with the required policy',
)

const primaryClusterAddr = textField(
  'Cluster address for secondaries; derived from the configuration if left out',
)

const activation = {
  token: requiredField(described(text, 'Activation token of the primary')),
  primary_api_addr: textField('API address of the primary; replaces the address in the token'),
  ca_file: textField('PEM file with the trusted CA'),
  ca_path: textField('Folder with PEM files of trusted certificates'),
} as const

/** Body of the reply to a promotion: the promotion is not yet complete. */
const promotion = { progress: 0, required: 1, complete: false }
const promotionShape = struct({ progress: int, required: int, complete: bool })

/**
 * Operations with which a cluster creates a key for activation tokens, becomes a secondary, changes
 * its primary, becomes the primary, or ends the replication.
 */
export const secondaryReplicationOperations = [
  operation.write('generateDrPublicKey', 'replication/dr/secondary/generate-public-key', {
    summary: 'Create a key to which an activation token can be encrypted.',
    unauthenticatedWhen: { text: 'on a DR secondary', holds: isDrSecondary },
    onSecondary: true,
    reply: enveloped({ secondary_public_key: text }),
    run: ({ world }) => dataOutcome({ secondary_public_key: generateReplicationKey(world) }),
  }),
  operation.write('enableDrSecondary', 'replication/dr/secondary/enable', {
    summary: 'Become the DR secondary of a primary; clears all local data.',
    secrets: { body: ['token'] },
    body: activation,
    failures: [500, 502],
    reply: { 200: warningEnvelope },
    run(call) {
      const { world, process } = call
      checkReplicationMove(world, 'enable-secondary')
      if (!call.fields.token) throw refuse('activation-token-missing')
      return join(call, call.fields.token, {
        accept: () => {},
        complete(secondaryInfo, membership) {
          becomeSecondary(world, secondaryInfo, membership)
          process.replication.follow(world)
          return outcomeWithWarning(message('primary-found'))
        },
      })
    },
  }),
  operation.write('promoteDrSecondary', 'replication/dr/secondary/promote', {
    summary: 'Turn the DR secondary into a primary.',
    secrets: { body: ['dr_operation_token'] },
    access: 'anyone',
    onSecondary: true,
    body: {
      dr_operation_token: operationToken,
      primary_cluster_addr: primaryClusterAddr,
      force: flag('Whether to promote the secondary even if data may be lost'),
    },
    failures: [403],
    reply: { 200: envelopeOf(promotionShape) },
    run({ world, fields, path: at, process }) {
      checkReplicationMove(world, 'promote')
      checkOperationToken(world, fields.dr_operation_token, at)
      if (!fields.force && process.replication.reachesPrimary(world)) checkInSync(world)
      promoteSecondary(world, fields.primary_cluster_addr)
      return {
        kind: 'envelope',
        data: promotion,
        repeatsKeys: true,
        warnings: [message('secondary-being-promoted')],
      }
    },
  }),
  operation.write('disableDrSecondary', 'replication/dr/secondary/disable', {
    summary:
      'End DR replication on the secondary, which becomes an independent cluster with its current data.',
    secrets: { body: ['dr_operation_token'] },
    access: 'anyone',
    onSecondary: true,
    body: { dr_operation_token: textField('Operation token; checked if it is sent') },
    failures: [403],
    reply: { 200: warningEnvelope },
    run({ world, fields: { dr_operation_token: token }, path: at }) {
      checkReplicationMove(world, 'disable-secondary')
      if (token !== '') checkOperationToken(world, token, at)
      disableSecondary(world)
      return outcomeWithWarning(message('replication-being-disabled'))
    },
  }),
  operation.write('changeDrPrimary', 'replication/dr/secondary/update-primary', {
    summary: 'Follow another primary of the same set, or no primary; the data stays.',
    secrets: { body: ['dr_operation_token', 'token'] },
    access: 'anyone',
    onSecondary: true,
    body: { dr_operation_token: operationToken, ...activation },
    failures: [403, 500, 502],
    reply: { 200: warningEnvelope },
    run(call) {
      const { world, process, fields } = call
      checkReplicationMove(world, 'update-primary')
      checkOperationToken(world, fields.dr_operation_token, call.path)
      if (fields.token === undefined) throw refuse('activation-token-missing')
      if (fields.token === '') {
        forgetPrimary(world)
        return outcomeWithWarning(message('brief-pause'))
      }
      return join(call, fields.token, {
        accept: (clusterId) => checkSameCluster(world, clusterId),
        complete(secondaryInfo, membership) {
          changePrimary(world, secondaryInfo, membership)
          process.replication.follow(world)
          return outcomeWithWarning(message('primary-found'))
        },
      })
    },
  }),
]

/**
 * Joins the primary that issued an activation token. Only the function `complete` changes the state
 * of this cluster.
 */
function join(
  { world, process, request, fields }: Call<unknown, FieldValues<typeof activation>>,
  token: string,
  { accept, complete }: JoinSteps,
): Deferred<SecretsOutcome> {
  const secondaryInfo = { node_id: world.ids.uuid(), api_address: request.origin }
  const requested = {
    token,
    primaryApiAddr: fields.primary_api_addr,
    ca: { file: fields.ca_file, directory: fields.ca_path },
    secondaryInfo,
    accept: ({ cluster_id }: Membership) => accept(cluster_id),
  }
  return defer(
    () => process.replication.join(world, requested),
    (membership) => complete(secondaryInfo, membership),
  )
}

/**
 * The steps of joining a primary that differ between joining for the first time and changing the
 * primary.
 */
interface JoinSteps {
  /** Throws a refusal if this cluster must not join the primary whose cluster id is given. */
  accept(clusterId: string): void
  /** Changes the state of this cluster after the primary has accepted it. */
  complete(
    secondaryInfo: JoinRequest['secondaryInfo'],
    membership: ReplicationMembership,
  ): SecretsOutcome
}

/**
 * Throws a refusal (503) while the secondary has not copied all data of its primary. Called only if
 * the primary can be reached.
 */
function checkInSync(world: World): void {
  const row = replicationRow(world)
  if (row?.mode === 'secondary' && row.state !== 'stream-wals' && row.state !== 'idle') {
    throw refuse('replication-catching-up')
  }
}
