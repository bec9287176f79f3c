import { defineMessages } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'
import { loginMessages } from '../logins/messages.ts'

/** Messages of the login method orch (behaviour/secrets#orch-login). */
export const {
  table: orchLoginTexts,
  message,
  refuse,
} = defineMessages({
  ...commonMessages,
  ...loginMessages,
  'orch-login-host-missing': { kind: 'invalid', text: 'no host provided' },
  'orch-login-ca-missing': {
    kind: 'invalid',
    text: 'orch_ca_cert must be given when disable_local_ca_jwt is true',
  },
  'orch-login-key-unreadable': {
    kind: 'invalid',
    text: 'data does not contain any valid RSA or ECDSA public keys',
  },
  'orch-login-period-above-max': {
    kind: 'invalid',
    text: "token period of '\"{period}\"' is greater than the backend's maximum lease TTL of '\"{max}\"'",
  },
  'orch-login-ttl-above-max': {
    kind: 'invalid',
    text: 'token ttl should not be greater than token max ttl',
  },
  'orch-login-max-ttl-truncated': {
    text: "max_ttl is greater than the system or backend mount's maximum TTL value; issued tokens' max TTL value will be truncated",
  },
  'orch-login-empty': { kind: 'invalid', text: '"{name}" can not be empty' },
  'orch-login-star-mixed': { kind: 'invalid', text: 'can not mix "*" with values' },
  'orch-login-alias-source': {
    kind: 'invalid',
    text: 'invalid alias_name_source, must be one of: serviceaccount_uid, serviceaccount_name',
  },
  'orch-login-field-missing': { kind: 'invalid', text: 'missing {name}' },
  'orch-login-role-unknown': { kind: 'invalid', text: 'invalid role name {role}' },
  'orch-login-not-configured': {
    kind: 'invalid',
    text: 'could not load backend configuration',
    detail: { internalInReference: true },
  },
  'orch-login-unverified': { kind: 'denied', text: 'permission denied' },
  'orch-login-claims': { kind: 'denied', text: '{why}' },
  'orch-login-account': { kind: 'denied', text: 'service account name not authorized' },
  'orch-login-namespace': { kind: 'denied', text: 'namespace not authorized' },
  'orch-login-uid-missing': {
    kind: 'invalid',
    text: 'could not parse UID from claims',
    detail: { internalInReference: true },
  },
  'orch-login-not-reviewed': { kind: 'denied', text: 'permission denied' },
})
