import { Refusal } from '../../../../state/kernel/refusal.ts'
import { bool, int, text } from '../../../../state/kernel/shape/kinds.ts'
import { optional } from '../../../../state/kernel/shape/members.ts'
import { defer } from '../../../../state/kernel/worlds/deferred.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { callerErrorDetail } from '../../../../state/secrets/common-messages.ts'
import {
  cancelGeneration,
  type GenerationStatus,
  generationStatus,
  submitGenerationShare,
} from '../../../../state/secrets/replication/operation-token-attempts.ts'
import { operationTokenLength } from '../../../../state/secrets/replication/operation-tokens.ts'
import { dataOutcome, type SecretsOutcome } from '../../envelope/outcome.ts'
import { enveloped } from '../../envelope/schemas.ts'
import { refuse } from '../../messages.ts'
import { operationsOf, type SecretsOperation } from '../../operation.ts'
import { shareFields } from './key-shares.ts'
import { protectToken, startAttempt, startFields } from './token-attempts.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#root-generation', rootOnly: true })

const members = {
  started: bool,
  complete: bool,
  progress: int,
  required: int,
  nonce: optional(text),
  pgp_fingerprint: optional(text),
}
const attemptReply = enveloped({ ...members, otp: text, otp_length: int })

function attemptOutcome(world: World, otp = ''): SecretsOutcome {
  const { started, progress, required, nonce, pgp_fingerprint } = generationStatus(world, 'root')
  return dataOutcome({
    started,
    complete: false,
    progress,
    required,
    otp,
    otp_length: operationTokenLength(world),
    ...(started ? { nonce, pgp_fingerprint } : {}),
  })
}

function shareOutcome(
  { progress, required, pgp_fingerprint }: GenerationStatus,
  nonce: string,
  encoded_token: string,
): SecretsOutcome {
  return dataOutcome({
    started: true,
    complete: progress === required,
    progress,
    required,
    nonce,
    encoded_token,
    pgp_fingerprint,
  })
}

/**
 * Returns a copy of a refusal that is reported as an internal error, as the product reports refused
 * shares at the paths in this file.
 */
function toInternalError({ kind, reason, details }: Refusal): Refusal {
  return new Refusal(kind, reason, callerErrorDetail).withDetails(details)
}

/**
 * Returns the result of `step`, or rethrows its refusal as an internal error. The product reports
 * every refused share at `generate-root-token` as an internal error, but not at `generate-root`,
 * which needs no token.
 */
function withInternalErrors<T>(step: () => T): T {
  try {
    return step()
  } catch (error) {
    throw error instanceof Refusal ? toInternalError(error) : error
  }
}

/**
 * Converts a share in hex to base64; returns other text unchanged. At this path, the hex text may
 * have any even length. The other paths accept hex only in the length of a share.
 */
function shareAsBase64(text: string): string {
  const isHex = text.length % 2 === 0 && /^[0-9a-f]+$/i.test(text)
  return isHex ? Buffer.from(text, 'hex').toString('base64') : text
}

/**
 * Operations with which callers who have a client token generate root tokens. Current clients use
 * these paths.
 */
export const generateRootTokenOperations: readonly SecretsOperation[] = [
  operation.read('readRootTokenGeneration', 'generate-root-token/attempt', {
    summary: 'Read the generation of a root token.',
    reply: attemptReply,
    run: ({ world }) => attemptOutcome(world),
  }),
  operation.write('startRootTokenGeneration', 'generate-root-token/attempt', {
    summary: 'Start to generate a root token.',
    secrets: { body: ['otp'], reply: ['data/otp'] },
    body: startFields,
    reply: attemptReply,
    run: ({ world, fields }) =>
      startAttempt(world, fields, 'root', (created) => attemptOutcome(world, created)),
  }),
  operation.delete('cancelRootTokenGeneration', 'generate-root-token/attempt', {
    summary: 'Cancel the generation of a root token.',
    apply: ({ world }) => cancelGeneration(world, 'root'),
  }),
  operation.write('updateRootTokenGeneration', 'generate-root-token/update', {
    summary: 'Enter one key share for a root token.',
    secrets: { body: ['key'], reply: ['data/encoded_token'] },
    body: shareFields('A key share', 'attempt'),
    failures: [500],
    reply: enveloped({ ...members, encoded_token: text }),
    run({ world, fields: { key, nonce } }) {
      if (nonce === '') throw refuse('generation-field-missing', { field: 'nonce' })
      if (key === '') throw refuse('generation-field-missing', { field: 'key' })
      const step = withInternalErrors(() =>
        submitGenerationShare(world, shareAsBase64(key.trim()), nonce, 'root'),
      )
      // The request is refused, but the submitted shares must still be removed.
      if (step.state === 'failed') throw toInternalError(step.refusal).commitWrites()
      if (step.state === 'started') return shareOutcome(step.status, nonce, '')
      return defer(
        () => protectToken(step.token, step.protection),
        (encoded) => shareOutcome(step.status, nonce, encoded),
      )
    },
  }),
]
