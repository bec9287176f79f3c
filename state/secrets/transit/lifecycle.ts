import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Mount } from '../mounts/mounts.ts'
import { putTransitKey, type TransitKey, transitKeys, transitKeyTable, versionOf } from './keys.ts'
import { makeKey } from './material.ts'
import { refuse } from './messages.ts'
import { derives, type KeyType, keyTypeOf, keyTypeSpec } from './types.ts'

const rotateJob = 'secrets.transit.rotate'

/** Job that rotates a key automatically. The id of the job is the row id of the key. */
export const transitJobs: Readonly<Record<string, JobHandler>> = {
  [rotateJob]: (world, { id }) => {
    const key = world.table(transitKeyTable).get(id)
    if (key !== undefined) storeKeyAndScheduleRotation(world, id, withNewVersion(world, key))
  },
}

/**
 * Adds a version to a key, reschedules its automatic rotation, and returns the key. Throws an
 * `invalid` refusal for an unknown key.
 */
export function rotateTransitKey(world: World, mount: Mount, name: string): TransitKey {
  const key = transitKeys.find(world, mount, name)
  if (key === undefined) throw refuse('key-to-rotate-unknown')
  const rotated = withNewVersion(world, key)
  storeKeyAndScheduleRotation(world, transitKeys.keyOf(mount, name), rotated)
  return rotated
}

/** Returns a copy of the key with a new latest version; stores nothing. */
function withNewVersion(world: World, key: TransitKey): TransitKey {
  const text = makeKey(world.ids, key.type, key.key_size, (now, later) => world.part(now, later))
  const hmac = key.type === 'hmac' ? text : Buffer.from(world.ids.bytes(32)).toString('base64')
  const version = { created_time: world.clock.now(), key: text, hmac_key: hmac }
  const latest_version = key.latest_version + 1
  return { ...key, latest_version, versions: { ...key.versions, [latest_version]: version } }
}

/**
 * Stores a key and schedules its automatic rotation one period after its latest version was
 * created. A period of 0 cancels the rotation.
 */
export function storeKeyAndScheduleRotation(world: World, id: string, key: TransitKey): void {
  world.write(() => {
    putTransitKey(world, id, key)
    stopRotation(world, id)
    if (key.auto_rotate_period === 0) return
    const last = versionOf(key, key.latest_version).created_time
    world.agenda.schedule({ at: last + key.auto_rotate_period * 1000, job: rotateJob, id })
  })
}

export function stopRotation(world: World, id: string): void {
  world.agenda.cancel(rotateJob, id)
}

interface KeyRequest {
  readonly type: string
  readonly derived: boolean
  readonly convergent_encryption: boolean
  readonly exportable: boolean
  readonly allow_plaintext_backup: boolean
  /** Seconds; 0 disables automatic rotation. */
  readonly auto_rotate_period: number
  readonly key_size: number
}

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
 * Creates a key, or returns the existing key of that name unchanged. Throws `invalid` refusals, in
 * the reference's order (behaviour/secrets#transit-keys).
 */
export function createTransitKey(
  world: World,
  mount: Mount,
  name: string,
  request: KeyRequest,
): TransitKey {
  checkRotatePeriod(request.auto_rotate_period)
  if (request.convergent_encryption && !request.derived) {
    throw refuse('convergent-without-derivation')
  }
  const type = keyTypeOf(request.type)
  checkSize(type, request.key_size)
  const known = transitKeys.find(world, mount, name)
  if (known !== undefined) return known
  const key = newTransitKey(world, name, { ...request, type })
  storeKeyAndScheduleRotation(world, transitKeys.keyOf(mount, name), key)
  return key
}

/** Throws an `invalid` refusal for a period below one hour, except 0. */
export function checkRotatePeriod(seconds: number): void {
  if (seconds !== 0 && seconds < 3600) throw refuse('rotate-period-short')
}

function checkSize(type: KeyType, size: number): void {
  if (size === 0) return
  if (type !== 'hmac') throw refuse('key-size-of-other-type', { type })
  if (size < 32 || size > 512) throw refuse('key-size-invalid', { size })
}

/**
 * Builds a key with its first version without storing it. Throws an `invalid` refusal for settings
 * that its type does not support.
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
