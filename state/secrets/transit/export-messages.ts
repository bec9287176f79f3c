import { defineMessages } from '../../kernel/refusal.ts'
import { commonMessages, raised } from '../common-messages.ts'

/** Messages of exporting, backing up and restoring keys (behaviour/secrets#transit-export). */
export const { table: exportTexts, refuse } = defineMessages({
  ...commonMessages,
  'export-type-invalid': { kind: 'invalid', text: 'invalid export type: {type}' },
  'export-forbidden': { kind: 'invalid', text: 'private key material is not exportable' },
  'export-no-encryption': { kind: 'invalid', text: 'encryption not supported for the key' },
  'export-no-signing': { kind: 'invalid', text: 'signing not supported for the key' },
  'export-no-public-key': {
    kind: 'invalid',
    text: 'unknown key type {type} for export type public-key',
    detail: raised,
  },
  'export-version-unreadable': { kind: 'invalid', text: 'invalid key version' },
  'export-version-old': {
    kind: 'invalid',
    text: 'version for export is below minimum decryption version',
  },
  'export-version-unknown': { kind: 'invalid', text: 'version does not exist or cannot be found' },
  'backup-not-exportable': {
    kind: 'invalid',
    text: 'exporting is disallowed on the policy',
    detail: raised,
  },
  'backup-forbidden': {
    kind: 'invalid',
    text: 'plaintext backup is disallowed on the policy',
    detail: raised,
  },
  'backup-key-unknown': { kind: 'absent', text: 'key {name} not found', detail: raised },
  'backup-missing': { kind: 'invalid', text: "'backup' must be supplied" },
  'backup-no-base64': { kind: 'invalid', text: '{why}', detail: raised },
  'backup-foreign': {
    kind: 'invalid',
    text: 'the backup was not made by this service',
    detail: raised,
  },
  'restored-name-is-path': { kind: 'invalid', text: 'key names cannot be paths', detail: raised },
  'restored-key-exists': { kind: 'invalid', text: 'key {name} already exists', detail: raised },
})
