import type { Message } from '../../../../state/kernel/message.ts'
import { bool, int, text } from '../../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../../state/kernel/shape/members.ts'
import { type Deferred, defer } from '../../../../state/kernel/worlds/deferred.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import {
  cancelGeneration,
  checkGenerationAllowed,
  checkOtp,
  type GenerationKind,
  type GenerationStatus,
  maskToken,
  newOtp,
  startGeneration,
  submitGenerationShare,
  type TokenProtection,
} from '../../../../state/secrets/replication/operation-token-attempts.ts'
import type { ShapeOrSchema } from '../../../http/declare/shape-or-schema.ts'
import type { SecretsOutcome } from '../../envelope/outcome.ts'
import { textField } from '../../fields/field-kinds.ts'
import { refuse } from '../../messages.ts'
import { operationsOf, type SecretsOperation } from '../../operation.ts'
import { readPgpKey, shareFields, upperCaseNames } from './key-shares.ts'

const encodedRootToken = described(text, 'Old name of encoded_token')
const otp = described(text, 'Generated one-time password; returned only when the attempt starts')
const otpLength = described(int, 'Length of a token')

/** Members of every reply about the generation of a token. */
const statusFields = {
  started: bool,
  nonce: text,
  progress: described(int, 'Number of shares that were provided'),
  required: described(int, 'Number of shares that are required'),
  encoded_token: described(text, 'Set once the attempt is complete'),
  pgp_fingerprint: described(text, 'Empty without a PGP key'),
  complete: bool,
}

/** Body of replies about the generation of a root token. */
export const rootAttemptSchema = struct({
  ...statusFields,
  encoded_root_token: encodedRootToken,
  otp,
  otp_length: otpLength,
})

/**
 * Body of replies about the generation of a DR operation token. Only the vendor dialect sends the
 * optional members.
 */
export const operationAttemptSchema = struct({
  ...statusFields,
  encoded_root_token: optional(
    described(encodedRootToken, 'Always empty; only in the vendor dialect'),
  ),
  otp: optional(otp),
  otp_length: optional(otpLength),
})

export const startFields = {
  pgp_key: textField('Base64 binary PGP public key to encrypt the token'),
  otp: textField('One-time password of the caller, as long as a token'),
}

/**
 * A kind of token that is generated with key shares, with the parameters that declare its
 * operations.
 */
interface TokenGeneration {
  readonly kind: GenerationKind
  /**
   * Common prefix of the operations' paths. The attempt is at `<path>/attempt`, and shares are
   * submitted to `<path>/update`.
   */
  readonly path: string
  /** Name in operation ids. */
  readonly name: string
  /** Phrases in summaries: one for the token, and one for a share. */
  readonly labels: readonly [token: string, share: string]
  readonly spec: string
  readonly flags: Pick<SecretsOperation, 'onSecondary' | 'enterprise'>
  readonly attemptSchema: ShapeOrSchema
  /**
   * Returns the status of the attempt. Only the reply that starts the attempt contains the one-time
   * password.
   */
  attemptOutcome(world: World, otp?: string): SecretsOutcome
  /**
   * Returns the reply to a submitted share. After the last share, the reply contains the encrypted
   * or masked token.
   */
  shareOutcome(
    world: World,
    status: GenerationStatus,
    encoded: string,
    complete: boolean,
  ): SecretsOutcome
}

/**
 * Declares the operations that read, start and cancel the generation of a token, and the operation
 * that accepts key shares. The operations need no client token, because the key shares authorise
 * the caller.
 */
export function generationOperations(generation: TokenGeneration): readonly SecretsOperation[] {
  const { kind, path, name, spec, flags, attemptSchema } = generation
  const [token, share] = generation.labels
  const operation = operationsOf({
    spec,
    access: 'anyone',
    unenveloped: true,
    rootOnly: true,
    ...flags,
  })
  return [
    operation.read(`read${name}Attempt`, `${path}/attempt`, {
      summary: `Read the generation of ${token}.`,
      reply: { 200: attemptSchema },
      run: ({ world }) => generation.attemptOutcome(world),
    }),
    operation.write(`start${name}`, `${path}/attempt`, {
      summary: `Start to generate ${token}.`,
      secrets: { body: ['otp'], reply: ['otp'] },
      strict: { struct: 'GenerateRootInitRequest', optional: true },
      body: startFields,
      reply: { 200: attemptSchema },
      run: ({ world, fields }) =>
        startAttempt(world, fields, kind, (created) => generation.attemptOutcome(world, created)),
    }),
    operation.delete(`cancel${name}`, `${path}/attempt`, {
      summary: `Cancel the generation of ${token}.`,
      apply: ({ world }) => cancelGeneration(world, kind),
    }),
    operation.write(`update${name}`, `${path}/update`, {
      summary: `Enter ${share} for ${token}.`,
      secrets: { body: ['key', 'otp'], reply: ['encoded_token', 'encoded_root_token'] },
      methods: 'any',
      strict: { struct: 'GenerateRootUpdateRequest', optional: false, names: upperCaseNames },
      body: shareFields('A key share', 'attempt'),
      reply: { 200: attemptSchema },
      run({ world, fields }) {
        const step = submitGenerationShare(world, fields.key, fields.nonce, kind)
        // The request is refused, but the submitted shares must still be removed.
        if (step.state === 'failed') throw step.refusal.commitWrites()
        if (step.state === 'started') return generation.shareOutcome(world, step.status, '', false)
        return defer(
          () => protectToken(step.token, step.protection),
          (encoded) => generation.shareOutcome(world, step.status, encoded, true),
        )
      },
    }),
  ]
}

/**
 * Starts the generation of a token that will be returned encrypted or masked. Throws a refusal if a
 * generation cannot start now, or if the one-time password or PGP key is invalid.
 *
 * @param attemptOutcome returns the reply, with the one-time password if one was generated
 */
export function startAttempt(
  world: World,
  input: { readonly pgp_key: string; readonly otp: string },
  kind: GenerationKind,
  attemptOutcome: (otp?: string) => SecretsOutcome,
): SecretsOutcome | Deferred<SecretsOutcome> {
  checkGenerationAllowed(world, kind)
  if (input.otp !== '') {
    checkOtp(world, input.otp)
    startGeneration(world, { otp: input.otp }, kind)
    return attemptOutcome()
  }
  if (input.pgp_key === '') {
    const created = newOtp(world)
    startGeneration(world, { otp: created }, kind)
    return attemptOutcome(created)
  }
  const refuseKey = (reason: Message) => refuse('generation-pgp-key', { reason })
  return defer(
    () => readPgpKey(input.pgp_key, refuseKey),
    ({ fingerprint }) => {
      startGeneration(world, { pgpKey: input.pgp_key, fingerprint }, kind)
      return attemptOutcome()
    },
  )
}

/**
 * Returns a token masked with the one-time password, or encrypted for the PGP key and encoded as
 * base64 (behaviour/secrets#operation-tokens).
 */
export async function protectToken(token: string, protection: TokenProtection): Promise<string> {
  if ('otp' in protection) return maskToken(token, protection.otp)
  const key = await readPgpKey(protection.pgpKey)
  return Buffer.from(await key.encrypt(token)).toString('base64')
}
