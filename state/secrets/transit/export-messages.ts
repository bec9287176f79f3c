import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { commonMessages, raised, raisedRefusals } from '../common-messages.ts'

/** Messages of exporting, backing up and restoring keys (behaviour/secrets#transit-export). */
export const { table, refuse } = defineMessages({
  ...commonMessages,
  'export-type-invalid': { kind: 'invalid', text: 'invalid export type: {type}' },
  'export-forbidden': { kind: 'invalid', text: 'private key material is not exportable' },
  'export-no-encryption': { kind: 'invalid', text: 'encryption not supported for the key' },
  'export-no-signing': { kind: 'invalid', text: 'signing not supported for the key' },
  ...raisedRefusals({
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
  'backup-key-unknown': { kind: 'absent', text: 'key {name} not found', detail: raised },
  'backup-missing': { kind: 'invalid', text: "'backup' must be supplied" },
})
