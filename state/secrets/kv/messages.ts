import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { callerErrorDetail, commonMessages } from '../common-messages.ts'

export const { table, message, refuse } = defineMessages({
  ...commonMessages,
  ...refusals('invalid', {
    'no-pairs': 'missing data fields',
    'cubbyhole-of-batch-token': 'cubbyhole operations are only supported by "service" type tokens',
    'engine-upgrading':
      'Upgrading from non-versioned to versioned data. This backend will be unavailable for a brief period and will resume service shortly.',
    'max-versions-negative': "'max_versions' cannot be negative",
    'no-data': 'no data provided',
    'cas-required': 'check-and-set parameter required for this call',
    'cas-unreadable': 'error parsing check-and-set parameter',
    'cas-mismatch': 'check-and-set parameter did not match the current version',
    'no-versions': 'No version number provided',
    'no-versions-to-destroy': 'no version number provided',
    'custom-metadata-invalid': '{problems}',
  }),
  'cubbyhole-no-pairs': { kind: 'invalid', text: 'missing data fields', detail: callerErrorDetail },
  'cubbyhole-no-path': { kind: 'invalid', text: 'missing path', detail: callerErrorDetail },
  'custom-metadata-problem': { text: 'custom_metadata validation failed: {problem}' },
  'metadata-keys': { text: 'payload must contain at most {maxKeys} keys, provided {count}' },
  'metadata-key-length': {
    text: 'length of key {name} is {bytes} but must be 0 < len(key) <= {maxKeyBytes}',
  },
  'metadata-value-length': {
    text: 'length of value for key {name} is {bytes} but must be 0 < len(value) <= {maxValueBytes}',
  },
  'metadata-key-unprintable': { text: 'key {name} ({key}) contains unprintable characters' },
  'metadata-value-unprintable': { text: 'value for key {name} contains unprintable characters' },
  'cas-required-by-engine': {
    text: '"cas_required" set to false, but is mandated by backend config. This value will be ignored.',
  },
})
