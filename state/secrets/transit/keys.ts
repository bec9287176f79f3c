import { bool, instant, map, text, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, NamedRows, nextWal, storagePrefix, walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'
import { refuse } from './messages.ts'
import { keyTypes } from './types.ts'

/** A version of a key. */
const transitVersionShape = struct({
  created_time: instant,
  /**
   * Symmetric and HMAC keys as base64; Ed25519 keys as base64 of seed and public key; other keys as
   * PKCS#8 PEM.
   */
  key: text,
  /** Base64-encoded bytes. */
  hmac_key: text,
})
export interface TransitVersion extends StoredOf<typeof transitVersionShape> {}

/** A key (behaviour/secrets#transit-keys). */
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
  /** Oldest version that may encrypt; 0 applies only the minimum for decryption. */
  min_encryption_version: uint,
  latest_version: uint,
  /** Seconds; 0 for no automatic rotation. */
  auto_rotate_period: uint,
  /** Length of an HMAC key in bytes; 0 for other types. */
  key_size: uint,
  /** The available versions by number. */
  versions: map(transitVersionShape),
  ...walField,
})
export interface TransitKey extends StoredOf<typeof transitKeyShape> {}

/** Keys by mount and name. */
export const transitKeyTable = secretsTable('transit-keys', transitKeyShape, {
  secrets: { members: ['versions/*/key', 'versions/*/hmac_key'] },
})

/** The keys of each mount. */
export const transitKeys = new NamedRows(
  transitKeyTable,
  () => refuse('transit-key-absent'),
  (name) => name,
)

/** Stores a key under its row id. */
export function putTransitKey(world: World, id: string, key: TransitKey): void {
  world.write(() => world.table(transitKeyTable).put(id, { ...key, wal: nextWal(world) }))
}

/** Returns the versions that may decrypt, with their numbers. */
export function usableVersions(key: TransitKey): [number, TransitVersion][] {
  return Object.entries(key.versions)
    .map(([number, version]): [number, TransitVersion] => [Number(number), version])
    .filter(([number]) => number >= key.min_decryption_version)
}

/**
 * Returns a usable version; throws an `invalid` refusal for a version that is missing or may not be
 * used.
 */
export function versionOf(key: TransitKey, number: number): TransitVersion {
  const version = key.versions[number]
  if (version === undefined || number < key.min_decryption_version) {
    throw refuse('key-version-unknown')
  }
  return version
}

/** Settings of a transit engine (behaviour/secrets#transit-keys, config/keys and cache-config). */
const transitConfigShape = struct({
  /** True if encrypting under an unknown name must not create a key. */
  disable_upsert: bool,
  /**
   * Number of keys in the cache; 0 for unlimited. The setting is stored and returned, but has no
   * effect.
   */
  cache_size: uint,
  ...walField,
})
interface TransitConfig extends StoredOf<typeof transitConfigShape> {}

/** One row per configured mount, under the mount's prefix. */
const transitConfigs = secretsTable('transit-configs', transitConfigShape, { secrets: 'none' })

/** The tables of the transit engine. */
export const transitTables = [transitKeyTable, transitConfigs] as const

/** Returns the settings of a mount, with defaults for the unset ones. */
export function transitConfig(world: World, mount: Mount): TransitConfig {
  const stored = world.table(transitConfigs).get(storagePrefix(mount))
  return stored ?? { disable_upsert: false, cache_size: 0 }
}

/** Changes the given settings. Throws an `invalid` refusal for a cache size that is too small. */
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
