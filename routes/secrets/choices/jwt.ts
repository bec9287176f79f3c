import type { Choice } from '../../http/coverage.ts'

/** The login methods that take a JWT. */
export const jwtChoices: readonly Choice[] = [
  {
    id: 'jwt-fetch',
    about: 'Keys of the method jwt that are at a URL.',
    choice:
      'Fetched only where the option `jwtFetch` allows, once for each configuration, never again for a key id that is not among them; `jwtKeys` hands them in. Redirects are not followed.',
    evidence: 'extension',
    where: 'behaviour/secrets#jwt-keys',
  },
  {
    id: 'jwt-no-key-text',
    about: 'A signature that no key of a fetched set verifies.',
    choice: 'The text is that of configured keys: `no known key successfully validated …`.',
    evidence: 'decided here',
    where: 'behaviour/secrets#jwt-login',
  },
  {
    id: 'jwt-bound-numbers',
    about: 'Bound claims that are numbers.',
    choice:
      'Equal numbers match, in lists too; the reference rounds the one in the JWT, and finds none in lists.',
    evidence: 'decided here',
    where: 'behaviour/secrets#jwt-login',
  },
  {
    id: 'orch-login-ca',
    about: 'A configuration of the login `orch` without a CA certificate, outside a pod.',
    choice: 'Is accepted; certificates are not looked into.',
    evidence: 'decided here',
    where: 'behaviour/secrets#orch-login-config',
  },
  {
    id: 'orch-login-unreviewed',
    about: 'Logins at `orch` where neither a review nor configured keys vouch for the JWT.',
    choice: '403 `permission denied`.',
    evidence: 'decided here',
    where: 'behaviour/secrets#orch-login-review',
  },
  {
    id: 'jwt-claim-order',
    about: 'Several claims of which none would do.',
    choice: 'The first in the order in which the role was written; the reference takes any.',
    evidence: 'decided here',
    where: 'behaviour/secrets#jwt-login',
  },
]
