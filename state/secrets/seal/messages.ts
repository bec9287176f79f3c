import { defineMessages } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'

/**
 * Messages about the seal and its key shares (behaviour/secrets#system, behaviour/secrets#rekey and
 * behaviour/secrets#operation-tokens).
 */
export const {
  table: sealTexts,
  message,
  refuse,
} = defineMessages({
  ...commonMessages,
  'share-unreadable': { kind: 'invalid', text: "'key' must be a valid hex or base64 string" },
  'share-missing': { kind: 'invalid', text: "'key' must be specified in request body as JSON" },
  'share-or-reset-missing': {
    kind: 'invalid',
    text: "'key' must be specified in request body as JSON, or 'reset' set to true",
  },
  'share-too-short': { kind: 'invalid', text: 'key is shorter than minimum {shortestShare} bytes' },
  'share-too-long': { kind: 'invalid', text: 'key is longer than maximum {longestShare} bytes' },
  'invalid-key': { kind: 'invalid', text: 'invalid key: {fault}' },
  'node-unknown': { kind: 'absent', text: 'there is no node "{id}", only "{nodeId}"' },
  'node-move-impossible': { kind: 'conflict', text: 'the node cannot become {to}' },
  'already-initialized': { kind: 'invalid', text: 'Service is already initialized' },
  'not-initialized': { kind: 'invalid', text: 'Service is not initialized' },
  'already-unsealed': { kind: 'invalid', text: 'service is unsealed' },
  'seal-config-invalid': { kind: 'invalid', text: 'invalid seal configuration: {fault}' },
  'recovery-config-invalid': { kind: 'invalid', text: 'invalid recovery configuration: {fault}' },
  'shares-too-few': { text: 'shares must be at least one' },
  'threshold-too-low': { text: 'threshold must be at least one' },
  'threshold-of-one': { text: 'threshold must be greater than one for multiple shares' },
  'shares-too-many': { text: 'shares must be less than 256' },
  'threshold-too-high': { text: 'threshold must be less than 256' },
  'threshold-above-shares': { text: 'threshold cannot be larger than shares' },
  'recovery-key-wrong': {
    kind: 'invalid',
    text: 'recovery key verification failed: recovery key does not match submitted values',
  },
  'root-key-wrong': {
    kind: 'invalid',
    text: 'failed to read root key: invalid key: failed to decrypt keys from storage: cipher: message authentication failed',
    detail: { internalInReference: true },
  },
  'stored-keys-wrong': {
    kind: 'invalid',
    text: 'unable to retrieve stored keys: invalid key: failed to decrypt keys from storage: cipher: message authentication failed',
  },
  'rotation-interval-short': {
    kind: 'invalid',
    text: 'interval must be greater or equal to {least}',
  },
  'rotation-operations-range': {
    kind: 'invalid',
    text: 'max_operations must be in the range [{least},{most}]',
  },
  'shares-do-not-combine': {
    kind: 'invalid',
    text: 'invalid key: failed to compute combined key: {combine}',
  },
})
