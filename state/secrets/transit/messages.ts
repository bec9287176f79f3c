import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { callerErrorRefusals, commonMessages } from '../common-messages.ts'

/** Texts for keys and for encryption (behaviour/secrets#transit-encryption). */
export const { table, message, refuse } = defineMessages({
  ...commonMessages,
  'transit-key-absent': {
    kind: 'absent',
    text: 'there is no such key',
    detail: { unenveloped: true },
  },
  ...refusals('invalid', {
    'key-type-unknown': 'unknown key type {type}',
    'key-type-not-created': 'key type {type} not supported for this operation',
    'rotate-period-short': 'auto rotate period must be 0 to disable or at least an hour',
    'convergent-without-derivation': 'convergent encryption requires derivation to be enabled',
    'convergent-without-context':
      'convergent encryption requires derivation to be enabled, so context is required',
    'key-size-of-other-type': 'key_size is not valid for algorithm {type}',
    'key-size-invalid': 'invalid key_size {size}',
    'key-to-rotate-unknown': 'key not found',
    'key-to-configure-unknown': 'no existing key named {name} could be found',
    'decryption-version-negative': 'min decryption version cannot be negative',
    'decryption-version-above-latest':
      'cannot set min decryption version of {version}, latest key version is {latest}',
    'encryption-version-negative': 'min encryption version cannot be negative',
    'encryption-version-above-latest':
      'cannot set min encryption version of {version}, latest key version is {latest}',
    'encryption-version-below-decryption':
      'cannot set min encryption/decryption values; min encryption version of {encryption} must be greater than or equal to min decryption version of {decryption}',
    'encryption-version-trimmed':
      'min encryption version should not be less than min available version',
    'decryption-version-trimmed':
      'min decryption version should not be less then min available version',
    'key-to-trim-unknown': 'invalid key name',
    'available-version-missing': 'missing min_available_version',
    'available-version-decremented': 'minimum available version cannot be decremented',
    'available-version-before-encryption':
      'minimum available version cannot be set when minimum encryption version is not set',
    'available-version-above-encryption':
      'minimum available version cannot be greater than minmum encryption version',
    'available-version-above-decryption':
      'minimum available version cannot be greater than minimum decryption version',
    'available-version-zero': 'minimum available version should be positive',
    'key-not-deletable': 'error deleting policy {name}: deletion is not allowed for this key',
    'key-to-delete-unknown': 'error deleting policy {name}: could not delete key; not found',
    'plaintext-missing': 'missing plaintext to encrypt',
    'ciphertext-missing': 'missing ciphertext to decrypt',
    'encryption-key-unknown': 'encryption key not found',
    'transit-base64-invalid': '{why}',
    'context-base64-invalid': 'failed to base64-decode context',
    'context-missing':
      "missing 'context' for key derivation; the key was created using a derived key, which means additional, per-request information must be included in order to perform operations with the key",
    'context-in-some': 'context should be set either in all the request blocks or in none',
    'encryption-version-asked-negative': 'requested version for encryption is negative',
    'encryption-version-asked-unknown':
      'requested version for encryption is higher than the latest key version',
    'encryption-version-asked-old':
      'requested version for encryption is less than the minimum encryption key version',
    'key-version-unknown': 'no such key version',
    'encryption-unsupported': 'message encryption not supported for key type {type}',
    'decryption-unsupported': 'message decryption not supported for key type {type}',
    'associated-data-unsupported':
      "'[{at}].associated_data' provided for non-AEAD cipher suite {type}",
    'ciphertext-without-prefix': 'invalid ciphertext: no prefix',
    'ciphertext-fields': 'invalid ciphertext: wrong number of fields',
    'ciphertext-version-unreadable': 'invalid ciphertext: version number could not be decoded',
    'ciphertext-too-new': 'invalid ciphertext: version is too new',
    'ciphertext-no-base64': 'invalid ciphertext: could not decode base64',
    'ciphertext-too-short': 'invalid ciphertext length',
    'version-too-old': 'ciphertext or signature version is disallowed by policy (too old)',
    'authentication-failed': 'cipher: message authentication failed',
    'chacha-authentication-failed': 'chacha20poly1305: message authentication failed',
    'data-key-path': "Invalid path, must be 'plaintext' or 'wrapped'",
    'data-key-bits': 'invalid bit length',
    'batch-empty': 'missing batch input to process',
    'cache-size-small': 'size must be 0 or a value greater or equal to 10',
  }),
  ...callerErrorRefusals({
    'derivation-unsupported':
      'key derivation and convergent encryption not supported for keys of type {type}',
    'convergence-unsupported': 'convergent encryption not supported for keys of type {type}',
    'key-size-missing': 'invalid key size for HMAC key, must be between 32 and 512 bytes',
    'associated-data-invalid':
      'unable to get associated_data/additional_data from factory[0]: {why}',
    'rsa-encryption-failed':
      'failed to RSA encrypt the plaintext: crypto/rsa: message too long for RSA key size',
    'rsa-decryption-failed': 'failed to RSA decrypt the ciphertext: crypto/rsa: decryption error',
    'batch-unreadable': 'failed to parse batch input: {problems}',
  }),
  'decryption-version-forced': {
    text: 'since Service 0.3, transit key numbering starts at 1; forcing minimum to 1',
  },
  'batch-status-invalid': {
    text: 'invalid HTTP response code override from partial_failure_response_code, reverting to 400',
  },
})
