import { text, word } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { readMigration, remount } from '../../../state/secrets/mounts/remount.ts'
import { data } from '../envelope/outcome.ts'
import { enveloped } from '../envelope/schemas.ts'
import { requiredText } from '../fields/field-kinds.ts'
import { message } from '../messages.ts'
import { operationsOf } from '../operation.ts'
import { sharedPortWarnings } from './mounts.ts'

const operation = operationsOf({
  spec: 'Extension: moving mounts, as the reference server does it',
})

/**
 * Operations that move mounts. A move is complete when the reply is sent, although clients poll for
 * it.
 */
export const remountOperations = [
  operation.write('remount', 'remount', {
    summary: 'Move a mount to another path.',
    access: 'sudo',
    body: {
      from: requiredText('Where the mount is'),
      to: requiredText('Where it shall be'),
    },
    reply: enveloped({ migration_id: text }),
    run({ world, namespace, fields: { from, to } }) {
      const migration_id = remount(world, namespace, from, to)
      const warnings = [
        message('remount-queued'),
        ...sharedPortWarnings(readMigration(world, migration_id).target_mount),
      ]
      return { kind: 'envelope', data: { migration_id }, warnings, repeatsKeys: true }
    },
  }),
  operation.read('readRemountStatus', 'remount/status/:migration_id', {
    summary: 'Read how far the move of a mount has come.',
    reply: enveloped({
      migration_id: text,
      migration_info: struct({
        source_mount: text,
        target_mount: text,
        status: word('in-progress', 'success', 'failure'),
      }),
    }),
    run: ({ world, params: { migration_id } }) =>
      data({ migration_id, migration_info: readMigration(world, migration_id) }),
  }),
]
