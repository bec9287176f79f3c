import { defineMessages } from '../../kernel/refusal.ts'
import { commonMessages, raised } from '../common-messages.ts'

/** Messages of signing, verifying and HMACs (behaviour/secrets#transit-signing). */
export const { table: signingTexts, refuse } = defineMessages({
  ...commonMessages,
  'signing-key-unknown': { kind: 'invalid', text: 'signing key not found' },
  'verification-key-unknown': { kind: 'invalid', text: 'signature verification key not found' },
  'hmac-key-unknown': { kind: 'invalid', text: 'encryption key not found' },
  'signing-unsupported': { kind: 'invalid', text: 'key type {type} does not support signing' },
  'verification-unsupported': {
    kind: 'invalid',
    text: 'key type {type} does not support verification',
  },
  'hash-name-invalid': { kind: 'invalid', text: 'invalid hash algorithm {name}' },
  'hmac-hash-unknown': { kind: 'invalid', text: "unsupported algorithm '\\x00'" },
  'marshaling-invalid': { kind: 'invalid', text: 'invalid marshaling type {name}' },
  'salt-no-number': {
    kind: 'invalid',
    text: "salt length neither 'auto', 'hash', nor an int: {given}",
  },
  'salt-below-hash': { kind: 'invalid', text: 'salt length is invalid: {length}' },
  'salt-unusable': {
    kind: 'invalid',
    text: 'requested salt length {length} is invalid',
    detail: raised,
  },
  'salt-invalid': { kind: 'invalid', text: 'requested salt length {length} is invalid' },
  'hash-none-needs': {
    kind: 'invalid',
    text: 'hash_algorithm=none requires both prehashed=true and signature_algorithm=pkcs1v15',
  },
  'input-unreadable': { kind: 'invalid', text: 'unable to decode input as base64: {why}' },
  'input-missing': { kind: 'invalid', text: 'missing input' },
  'signing-context-invalid': { kind: 'invalid', text: 'failed to base64-decode context' },
  'signing-version-negative': {
    kind: 'invalid',
    text: 'requested version for signing is negative',
    detail: raised,
  },
  'signing-version-unknown': {
    kind: 'invalid',
    text: 'requested version for signing is higher than the latest key version',
    detail: raised,
  },
  'signing-version-old': {
    kind: 'invalid',
    text: 'requested version for signing is less than the minimum encryption key version',
    detail: raised,
  },
  'key-not-derived': { kind: 'invalid', text: 'error deriving key: {why}', detail: raised },
  'rsa-scheme-unknown': {
    kind: 'invalid',
    text: 'unsupported rsa signature algorithm {name}',
    detail: raised,
  },
  'rsa-input-not-hashed': {
    kind: 'invalid',
    text: 'crypto/rsa: input must be hashed with given hash',
    detail: raised,
  },
  'rsa-input-long': {
    kind: 'invalid',
    text: 'crypto/rsa: message too long for RSA key size',
    detail: raised,
  },
  'nothing-to-verify': {
    kind: 'invalid',
    text: "neither a 'signature' nor an 'hmac' were given to verify",
  },
  'signature-without-prefix': { kind: 'invalid', text: 'invalid signature: no prefix' },
  'signature-fields': { kind: 'invalid', text: 'invalid signature: wrong number of fields' },
  'signature-version-unreadable': {
    kind: 'invalid',
    text: 'invalid signature: version number could not be decoded',
  },
  'signature-too-new': { kind: 'invalid', text: 'invalid signature: version is too new' },
  'signature-too-old': {
    kind: 'invalid',
    text: 'ciphertext or signature version is disallowed by policy (too old)',
  },
  'signature-no-base64': { kind: 'invalid', text: 'invalid base64 signature value' },
  'signature-invalid': { kind: 'invalid', text: 'supplied signature is invalid' },
  'signature-extra': { kind: 'invalid', text: 'supplied signature contains extra data' },
  'verify-mixed': {
    kind: 'invalid',
    text: "elements of batch_input must all provide 'signature' or all provide 'hmac'",
  },
  'verify-some-missing': {
    kind: 'invalid',
    text: "some elements of batch_input are missing '{what}'",
  },
  'verify-all-missing': {
    kind: 'invalid',
    text: "no batch_input elements have 'signature' or 'hmac'",
  },
  'hmac-input-missing': { kind: 'invalid', text: 'missing input for HMAC' },
  'hash-input-missing': { kind: 'invalid', text: 'input missing' },
  'hmac-version-old': {
    kind: 'invalid',
    text: 'cannot generate HMAC: version is too old (disallowed by policy)',
  },
  'hmac-version-negative': {
    kind: 'invalid',
    text: 'key version does not exist (cannot be negative)',
  },
  'hmac-version-unknown': {
    kind: 'invalid',
    text: 'key version does not exist; latest key version is {latest}',
  },
  'hmac-without-prefix': { kind: 'invalid', text: 'invalid HMAC to verify: no prefix' },
  'hmac-fields': { kind: 'invalid', text: 'invalid HMAC: wrong number of fields' },
  'hmac-version-unreadable': {
    kind: 'invalid',
    text: 'invalid HMAC: version number could not be decoded',
  },
  'hmac-no-base64': {
    kind: 'invalid',
    text: 'unable to decode verification HMAC as base64: {why}',
  },
  'hmac-too-new': { kind: 'invalid', text: 'invalid HMAC: version is too new' },
  'hmac-too-old': {
    kind: 'invalid',
    text: 'cannot verify HMAC: version is too old (disallowed by policy)',
  },
})
