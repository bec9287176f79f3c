import { quoteGo } from '../../go/text.ts'
import type { MessageParam } from '../../kernel/message.ts'
import type { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { isDrSecondary } from '../replication/modes.ts'
import { checkUnsealed, replaceSealKey, sealKey, sealKind, unsealKeys } from '../seal/seal.ts'
import {
  addShare,
  readRequiredShare,
  type ShareStep,
  wrongKeyRefusal,
} from '../seal/share-collection.ts'
import { shareNumberProblem, splitNewKey } from '../seal/split-key.ts'
import { refuse } from './messages.ts'
import {
  newRekeyAttempt,
  type RekeyAttempt,
  type RekeySettings,
  rekeyAttempt,
  rekeyMachine,
  rekeyState,
  storeRekey,
  withPendingVerification,
} from './rekey-machine.ts'

/** Data of `sys/rekey/init` and `sys/rekey/update` (behaviour/secrets#api-rekey). */
export interface RekeyStatus {
  readonly nonce: string
  readonly started: boolean
  readonly t: number
  readonly n: number
  readonly progress: number
  readonly required: number
  readonly pgp_fingerprints: readonly string[] | null
  readonly backup: boolean
  readonly verification_required: boolean
  /** Left out unless new shares are under verification. */
  readonly verification_nonce?: string
}

/** Request for a rekey whose PGP keys are not yet parsed. */
export interface RekeyRequest extends Omit<RekeySettings, 'pgpFingerprints'> {
  /** Number of stored shares; undefined if not given. Only a stored-key seal checks this number. */
  readonly storedShares: number | undefined
}

/** Result of a rekey once enough current shares were submitted. */
export interface RekeyResult {
  readonly nonce: string
  readonly settings: RekeySettings
  /**
   * New shares as hex; empty if the rekey replaced the key of a stored-key seal, because that key
   * is never revealed.
   */
  readonly shares: readonly string[]
  readonly verificationNonce?: string
}

export type RekeyStep =
  | { readonly state: 'started' }
  | { readonly state: 'verification' | 'complete'; readonly result: RekeyResult }
  /**
   * The shares were wrong and were dropped. The refusal is returned instead of thrown, because
   * throwing it would roll back the removal of the shares.
   */
  | { readonly state: 'failed'; readonly refusal: Refusal }

/**
 * Returns the status of the rekey in progress. Without a rekey, `started` is false. Throws an
 * `unavailable` refusal while sealed.
 */
export function rekeyStatus(world: World): RekeyStatus {
  checkUnsealed(world)
  const { threshold: required } = sealKey(world)
  const attempt = rekeyAttempt(world)
  if (attempt === undefined) return { ...idleStatus, required }
  const { nonce, settings, progress, trial } = attempt
  return {
    nonce,
    started: true,
    t: settings.threshold,
    n: settings.shares,
    progress: progress.length,
    required,
    pgp_fingerprints: fingerprintsOf(settings),
    backup: settings.backup,
    verification_required: settings.verification,
    ...(trial === null ? {} : { verification_nonce: trial.nonce }),
  }
}

const idleStatus = {
  nonce: '',
  started: false,
  t: 0,
  n: 0,
  progress: 0,
  pgp_fingerprints: null,
  backup: false,
  verification_required: false,
} as const

/**
 * Returns the fingerprints of the PGP keys as replies contain them: null instead of an empty list.
 */
export function fingerprintsOf(settings: RekeySettings): readonly string[] | null {
  return settings.pgpFingerprints.length === 0 ? null : settings.pgpFingerprints
}

/**
 * Builds the refusal for an invalid setting. The reference reports such a setting as an internal
 * error.
 */
export function refuseSetting(problem: MessageParam): Refusal {
  return refuse('rekey-config-invalid', { problem })
}

/**
 * Throws an `unavailable` refusal while sealed, and an `invalid` refusal for an invalid request, in
 * the order of behaviour/secrets#rekey. Checks neither the PGP keys themselves nor whether a rekey
 * is in progress.
 */
export function checkRekeyRequest(world: World, request: RekeyRequest): void {
  checkUnsealed(world)
  const { shares, threshold, pgpKeys, backup, recovery = false } = request
  if (backup && pgpKeys.length === 0) throw refuse('rekey-backup-without-keys')
  if (pgpKeys.length > 0 && pgpKeys.length !== shares) throw refuse('rekey-key-count')
  if (threshold > shares) throw refuse('rekey-threshold-above-shares')
  if (sealKind(world) === 'stored' && !recovery) checkStoredKeyRequest(request)
  const problem = shareNumberProblem(shares, threshold)
  if (problem !== undefined) throw refuseSetting(problem)
}

/**
 * Throws an `invalid` refusal for settings that a stored-key seal does not support, because such a
 * seal does not hand out shares.
 */
function checkStoredKeyRequest(request: RekeyRequest): void {
  const { shares, threshold, storedShares = 1, pgpKeys, backup, verification } = request
  if (shares !== 1 || threshold !== 1 || storedShares !== 1) throw refuse('stored-key-numbers')
  if (pgpKeys.length > 0) throw refuse('stored-key-pgp')
  if (backup) throw refuse('stored-key-backup')
  if (verification) throw refuse('stored-key-verification')
}

/**
 * Starts a rekey with checked settings. Throws an `invalid` refusal if a rekey is in progress.
 * Checks the seal and the replication mode again, because the service may have changed while PGP
 * keys were parsed. Throws `unavailable` if the service was sealed, and `invalid` if the cluster
 * became a DR secondary.
 */
export function startRekey(world: World, settings: RekeySettings): void {
  checkUnsealed(world)
  if (isDrSecondary(world)) throw refuse('disabled-on-secondary')
  const noShares = { isKeyRecovered: false, requiresVerification: settings.verification }
  if (!rekeyMachine.allows(rekeyState(rekeyAttempt(world)), 'init', noShares)) {
    throw refuse('rekey-under-way')
  }
  world.write(() => storeRekey(world, newRekeyAttempt(settings, world.ids.uuid())))
}

/**
 * Cancels a rekey in progress; the current shares stay valid. Throws an `unavailable` refusal while
 * sealed.
 */
export function cancelRekey(world: World): void {
  checkUnsealed(world)
  storeRekey(world, undefined)
}

/**
 * Accepts a current share. Once the threshold is reached, generates the new shares, unless the
 * rekey replaces the key of a stored-key seal, which has no shares. Without verification, the new
 * shares replace the old shares immediately. Shares that combine to a wrong key are dropped.
 *
 * @throws Refusal for a share that is not accepted (behaviour/secrets#rekey)
 */
export function submitRekeyShare(world: World, text: string, nonce: string): RekeyStep {
  const share = readRequiredShare(text)
  checkUnsealed(world)
  const attempt = rekeyAttempt(world)
  if (attempt === undefined) throw refuse('rekey-not-under-way')
  if (attempt.trial !== null) {
    throw refuse('rekey-finished', { nonce: quoteGo(attempt.trial.nonce) })
  }
  if (nonce !== attempt.nonce) throw refuse('rekey-nonce-wrong', { nonce: quoteGo(attempt.nonce) })
  if (attempt.progress.includes(share)) throw refuse('share-repeated')
  const step = addShare(attempt.progress, share, sealKey(world))
  const { verification: requiresVerification } = attempt.settings
  const state = rekeyMachine.next(rekeyState(attempt), 'update', {
    isKeyRecovered: step.state === 'right',
    requiresVerification,
  })
  return world.write((): RekeyStep => {
    if (state === 'complete') return { state, result: completeRekey(world, attempt) }
    if (state === 'verification') return { state, result: startVerification(world, attempt) }
    storeRekey(world, { ...attempt, progress: step.state === 'more' ? step.shares : [] })
    if (step.state !== 'wrong') return { state: 'started' }
    return { state: 'failed', refusal: wrongSharesRefusal(world, step) }
  })
}

function wrongSharesRefusal(
  world: World,
  { combineError }: Extract<ShareStep, { state: 'wrong' }>,
) {
  return combineError === undefined
    ? wrongKeyRefusal(world, 'root-key-wrong')
    : refuse('rekey-shares-do-not-combine', { combine: combineError })
}

/**
 * Ends the rekey and replaces the old shares. A stored-key seal keeps its recovery shares unless
 * the rekey replaces these.
 */
function completeRekey(world: World, { nonce, settings }: RekeyAttempt): RekeyResult {
  storeRekey(world, undefined)
  const hasNoShares = sealKind(world) === 'stored' && settings.recovery !== true
  if (hasNoShares) return { nonce, settings, shares: [] }
  const split = splitNewKey(world, settings.shares, settings.threshold)
  replaceSealKey(world, split)
  return { nonce, settings, shares: split.shares }
}

/** Generates and stores new shares, which become valid only after verification. */
function startVerification(world: World, attempt: RekeyAttempt): RekeyResult {
  const { nonce, settings } = attempt
  const split = splitNewKey(world, settings.shares, settings.threshold)
  const verificationNonce = world.ids.uuid()
  storeRekey(world, withPendingVerification(attempt, split, verificationNonce))
  return { nonce, settings, shares: split.shares, verificationNonce }
}

/**
 * Returns whether shares are valid or under verification. Returns false if a later rekey has
 * replaced them.
 */
export function areLatestShares(world: World, shares: readonly string[]): boolean {
  const trial = rekeyAttempt(world)?.trial?.split.shares
  const requested = shares.join()
  return requested === unsealKeys(world).keys.join() || requested === trial?.join()
}
