import { rootRequest } from '../../../src/cli/compare/request.ts'
import {
  counts,
  durations,
  type Family,
  lists,
  networks,
  plain,
  remove,
  tokenFields,
} from './family.ts'

/** Requests to the tools and to wrapping. */
export const tools: Family = {
  name: 'tools',
  before: [],
  after: [],
  requests: [
    {
      method: 'POST',
      path: 'sys/tools/hash',
      more: {
        input: plain,
        algorithm: ['sha2-512', 'sha2-224', 'x'],
        format: ['hex', 'base64', 'x'],
      },
    },
    {
      method: 'POST',
      path: 'sys/tools/hash/sha2-256|x',
      more: { input: plain, format: ['base64', 'x'] },
    },
    {
      method: 'POST',
      path: 'sys/tools/random',
      needed: { format: ['x'] },
      more: { bytes: counts },
    },
    {
      method: 'POST',
      path: 'sys/wrapping/wrap|lookup|unwrap|rewrap',
      more: { token: ['x', ''], a: [1] },
    },
  ],
}

/** Requests about tokens and their leases. */
export const leases: Family = {
  name: 'leases',
  before: [],
  after: [],
  requests: [
    {
      method: 'POST',
      path: 'auth/token/create',
      more: {
        ttl: durations,
        period: durations,
        renewable: [false],
        type: ['service', 'batch', 'x'],
        num_uses: counts,
        no_parent: [true],
      },
    },
    {
      method: 'POST',
      path: 'sys/leases/lookup|renew|revoke',
      more: { lease_id: ['x', ''], increment: durations },
    },
    { method: 'POST', path: 'sys/leases/revoke-prefix|revoke-force/understudy-none' },
    { method: 'GET', path: 'sys/leases|leases/count' },
    {
      method: 'POST',
      path: 'auth/token/renew|lookup|revoke-orphan',
      more: { token: ['$token', 'x', ''], increment: durations },
    },
    {
      method: 'POST',
      path: 'auth/token/renew-accessor|lookup-accessor|revoke-accessor',
      more: { accessor: ['$accessor', 'x', ''] },
    },
    { method: 'POST|GET', path: 'auth/token/renew-self|lookup-self', tokens: ['$token', 'none'] },
  ],
}

/** Requests about token roles and their tokens. */
export const tokenRoles: Family = {
  name: 'token-roles',
  before: [rootRequest('POST', 'auth/token/roles/understudy-r', {})],
  after: [remove('auth/token/roles/understudy-r')],
  requests: [
    {
      weight: 3,
      method: 'POST',
      path: 'auth/token/roles/understudy-r',
      more: {
        ...tokenFields,
        allowed_policies: lists,
        disallowed_policies: lists,
        allowed_policies_glob: [['a*'], []],
        orphan: [true, false],
        renewable: [false],
        path_suffix: ['x', 'a/b', ''],
        period: durations,
        explicit_max_ttl: durations,
        bound_cidrs: networks,
        allowed_entity_aliases: [['A-*'], []],
      },
    },
    { method: 'GET', path: 'auth/token/roles/understudy-r|none' },
    {
      weight: 3,
      method: 'POST',
      path: 'auth/token/create/understudy-r|none',
      more: {
        policies: lists,
        ttl: durations,
        period: durations,
        num_uses: counts,
        type: ['service', 'batch'],
        entity_alias: ['a-1', 'x'],
        no_default_policy: [true],
      },
    },
    { method: 'GET', path: 'auth/token/lookup-self', tokens: ['$token'] },
  ],
}

/** Requests to a namespace, which stays: servers may delete one in the background. */
export const namespaces: Family = {
  name: 'namespaces',
  before: [rootRequest('POST', 'sys/namespaces/understudy-n', {})],
  after: [remove('understudy-n/sys/policies/acl/p'), remove('understudy-n/cubbyhole/a')],
  requests: [
    { method: 'GET', path: 'sys/namespaces/understudy-n|none' },
    { method: 'POST|GET|LIST', path: 'understudy-n/sys/namespaces/a b' },
    {
      method: 'POST',
      path: 'understudy-n/auth/token/create',
      more: { policies: lists, ttl: durations },
    },
    {
      weight: 2,
      method: 'POST|GET',
      path: 'auth/token/lookup-self|renew-self',
      tokens: ['$token'],
    },
    {
      method: 'POST',
      path: 'understudy-n/sys/policies/acl/p',
      needed: { policy: ['path "a" { capabilities = ["read"] }', 'x'] },
    },
    { method: 'GET', path: 'understudy-n/sys/policies/acl/p|default|none' },
    {
      method: 'GET|POST',
      path: 'understudy-n/cubbyhole/a',
      more: { a: [1] },
      tokens: ['$token', 'root'],
    },
    { method: 'GET', path: 'understudy-n/sys/mounts|auth|quotas|health' },
  ],
}
