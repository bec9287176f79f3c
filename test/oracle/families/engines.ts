import { rootRequest } from '../../../src/cli/compare/request.ts'
import { counts, durations, enable, type Family, remove } from './family.ts'

const selectors = ['', '{"matchLabels":{"a":"b"}}', '{']

/**
 * Requests to the orchestrator engine that it can answer without a connection to the orchestrator.
 */
export const orchEngine: Family = {
  name: 'orch-engine',
  before: [
    enable('mounts/understudy-o', 'kubernetes'),
    rootRequest('POST', 'understudy-o/config', { kubernetes_host: 'https://127.0.0.1:1' }),
  ],
  after: [remove('sys/mounts/understudy-o')],
  requests: [
    {
      weight: 2,
      method: 'POST',
      path: 'understudy-o/config',
      more: {
        kubernetes_host: ['https://127.0.0.1:1', ''],
        kubernetes_ca_cert: ['', 'x'],
        disable_local_ca_jwt: [true, 'x'],
        service_account_jwt: ['x'],
      },
    },
    { method: 'GET|DELETE', path: 'understudy-o/config' },
    {
      weight: 3,
      method: 'POST',
      path: 'understudy-o/roles/r',
      needed: { allowed_kubernetes_namespaces: [['a', 'B'], 'a,b'] },
      more: {
        allowed_kubernetes_namespace_selector: selectors,
        service_account_name: ['x', ''],
        kubernetes_role_name: ['x', ''],
        kubernetes_role_type: ['clusterrole', 'zz', ''],
        generated_role_rules: ['', 'rules: []', '{'],
        name_template: ['', '{{'],
        token_max_ttl: durations,
        token_default_ttl: durations,
      },
    },
    {
      method: 'POST',
      path: 'understudy-o/roles/s',
      more: {
        allowed_kubernetes_namespace_selector: selectors,
        service_account_name: ['x'],
        kubernetes_role_name: ['x', ''],
      },
    },
    { method: 'GET|DELETE', path: 'understudy-o/roles/r|s' },
    { method: 'LIST', path: 'understudy-o/roles' },
    {
      method: 'POST',
      path: 'understudy-o/creds/r|none',
      // No role allows the namespace, because the server has no orchestrator to ask.
      needed: { kubernetes_namespace: ['', 'c'] },
      more: { ttl: durations, cluster_role_binding: [true] },
    },
  ],
}

/** Requests to the engine of time-based one-time passwords (TOTP). */
export const totp: Family = {
  name: 'totp',
  before: [enable('mounts/understudy-t', 'totp')],
  after: [remove('sys/mounts/understudy-t')],
  requests: [
    {
      weight: 3,
      method: 'POST',
      path: 'understudy-t/keys/k',
      more: {
        key: ['JBSWY3DPEHPK3PXP', '!', ''],
        url: ['otpauth://totp/A:b?secret=JBSWY3DPEHPK3PXP&period=20', 'x'],
        generate: [false, 'x'],
        issuer: ['A', ''],
        account_name: ['b', ''],
        period: durations,
        digits: [6, 8, 7],
        algorithm: ['SHA1', 'SHA512', 'x'],
        skew: [0, 1, 2],
      },
    },
    { method: 'GET|DELETE', path: 'understudy-t/keys/k|none' },
    { method: 'LIST', path: 'understudy-t/keys' },
    { method: 'POST', path: 'understudy-t/code/k|none', more: { code: ['x', '', '12'] } },
  ],
}

/** Requests to the engine that signs SSH keys. */
export const ssh: Family = {
  name: 'ssh',
  before: [enable('mounts/understudy-h', 'ssh')],
  after: [remove('sys/mounts/understudy-h')],
  requests: [
    {
      weight: 3,
      method: 'POST',
      path: 'understudy-h/roles/r|r|s',
      needed: { key_type: ['ca', 'otp', 'otp', 'x', ''] },
      more: {
        default_user: ['u', ''],
        cidr_list: ['10.0.0.0/8', 'x', ''],
        allowed_users: ['u,v', ''],
        port: counts,
        ttl: durations,
        max_ttl: durations,
        allow_user_certificates: [true],
        algorithm_signer: ['default', 'x'],
      },
    },
    { method: 'GET|DELETE', path: 'understudy-h/roles/r|s' },
    { method: 'LIST', path: 'understudy-h/roles' },
    {
      method: 'POST',
      path: 'understudy-h/creds/r|none',
      more: { ip: ['10.1.2.3', '1.2.3.4', 'x', ''], username: ['u', 'x'] },
    },
    { method: 'POST', path: 'understudy-h/lookup', more: { ip: ['10.1.2.3', 'x', ''] } },
    { method: 'POST', path: 'understudy-h/verify', more: { otp: ['x', ''] } },
  ],
}

