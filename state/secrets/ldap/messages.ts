import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'
import { loginMessages } from '../logins/messages.ts'

export const { table, message, refuse } = defineMessages({
  ...commonMessages,
  ...loginMessages,
  'ldap-entry-absent': {
    kind: 'absent',
    text: 'there is no such entry',
    detail: { unenveloped: true },
  },
  ...refusals('invalid', {
    'ldap-group-filter': 'invalid groupfilter: {why}',
    'ldap-certificate':
      'failed to parse server tls cert: failed to decode PEM block in the certificate',
    'ldap-tls-version': "invalid '{member}'",
    'ldap-tls-versions': "'tls_max_version' must be greater than or equal to 'tls_min_version'",
    'ldap-client-certificate': 'both client_tls_cert and client_tls_key must be set',
    'ldap-bind-failed': 'ldap operation failed: failed to bind as user',
    'ldap-password-empty':
      'password cannot be of zero length when passwordless binds are being denied',
    'ldap-unreachable':
      '1 error occurred:\n\t* error connecting to host "{url}": LDAP Result Code 200 "Network Error": dial tcp: {why}\n\n',
  }),
  'ldap-user-filter': {
    text: 'userfilter configured does not consider userattr and may result in colliding entity aliases on logins',
  },
  'ldap-groups-none': {
    text: 'no LDAP groups found in groupDN {dn}; only policies from locally-defined groups available',
  },
})
