import { quoteGo } from '../../../state/go/text.ts'
import { word } from '../../../state/kernel/shape/kinds.ts'
import { described, struct, withDefault } from '../../../state/kernel/shape/members.ts'
import { answers, definePreset, noParameters, type Preset } from '../../faults/declare/preset.ts'
import type { RequestRecord } from '../../http/journal-hooks/request-record.ts'
import { pathOf } from '../../journal/record-values.ts'

const service = 'secrets'

/**
 * Pattern of the paths that create a token or a lease: paths of logins, and paths of requests for
 * credentials.
 */
const leasingPath = /^auth\/.+\/login(?:\/|$)|\/creds\//

/** Returns the path of a request without the prefix `/v1/`, which is the form that quotas use. */
export function quotaPath(record: RequestRecord): string {
  return pathOf(record).replace(/^\/v1\//, '')
}

/**
 * Presets for an exhausted quota of leases, for failures of PKI issuers, and for failures of the
 * systems that engines and login methods depend on, such as databases.
 */
export const enginePresets: readonly Preset[] = [
  definePreset({
    name: 'secrets-database-down',
    summary:
      'The databases behind the database engine fail: requests for credentials are refused, and users of ended leases stay.',
    service,
    parameters: struct({
      how: withDefault(
        described(
          word('unreachable', 'refused', 'create-fails', 'revoke-fails', 'rotate-fails'),
          'Kind of the failure',
        ),
        'unreachable',
      ),
    }),
    source: 'behaviour/secrets#database',
    apply: ({ parameters }) => ({ options: { secrets: { databaseFault: parameters.how } } }),
  }),
  definePreset({
    name: 'secrets-directory-down',
    summary:
      'The directories of the logins `ldap`, `github` and `okta` fail: nobody can log in with these methods.',
    service,
    parameters: struct({
      how: withDefault(
        described(word('unreachable', 'refused', 'slow'), 'Kind of the failure'),
        'unreachable',
      ),
    }),
    source: 'behaviour/secrets#ldap',
    apply: ({ parameters }) => ({ options: { secrets: { directoryFault: parameters.how } } }),
  }),
  definePreset({
    name: 'secrets-ca-expired',
    summary:
      'The issuers of PKI engines have expired: certificates that would expire after their issuer are refused.',
    service,
    parameters: noParameters,
    source: 'behaviour/secrets#pki-lifetime',
    apply: () => ({ options: { secrets: { pkiFault: 'ca-expired' } } }),
  }),
  definePreset({
    name: 'secrets-crl-stale',
    summary:
      'The CRLs of PKI engines are not rebuilt: they ended an hour ago and lack later revocations.',
    service,
    parameters: noParameters,
    source: 'behaviour/secrets#pki-crl',
    apply: () => ({ options: { secrets: { pkiFault: 'crl-stale' } } }),
  }),
  definePreset({
    name: 'secrets-quota-exceeded',
    summary:
      'The leases of a quota are exhausted: 429 for the first logins and requests for credentials.',
    service,
    parameters: struct({ answers: answers(5) }),
    source: 'behaviour/secrets#quotas',
    effect: {
      appliesTo: (record) => leasingPath.test(quotaPath(record)),
      complete: (action, record) => ({
        ...action,
        errors: [`request path ${quoteGo(quotaPath(record))}: lease count quota exceeded`],
      }),
    },
    apply: ({ parameters }) => ({
      faults: [{ when: { first: parameters.answers }, action: { status: 429 } }],
    }),
  }),
]
