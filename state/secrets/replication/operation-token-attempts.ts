import { Base64Error, decodeBase64, decodeUnpaddedBase64 } from '../../go/base64.ts'
import { quoteGo } from '../../go/text.ts'
import { defineMachine } from '../../kernel/machine.ts'
import type { Message } from '../../kernel/message.ts'
import type { Refusal } from '../../kernel/refusal.ts'
import { trimEndOf } from '../../kernel/trimming.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { checkUnsealed, sealKey } from '../seal/seal.ts'
import {
  addShare,
  readRequiredShare,
  type ShareStep,
  wrongKeyRefusal,
} from '../seal/share-collection.ts'
import { createRootToken } from '../tokens/tokens.ts'
import { message, refuse } from './messages.ts'
import { isDrSecondary } from './modes.ts'
import {
  createOperationToken,
  type OperationTokenAttempt,
  operationTokenAttempts,
  operationTokenLength,
} from './operation-tokens.ts'

const spec = 'behaviour/secrets#api-operation-tokens'
const behaviourSpec = 'behaviour/secrets#operation-tokens'

/**
 * State machine of an attempt to generate a token. A completed attempt is deleted, so that another
 * attempt can start.
 */
export const operationTokenMachine = defineMachine<{ readonly isKeyRecovered: boolean }>()({
  name: 'operation token generation',
  states: ['none', 'started', 'complete'],
  moves: [
    { on: 'attempt', from: 'none', to: 'started', spec },
    {
      on: 'update',
      from: 'started',
      to: 'started',
      when: ({ isKeyRecovered }) => !isKeyRecovered,
      spec,
    },
    {
      on: 'update',
      from: 'started',
      to: 'complete',
      when: ({ isKeyRecovered }) => isKeyRecovered,
      spec,
    },
    { on: 'cancel', from: 'started', to: 'none', spec },
    // Cancelling succeeds even if no attempt is in progress.
    { on: 'cancel', from: 'none', to: 'none', spec: behaviourSpec },
  ],
})

/** Data that the API returns about an attempt (behaviour/secrets#api-operation-tokens). */
export interface GenerationStatus {
  readonly started: boolean
  readonly nonce: string
  readonly progress: number
  readonly required: number
  readonly pgp_fingerprint: string
}

/** Protection of the generated token in the reply: a one-time password or a PGP key. */
export type TokenProtection =
  | { readonly otp: string }
  /** Public key in base64, and its fingerprint. */
  | { readonly pgpKey: string; readonly fingerprint: string }

export type GenerationStep =
  | { readonly state: 'started'; readonly status: GenerationStatus }
  | {
      readonly state: 'complete'
      readonly status: GenerationStatus
      readonly token: string
      readonly protection: TokenProtection
    }
  /**
   * The shares were wrong and were dropped. The refusal is returned instead of thrown, because
   * throwing it would roll back the removal of the shares.
   */
  | { readonly state: 'failed'; readonly refusal: Refusal }

const attemptKey = 'attempt'

function attemptOf(world: World): OperationTokenAttempt | undefined {
  return world.table(operationTokenAttempts).get(attemptKey)
}

/** Kind of the generated token: an operation token for a DR secondary, or a root token. */
export type GenerationKind = NonNullable<OperationTokenAttempt['kind']>

/**
 * Throws an `unavailable` refusal while sealed, and an `invalid` refusal for operation tokens on a
 * cluster that is not a DR secondary.
 */
export function checkGenerationAllowed(world: World, kind: GenerationKind = 'operation'): void {
  checkUnsealed(world)
  if (kind === 'operation' && !isDrSecondary(world)) throw refuse('not-a-secondary')
}

/**
 * Returns the status of the attempt in progress, even if its kind is not `kind`. Without an
 * attempt, `started` is false. Throws the refusals of `checkGenerationAllowed`.
 */
export function generationStatus(world: World, kind?: GenerationKind): GenerationStatus {
  checkGenerationAllowed(world, kind)
  return statusOf(attemptOf(world), sealKey(world).threshold)
}

function statusOf(attempt: OperationTokenAttempt | undefined, required: number): GenerationStatus {
  return {
    started: attempt !== undefined,
    nonce: attempt?.nonce ?? '',
    progress: attempt?.shares.length ?? 0,
    required,
    pgp_fingerprint: attempt?.pgp_fingerprint ?? '',
  }
}

/** Throws an `invalid` refusal for a one-time password that is not as long as a token. */
export function checkOtp(world: World, otp: string): void {
  if (Buffer.byteLength(otp) !== operationTokenLength(world)) throw refuse('otp-length')
}

/** Generates a one-time password as long as the tokens of this world. */
export function newOtp(world: World): string {
  return world.ids.base62(operationTokenLength(world))
}

/**
 * Starts an attempt. Throws an `invalid` refusal if an attempt of any kind is in progress, and the
 * refusals of `checkGenerationAllowed`.
 */
