import { any, list, map, type Shape, text } from '../../../../state/kernel/shape/kinds.ts'
import { described, struct, withOthers } from '../../../../state/kernel/shape/members.ts'
import { deleteRekeyBackup, readRekeyBackup } from '../../../../state/secrets/rekey/backup.ts'
import { dialectBody } from '../../envelope/outcome.ts'
import { dialectBodySchema } from '../../envelope/schemas.ts'
import { operationsOf } from '../../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#api-rekey', rootOnly: true })

const texts = list(text)

function backupSchema(keys: Shape) {
  return withOthers(
    struct({
      nonce: described(text, 'Of the attempt that made the shares'),
      keys: described(map(keys), 'By PGP fingerprint'),
    }),
    any,
  )
}

/** Operations on the encrypted shares that a rekey has stored. */
export const rekeyBackupOperations = [
  operation.read({
    id: 'readRekeyBackup',
    path: 'rekey/backup',
    summary: 'Read the PGP-encrypted key shares that were kept.',
    reply: { 200: dialectBodySchema(backupSchema(text), backupSchema(texts)) },
    run({ world }) {
      const { nonce, keys } = readRekeyBackup(world)
      // One message per fingerprint: the last one for the key.
      const single = mapValues(keys, (messages) => messages.at(-1) ?? '')
      const keys_base64 = mapValues(keys, (messages) => messages.map(hexToBase64))
      const backup = dialectBody({ nonce, keys: single }, { nonce, keys, keys_base64 })
      return { ...backup, repeatsKeys: true }
    },
  }),
  operation.delete({
    id: 'deleteRekeyBackup',
    path: 'rekey/backup',
    summary: 'Delete the PGP-encrypted key shares that were kept.',
    apply: ({ world }) => deleteRekeyBackup(world),
  }),
]

function mapValues<A, B>(of: Readonly<Record<string, A>>, to: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, to(value)]))
}

function hexToBase64(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64')
}
