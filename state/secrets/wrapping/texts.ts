import { defineMessages } from '../../kernel/refusal.ts'
import { commonTexts } from '../common-texts.ts'

/** Texts about wrapped replies (behaviour/secrets#wrapping). */
export const {
  table: wrappingTexts,
  message,
  refuse,
} = defineMessages({
  ...commonTexts,
  'wrapping-token-invalid': {
    kind: 'invalid',
    text: 'wrapping token is not valid or does not exist',
  },
})
