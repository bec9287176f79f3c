import type { KnownDifference } from '../../src/cli/compare/compared-api.ts'

/**
 * Members that OpenBao 2.6.2 has added since the release that is played, or removed, and ids of
 * namespaces.
 */
export const ignoredMembers: ReadonlySet<string> = new Set([
  'token_strictly_bind_ip',
  'token_policies_template_claims',
  'callback_mode',
  'oauth2_metadata',
  'oidc_disable_confirmation',
  'poll_interval',
  'override_allowed_server_names',
  'status',
  'soft_deleted',
  'locked',
  'tainted',
  'uuid',
  'allow_slashes_in_identity_templates',
  'allow_wildcards_in_identity_templates',
  'cas_required',
  'modified',
  'version',
  'certificate_chain',
  'allow_expired_cert_revocation',
  'allow_globs_in_identity_templates',
  'delta_crl_distribution_points',
  'allowed_ip_sans_cidr',
  'not_before',
  'not_before_bound',
  'not_after_bound',
  // Settings that only the enterprise edition has; OpenBao lacks them.
  'cross_cluster_revocation',
  'unified_crl',
  'unified_crl_on_existing_paths',
])

/**
 * Intended differences between the mock and OpenBao 2.6.2 in the families of requests. The fork is
 * newer than the release that is played; most differences are texts that it has reworded.
 */
export const knownInFamilies: readonly KnownDifference[] = [
  {
    kind: /: (?:status \d+ → )?400(?:\.errors\.0)?$/,
    answers: /failed to decode JSON input/,
    reason: 'behaviour/secrets#conventions: the fork says why, and refuses text after the object',
  },
  {
    kind: /: (?:400|404)\.errors$/,
    reason: 'behaviour/secrets#body-kinds: failures with data have `errors: []` in the release',
  },
  {
    kind: /: [45]00\.errors\.0$/,
    answers: /converting input|missing password|must provide either password|exactly one of/,
    reason: 'Texts that the fork has reworded, or that name settings it has added',
  },
  {
    kind: /: 400\.errors\.0$/,
    answers: /cannot be less than 1|namespace name|operation (?:unavailable|only available)/,
    reason: 'Texts that the fork has reworded',
  },
  {
    kind: /\/config: 200\.warnings\.0$/,
    answers: /since Vault 0\.3/,
    reason: 'Texts that the fork has reworded',
  },
  {
    kind: /generate-root-token\/attempt: 400\.errors\.0$/,
    answers: /OTP string|root generation already in progress/,
    reason: 'Texts that the fork has reworded',
  },
  {
    kind: /\/code\/k\|none: (?:400\.errors\.0|status 200 → 400)$/,
    answers: /code value is required|unknown key|invalid number of digits|"valid":false/,
    reason: 'The fork looks for the key first, and refuses codes of another length',
  },
  {
    kind: /\/tune: 200\.warnings\.0$/,
    answers: /Upgrading mount from version/,
    reason: 'The fork announces an upgrade from version 0 to version 0, whichever was asked for',
  },
  {
    kind: /users\/u\|u.*status 400 → 204$/,
    answers: /missing password|"status":204/,
    reason: 'behaviour/secrets#userpass: the fork takes an empty password as none',
  },
  {
    kind: /role\/r\|s\/period.*400\.errors\.0$/,
    answers: /period of/,
    reason: 'The fork shows the period under its old name, which was not sent, as 0s',
  },
  {
    kind: /^(?:POST|GET) auth\/understudy-k.*(?:400\.errors\.0|status 200 → 404)$/,
    reason: 'behaviour/secrets#orch-login-config: the fork checks the CA, and has selectors',
  },
  {
    kind: /create\/understudy-r.*400\.errors\.0$/,
    answers: /could not be parsed/,
    reason: 'Texts that the fork has reworded',
  },
  {
    kind: /renew-self: 200\.(?:auth\.lease_duration|warnings)$/,
    reason: 'A second may pass between a login and its renewal on one of the servers',
  },
  {
    kind: /token_type$/,
    reason:
      'behaviour/secrets#mounts: the fork shows `default` for the token method of a namespace',
  },
  {
    kind: /understudy-n.*\.id$|lookup-self.*\.id$/,
    reason: 'Ids of namespaces have another length in the fork',
  },
  {
    kind: /policies\/acl.*\.(?:policy|rules)$/,
    reason: 'The text of the policy `default` is of our own writing; it grants the same',
  },
  {
    kind: /role\/r\|s.*login|auth\/understudy-j\/login/,
    answers: /audience claim found in JWT/,
    reason: 'behaviour/secrets#jwt-login: releases before 1.16.3 accept a single audience',
  },
  {
    kind: /understudy-[au]\/login/,
    answers: /failed to determine alias name/,
    reason: 'behaviour/secrets#lockout: the release looks for the name first',
  },
]
