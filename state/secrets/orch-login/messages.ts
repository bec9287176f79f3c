import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { callerErrorRefusals, commonMessages } from '../common-messages.ts'
import { loginMessages } from '../logins/messages.ts'

export const { table, message, refuse } = defineMessages({
  ...commonMessages,
  ...loginMessages,
  ...refusals('invalid', {
    'orch-login-host-missing': 'no host provided',
    'orch-login-ca-missing': 'orch_ca_cert must be given when disable_local_ca_jwt is true',
    'orch-login-key-unreadable': 'data does not contain any valid RSA or ECDSA public keys',
    'orch-login-period-above-max':
      "token period of '\"{period}\"' is greater than the backend's maximum lease TTL of '\"{max}\"'",
    'orch-login-ttl-above-max': 'token ttl should not be greater than token max ttl',
    'orch-login-empty': '"{name}" can not be empty',
    'orch-login-star-mixed': 'can not mix "*" with values',
    'orch-login-alias-source':
      'invalid alias_name_source, must be one of: serviceaccount_uid, serviceaccount_name',
    'orch-login-field-missing': 'missing {name}',
    'orch-login-role-unknown': 'invalid role name {role}',
  }),
  ...callerErrorRefusals({ 'orch-login-reviewer-unreadable': '{why}' }),
  'orch-login-max-ttl-truncated': {
    text: "max_ttl is greater than the system or backend mount's maximum TTL value; issued tokens' max TTL value will be truncated",
  },
  ...refusals(
    'invalid',
    {
      'orch-login-not-configured': 'could not load backend configuration',
      'orch-login-uid-missing': 'could not parse UID from claims',
    },
    { internalInReference: true },
  ),
  ...refusals('denied', {
    'orch-login-unverified': 'permission denied',
    'orch-login-claims': '{why}',
    'orch-login-account': 'service account name not authorized',
    'orch-login-namespace': 'namespace not authorized',
    'orch-login-not-reviewed': 'permission denied',
  }),
})
