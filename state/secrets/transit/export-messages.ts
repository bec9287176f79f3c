import { defineMessages } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'

/**
 * An error that the reference raises although the caller made the mistake (R5 in the list of `W`).
 */
const multierror = { multierror: true, internalInReference: true } as const

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
    detail: multierror,
  },
  'export-version-unreadable': { kind: 'invalid', text: 'invalid key version' },
  'export-version-old': {
    kind: 'invalid',
    text: 'version for export is below minimum decryption version',
  },
  'export-version-unknown': {
    kind: 'invalid',
    text: 'version does not exist or cannot be found',
  },
  'backup-not-exportable': {
    kind: 'invalid',
    text: 'exporting is disallowed on the policy',
    detail: multierror,
  },
  'backup-forbidden': {
    kind: 'invalid',
    text: 'plaintext backup is disallowed on the policy',
    detail: multierror,
  },
  'backup-key-unknown': { kind: 'absent', text: 'key {name} not found', detail: multierror },
  'backup-missing': { kind: 'invalid', text: "'backup' must be supplied" },
  'backup-no-base64': { kind: 'invalid', text: '{why}', detail: multierror },
  'backup-foreign': {
    kind: 'invalid',
    text: 'the backup was not made by this service',
    detail: multierror,
  },
  'restored-name-is-path': {
    kind: 'invalid',
    text: 'key names cannot be paths',
    detail: multierror,
  },
  'restored-key-exists': { kind: 'invalid', text: 'key {name} already exists', detail: multierror },
})
