import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Mount } from '../mounts/mounts.ts'
import { putTransitKey, type TransitKey, transitKeys } from './keys.ts'
import { checkRotatePeriod, stopRotation, storeKeyAndScheduleRotation } from './lifecycle.ts'
import { message, refuse } from './messages.ts'

/** Settings that a request changes; undefined members keep their values. */
export interface KeySettings {
  readonly min_decryption_version?: number
  readonly min_encryption_version?: number
  readonly deletion_allowed?: boolean
  readonly exportable?: boolean
  readonly allow_plaintext_backup?: boolean
  /** Seconds; 0 disables automatic rotation. */
  readonly auto_rotate_period?: number
}

/**
 * Changes only the given settings and reschedules the automatic rotation. If
 * `min_decryption_version` is 0, sets it to 1 and returns a warning. Throws `invalid` refusals, in
 * the reference's order (behaviour/secrets#transit-keys).
 */
export function configureTransitKey(
  world: World,
  mount: Mount,
  name: string,
  settings: KeySettings,
): { readonly key: TransitKey; readonly warnings: readonly Message[] } {
  const before = transitKeys.find(world, mount, name)
  if (before === undefined) throw refuse('key-to-configure-unknown', { name })
  const requested = settings.min_decryption_version
  const key: TransitKey = {
    ...before,
    min_decryption_version: decryptionVersion(before, requested),
    min_encryption_version: encryptionVersion(before, settings.min_encryption_version),
    deletion_allowed: settings.deletion_allowed ?? before.deletion_allowed,
    // As in the reference, these settings cannot be turned off again.
    exportable: before.exportable || settings.exportable === true,
    allow_plaintext_backup:
      before.allow_plaintext_backup || settings.allow_plaintext_backup === true,
    auto_rotate_period: settings.auto_rotate_period ?? before.auto_rotate_period,
  }
  checkBounds(key)
  checkRotatePeriod(key.auto_rotate_period)
  checkAvailable(key)
  storeKeyAndScheduleRotation(world, transitKeys.keyOf(mount, name), key)
  return { key, warnings: requested === 0 ? [message('decryption-version-forced')] : [] }
}

function decryptionVersion(key: TransitKey, requested: number | undefined): number {
  if (requested === undefined) return key.min_decryption_version
  if (requested < 0) throw refuse('decryption-version-negative')
  const version = Math.max(requested, 1)
  const latest = key.latest_version
  if (version > latest) throw refuse('decryption-version-above-latest', { version, latest })
  return version
}

function encryptionVersion(key: TransitKey, requested: number | undefined): number {
  if (requested === undefined) return key.min_encryption_version
  if (requested < 0) throw refuse('encryption-version-negative')
  const latest = key.latest_version
  if (requested > latest)
    throw refuse('encryption-version-above-latest', { version: requested, latest })
  return requested
}

function checkBounds(key: TransitKey): void {
  const {
    min_encryption_version: minEncryptionVersion,
    min_decryption_version: minDecryptionVersion,
  } = key
  if (minEncryptionVersion === 0 || minEncryptionVersion >= minDecryptionVersion) return
  throw refuse('encryption-version-below-decryption', {
    encryption: minEncryptionVersion,
    decryption: minDecryptionVersion,
  })
}

function checkAvailable(key: TransitKey): void {
  const { min_available_version: minAvailableVersion } = key
  if (minAvailableVersion > key.min_encryption_version) throw refuse('encryption-version-trimmed')
  if (minAvailableVersion > key.min_decryption_version) throw refuse('decryption-version-trimmed')
}

/**
 * Deletes all versions below `requested`, permanently. Throws `invalid` refusals, in the
 * reference's order (behaviour/secrets#transit-keys).
 */
export function trimTransitKey(
  world: World,
  mount: Mount,
  name: string,
  requested: number | undefined,
): TransitKey {
  const key = transitKeys.find(world, mount, name)
  if (key === undefined) throw refuse('key-to-trim-unknown')
  if (requested === undefined) throw refuse('available-version-missing')
  if (requested < key.min_available_version) throw refuse('available-version-decremented')
  if (key.min_encryption_version === 0) throw refuse('available-version-before-encryption')
  if (requested > key.min_encryption_version) throw refuse('available-version-above-encryption')
  if (requested > key.min_decryption_version) throw refuse('available-version-above-decryption')
  if (requested === 0) throw refuse('available-version-zero')
  const kept = Object.entries(key.versions).filter(([number]) => Number(number) >= requested)
  const trimmed = { ...key, min_available_version: requested, versions: Object.fromEntries(kept) }
  putTransitKey(world, transitKeys.keyOf(mount, name), trimmed)
  return trimmed
}

/**
 * Deletes a key and stops its automatic rotation. Throws an `invalid` refusal for an unknown key
 * and for a key without `deletion_allowed`.
 */
export function deleteTransitKey(world: World, mount: Mount, name: string): void {
  const key = transitKeys.find(world, mount, name)
  if (key === undefined) throw refuse('key-to-delete-unknown', { name })
  if (!key.deletion_allowed) throw refuse('key-not-deletable', { name })
  world.write(() => {
    stopRotation(world, transitKeys.keyOf(mount, name))
    transitKeys.remove(world, mount, name)
  })
}
