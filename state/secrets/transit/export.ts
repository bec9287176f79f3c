import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { quoteGo } from '../../go/text.ts'
import { defineMessages, refusals } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { callerErrorDetail, callerErrorRefusals, commonMessages } from '../common-messages.ts'
import type { Mount } from '../mounts/mounts.ts'
import { decodeInput } from './ciphertext.ts'
import { type TransitKey, type TransitVersion, transitKeys, usableVersions } from './keys.ts'
import { storeKeyAndScheduleRotation } from './lifecycle.ts'
import { ed25519Public, privateKeyOf } from './material.ts'
import { encrypts, isAead, keyTypeSpec, signs } from './types.ts'

/** Texts for exports, backups and restores (behaviour/secrets#transit-export). */
export const { table, refuse } = defineMessages({
  ...commonMessages,
  'export-type-invalid': { kind: 'invalid', text: 'invalid export type: {type}' },
  'export-forbidden': { kind: 'invalid', text: 'private key material is not exportable' },
  'export-no-encryption': { kind: 'invalid', text: 'encryption not supported for the key' },
  'export-no-signing': { kind: 'invalid', text: 'signing not supported for the key' },
  ...callerErrorRefusals({
    'export-no-public-key': 'unknown key type {type} for export type public-key',
    'backup-not-exportable': 'exporting is disallowed on the policy',
    'backup-forbidden': 'plaintext backup is disallowed on the policy',
    'backup-no-base64': '{why}',
    'backup-foreign': 'the backup was not made by this service',
    'restored-name-is-path': 'key names cannot be paths',
    'restored-key-exists': 'key {name} already exists',
  }),
  ...refusals('invalid', {
    'export-version-unreadable': 'invalid key version',
    'export-version-old': 'version for export is below minimum decryption version',
    'export-version-unknown': 'version does not exist or cannot be found',
  }),
  'backup-key-unknown': { kind: 'absent', text: 'key {name} not found', detail: callerErrorDetail },
  'backup-missing': { kind: 'invalid', text: "'backup' must be supplied" },
})

interface ExportedKey {
  readonly name: string
  readonly type: string
  /**
   * Key material by version number: PEM for RSA and ECDSA keys, base64 for all other keys and for
   * HMAC keys.
   */
  readonly keys: Readonly<Record<string, string>>
}

/**
 * Returns key material (behaviour/secrets#transit-export). Throws an `absent` refusal for an
 * unknown key and `invalid` refusals for all other errors.
 *
 * @param what `encryption-key`, `signing-key`, `hmac-key` or `public-key`
 * @param requested a version number, optionally after `v`; `latest`; or undefined for all versions
 *   that may decrypt
 */
export function exportTransitKey(
  world: World,
  mount: Mount,
  what: string,
  name: string,
  requested: string | undefined,
): ExportedKey {
  if (!exportTypes.includes(what)) throw refuse('export-type-invalid', { type: what })
  const key = transitKeys.read(world, mount, name)
  const { type } = key
  if (!key.exportable && what !== 'public-key') throw refuse('export-forbidden')
  if (what === 'encryption-key' && !encrypts(type)) throw refuse('export-no-encryption')
  if (what === 'signing-key' && !signs(type)) throw refuse('export-no-signing')
  const keys = exportedVersions(key, requested).map(([number, version]) => [
    number,
    textOf(world, key, version, what),
  ])
  return { name, type, keys: Object.fromEntries(keys) }
}

const exportTypes: readonly string[] = ['encryption-key', 'signing-key', 'hmac-key', 'public-key']

function exportedVersions(key: TransitKey, requested: string | undefined) {
  const usable = usableVersions(key)
  if (requested === undefined) return usable
  const text = requested.replace(/^v/, '')
  if (requested !== 'latest' && !/^[+-]?\d+$/.test(text)) throw refuse('export-version-unreadable')
  const number = requested === 'latest' ? key.latest_version : Number(text)
  if (number < key.min_decryption_version) throw refuse('export-version-old')
  const found = usable.filter(([each]) => each === number)
  if (found.length === 0) throw refuse('export-version-unknown')
  return found
}

