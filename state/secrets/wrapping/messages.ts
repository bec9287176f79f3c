import { defineMessages } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'

/** Texts about wrapped replies (behaviour/secrets#wrapping). */
export const {
  table: wrappingTexts,
  message,
  refuse,
} = defineMessages({
  ...commonMessages,
  'wrapping-token-invalid': {
    kind: 'invalid',
    text: 'wrapping token is not valid or does not exist',
  },
})
