import { isObject } from '../../../state/kernel/objects.ts'
import { optionsOf } from '../../../state/secrets/options.ts'
import type { Correction } from '../../http/journal-hooks/api-explanations.ts'
import type { Corrector, RefusedRequest } from '../../http/journal-hooks/token-corrections.ts'
import { targetOf } from './request-target.ts'
import { readInstead, sendTo, withField } from './root-requests.ts'
import { sendCurrentCode } from './second-factors.ts'

/**
 * Returns a correction that first sends a write to a path of the mount, such as `config`. The
 * correction is undefined without a mount.
 */
function writeFirst(at: string, body: object, change: string): Corrector {
  return (request) => {
    const { mount } = targetOf(request)
    return mount && sendTo(request, mount.path + at, () => body, change)
  }
}

/**
 * Returns a correction that replaces a password or token in the body with the one in the option
 * `secrets.directory`. The correction is undefined if the option has none for the user.
 */
function withSecret(
  name: string,
  find: (request: RefusedRequest, person: string) => string | undefined,
): Corrector {
  return (request): Correction | undefined => {
    const { path } = targetOf(request)
    const secret = find(request, path.slice(path.lastIndexOf('/') + 1))
    if (secret === undefined) return undefined
    return {
      change: `Send the "${name}" from the option secrets.directory`,
      request: {
        body: (sent, fingerprintOf) => ({
          ...(isObject(sent) ? sent : {}),
          [name]: fingerprintOf(secret),
        }),
      },
    }
  }
}

const directoryOf = ({ world }: RefusedRequest) => optionsOf(world).directory

const certificateRole = { key_type: 'ca', allow_user_certificates: true, allowed_users: '*' }

const sendCertificateRole: Corrector = () => ({
  change: 'Send "key_type": "ca" with "allow_user_certificates": true',
  request: {
    body: (sent) => ({ ...(isObject(sent) ? sent : {}), ...certificateRole }),
  },
})

const noCorrection: Corrector = () => null

/**
 * Corrections of refusals about identity tokens, logins and SSH, by rule. The rule is the one that
 * the explanation names.
 */
export const loginCorrections: Readonly<Record<string, Corrector>> = {
  'oidc-algorithm-unknown': withField('algorithm', 'ES256'),
  'oidc-rotation-period-short': withField('rotation_period', '24h'),
  'oidc-verification-ttl-long': withField('verification_ttl', 60),
  'oidc-default-key-stays': readInstead((path) => path),
  'oidc-assignment-stays': readInstead((path) => path),
  'oidc-default-provider-stays': readInstead((path) => path),
  'oidc-role-key-missing': withField('key', 'default'),
  'oidc-client-key-unknown': withField('key', 'default'),
  'oidc-client-type-unknown': withField('client_type', 'confidential'),
  'oidc-assignment-unknown': withField('assignments', 'allow_all'),
  'oidc-template-no-json': withField('template', '{}'),
  'oidc-template-unreadable': withField('template', '{}'),
  'oidc-template-claim': withField('template', '{}'),
  'oidc-issuer-invalid': withField('issuer', 'https://id.example.com'),
  'ssh-ca-exists': readInstead((path) => path),
  'ssh-key-type-missing': sendCertificateRole,
  'ssh-key-type-invalid': sendCertificateRole,
  'ssh-key-type-dynamic': sendCertificateRole,
  'ssh-certificates-none': sendCertificateRole,
  'ssh-cert-type-unknown': withField('cert_type', 'user'),
  'ssh-key-algorithm-unknown': withField('key_type', 'ed25519'),
  'github-not-configured': writeFirst(
    'config',
    { organization: 'acme', organization_id: 1 },
    'Configure the organization first',
  ),
  'github-organization-missing': withField('organization', 'acme'),
  'github-organization-unknown': withField('organization_id', 1),
  'github-token-refused': withSecret(
    'token',
    (request) => Object.keys(directoryOf(request).github?.users ?? {})[0],
  ),
  'okta-not-configured': writeFirst(
    'config',
    { org_name: 'acme' },
    'Configure the organization first',
  ),
  'okta-organization-missing': withField('org_name', 'acme'),
  'okta-refused': withSecret(
    'password',
    (request, person) => directoryOf(request).okta?.users?.[person]?.password,
  ),
  'ldap-bind-failed': withSecret(
    'password',
    (request, person) => directoryOf(request).ldap?.users?.[person]?.password,
  ),
  'mfa-unsatisfied': sendCurrentCode,
  // The following rules refuse requests that lack a certificate, code or id that only the caller
  // can have.
  'cert-connection-plain': noCorrection,
  'cert-missing': noCorrection,
  'cert-untrusted': noCorrection,
  'jwt-state-unknown': noCorrection,
  'mfa-request-unknown': noCorrection,
  'jwt-exchange-failed': noCorrection,
}
