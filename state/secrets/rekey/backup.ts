import { list, map, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { secretsTable } from '../table.ts'
import { refuse } from './messages.ts'
import { areLatestShares, type RekeyResult } from './rekey.ts'

/** Encrypted shares of the latest rekey (behaviour/secrets#api-rekey, `backup`). */
const rekeyBackupShape = struct({
  /** Nonce of the rekey that created the shares. */
  nonce: text,
  /**
   * Encrypted shares (PGP messages as hex) by the fingerprint of their key. A key that was given
   * several times has several messages.
   */
  keys: map(list(text)),
})
export interface RekeyBackup extends StoredOf<typeof rekeyBackupShape> {}

/**
 * The backup, in a single row under `backup`. Unlike a rekey in progress, the backup belongs to the
 * cluster, not to a node.
 */
export const rekeyBackups = secretsTable('rekey-backup', rekeyBackupShape, {
  secrets: { members: ['keys'] },
})

const backupKey = 'backup'

/**
 * Replaces the backup with the encrypted shares of a rekey. Does nothing if another rekey or a
 * reset has happened while the shares were being encrypted.
 *
 * @param messages PGP messages as hex, in the order of the PGP keys
 */
export function storeRekeyBackup(
  world: World,
  { nonce, settings, shares }: RekeyResult,
  messages: readonly string[],
): void {
  if (!areLatestShares(world, shares)) return
  const keys: Record<string, string[]> = {}
  messages.forEach((message, at) => {
    const fingerprint = settings.pgpFingerprints[at] ?? ''
    keys[fingerprint] = [...(keys[fingerprint] ?? []), message]
  })
  world.write(() => world.table(rekeyBackups).put(backupKey, { nonce, keys }))
}

/** Returns the backup. Throws an `invalid` refusal if there is no backup. */
export function readRekeyBackup(world: World): RekeyBackup {
  const backup = world.table(rekeyBackups).get(backupKey)
  if (backup === undefined) throw refuse('rekey-backup-absent')
  return backup
}

export function deleteRekeyBackup(world: World): void {
  world.write(() => world.table(rekeyBackups).delete(backupKey))
}
