import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'

/**
 * Texts about disaster recovery (behaviour/secrets#operation-tokens and
 * behaviour/secrets#replication).
 */
export const { table, message, refuse } = defineMessages({
  ...commonMessages,
  ...refusals('invalid', {
    'public-key-unusable': 'secondary_public_key is not a base64 public key of 32 bytes',
    'not-a-secondary': 'this cluster is not a DR secondary',
    'otp-length': 'OTP string is wrong length',
    'generation-under-way': 'root generation already in progress',
    'generation-not-under-way': 'no root generation in progress',
    'generation-nonce-wrong':
      'incorrect nonce supplied; nonce for this root generation operation is {nonce}',
    'generation-of-another-kind':
      'incorrect strategy supplied; a generate root operation of another type is already in progress',
    'generation-shares-do-not-combine': 'failed to compute root key: {combine}',
    'generation-failed': 'root generation aborted: unable to authenticate: {problem}',
    'operation-token-missing': 'missing dr_operation_token',
    'replication-enabled': 'replication is already enabled on this cluster',
    'replication-not-enabled': 'replication is not enabled as a DR {mode} on this cluster',
    'other-replication-cluster':
      'the primary belongs to another replication cluster; disable replication and enable this secondary anew, which clears its data',
    'secondary-id-missing': 'id must be specified',
    'secondary-id-taken': 'secondary with id "{id}" already exists',
    'credential-unknown': 'unknown, expired or used credential',
    'secondary-absent': 'secondary with id "{id}" not found',
  }),
  'link-unknown': { kind: 'absent', text: 'there is no replication link "{id}"' },
  ...refusals(
    'invalid',
    {
      'encoded-token-unreadable': "error decoding base64'd token: {why}",
      'encoded-token-without-otp': 'error xoring token: {why}',
      'token-otp-lengths':
        'error xoring token: length of byte slices is not equivalent: {token} != {otp}',
    },
    { internalInReference: true },
  ),
  'first-base64-unreadable': { text: 'error decoding first base64 value: {why}' },
  'base64-empty': { text: 'decoded {which} base64 value is nil or empty' },
  'operation-token-wrong': { kind: 'denied', text: 'invalid DR operation token' },
})
