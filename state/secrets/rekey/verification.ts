import { quoteGo } from '../../go/text.ts'
import type { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { checkUnsealed, replaceSealKey } from '../seal/seal.ts'
import { addShare, readRequiredShare, type ShareStep } from '../seal/share-collection.ts'
import { refuse } from './messages.ts'
import {
  type RekeyAttempt,
  rekeyAttempt,
  rekeyMachine,
  rekeyState,
  storeRekey,
  withRestartedVerification,
} from './rekey-machine.ts'

/** Data of `sys/rekey/verify`. `started` is false before the verification begins. */
export interface VerificationStatus {
  readonly nonce: string
  readonly started: boolean
  readonly t: number
  readonly n: number
  readonly progress: number
}

type VerificationStep =
  | { readonly state: 'verification' }
  /** The new shares are valid; the old shares are invalid. */
  | { readonly state: 'complete'; readonly nonce: string }
  /**
   * The shares were wrong and were dropped. The refusal is returned instead of thrown, because
   * throwing it would roll back the removal of the shares.
   */
  | { readonly state: 'failed'; readonly refusal: Refusal }

/**
 * Returns the status of the verification. Throws an `invalid` refusal if no rekey is in progress,
 * and an `unavailable` refusal while sealed.
 */
export function verificationStatus(world: World): VerificationStatus {
  checkUnsealed(world)
  const { settings, trial } = attemptOf(world)
  return {
    nonce: trial?.nonce ?? '',
    started: trial !== null,
    t: settings.threshold,
    n: settings.shares,
    progress: trial?.progress.length ?? 0,
  }
}

/**
 * Restarts the verification with a new nonce and drops the submitted shares. Does nothing before
 * the verification begins. Throws an `unavailable` refusal while sealed, and an `invalid` refusal
 * if no rekey is in progress (behaviour/secrets#rekey-verification).
 */
export function restartVerification(world: World): void {
  checkUnsealed(world)
  const attempt = attemptOf(world)
  if (attempt.trial === null) return
  world.write(() => storeRekey(world, withRestartedVerification(attempt, world.ids.uuid())))
}

/**
 * Accepts a new share. The share that reaches the threshold makes the new shares valid and ends the
 * rekey. If the submitted shares are wrong, the verification restarts.
 *
 * @throws Refusal for a share that is not accepted (behaviour/secrets#rekey-verification)
 */
export function submitNewShare(world: World, text: string, nonce: string): VerificationStep {
  const share = readRequiredShare(text)
  checkUnsealed(world)
  const attempt = rekeyAttempt(world)
  if (attempt === undefined) throw refuse('verification-without-rekey')
  const { trial, settings } = attempt
  if (trial === null) throw refuse('verification-not-under-way')
  if (nonce !== trial.nonce) {
    throw refuse('verification-nonce-wrong', { nonce: quoteGo(trial.nonce) })
  }
  if (trial.progress.includes(share)) throw refuse('verification-share-repeated')
  const step = addShare(trial.progress, share, trial.split)
  const state = rekeyMachine.next(rekeyState(attempt), 'verify', {
    isKeyRecovered: step.state === 'right',
    requiresVerification: settings.verification,
  })
  return world.write((): VerificationStep => {
    if (state === 'complete') {
      replaceSealKey(world, trial.split)
      storeRekey(world, undefined)
      return { state, nonce: trial.nonce }
    }
    if (step.state === 'more') {
      storeRekey(world, { ...attempt, trial: { ...trial, progress: step.shares } })
      return { state: 'verification' }
    }
    storeRekey(world, withRestartedVerification(attempt, world.ids.uuid()))
    return { state: 'failed', refusal: wrongSharesRefusal(step) }
  })
}

function wrongSharesRefusal(step: ShareStep): Refusal {
  if (step.state !== 'wrong' || step.combineError === undefined) {
    return refuse('verification-failed')
  }
  return refuse('verification-shares-do-not-combine', { combine: step.combineError })
}

function attemptOf(world: World): RekeyAttempt {
  const attempt = rekeyAttempt(world)
  if (attempt === undefined) throw refuse('rekey-not-configured')
  return attempt
}