/** Requests to the login method `ldap` that it can answer without a directory server. */
export const ldap: Family = {
  name: 'ldap',
  before: [enable('auth/understudy-d', 'ldap')],
  after: [remove('sys/auth/understudy-d')],
  requests: [
    {
      weight: 2,
      method: 'POST',
      path: 'auth/understudy-d/config',
      more: {
        url: ['ldap://127.0.0.1:1', 'x'],
        userdn: ['cn=x', ''],
        tls_min_version: ['tls12', 'x'],
        case_sensitive_names: [true],
        request_timeout: durations,
        token_ttl: durations,
      },
    },
    { method: 'POST', path: 'auth/understudy-d/groups|users/A|b', more: { policies: ['p', []] } },
    { method: 'GET|DELETE', path: 'auth/understudy-d/groups|users/A|a|b' },
    { method: 'LIST', path: 'auth/understudy-d/groups|users' },
  ],
}

/** Requests about keys, roles and clients of the identity provider. */
export const identityTokens: Family = {
  name: 'identity-tokens',
  before: [],
  after: ['role/understudy-r', 'client/understudy-c', 'key/understudy-k'].map((path) =>
    remove(`identity/oidc/${path}`),
  ),
  requests: [
    {
      weight: 2,
      method: 'POST',
      path: 'identity/oidc/key/understudy-k',
      more: {
        algorithm: ['RS256', 'ES256', 'EdDSA', 'x'],
        rotation_period: ['1h', '30s', 'x'],
        verification_ttl: ['1h', '99h', 'x'],
        allowed_client_ids: [['*'], []],
      },
    },
    { method: 'GET|DELETE', path: 'identity/oidc/key/understudy-k|none' },
    {
      weight: 2,
      method: 'POST',
      path: 'identity/oidc/role/understudy-r',
      more: { key: ['understudy-k', 'none'], template: ['{"a": 1}', '{', ''], ttl: durations },
    },
    { method: 'GET|DELETE', path: 'identity/oidc/role/understudy-r|none' },
    { method: 'GET', path: 'identity/oidc/token/understudy-r|none' },
    {
      method: 'POST',
      path: 'identity/oidc/client/understudy-c',
      more: {
        key: ['understudy-k', 'default', 'none'],
        redirect_uris: [['http://localhost'], 'x'],
        assignments: [['allow_all'], ['none']],
        client_type: ['public', 'confidential', 'x'],
      },
    },
    { method: 'DELETE', path: 'identity/oidc/client/understudy-c|none' },
    { method: 'POST', path: 'identity/oidc/introspect', more: { token: ['x', ''] } },
  ],
}

/** Requests about the roles of the certificate engine, which has no issuer. */
export const pkiRoles: Family = {
  name: 'pki-roles',
  before: [enable('mounts/understudy-c', 'pki')],
  after: [remove('sys/mounts/understudy-c')],
  requests: [
    {
      weight: 3,
      method: 'POST',
      path: 'understudy-c/roles/r|r|s',
      more: {
        allowed_domains: ['a.example', ['*.b.example'], ''],
        allow_subdomains: [true, 'x'],
        key_type: ['rsa', 'ec', 'ed25519', 'any', 'x'],
        key_bits: [0, 2048, 224, 7],
        ttl: durations,
        max_ttl: durations,
        signature_bits: [0, 384, 7],
        not_before_duration: durations,
        issuer_ref: ['default', 'x', ''],
      },
    },
    { method: 'GET|DELETE', path: 'understudy-c/roles/r|s' },
    { method: 'LIST', path: 'understudy-c/roles|issuers|keys' },
    {
      method: 'POST',
      path: 'understudy-c/issue/r|none',
      more: { common_name: ['x', 'a.example'] },
    },
    { method: 'GET', path: 'understudy-c/config/urls|crl|issuers|keys' },
    { method: 'POST', path: 'understudy-c/config/crl', more: { expiry: durations } },
  ],
}
