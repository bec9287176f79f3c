import { defineMessages } from '../../kernel/refusal.ts'
import { commonMessages, raised } from '../common-messages.ts'
import { loginMessages } from '../logins/messages.ts'

/** Messages of the method userpass (behaviour/secrets#userpass). */
export const { table: userpassTexts, refuse } = defineMessages({
  ...commonMessages,
  ...loginMessages,
  'userpass-password-missing': { kind: 'invalid', text: 'missing password' },
  'userpass-password-unsent': {
    kind: 'invalid',
    text: 'missing password',
    detail: { internalInReference: true },
  },
  'userpass-password-too-long': {
    kind: 'invalid',
    text: 'bcrypt: password length exceeds 72 bytes',
    detail: raised,
  },
  'userpass-user-absent': { kind: 'invalid', text: 'username does not exist', detail: raised },
  'userpass-credentials-wrong': { kind: 'invalid', text: 'invalid username or password' },
})