export function startGeneration(
  world: World,
  protection: TokenProtection,
  kind: GenerationKind = 'operation',
): void {
  checkGenerationAllowed(world, kind)
  const state = attemptOf(world) === undefined ? 'none' : 'started'
  if (!operationTokenMachine.allows(state, 'attempt', { isKeyRecovered: false })) {
    throw refuse('generation-under-way')
  }
  world.write(() =>
    world.table(operationTokenAttempts).put(attemptKey, {
      kind,
      nonce: world.ids.uuid(),
      shares: [],
      otp: 'otp' in protection ? protection.otp : '',
      pgp_key: 'otp' in protection ? '' : protection.pgpKey,
      pgp_fingerprint: 'otp' in protection ? '' : protection.fingerprint,
    }),
  )
}

/**
 * Cancels the attempt in progress, of any kind. Does nothing if no attempt is in progress. Throws
 * the refusals of `checkGenerationAllowed`.
 */
export function cancelGeneration(world: World, kind?: GenerationKind): void {
  checkGenerationAllowed(world, kind)
  world.write(() => world.table(operationTokenAttempts).delete(attemptKey))
}

/**
 * Accepts a key share; on a DR secondary, a share of the primary. The share that reaches the
 * threshold generates the token and ends the attempt; wrong shares are dropped.
 *
 * @throws Refusal for a share that is not accepted (behaviour/secrets#operation-tokens)
 */
export function submitGenerationShare(
  world: World,
  text: string,
  nonce: string,
  kind: GenerationKind = 'operation',
): GenerationStep {
  checkGenerationAllowed(world, kind)
  const share = readRequiredShare(text, true)
  const attempt = attemptOf(world)
  if (attempt === undefined) throw refuse('generation-not-under-way')
  if (nonce !== attempt.nonce) {
    throw refuse('generation-nonce-wrong', { nonce: quoteGo(attempt.nonce) })
  }
  if ((attempt.kind ?? 'operation') !== kind) throw refuse('generation-of-another-kind')
  if (attempt.shares.includes(share)) throw refuse('share-repeated')
  const { threshold } = sealKey(world)
  const step = addShare(attempt.shares, share, sealKey(world))
  const state = operationTokenMachine.next('started', 'update', {
    isKeyRecovered: step.state === 'right',
  })
  return world.write((): GenerationStep => {
    if (state === 'complete') {
      world.table(operationTokenAttempts).delete(attemptKey)
      const status = { ...statusOf(attempt, threshold), progress: threshold }
      const token = kind === 'root' ? createRootToken(world) : createOperationToken(world)
      return { state, status, token, protection: protectionOf(attempt) }
    }
    const next = { ...attempt, shares: step.state === 'more' ? step.shares : [] }
    world.table(operationTokenAttempts).put(attemptKey, next)
    if (step.state !== 'wrong') return { state: 'started', status: statusOf(next, threshold) }
    return { state: 'failed', refusal: wrongSharesRefusal(world, step) }
  })
}

function wrongSharesRefusal(
  world: World,
  { combineError }: Extract<ShareStep, { state: 'wrong' }>,
) {
  return combineError === undefined
    ? refuse('generation-failed', { problem: wrongKeyRefusal(world, 'stored-keys-wrong').reason })
    : refuse('generation-shares-do-not-combine', { combine: combineError })
}

function protectionOf({ otp, pgp_key, pgp_fingerprint }: OperationTokenAttempt): TokenProtection {
  return otp === '' ? { pgpKey: pgp_key, fingerprint: pgp_fingerprint } : { otp }
}

/**
 * Masks a token with a one-time password: returns their XOR as unpadded base64
 * (behaviour/secrets#operation-tokens).
 */
export function maskToken(token: string, otp: string): string {
  const key = Buffer.from(otp)
  const maskedBytes = Buffer.from(token).map((byte, at) => byte ^ (key[at] ?? 0))
  return trimEndOf(Buffer.from(maskedBytes).toString('base64'), '=')
}

/**
 * Reverses `maskToken` (behaviour/secrets#root-generation, decode-token). Throws a refusal for an
 * empty password, for invalid base64, and for a token and a password of different lengths.
 */
export function unmaskToken(encoded: string, otp: string): string {
  if (otp === '') throw refuse('encoded-token-without-otp', { why: missingOtpReason(encoded) })
  const maskedBytes = decodeMasked(encoded)
  const key = Buffer.from(otp)
  if (maskedBytes.length !== key.length) {
    throw refuse('token-otp-lengths', { token: maskedBytes.length, otp: key.length })
  }
  return Buffer.from(maskedBytes.map((byte, at) => byte ^ (key[at] ?? 0))).toString()
}

/**
 * Returns the reason in the reference's error for a missing password. In this case, the reference
 * decodes the token and the password as base64, as its older releases did.
 */
function missingOtpReason(encoded: string): Message {
  try {
    const isEmpty = decodeBase64(encoded).length === 0
    return message('base64-empty', { which: isEmpty ? 'first' : 'second' })
  } catch (error) {
    if (!(error instanceof Base64Error)) throw error
    return message('first-base64-unreadable', { why: error.message })
  }
}

function decodeMasked(encoded: string): Uint8Array {
  try {
    return decodeUnpaddedBase64(encoded)
  } catch (error) {
    if (!(error instanceof Base64Error)) throw error
    throw refuse('encoded-token-unreadable', { why: error.message })
  }
}
