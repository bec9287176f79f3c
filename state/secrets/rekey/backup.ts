import { list, map, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from './messages.ts'
import { areLatestShares, type RekeyResult } from './rekey.ts'

/** The encrypted shares of a rekey (behaviour/secrets#api-rekey, `backup`). */
const rekeyBackupShape = struct({
  /** Of the attempt that made them. */
  nonce: text,
  /** PGP messages as hex by the fingerprint of their key: several where a key was given twice. */
  keys: map(list(text)),
})
export interface RekeyBackup extends StoredOf<typeof rekeyBackupShape> {}

/** The one backup, under `backup`. It is of the cluster, not of the node that made it. */
export const rekeyBackups = defineTable({
  service: 'secrets',
  name: 'rekey-backup',
  shape: rekeyBackupShape,
})

const backupKey = 'backup'

/**
 * Keeps the encrypted shares of a rekey, instead of older ones. Encrypting takes its time: what a
 * further rekey or a reset has overtaken meanwhile is not kept.
 *
 * @param messages hex, in the order of the PGP keys.
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

/** The backup; refuses with `invalid` when there is none (behaviour/secrets#rekey). */
export function readRekeyBackup(world: World): RekeyBackup {
  const backup = world.table(rekeyBackups).get(backupKey)
  if (backup === undefined) throw refuse('rekey-backup-absent')
  return backup
}

/** Deletes the backup, if there is one. */
export function deleteRekeyBackup(world: World): void {
  world.write(() => world.table(rekeyBackups).delete(backupKey))
}
