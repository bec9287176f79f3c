import { bool, instant, map, text, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, NamedRows, nextWal, storagePrefix, walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'
import { refuse } from './messages.ts'
import { keyTypes } from './types.ts'

const transitVersionShape = struct({
  created_time: instant,
  /**
   * Base64 for symmetric and HMAC keys, base64 of seed and public key for Ed25519, PKCS #8 PEM for
   * ECDSA and RSA.
   */
  key: text,
  /** Base64. */
  hmac_key: text,
})
export interface TransitVersion extends StoredOf<typeof transitVersionShape> {}

/** A named key with its versions (behaviour/secrets#transit-keys). */
const transitKeyShape = struct({
  name: text,
  type: word(...keyTypes),
  derived: bool,
  convergent_encryption: bool,
  exportable: bool,
  allow_plaintext_backup: bool,
  deletion_allowed: bool,
  min_available_version: uint,
  min_decryption_version: uint,
  /** Oldest version that may encrypt; 0 means that only `min_decryption_version` limits it. */
  min_encryption_version: uint,
  latest_version: uint,
  /** Seconds; 0 disables automatic rotation. */
  auto_rotate_period: uint,
  /** Length of an HMAC key in bytes; 0 for other types. */
  key_size: uint,
  /** Versions by number; trimmed versions are missing. */
  versions: map(transitVersionShape),
  ...walField,
})
export interface TransitKey extends StoredOf<typeof transitKeyShape> {}

export const transitKeyTable = secretsTable('transit-keys', transitKeyShape, {
  secrets: { members: ['versions/*/key', 'versions/*/hmac_key'] },
})

/** Keys by mount and case-sensitive name. */
export const transitKeys = new NamedRows(
  transitKeyTable,
  () => refuse('transit-key-absent'),
  (name) => name,
)

/**
 * Stores a key with its write-ahead position. Does not reschedule the automatic rotation of the
 * key.
 */
export function putTransitKey(world: World, id: string, key: TransitKey): void {
  world.write(() => world.table(transitKeyTable).put(id, { ...key, wal: nextWal(world) }))
}

/** Returns the versions that may decrypt, in ascending order of their numbers. */
export function usableVersions(key: TransitKey): [number, TransitVersion][] {
  return Object.entries(key.versions)
    .map(([number, version]): [number, TransitVersion] => [Number(number), version])
    .filter(([number]) => number >= key.min_decryption_version)
}

/**
 * Returns a version of a key. Throws an `invalid` refusal for a version that is missing or older
 * than `min_decryption_version`.
 */
export function versionOf(key: TransitKey, number: number): TransitVersion {
  const version = key.versions[number]
  if (version === undefined || number < key.min_decryption_version) {
    throw refuse('key-version-unknown')
  }
  return version
}

/** Settings of a mount (behaviour/secrets#transit-keys). */
const transitConfigShape = struct({
  /** True if encrypting with an unknown key must not create the key. */
  disable_upsert: bool,
  /**
   * Number of cached keys; 0 means unlimited. The setting is stored and returned, but has no
   * effect.
   */
  cache_size: uint,
  ...walField,
})
interface TransitConfig extends StoredOf<typeof transitConfigShape> {}

/**
 * Settings of mounts, one row per mount whose settings were changed; the key is the mount's storage
 * prefix.
 */
const transitConfigs = secretsTable('transit-configs', transitConfigShape, { secrets: 'none' })

export const transitTables = [transitKeyTable, transitConfigs] as const

/** Returns the settings of a mount; the defaults if no settings are stored. */
export function transitConfig(world: World, mount: Mount): TransitConfig {
  const stored = world.table(transitConfigs).get(storagePrefix(mount))
  return stored ?? { disable_upsert: false, cache_size: 0 }
}

/** Changes only the given settings. Throws an `invalid` refusal for a cache size from 1 to 9. */
export function configureTransit(
  world: World,
  mount: Mount,
  change: Partial<Pick<TransitConfig, 'disable_upsert' | 'cache_size'>>,
): void {
  const config = { ...transitConfig(world, mount), ...change }
  if (config.cache_size !== 0 && config.cache_size < 10) throw refuse('cache-size-small')
  world.write(() => {
    world.table(transitConfigs).put(storagePrefix(mount), { ...config, wal: nextWal(world) })
  })
}
