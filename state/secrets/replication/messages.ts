import { defineMessages } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'

/**
 * Messages of disaster recovery (behaviour/secrets#operation-tokens and
 * behaviour/secrets#replication).
 */
export const {
  table: replicationTexts,
  message,
  refuse,
} = defineMessages({
  ...commonMessages,
  'public-key-unusable': {
    kind: 'invalid',
    text: 'secondary_public_key is not a base64 public key of 32 bytes',
  },
  'link-unknown': { kind: 'absent', text: 'there is no replication link "{id}"' },
  'not-a-secondary': { kind: 'invalid', text: 'this cluster is not a DR secondary' },
  'otp-length': { kind: 'invalid', text: 'OTP string is wrong length' },
  'generation-under-way': { kind: 'invalid', text: 'root generation already in progress' },
  'generation-not-under-way': { kind: 'invalid', text: 'no root generation in progress' },
  'generation-nonce-wrong': {
    kind: 'invalid',
    text: 'incorrect nonce supplied; nonce for this root generation operation is {nonce}',
  },
  'generation-of-another-kind': {
    kind: 'invalid',
    text: 'incorrect strategy supplied; a generate root operation of another type is already in progress',
  },
  'encoded-token-unreadable': {
    kind: 'invalid',
    text: "error decoding base64'd token: {why}",
    detail: { internalInReference: true },
  },
  'encoded-token-without-otp': {
    kind: 'invalid',
    text: 'error xoring token: {why}',
    detail: { internalInReference: true },
  },
  'first-base64-unreadable': { text: 'error decoding first base64 value: {why}' },
  'base64-empty': { text: 'decoded {which} base64 value is nil or empty' },
  'token-otp-lengths': {
    kind: 'invalid',
    text: 'error xoring token: length of byte slices is not equivalent: {token} != {otp}',
    detail: { internalInReference: true },
  },
  'generation-shares-do-not-combine': {
    kind: 'invalid',
    text: 'failed to compute root key: {combine}',
  },
  'generation-failed': {
    kind: 'invalid',
    text: 'root generation aborted: unable to authenticate: {fault}',
  },
  'operation-token-missing': { kind: 'invalid', text: 'missing dr_operation_token' },
  'operation-token-wrong': { kind: 'denied', text: 'invalid DR operation token' },
  'replication-enabled': {
    kind: 'invalid',
    text: 'replication is already enabled on this cluster',
  },
  'replication-not-enabled': {
    kind: 'invalid',
    text: 'replication is not enabled as a DR {mode} on this cluster',
  },
  'other-replication-cluster': {
    kind: 'invalid',
    text: 'the primary belongs to another replication cluster; disable replication and enable this secondary anew, which clears its data',
  },
  'secondary-id-missing': { kind: 'invalid', text: 'id must be specified' },
  'secondary-id-taken': { kind: 'invalid', text: 'secondary with id "{id}" already exists' },
  'credential-unknown': { kind: 'invalid', text: 'unknown, expired or used credential' },
  'secondary-absent': { kind: 'invalid', text: 'secondary with id "{id}" not found' },
})
