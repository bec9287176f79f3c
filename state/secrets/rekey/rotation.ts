import { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { sealKind } from '../seal/seal.ts'
import { refuse } from './messages.ts'
import { checkRekeyRequest, type RekeyRequest, type RekeyStatus, rekeyStatus } from './rekey.ts'
import { rekeyAttempt } from './rekey-machine.ts'

/** The kinds of shares that `sys/rotate` replaces (behaviour/secrets#rotation). */
export type RotatedKey = 'root' | 'recovery'

/**
 * Runs a rekey operation for `sys/rotate`. Refusals of the operation are rethrown with the wording
 * of rotations.
 */
export function inRotationWords<T>(key: RotatedKey, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw error instanceof Refusal ? rotationRefusal(key, error) : error
  }
}

/** Returns the refusal of a rotation that corresponds to the refusal of a rekey. */
export function rotationRefusal(key: RotatedKey, refusal: Refusal): Refusal {
  const { rule, params } = refusal
  const { nonce = '', combine = '', fault = '' } = params
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
        ? refuse('rotation-recovery-config-invalid', { fault })
        : refuse('rotation-config-invalid', { fault })
    default:
      return refusal
  }
}

/** Returns whether the rekey attempt in progress replaces the shares of this kind. */
function isAttemptOf(world: World, key: RotatedKey): boolean {
  const attempt = rekeyAttempt(world)
  return attempt !== undefined && (attempt.settings.recovery === true) === (key === 'recovery')
}

/**
 * Returns the status of the rotation of a kind of shares. The rotation counts as idle while the
 * attempt in progress replaces the other kind. Refuses recovery shares if the seal has none.
 */
export function rotationStatus(world: World, key: RotatedKey): RekeyStatus | { required: number } {
  if (key === 'recovery' && sealKind(world) !== 'stored') {
    throw refuse('rotation-recovery-config-absent')
  }
  const status = rekeyStatus(world)
  return isAttemptOf(world, key) ? status : { required: status.required }
}

/**
 * Refuses a step of a rotation unless the attempt in progress replaces this kind of shares.
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

/** Returns whether a rotation of a kind of shares is in progress. */
export function isRotating(world: World, key: RotatedKey): boolean {
  rekeyStatus(world)
  return isAttemptOf(world, key)
}

/**
 * Refuses an invalid request for a rotation. The first check is whether an attempt is in progress.
 */
export function checkRotationRequest(world: World, key: RotatedKey, request: RekeyRequest): void {
  if (rekeyStatus(world).started) throw refuse('rotation-under-way')
  if (key === 'recovery' && sealKind(world) !== 'stored') {
    throw refuse('rotation-recovery-unsupported')
  }
  inRotationWords(key, () => checkRekeyRequest(world, request))
}

/** Refuses a request that lacks the share or the nonce. */
export function checkRotationShare({ key, nonce }: { key: string; nonce: string }): void {
  if (key === '') throw refuse('rotation-field-missing', { field: 'key' })
  if (nonce === '') throw refuse('rotation-field-missing', { field: 'nonce' })
}
