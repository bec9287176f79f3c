import { wordings } from '../../kernel/refusal.ts'
import { commonTexts } from '../common-texts.ts'

/** Texts about wrapped replies (1-secrets-decisions.md section 1, Wrapping). */
export const {
  table: wrappingTexts,
  say,
  refuse,
} = wordings({
  ...commonTexts,
  'wrapping-token-invalid': {
    kind: 'invalid',
    text: 'wrapping token is not valid or does not exist',
  },
})
