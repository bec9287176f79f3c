import type { World } from '../../../../state/kernel/worlds/world.ts'
import {
  checkGenerationAllowed,
  generationStatus,
} from '../../../../state/secrets/replication/operation-token-attempts.ts'
import {
  checkOperationToken,
  deleteOperationToken,
  operationTokenLength,
} from '../../../../state/secrets/replication/operation-tokens.ts'
import { bareOutcome, type SecretsOutcome } from '../../envelope/outcome.ts'
import { requiredText } from '../../fields/field-kinds.ts'
import { operationsOf } from '../../operation.ts'
import { generationOperations, operationAttemptSchema } from './token-attempts.ts'

const spec = 'behaviour/secrets#api-replication'
const operation = operationsOf({ spec })

/** Operations that generate operation tokens from key shares, and that delete operation tokens. */
export const operationTokenOperations = [
  ...generationOperations({
    kind: 'operation',
    path: 'replication/dr/secondary/generate-operation-token',
    name: 'OperationToken',
    labels: ['a DR operation token', 'one key share of the primary'],
    spec,
    flags: { onSecondary: true, enterprise: true },
    attemptSchema: operationAttemptSchema,
    attemptOutcome,
    shareOutcome(_world, { pgp_fingerprint, ...status }, encoded_token, complete) {
      const body = { ...status, encoded_token, pgp_fingerprint, complete }
      return bareOutcome(body, { ...body, ...referenceFields, otp_length: 0 })
    },
  }),
  operation.write('deleteOperationToken', 'replication/dr/secondary/operation-token/delete', {
    summary: 'Delete a DR operation token.',
    rootOnly: true,
    enterprise: true,
    access: 'anyone',
    onSecondary: true,
    secrets: { body: ['dr_operation_token'] },
    body: {
      dr_operation_token: requiredText('The operation token'),
    },
    failures: [403],
    apply({ world, path: called, fields: { dr_operation_token: token } }) {
      checkGenerationAllowed(world)
      checkOperationToken(world, token, called)
      deleteOperationToken(world, token)
    },
  }),
]

/** Members that only dialects with the reference's bodies send. */
const referenceFields = { encoded_root_token: '', otp: '' } as const

/**
 * Returns the status of the attempt in progress. If there is no attempt, `started` is false. Throws
 * a refusal if the cluster is sealed or is not a DR secondary.
 *
 * @param otp generated one-time password, which only the reply that starts the attempt contains;
 *   otherwise empty
 */
function attemptOutcome(world: World, otp = ''): SecretsOutcome {
  const { pgp_fingerprint, ...status } = generationStatus(world)
  const body = {
    ...status,
    encoded_token: '',
    pgp_fingerprint,
    complete: false,
    ...(otp === '' ? {} : { otp }),
    otp_length: operationTokenLength(world),
  }
  return bareOutcome(body, { ...body, ...referenceFields, otp })
}
