import { wordings } from '../../kernel/refusal.ts'
import { commonTexts } from '../common-texts.ts'

const raised = { raised: true, internalInReference: true } as const

/** Texts of the identity store (behaviour/secrets#identity). */
export const {
  table: identityTexts,
  say,
  refuse,
} = wordings({
  ...commonTexts,
  'entity-id-unknown': { kind: 'invalid', text: 'entity not found from id' },
  'entity-name-taken': { kind: 'invalid', text: 'entity name is already in use' },
  'identity-policies-root': { kind: 'invalid', text: 'policies cannot contain root' },
  'identity-metadata-invalid': {
    kind: 'invalid',
    text: 'invalid {of} metadata: {fault}',
    detail: raised,
  },
  'identity-metadata-pairs': {
    text: 'metadata cannot contain more than {most} key/value pairs',
  },
  'identity-metadata-pair': { text: 'failed to load metadata pair ({key}, {value}): {fault}' },
  'identity-metadata-key-blank': { text: 'key cannot be blank' },
  'identity-metadata-key-characters': { text: 'key contains invalid characters' },
  'identity-metadata-key-long': { text: 'key is too long (limit: {most} characters)' },
  'identity-metadata-key-reserved': { text: 'key prefix {prefix} is reserved for internal use' },
  'identity-metadata-value-long': { text: 'value is too long (limit: {most} characters)' },
})
