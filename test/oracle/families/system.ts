import { rootRequest } from '../../../src/cli/compare/request.ts'
import { counts, durations, enable, type Family, lists, remove } from './family.ts'

const rule = (text: string) => `path "understudy-x" { ${text} }`

/** Policies of every form, those that the parser refuses included. */
const documents = [
  rule('capabilities = ["read", "list"]'),
  rule('capabilities = "read"'),
  rule('capabilities = {}'),
  rule('policy = "write"'),
  rule('capabilities = ["fly"]'),
  rule('capabilities = ["read"] required_parameters = "a"'),
  rule('capabilities = ["read"] allowed_parameters = { a = "x" }'),
  rule('capabilities = ["update"] denied_parameters = { a = [1, "b"] }'),
  rule('capabilities = ["read"] min_wrapping_ttl = "1s" max_wrapping_ttl = "1m"'),
  rule('capabilities = ["read"] min_wrapping_ttl = "2m" max_wrapping_ttl = "1m"'),
  '{"path":{"understudy-x":{"capabilities":["deny"]}}}',
  'path "understudy-x" {',
  'path = "x"',
  'name = "x"',
  '',
]

export const policies: Family = {
  name: 'policies',
  before: [],
  after: [remove('sys/policies/acl/understudy-p')],
  requests: [
    {
      weight: 4,
      method: 'POST',
      path: 'sys/policies/acl/understudy-p',
      needed: { policy: documents },
    },
    { method: 'POST', path: 'sys/policies/acl/root|response-wrapping' },
    { method: 'GET|DELETE', path: 'sys/policies/acl/understudy-p|root|response-wrapping|none' },
    { method: 'POST', path: 'sys/policy/understudy-p', more: { rules: documents } },
    { method: 'GET', path: 'sys/policy/understudy-p|none' },
  ],
}

export const passwords: Family = {
  name: 'passwords',
  before: [],
  after: [remove('sys/policies/password/understudy-p')],
  requests: [
    {
      weight: 3,
      method: 'POST',
      path: 'sys/policies/password/understudy-p',
      more: {
        policy: [
          'length = 8\nrule "charset" { charset = "abc" }',
          'length = 3\nrule "charset" { charset = "abc" }',
          'length = 8\nrule "charset" { charset = "abc" min-chars = 9 }',
          'length = 8',
          'rule "x" {}',
          '',
        ],
      },
    },
    { method: 'GET|DELETE', path: 'sys/policies/password/understudy-p|none' },
  ],
}

const tuning = {
  default_lease_ttl: durations,
  max_lease_ttl: durations,
  description: ['d', ''],
  listing_visibility: ['unauth', 'hidden', '', 'x'],
  audit_non_hmac_request_keys: [['a'], []],
  passthrough_request_headers: [['A'], []],
  allowed_response_headers: [['A'], []],
  options: [{ version: '1' }, { version: 'x' }, {}],
}

/** Requests about engines that are mounted, tuned and removed. */
export const mounts: Family = {
  name: 'mounts',
  before: [enable('mounts/understudy-m', 'kv')],
  after: [remove('sys/mounts/understudy-m'), remove('sys/mounts/understudy-o')],
  requests: [
    {
      weight: 2,
      method: 'POST',
      path: 'sys/mounts/understudy-o|understudy-m|sys|cubbyhole',
      needed: { type: ['kv', 'kv-v2', 'transit', 'none', ''] },
      more: {
        config: [{ default_lease_ttl: '1h' }, { default_lease_ttl: '2h', max_lease_ttl: '1h' }],
        ...{ options: tuning.options, local: [true], description: ['d'] },
      },
    },
    { weight: 3, method: 'POST', path: 'sys/mounts/understudy-m|none/tune', more: tuning },
    { method: 'GET', path: 'sys/mounts/understudy-m|none/tune' },
    { method: 'GET|DELETE', path: 'sys/mounts/understudy-m|sys|none' },
    { method: 'GET', path: 'sys/internal/ui/mounts/understudy-m|none' },
  ],
}

/** Requests about login methods that are enabled, tuned and disabled. */
export const authMounts: Family = {
  name: 'auth-mounts',
  before: [enable('auth/understudy-m', 'userpass')],
  after: [remove('sys/auth/understudy-m'), remove('sys/auth/understudy-o')],
  requests: [
    {
      weight: 2,
      method: 'POST',
      path: 'sys/auth/understudy-o|understudy-m|token',
      needed: { type: ['userpass', 'approle', 'none', '', 'plugin'] },
      more: { config: [{ default_lease_ttl: 'x' }, { token_type: 'batch' }] },
    },
    {
      weight: 3,
      method: 'POST',
      path: 'sys/auth/understudy-m|none/tune',
      more: { ...tuning, token_type: ['batch', 'default-batch', 'service', 'x', ''] },
    },
    { method: 'GET', path: 'sys/auth/understudy-m|none/tune' },
    { method: 'GET|DELETE', path: 'sys/auth/understudy-m|token|none' },
  ],
}

