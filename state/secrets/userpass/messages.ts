import { defineMessages } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'
import { loginMessages } from '../logins/messages.ts'

const multierror = { multierror: true, internalInReference: true } as const

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
    detail: multierror,
  },
  'userpass-user-absent': { kind: 'invalid', text: 'username does not exist', detail: multierror },
  'userpass-credentials-wrong': { kind: 'invalid', text: 'invalid username or password' },
})
