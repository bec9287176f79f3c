import { defineMessages } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'

/** Messages about rekeying (behaviour/secrets#rekey). */
export const {
  table: rekeyTexts,
  message,
  refuse,
} = defineMessages({
  ...commonMessages,
  'rekey-backup-absent': { kind: 'invalid', text: 'no backed-up keys found' },
  'rekey-config-invalid': {
    kind: 'invalid',
    text: 'invalid rekey seal configuration: {fault}',
    detail: { internalInReference: true },
  },
  'rekey-backup-without-keys': {
    kind: 'invalid',
    text: 'cannot request a backup of the new keys without providing PGP keys for encryption',
  },
  'rekey-key-count': { kind: 'invalid', text: 'incorrect number of PGP keys for rekey' },
  'rekey-threshold-above-shares': {
    kind: 'invalid',
    text: 'provided threshold greater than the total shares',
  },
  'stored-key-numbers': {
    kind: 'invalid',
    text: 'secret shares, secret threshold, and stored shares must be set to 1',
  },
  'stored-key-pgp': {
    kind: 'invalid',
    text: 'PGP key encryption not supported when using stored keys',
  },
  'stored-key-backup': { kind: 'invalid', text: 'key backup not supported when using stored keys' },
  'stored-key-verification': {
    kind: 'invalid',
    text: 'requiring verification not supported when rekeying the barrier key with recovery keys',
  },
  'rekey-under-way': { kind: 'invalid', text: 'rekey already in progress' },
  'rekey-not-under-way': { kind: 'invalid', text: 'no barrier rekey in progress' },
  'rekey-finished': {
    kind: 'invalid',
    text: 'rekey operation already finished; verification must be performed; nonce for the verification operation is {nonce}',
  },
  'rekey-nonce-wrong': {
    kind: 'invalid',
    text: 'incorrect nonce supplied; nonce for this rekey operation is {nonce}',
  },
  'rekey-shares-do-not-combine': {
    kind: 'invalid',
    text: 'failed to compute root key: {combine}',
    detail: { internalInReference: true },
  },
  'verification-without-rekey': { kind: 'invalid', text: 'no rekey in progress' },
  'verification-not-under-way': { kind: 'invalid', text: 'no rekey verification in progress' },
  'verification-nonce-wrong': {
    kind: 'invalid',
    text: 'incorrect nonce supplied; nonce for this verify operation is {nonce}',
  },
  'verification-share-repeated': {
    kind: 'invalid',
    text: 'given key has already been provided during this verify operation',
  },
  'verification-failed': {
    kind: 'invalid',
    text: 'rekey verification failed; incorrect key shares supplied',
  },
  'verification-shares-do-not-combine': {
    kind: 'invalid',
    text: 'failed to compute key for verification: {combine}',
    detail: { internalInReference: true },
  },
  'rekey-to-push-unknown': { kind: 'absent', text: 'there is no rekey "{id}", only "{nodeId}"' },
  'rekey-push-impossible': {
    kind: 'conflict',
    text: 'a rekey whose state is {state} cannot be pushed to {to}',
  },
  'rekey-push-extra-invalid': { kind: 'invalid', text: '{name} must be {what}' },
  'rekey-not-configured': { kind: 'invalid', text: 'no rekey configuration found' },
})
