import type { World } from '../../kernel/worlds/world.ts'
import type { Mount } from '../mounts/mounts.ts'
import { type TransitKey, transitKeys } from './keys.ts'
import { refuse } from './messages.ts'
import { storeRotatedKey, withNewVersion } from './rotation.ts'
import { derives, type KeyType, keyTypeOf, keyTypeSpec } from './types.ts'

/** A request to create a key. */
export interface KeyRequest {
  readonly type: string
  readonly derived: boolean
  readonly convergent_encryption: boolean
  readonly exportable: boolean
  readonly allow_plaintext_backup: boolean
  /** Seconds. */
  readonly auto_rotate_period: number
  readonly key_size: number
}

/** The request with every setting at its default. */
export const defaultKeyRequest: KeyRequest = {
  type: 'aes256-gcm96',
  derived: false,
  convergent_encryption: false,
  exportable: false,
  allow_plaintext_backup: false,
  auto_rotate_period: 0,
  key_size: 0,
}

/**
 * Creates a key, or returns the existing key of that name unchanged. Refuses with `invalid`, in the
 * order of behaviour/secrets#transit-keys.
 */
export function createTransitKey(
  world: World,
  mount: Mount,
  name: string,
  request: KeyRequest,
): { readonly key: TransitKey; readonly existed: boolean } {
  checkRotatePeriod(request.auto_rotate_period)
  if (request.convergent_encryption && !request.derived) {
    throw refuse('convergent-without-derivation')
  }
  const type = keyTypeOf(request.type)
  checkSize(type, request.key_size)
  const known = transitKeys.find(world, mount, name)
  if (known !== undefined) return { key: known, existed: true }
  const key = newTransitKey(world, name, { ...request, type })
  storeRotatedKey(world, transitKeys.keyOf(mount, name), key)
  return { key, existed: false }
}

/** Refuses a rotation period below the minimum. */
export function checkRotatePeriod(seconds: number): void {
  if (seconds !== 0 && seconds < 3600) throw refuse('rotate-period-short')
}

function checkSize(type: KeyType, size: number): void {
  if (size === 0) return
  if (type !== 'hmac') throw refuse('key-size-of-other-type', { type })
  if (size < 32 || size > 512) throw refuse('key-size-invalid', { size })
}

/**
 * Builds a key with its first version without storing it; refuses settings that its type does not
 * support.
 */
export function newTransitKey(
  world: World,
  name: string,
  request: KeyRequest & { readonly type: KeyType },
): TransitKey {
  const { type } = request
  if (request.derived && !derives(type)) throw refuse('derivation-unsupported', { type })
  if (request.convergent_encryption && keyTypeSpec(type).family === 'ed25519') {
    throw refuse('convergence-unsupported', { type })
  }
  if (type === 'hmac' && request.key_size === 0) throw refuse('key-size-missing')
  return withNewVersion(world, {
    ...request,
    name,
    deletion_allowed: false,
    min_available_version: 0,
    min_decryption_version: 1,
    min_encryption_version: 0,
    latest_version: 0,
    versions: {},
  })
}
