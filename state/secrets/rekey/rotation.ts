import { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { sealKind } from '../seal/seal.ts'
import { refuse } from './messages.ts'
import { checkRekeyRequest, type RekeyRequest, type RekeyStatus, rekeyStatus } from './rekey.ts'
import { rekeyAttempt } from './rekey-machine.ts'

/** Kind of shares that a request to `sys/rotate` replaces (behaviour/secrets#rotation). */
export type RotatedKey = 'root' | 'recovery'

/** Runs a rekey operation for `sys/rotate`. Rethrows its refusals with the wording of rotations. */
export function withRotationWording<T>(key: RotatedKey, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw error instanceof Refusal ? rotationRefusal(key, error) : error
  }
}

/**
 * Converts the refusal of a rekey to that of a rotation. Returns the refusal unchanged if rotations
 * have no separate wording for this refusal.
 */
export function rotationRefusal(key: RotatedKey, refusal: Refusal): Refusal {
  const { rule, params } = refusal
  const { nonce = '', combine = '', problem = '' } = params
  switch (rule) {
    case 'rekey-under-way':
      return refuse('rotation-under-way')
    case 'rekey-not-under-way':
    case 'verification-without-rekey':
      return refuse('rotation-not-under-way')
    case 'rekey-finished':
      return refuse('rotation-finished', { nonce })
    case 'rekey-nonce-wrong':
      return refuse('rotation-nonce-wrong', { nonce })
    case 'share-repeated':
      return refuse('rotation-share-repeated')
    case 'verification-not-under-way':
      return refuse('rotation-verification-not-under-way')
    case 'verification-failed':
      return refuse('rotation-verification-failed')
    case 'rekey-not-configured':
      return refuse('rotation-not-configured')
    case 'stored-key-verification':
      return refuse('rotation-stored-key-verification')
    case 'rekey-shares-do-not-combine':
      return refuse('rotation-shares-do-not-combine', { combine })
    case 'rekey-config-invalid':
      return key === 'recovery'
        ? refuse('rotation-recovery-config-invalid', { problem })
        : refuse('rotation-config-invalid', { problem })
    default:
      return refusal
  }
}

/** Returns whether the rekey in progress replaces the kind of shares that `key` names. */
function isAttemptOf(world: World, key: RotatedKey): boolean {
  const attempt = rekeyAttempt(world)
  return attempt !== undefined && (attempt.settings.recovery === true) === (key === 'recovery')
}

/**
 * Returns the status of a rotation. Without a rekey, or while the rekey in progress replaces the
 * other kind of shares, the status has only the member `required`. Throws an `invalid` refusal for
 * recovery shares if the seal is not a stored-key seal, and an `unavailable` refusal while sealed.
 */
export function rotationStatus(world: World, key: RotatedKey): RekeyStatus | { required: number } {
  if (key === 'recovery' && sealKind(world) !== 'stored') {
    throw refuse('rotation-recovery-config-absent')
  }
  const status = rekeyStatus(world)
  return isAttemptOf(world, key) ? status : { required: status.required }
}

/**
 * Throws a refusal unless the rekey in progress replaces the kind of shares that `key` names.
 * Throws an `unavailable` refusal while sealed.
 *
 * @param rule rule of the refusal
 */
export function requireRotation(
  world: World,
  key: RotatedKey,
  rule: 'rotation-not-under-way' | 'rotation-not-configured',
): void {
  rekeyStatus(world)
  if (!isAttemptOf(world, key)) throw refuse(rule)
}

/**
 * Returns whether the rekey in progress replaces the kind of shares that `key` names. Throws an
 * `unavailable` refusal while sealed.
 */
export function isRotating(world: World, key: RotatedKey): boolean {
  rekeyStatus(world)
  return isAttemptOf(world, key)
}

/**
 * Throws an `unavailable` refusal while sealed, then a refusal if a rekey is in progress, then the
 * refusals for an invalid request.
 */
export function checkRotationRequest(world: World, key: RotatedKey, request: RekeyRequest): void {
  if (rekeyStatus(world).started) throw refuse('rotation-under-way')
  if (key === 'recovery' && sealKind(world) !== 'stored') {
    throw refuse('rotation-recovery-unsupported')
  }
  withRotationWording(key, () => checkRekeyRequest(world, request))
}

/** Throws an `invalid` refusal if the share or the nonce is missing. */
export function checkRotationShare({ key, nonce }: { key: string; nonce: string }): void {
  if (key === '') throw refuse('rotation-field-missing', { field: 'key' })
  if (nonce === '') throw refuse('rotation-field-missing', { field: 'nonce' })
}
