import { defineMessages } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'

/** Messages about password policies (behaviour/secrets#password-policies). */
export const {
  table: passwordTexts,
  message,
  refuse,
} = defineMessages({
  ...commonMessages,
  'password-policy-absent': {
    kind: 'absent',
    text: 'policy does not exist',
    detail: { multierror: true },
  },
  'password-policy-missing': {
    kind: 'invalid',
    text: 'missing policy',
    detail: { multierror: true },
  },
  'password-length-limits': {
    kind: 'invalid',
    text: 'passwords must be between {shortest} and {longest} characters',
    detail: { multierror: true },
  },
  'password-trial-failed': {
    kind: 'invalid',
    text: 'unable to construct test password from provided policy: are the rules impossible?',
    detail: { multierror: true },
  },
  'password-policy-invalid': {
    kind: 'invalid',
    text: 'invalid password policy: {fault}',
    detail: { multierror: true },
  },
  'stored-password-policy-broken': {
    kind: 'unavailable',
    text: 'stored password policy configuration failed to parse',
    detail: { multierror: true, internal: true },
  },
  'password-not-generated': {
    kind: 'unavailable',
    text: 'failed to generate password from policy: {why}',
    detail: { multierror: true, internal: true },
  },
  'password-policy-unreadable': { text: '{where}: {why}' },
  'password-rules-unreadable': { text: 'unable to parse rules: {why}' },
  'password-length-zero': { text: 'length must be > 0' },
  'password-length-below-rules': {
    text: 'specified rules require at least {least} characters but {length} is specified',
  },
  'password-charset-missing': { text: 'no charset specified' },
  'password-charset-unprintable': { text: 'non-printable character in charset' },
})
