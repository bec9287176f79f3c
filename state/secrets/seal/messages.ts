import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'

/**
 * Texts about the seal and its key shares (behaviour/secrets#seal, behaviour/secrets#rekey and
 * behaviour/secrets#operation-tokens).
 */
export const { table, message, refuse } = defineMessages({
  ...commonMessages,
  ...refusals('invalid', {
    'share-unreadable': "'key' must be a valid hex or base64 string",
    'share-missing': "'key' must be specified in request body as JSON",
    'share-or-reset-missing':
      "'key' must be specified in request body as JSON, or 'reset' set to true",
    'share-too-short': 'key is shorter than minimum {shortestShare} bytes',
    'share-too-long': 'key is longer than maximum {longestShare} bytes',
    'invalid-key': 'invalid key: {problem}',
    'already-initialized': 'Service is already initialized',
    'not-initialized': 'Service is not initialized',
    'already-unsealed': 'service is unsealed',
    'seal-config-invalid': 'invalid seal configuration: {problem}',
    'recovery-config-invalid': 'invalid recovery configuration: {problem}',
    'recovery-key-wrong':
      'recovery key verification failed: recovery key does not match submitted values',
    'stored-keys-wrong':
      'unable to retrieve stored keys: invalid key: failed to decrypt keys from storage: cipher: message authentication failed',
    'rotation-interval-short': 'interval must be greater or equal to {least}',
    'rotation-operations-range': 'max_operations must be in the range [{least},{most}]',
    'shares-do-not-combine': 'invalid key: failed to compute combined key: {combine}',
  }),
  'node-unknown': { kind: 'absent', text: 'there is no node "{id}", only "{nodeId}"' },
  'node-move-impossible': { kind: 'conflict', text: 'the node cannot become {to}' },
  'shares-too-few': { text: 'shares must be at least one' },
  'threshold-too-low': { text: 'threshold must be at least one' },
  'threshold-of-one': { text: 'threshold must be greater than one for multiple shares' },
  'shares-too-many': { text: 'shares must be less than 256' },
  'threshold-too-high': { text: 'threshold must be less than 256' },
  'threshold-above-shares': { text: 'threshold cannot be larger than shares' },
  'root-key-wrong': {
    kind: 'invalid',
    text: 'failed to read root key: invalid key: failed to decrypt keys from storage: cipher: message authentication failed',
    detail: { internalInReference: true },
  },
})
