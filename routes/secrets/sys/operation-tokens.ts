import { meanwhile } from '../../../state/kernel/meanwhile.ts'
import { text } from '../../../state/kernel/shape/kinds.ts'
import { byDefault, described } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/world.ts'
import {
  cancelGeneration,
  checkGenerates,
  type Disguise,
  generationStatus,
  maskToken,
  submitGenerationShare,
} from '../../../state/secrets/replication/operation-token-attempts.ts'
import {
  checkOperationToken,
  deleteOperationToken,
  operationTokenLength,
} from '../../../state/secrets/replication/operation-tokens.ts'
import { bare, empty, type Outcome } from '../envelope/outcome.ts'
import { needed } from '../fields/forms.ts'
import { operation } from '../operation.ts'
import { shareFields, upperCaseNames } from './key-shares.ts'
import { readPgpKey } from './pgp.ts'
import { operationAttemptSchema, startAttempt, startFields } from './token-attempts.ts'

const spec = 'behaviour/secrets#api-replication'

/** Key shares prove who may do this, not a client token; only a DR secondary has use for it. */
const byShares = { access: 'anyone', onSecondary: true } as const

/** Generating operation tokens from key shares, and deleting them. */
export const operationTokenOperations = [
  operation({
    id: 'readOperationTokenAttempt',
    verb: 'read',
    path: 'replication/dr/secondary/generate-operation-token/attempt',
    summary: 'Read the generation of a DR operation token.',
    spec,
    bare: true,
    rootOnly: true,
    enterprise: true,
    ...byShares,
    reply: { 200: operationAttemptSchema },
    run: ({ world }) => attempt(world),
  }),
  operation({
    id: 'startOperationToken',
    secrets: { body: ['otp'], reply: ['otp'] },
    verb: 'write',
    path: 'replication/dr/secondary/generate-operation-token/attempt',
    summary: 'Start to generate a DR operation token.',
    spec,
    bare: true,
    rootOnly: true,
    enterprise: true,
    ...byShares,
    strict: { struct: 'GenerateRootInitRequest', optional: true },
    body: startFields,
    reply: { 200: operationAttemptSchema },
    run: ({ world, fields }) =>
      startAttempt(world, fields, 'operation', (otp) => attempt(world, otp)),
  }),
  operation({
    id: 'cancelOperationToken',
    verb: 'delete',
    path: 'replication/dr/secondary/generate-operation-token/attempt',
    summary: 'Cancel the generation of a DR operation token.',
    spec,
    bare: true,
    rootOnly: true,
    enterprise: true,
    ...byShares,
    reply: { 204: null },
    run({ world }) {
      cancelGeneration(world)
      return empty
    },
  }),
  operation({
    id: 'updateOperationToken',
    secrets: { body: ['key', 'otp'], reply: ['encoded_token', 'encoded_root_token'] },
    verb: 'write',
    path: 'replication/dr/secondary/generate-operation-token/update',
    summary: 'Hand in one key share of the primary for a DR operation token.',
    spec,
    bare: true,
    rootOnly: true,
    enterprise: true,
    ...byShares,
    anyVerb: true,
    strict: { struct: 'GenerateRootUpdateRequest', optional: false, names: upperCaseNames },
    body: shareFields('A key share', 'attempt'),
    reply: { 200: operationAttemptSchema },
    run({ world, fields }) {
      const step = submitGenerationShare(world, fields.key, fields.nonce)
      // The dropped shares stay dropped.
      if (step.state === 'failed') throw step.fault.keeping()
      const complete = step.state === 'complete'
      const answer = (encoded_token: string): Outcome => {
        const { pgp_fingerprint, ...status } = step.status
        const body = { ...status, encoded_token, pgp_fingerprint, complete }
        return bare(body, { ...body, ...referenceFields, otp_length: 0 })
      }
      return complete ? meanwhile(() => disguised(step.token, step.disguise), answer) : answer('')
    },
  }),
  operation({
    id: 'deleteOperationToken',
    verb: 'write',
    path: 'replication/dr/secondary/operation-token/delete',
    summary: 'Delete a DR operation token.',
    spec,
    rootOnly: true,
    enterprise: true,
    ...byShares,
    secrets: { body: ['dr_operation_token'] },
    body: {
      dr_operation_token: byDefault(needed(described(text, 'The token itself')), ''),
    },
    failures: [403],
    reply: { 204: null },
    run({ world, path: called, fields: { dr_operation_token: token } }) {
      checkGenerates(world)
      checkOperationToken(world, token, called)
      deleteOperationToken(world, token)
      return empty
    },
  }),
]

/** Members that the reference's answers have besides (behaviour/secrets#vendor-names). */
const referenceFields = { encoded_root_token: '', otp: '' } as const

/** The generation as `attempt` tells it; the one-time password goes out once. */
function attempt(world: World, otp = ''): Outcome {
  const { pgp_fingerprint, ...status } = generationStatus(world)
  const body = {
    ...status,
    encoded_token: '',
    pgp_fingerprint,
    complete: false,
    ...(otp === '' ? {} : { otp }),
    otp_length: operationTokenLength(world),
  }
  return bare(body, { ...body, ...referenceFields, otp })
}

/** The token as it goes out (behaviour/secrets#operation-tokens). */
export async function disguised(token: string, disguise: Disguise): Promise<string> {
  if ('otp' in disguise) return maskToken(token, disguise.otp)
  const key = await readPgpKey(disguise.pgpKey)
  return Buffer.from(await key.encrypt(token)).toString('base64')
}
