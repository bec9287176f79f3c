import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'

/** Texts about rekeys and rotations (behaviour/secrets#rekey). */
export const { table, refuse } = defineMessages({
  ...commonMessages,
  ...refusals('invalid', {
    'rekey-backup-absent': 'no backed-up keys found',
    'rekey-backup-without-keys':
      'cannot request a backup of the new keys without providing PGP keys for encryption',
    'rekey-key-count': 'incorrect number of PGP keys for rekey',
    'rekey-threshold-above-shares': 'provided threshold greater than the total shares',
    'stored-key-numbers': 'secret shares, secret threshold, and stored shares must be set to 1',
    'stored-key-pgp': 'PGP key encryption not supported when using stored keys',
    'stored-key-backup': 'key backup not supported when using stored keys',
    'stored-key-verification':
      'requiring verification not supported when rekeying the barrier key with recovery keys',
    'rekey-under-way': 'rekey already in progress',
    'rekey-not-under-way': 'no barrier rekey in progress',
    'rekey-finished':
      'rekey operation already finished; verification must be performed; nonce for the verification operation is {nonce}',
    'rekey-nonce-wrong': 'incorrect nonce supplied; nonce for this rekey operation is {nonce}',
    'verification-without-rekey': 'no rekey in progress',
    'verification-not-under-way': 'no rekey verification in progress',
    'verification-nonce-wrong':
      'incorrect nonce supplied; nonce for this verify operation is {nonce}',
    'verification-share-repeated':
      'given key has already been provided during this verify operation',
    'verification-failed': 'rekey verification failed; incorrect key shares supplied',
    'rekey-push-extra-invalid': '{name} must be {what}',
    'rekey-not-configured': 'no rekey configuration found',
    'rotation-under-way': 'rotation already in progress',
    'rotation-not-under-way': 'no rotation in progress',
    'rotation-finished':
      'rotation already finished; verification must be performed; nonce for the verification operation is {nonce}',
    'rotation-nonce-wrong': 'incorrect nonce supplied; nonce for rotation is {nonce}',
    'rotation-share-repeated': 'given key has already been provided during this rotation',
    'rotation-verification-not-under-way': 'no rotation verification in progress',
    'rotation-verification-failed': 'rotation verification failed; incorrect key shares supplied',
    'rotation-not-configured': 'no rotation configuration found',
    'rotation-stored-key-verification':
      'requiring verification not supported when rotating the barrier key with recovery keys',
    'rotation-config-invalid': 'invalid rotate seal configuration: {problem}',
    'rotation-recovery-unsupported': 'recovery keys not supported',
    'rotation-field-missing': "missing required field '{field}'",
  }),
  ...refusals(
    'invalid',
    {
      'rekey-config-invalid': 'invalid rekey seal configuration: {problem}',
      'rekey-shares-do-not-combine': 'failed to compute root key: {combine}',
      'rotation-recovery-config-invalid': 'invalid recovery configuration: {problem}',
      'rotation-recovery-config-absent': 'unable to look up config: recovery not supported',
      'rotation-shares-do-not-combine': 'failed to compute key: {combine}',
      'verification-shares-do-not-combine': 'failed to compute key for verification: {combine}',
    },
    { internalInReference: true },
  ),
  'rekey-to-push-unknown': { kind: 'absent', text: 'there is no rekey "{id}", only "{nodeId}"' },
  'rekey-push-impossible': {
    kind: 'conflict',
    text: 'a rekey whose state is {state} cannot be pushed to {to}',
  },
})
