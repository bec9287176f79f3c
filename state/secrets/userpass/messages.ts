import { defineMessages } from '../../kernel/refusal.ts'
import { callerErrorRefusals, commonMessages } from '../common-messages.ts'
import { loginMessages } from '../logins/messages.ts'

export const { table, refuse } = defineMessages({
  ...commonMessages,
  ...loginMessages,
  'userpass-password-missing': { kind: 'invalid', text: 'missing password' },
  'userpass-password-unsent': {
    kind: 'invalid',
    text: 'missing password',
    detail: { internalInReference: true },
  },
  ...callerErrorRefusals({
    'userpass-password-too-long': 'bcrypt: password length exceeds 72 bytes',
    'userpass-user-absent': 'username does not exist',
  }),
  'userpass-credentials-wrong': { kind: 'invalid', text: 'invalid username or password' },
})
