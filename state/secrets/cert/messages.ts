import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'
import { loginMessages } from '../logins/messages.ts'

/** Texts of the cert login method (behaviour/secrets#cert). */
export const { table, refuse } = defineMessages({
  ...commonMessages,
  ...loginMessages,
  ...refusals('invalid', {
    'cert-unreadable': 'failed to parse certificate',
    'cert-ttl-order': 'ttl should be shorter than max_ttl',
    'cert-not-for-clients':
      'nonCA certificates should have TLS client authentication set as an extended key usage',
    'cert-cache-size': 'invalid cache size, must be >= 2 and <= 100000',
    'cert-crl-unreadable': 'failed to parse CRL: {why}',
    'cert-crl-unknown': 'no such CRL {name}',
    'cert-connection-plain': 'tls connection required',
    'cert-missing': 'client certificate must be supplied',
    'cert-untrusted': 'invalid certificate or no client certificate supplied',
    'cert-unmatched': 'no chain matching all constraints could be found for this login certificate',
  }),
})