export const remount: Family = {
  name: 'remount',
  before: [enable('mounts/understudy-m', 'kv'), enable('auth/understudy-m', 'userpass')],
  after: [
    ...['mounts/understudy-m', 'mounts/understudy-o', 'auth/understudy-m'].map((path) =>
      remove(`sys/${path}`),
    ),
  ],
  requests: [
    {
      method: 'POST',
      path: 'sys/remount',
      more: {
        from: ['understudy-m', 'auth/understudy-m', 'sys', 'auth/token', 'understudy-none', ''],
        to: ['cubbyhole', 'understudy-m', 'auth/token', 'sys/x', 'understudy-m/x', ''],
      },
    },
    { method: 'GET', path: 'sys/remount/status/none' },
    { method: 'GET', path: 'sys/mounts/understudy-m' },
  ],
}

export const capabilities: Family = {
  name: 'capabilities',
  before: [
    rootRequest('POST', 'sys/policies/acl/understudy-p', {
      policy:
        'path "secret/metadata/+" { capabilities = ["list"] }\npath "a*" { capabilities = ["read"] }\npath "a/+/c" { capabilities = ["deny"] }',
    }),
  ],
  after: [remove('sys/policies/acl/understudy-p')],
  requests: [
    {
      method: 'POST',
      path: 'auth/token/create',
      needed: { policies: [['understudy-p'], 'understudy-p', ['default']] },
      more: { no_default_policy: [true], type: ['batch'], num_uses: counts },
    },
    {
      weight: 3,
      method: 'POST',
      path: 'sys/capabilities|capabilities-self|capabilities-accessor',
      more: {
        paths: [['secret/metadata/team/', 'secret/metadata/team'], ['a', 'a/b/c'], [], ''],
        token: ['$token', 'x', ''],
        accessor: ['$accessor', 'x', ''],
      },
      tokens: ['$token', 'root', 'none'],
    },
  ],
}

/** Requests about users that are locked out after bad passwords. */
export const lockout: Family = {
  name: 'lockout',
  before: [
    enable('auth/understudy-l', 'userpass'),
    rootRequest('POST', 'auth/understudy-l/users/u', { password: 'pw' }),
  ],
  after: [remove('sys/auth/understudy-l')],
  requests: [
    {
      method: 'POST',
      path: 'sys/auth/understudy-l|token/tune',
      more: {
        user_lockout_config: [
          { lockout_threshold: '2', lockout_duration: '5m' },
          { lockout_disable: true },
          { lockout_threshold: 'x' },
          { lockout_duration: '-5s' },
          {},
        ],
      },
    },
    { method: 'GET', path: 'sys/auth/understudy-l/tune' },
    {
      weight: 4,
      method: 'POST',
      path: 'auth/understudy-l/login/u|v',
      needed: { password: ['pw', 'x', 'x'] },
      tokens: ['none'],
    },
    { method: 'POST', path: 'auth/understudy-l/users/u', more: { policies: lists } },
  ],
}

/** Requests about generating a root token, without a key share. */
export const rootGeneration: Family = {
  name: 'root-generation',
  before: [],
  after: [remove('sys/generate-root-token/attempt')],
  requests: [
    { method: 'GET|DELETE', path: 'sys/generate-root-token/attempt' },
    {
      method: 'POST',
      path: 'sys/generate-root-token/attempt',
      more: { otp: ['', 'x'], pgp_key: ['x', ''] },
    },
    {
      method: 'POST',
      path: 'sys/generate-root-token/update',
      more: { key: ['aa', 'x', ''], nonce: ['x', ''] },
    },
  ],
}

/** Requests about quotas of the number of requests. */
export const quotas: Family = {
  name: 'quotas',
  before: [],
  after: [remove('sys/quotas/rate-limit/understudy-q')],
  requests: [
    {
      weight: 3,
      method: 'POST',
      path: 'sys/quotas/rate-limit/understudy-q',
      more: {
        rate: [100_000, 100_000, 0, -1, 'x'],
        interval: durations,
        block_interval: durations,
        path: ['understudy-none', 'cubbyhole/', ''],
        role: ['r'],
      },
    },
    { method: 'GET|DELETE', path: 'sys/quotas/rate-limit/understudy-q|none' },
    { method: 'GET', path: 'sys/quotas/config' },
  ],
}
