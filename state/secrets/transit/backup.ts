import { createHash } from 'node:crypto'
import { quoteGo } from '../../go/text.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Mount } from '../mounts/mounts.ts'
import { decodeInput } from './ciphertext.ts'
import { refuse } from './export-messages.ts'
import { type TransitKey, transitKeys } from './keys.ts'
import { storeRotatedKey } from './lifecycle.ts'

/** A decoded backup: the stored key, and the hash of its JSON text. */
interface Backup {
  readonly policy: string
  readonly sum: string
}

/**
 * Returns the backup of a key as base64 of JSON that only this program reads. Refuses with `absent`
 * an unknown key, with `invalid` a key whose settings do not allow backups
 * (behaviour/secrets#transit-export).
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
 * Restores a key from a backup. Refuses with `invalid`.
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
  const key = keyOf(Buffer.from(bytes).toString())
  const restored = name === '' ? key : { ...key, name }
  if (!force && transitKeys.find(world, mount, restored.name) !== undefined) {
    throw refuse('restored-key-exists', { name: quoteGo(restored.name) })
  }
  storeRotatedKey(world, transitKeys.keyOf(mount, restored.name), restored)
}

/** Decodes the key in a backup; refuses a backup whose hash does not match. */
function keyOf(text: string): TransitKey {
  const { policy, sum } = parsed(text)
  if (sum !== checksumOf(policy)) throw refuse('backup-foreign')
  return JSON.parse(policy)
}

function parsed(text: string): Backup {
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
