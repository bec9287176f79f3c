import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'

/** Texts about password policies (behaviour/secrets#password-policies). */
export const { table, message, refuse } = defineMessages({
  ...commonMessages,
  'password-policy-absent': {
    kind: 'absent',
    text: 'policy does not exist',
    detail: { multierror: true },
  },
  ...refusals(
    'invalid',
    {
      'password-policy-missing': 'missing policy',
      'password-length-limits': 'passwords must be between {shortest} and {longest} characters',
      'password-trial-failed':
        'unable to construct test password from provided policy: are the rules impossible?',
      'password-policy-invalid': 'invalid password policy: {problem}',
    },
    { multierror: true },
  ),
  ...refusals(
    'unavailable',
    {
      'stored-password-policy-broken': 'stored password policy configuration failed to parse',
      'password-not-generated': 'failed to generate password from policy: {why}',
    },
    { multierror: true, internal: true },
  ),
  'password-policy-unreadable': { text: '{where}: {why}' },
  'password-rules-unreadable': { text: 'unable to parse rules: {why}' },
  'password-length-zero': { text: 'length must be > 0' },
  'password-length-below-rules': {
    text: 'specified rules require at least {least} characters but {length} is specified',
  },
  'password-charset-missing': { text: 'no charset specified' },
  'password-charset-unprintable': { text: 'non-printable character in charset' },
})
