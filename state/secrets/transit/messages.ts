import { defineMessages } from '../../kernel/refusal.ts'
import { commonMessages, raised } from '../common-messages.ts'

/**
 * Messages of the transit engine's keys and of encryption (behaviour/secrets#transit-encryption).
 */
export const {
  table: transitTexts,
  message,
  refuse,
} = defineMessages({
  ...commonMessages,
  'transit-key-absent': {
    kind: 'absent',
    text: 'there is no such key',
    detail: { unenveloped: true },
  },
  'key-type-unknown': { kind: 'invalid', text: 'unknown key type {type}' },
  'key-type-not-created': {
    kind: 'invalid',
    text: 'key type {type} not supported for this operation',
  },
  'rotate-period-short': {
    kind: 'invalid',
    text: 'auto rotate period must be 0 to disable or at least an hour',
  },
  'convergent-without-derivation': {
    kind: 'invalid',
    text: 'convergent encryption requires derivation to be enabled',
  },
  'convergent-without-context': {
    kind: 'invalid',
    text: 'convergent encryption requires derivation to be enabled, so context is required',
  },
  'derivation-unsupported': {
    kind: 'invalid',
    text: 'key derivation and convergent encryption not supported for keys of type {type}',
    detail: raised,
  },
  'convergence-unsupported': {
    kind: 'invalid',
    text: 'convergent encryption not supported for keys of type {type}',
    detail: raised,
  },
  'key-size-of-other-type': { kind: 'invalid', text: 'key_size is not valid for algorithm {type}' },
  'key-size-invalid': { kind: 'invalid', text: 'invalid key_size {size}' },
  'key-size-missing': {
    kind: 'invalid',
    text: 'invalid key size for HMAC key, must be between 32 and 512 bytes',
    detail: raised,
  },
  'transit-key-exists': { text: 'key {name} already existed' },
  'key-to-rotate-unknown': { kind: 'invalid', text: 'key not found' },
  'key-to-configure-unknown': {
    kind: 'invalid',
    text: 'no existing key named {name} could be found',
  },
  'decryption-version-negative': {
    kind: 'invalid',
    text: 'min decryption version cannot be negative',
  },
  'decryption-version-above-latest': {
    kind: 'invalid',
    text: 'cannot set min decryption version of {version}, latest key version is {latest}',
  },
  'decryption-version-forced': {
    text: 'since Service 0.3, transit key numbering starts at 1; forcing minimum to 1',
  },
  'encryption-version-negative': {
    kind: 'invalid',
    text: 'min encryption version cannot be negative',
  },
  'encryption-version-above-latest': {
    kind: 'invalid',
    text: 'cannot set min encryption version of {version}, latest key version is {latest}',
  },
  'encryption-version-below-decryption': {
    kind: 'invalid',
    text: 'cannot set min encryption/decryption values; min encryption version of {encryption} must be greater than or equal to min decryption version of {decryption}',
  },
  'encryption-version-trimmed': {
    kind: 'invalid',
    text: 'min encryption version should not be less than min available version',
  },
  'decryption-version-trimmed': {
    kind: 'invalid',
    text: 'min decryption version should not be less then min available version',
  },
  'key-to-trim-unknown': { kind: 'invalid', text: 'invalid key name' },
  'available-version-missing': { kind: 'invalid', text: 'missing min_available_version' },
  'available-version-decremented': {
    kind: 'invalid',
    text: 'minimum available version cannot be decremented',
  },
  'available-version-before-encryption': {
    kind: 'invalid',
    text: 'minimum available version cannot be set when minimum encryption version is not set',
  },
  'available-version-above-encryption': {
    kind: 'invalid',
    text: 'minimum available version cannot be greater than minmum encryption version',
  },
  'available-version-above-decryption': {
    kind: 'invalid',
    text: 'minimum available version cannot be greater than minimum decryption version',
  },
  'available-version-zero': {
    kind: 'invalid',
    text: 'minimum available version should be positive',
  },
  'key-not-deletable': {
    kind: 'invalid',
    text: 'error deleting policy {name}: deletion is not allowed for this key',
  },
  'key-to-delete-unknown': {
    kind: 'invalid',
    text: 'error deleting policy {name}: could not delete key; not found',
  },
  'plaintext-missing': { kind: 'invalid', text: 'missing plaintext to encrypt' },
  'ciphertext-missing': { kind: 'invalid', text: 'missing ciphertext to decrypt' },
  'encryption-key-unknown': { kind: 'invalid', text: 'encryption key not found' },
  'transit-base64-invalid': { kind: 'invalid', text: '{why}' },
  'context-base64-invalid': { kind: 'invalid', text: 'failed to base64-decode context' },
  'context-missing': {
    kind: 'invalid',
    text: "missing 'context' for key derivation; the key was created using a derived key, which means additional, per-request information must be included in order to perform operations with the key",
  },
  'context-in-some': {
    kind: 'invalid',
    text: 'context should be set either in all the request blocks or in none',
  },
  'encryption-version-asked-negative': {
    kind: 'invalid',
    text: 'requested version for encryption is negative',
  },
  'encryption-version-asked-unknown': {
    kind: 'invalid',
    text: 'requested version for encryption is higher than the latest key version',
  },
  'encryption-version-asked-old': {
    kind: 'invalid',
    text: 'requested version for encryption is less than the minimum encryption key version',
  },
  'key-version-unknown': { kind: 'invalid', text: 'no such key version' },
  'encryption-unsupported': {
    kind: 'invalid',
    text: 'message encryption not supported for key type {type}',
  },
  'decryption-unsupported': {
    kind: 'invalid',
    text: 'message decryption not supported for key type {type}',
  },
  'associated-data-unsupported': {
    kind: 'invalid',
    text: "'[{at}].associated_data' provided for non-AEAD cipher suite {type}",
  },
  'associated-data-invalid': {
    kind: 'invalid',
    text: 'unable to get associated_data/additional_data from factory[0]: {why}',
    detail: raised,
  },
  'ciphertext-without-prefix': { kind: 'invalid', text: 'invalid ciphertext: no prefix' },
  'ciphertext-fields': { kind: 'invalid', text: 'invalid ciphertext: wrong number of fields' },
  'ciphertext-version-unreadable': {
    kind: 'invalid',
    text: 'invalid ciphertext: version number could not be decoded',
  },
  'ciphertext-too-new': { kind: 'invalid', text: 'invalid ciphertext: version is too new' },
  'ciphertext-no-base64': { kind: 'invalid', text: 'invalid ciphertext: could not decode base64' },
  'ciphertext-too-short': { kind: 'invalid', text: 'invalid ciphertext length' },
  'version-too-old': {
    kind: 'invalid',
    text: 'ciphertext or signature version is disallowed by policy (too old)',
  },
  'authentication-failed': { kind: 'invalid', text: 'cipher: message authentication failed' },
  'chacha-authentication-failed': {
    kind: 'invalid',
    text: 'chacha20poly1305: message authentication failed',
  },
  'rsa-encryption-failed': {
    kind: 'invalid',
    text: 'failed to RSA encrypt the plaintext: crypto/rsa: message too long for RSA key size',
    detail: raised,
  },
  'rsa-decryption-failed': {
    kind: 'invalid',
    text: 'failed to RSA decrypt the ciphertext: crypto/rsa: decryption error',
    detail: raised,
  },
  'data-key-path': { kind: 'invalid', text: "Invalid path, must be 'plaintext' or 'wrapped'" },
  'data-key-bits': { kind: 'invalid', text: 'invalid bit length' },
  'batch-unreadable': {
    kind: 'invalid',
    text: 'failed to parse batch input: {faults}',
    detail: raised,
  },
  'batch-empty': { kind: 'invalid', text: 'missing batch input to process' },
  'batch-status-invalid': {
    text: 'invalid HTTP response code override from partial_failure_response_code, reverting to 400',
  },
  'cache-size-small': { kind: 'invalid', text: 'size must be 0 or a value greater or equal to 10' },
})
