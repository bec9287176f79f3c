import { formatTimestamp } from '../../../state/kernel/time.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { keyBytes } from '../../../state/secrets/transit/derivation.ts'
import { publicKeyText } from '../../../state/secrets/transit/export.ts'
import {
  type TransitKey,
  type TransitVersion,
  usableVersions,
} from '../../../state/secrets/transit/keys.ts'
import { ed25519Key, ed25519Public } from '../../../state/secrets/transit/material.ts'
import {
  derives,
  encrypts,
  isAead,
  keyTypeSpec,
  signs,
} from '../../../state/secrets/transit/types.ts'

/**
 * A key as it is told (behaviour/secrets#transit-keys).
 *
 * @param context whose public keys to tell of a derived pair; empty for none
 */
export function keyView(world: World, key: TransitKey, context: Uint8Array): object {
  const { type } = key
  return {
    name: key.name,
    type,
    derived: key.derived,
    deletion_allowed: key.deletion_allowed,
    min_available_version: key.min_available_version,
    min_decryption_version: key.min_decryption_version,
    min_encryption_version: key.min_encryption_version,
    latest_version: key.latest_version,
    exportable: key.exportable,
    allow_plaintext_backup: key.allow_plaintext_backup,
    supports_encryption: encrypts(type),
    supports_decryption: encrypts(type),
    supports_signing: signs(type),
    supports_derivation: derives(type),
    auto_rotate_period: key.auto_rotate_period,
    imported_key: false,
    ...(type === 'hmac' ? { key_size: key.key_size } : { keys: versions(world, key, context) }),
    ...(key.derived && derivation(key)),
  }
}

function derivation({ convergent_encryption }: TransitKey): object {
  return {
    kdf: 'hkdf_sha256',
    convergent_encryption,
    // Each version says its own.
    ...(convergent_encryption && { convergent_encryption_version: -1 }),
  }
}

function versions(world: World, key: TransitKey, context: Uint8Array): object {
  const told = usableVersions(key).map(([number, version]) => {
    const { created_time } = version
    if (isAead(key.type)) return [number, Math.floor(created_time / 1000)]
    const pair = {
      name: keyTypeSpec(key.type).publicName,
      creation_time: formatTimestamp(created_time),
      public_key: publicText(world, key, number, version, context),
    }
    return [number, pair]
  })
  return Object.fromEntries(told)
}

function publicText(
  world: World,
  key: TransitKey,
  number: number,
  version: TransitVersion,
  context: Uint8Array,
): string {
  if (key.derived) {
    if (context.length === 0) return ''
    return ed25519Public(ed25519Key(keyBytes(key, number, context, 32))).toString('base64')
  }
  return publicKeyText(world, key, version)
}
