import { map, text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import {
  backUpTransitKey,
  exportTransitKey,
  restoreTransitKey,
} from '../../../state/secrets/transit/export.ts'
import { dataOutcome } from '../envelope/outcome.ts'
import { enveloped, structEnvelope } from '../envelope/schemas.ts'
import { flag, textField } from '../fields/field-kinds.ts'
import { operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#transit-export' })

const exportEnvelope = structEnvelope({
  name: text,
  type: text,
  keys: described(map(text), 'Keys by version number'),
})

const restoreFields = {
  backup: textField('Backup as it was returned'),
  force: flag('Whether to replace an existing key of this name'),
} as const

/** Operations that export, back up and restore keys. */
export const exportOperations = [
  operation.read('transitExportKey', 'export/:type/:name', {
    summary: 'Export all versions of a key.',
    secrets: { reply: ['data/keys/*'] },
    failures: [500],
    reply: { 200: exportEnvelope },
    run: ({ world, mount, params }) =>
      dataOutcome(exportTransitKey(world, mount, params.type, params.name, undefined)),
  }),
  operation.read('transitExportKeyVersion', 'export/:type/:name/*version', {
    summary: 'Export a version of a key.',
    secrets: { reply: ['data/keys/*'] },
    failures: [500],
    reply: { 200: exportEnvelope },
    run: ({ world, mount, params }) =>
      dataOutcome(exportTransitKey(world, mount, params.type, params.name, params.version)),
  }),
  operation.read('transitBackUpKey', 'backup/:name', {
    summary: 'Back up a key with all of its versions, unencrypted.',
    secrets: { reply: ['data/backup'] },
    failures: [500],
    reply: enveloped({ backup: text }),
    run: ({ world, mount, params }) =>
      dataOutcome({ backup: backUpTransitKey(world, mount, params.name) }),
  }),
  operation.write('transitRestoreKey', 'restore', {
    summary: 'Restore a key from a backup, under the name in the backup.',
    secrets: { body: ['backup'] },
    body: restoreFields,
    failures: [500],
    apply: ({ world, mount, fields }) =>
      restoreTransitKey(world, mount, '', fields.backup, fields.force),
  }),
  operation.write('transitRestoreKeyAs', 'restore/*name', {
    summary: 'Restore a key from a backup, under another name.',
    secrets: { body: ['backup'] },
    body: restoreFields,
    failures: [500],
    apply: ({ world, mount, params, fields }) =>
      restoreTransitKey(world, mount, params.name, fields.backup, fields.force),
  }),
]
