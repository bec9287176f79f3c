import { bool, instant, map, text, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { nextWal, walField } from '../mounts/mounts.ts'
import { NamedRows } from '../mounts/rows.ts'
import { refuse } from './messages.ts'
import { keyTypes } from './types.ts'

/** A version of a key. */
const transitVersionShape = struct({
  created_time: instant,
  /**
   * Symmetric and HMAC keys as base64, Ed25519 ones as base64 of the seed and the public key, all others
   * as PKCS#8 PEM.
   */
  key: text,
  /** Base64. */
  hmac_key: text,
})
export interface TransitVersion extends StoredOf<typeof transitVersionShape> {}

/** A key (behaviour/secrets#transit-keys). */
export const transitKeyShape = struct({
  name: text,
  type: word(...keyTypes),
  derived: bool,
  convergent_encryption: bool,
  exportable: bool,
  allow_plaintext_backup: bool,
  deletion_allowed: bool,
  min_available_version: uint,
  min_decryption_version: uint,
  /** 0 for none but the oldest that may decrypt. */
  min_encryption_version: uint,
  latest_version: uint,
  /** Seconds; 0 for never. */
  auto_rotate_period: uint,
  /** Bytes; 0 but for HMAC keys. */
  key_size: uint,
  /** By number, those that are available. */
  versions: map(transitVersionShape),
  ...walField,
})
export interface TransitKey extends StoredOf<typeof transitKeyShape> {}

/** By mount and name. */
export const transitKeyTable = defineTable({
  service: 'secrets',
  name: 'transit-keys',
  shape: transitKeyShape,
})

/** The keys of mounts. */
export const transitKeys = new NamedRows(
  transitKeyTable,
  () => refuse('transit-key-absent'),
  (name) => name,
)

/** Keeps a key as it is now, under its place in the table. */
export function putTransitKey(world: World, id: string, key: TransitKey): void {
  world.write(() => world.table(transitKeyTable).put(id, { ...key, wal: nextWal(world) }))
}

/** The versions that may be used, by number: those from the oldest that may decrypt on. */
export function usableVersions(key: TransitKey): [number, TransitVersion][] {
  return Object.entries(key.versions)
    .map(([number, version]): [number, TransitVersion] => [Number(number), version])
    .filter(([number]) => number >= key.min_decryption_version)
}

/** A version that may be used; refuses with `invalid` one that may not, or is not there. */
export function versionOf(key: TransitKey, number: number): TransitVersion {
  const version = key.versions[number]
  if (version === undefined || number < key.min_decryption_version) {
    throw refuse('key-version-unknown')
  }
  return version
}