function textOf(world: World, key: TransitKey, version: TransitVersion, what: string): string {
  if (what === 'hmac-key') return version.hmac_key
  if (what === 'public-key') return publicKeyText(world, key, version)
  const { family } = keyTypeSpec(key.type)
  if (isAead(key.type) || family === 'ed25519') return version.key
  const pair: KeyObject = world.derived(version, privateKeyOf)
  const type = family === 'rsa' ? 'pkcs1' : 'sec1'
  return pair.export({ type, format: 'pem' }).toString()
}

/**
 * Returns a public key as base64 for Ed25519, otherwise as PEM. Throws an `invalid` refusal for a
 * type without public keys.
 */
export function publicKeyText(world: World, key: TransitKey, version: TransitVersion): string {
  const { type } = key
  if (!signs(type)) throw refuse('export-no-public-key', { type })
  const pair = world.derived(version, privateKeyOf)
  if (type === 'ed25519') return ed25519Public(pair).toString('base64')
  return createPublicKey(pair).export({ type: 'spki', format: 'pem' }).toString()
}

/**
 * A decoded backup: the row of the key as JSON text, and the checksum of that text (SHA-256 with a
 * prefix).
 */
interface Backup {
  readonly policy: string
  readonly sum: string
}

/**
 * Returns a backup as base64 of JSON. Only this program can restore the backup. Throws an `absent`
 * refusal for an unknown key and an `invalid` refusal if the settings of the key do not allow
 * backups (behaviour/secrets#transit-export).
 */
export function backUpTransitKey(world: World, mount: Mount, name: string): string {
  const key = transitKeys.find(world, mount, name)
  if (key === undefined) throw refuse('backup-key-unknown', { name: quoteGo(name) })
  if (!key.exportable) throw refuse('backup-not-exportable')
  if (!key.allow_plaintext_backup) throw refuse('backup-forbidden')
  const policy = JSON.stringify(key)
  const backup: Backup = { policy, sum: checksumOf(policy) }
  return Buffer.from(JSON.stringify(backup)).toString('base64')
}

/**
 * Restores a key from a backup and schedules its automatic rotation. Throws an `invalid` refusal
 * for a missing or unreadable backup, for a name with a slash, and, without `force`, for a name in
 * use.
 *
 * @param name the new key's name; empty for the name in the backup
 * @param force whether to replace an existing key of that name
 */
export function restoreTransitKey(
  world: World,
  mount: Mount,
  name: string,
  backup: string,
  force: boolean,
): void {
  if (backup === '') throw refuse('backup-missing')
  if (name.includes('/')) throw refuse('restored-name-is-path')
  const bytes = decodeInput(backup, (why) => refuse('backup-no-base64', { why }))
  const key = keyInBackup(Buffer.from(bytes).toString())
  const restoredKey = name === '' ? key : { ...key, name }
  if (!force && transitKeys.find(world, mount, restoredKey.name) !== undefined) {
    throw refuse('restored-key-exists', { name: quoteGo(restoredKey.name) })
  }
  storeKeyAndScheduleRotation(world, transitKeys.keyOf(mount, restoredKey.name), restoredKey)
}

/** Decodes the key in a backup. Throws an `invalid` refusal if the checksum does not match. */
function keyInBackup(text: string): TransitKey {
  const { policy, sum } = parseBackup(text)
  if (sum !== checksumOf(policy)) throw refuse('backup-foreign')
  return JSON.parse(policy)
}

function parseBackup(text: string): Backup {
  try {
    const { policy = '', sum = '' } = Object(JSON.parse(text))
    return { policy: String(policy), sum: String(sum) }
  } catch {
    throw refuse('backup-foreign')
  }
}

function checksumOf(policy: string): string {
  return createHash('sha256').update('transit').update(policy).digest('hex')
}
