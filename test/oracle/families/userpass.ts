import { rootRequest } from '../../../src/cli/compare/request.ts'
import { durations, enable, type Family, lists, networks, remove, tokenFields } from './family.ts'

export const userpass: Family = {
  name: 'userpass',
  before: [
    enable('auth/understudy-u', 'userpass'),
    rootRequest('POST', 'auth/understudy-u/users/u', { password: 'pw' }),
  ],
  after: [remove('sys/auth/understudy-u')],
  requests: [
    {
      weight: 3,
      method: 'POST',
      path: 'auth/understudy-u/users/u|u|U|v|u@x',
      more: {
        password: ['pw', '', 'x'],
        ...tokenFields,
        ttl: durations,
        max_ttl: durations,
        bound_cidrs: networks,
      },
    },
    { method: 'GET|DELETE|LIST', path: 'auth/understudy-u/users/u|v' },
    { method: 'LIST', path: 'auth/understudy-u/users' },
    {
      method: 'POST',
      path: 'auth/understudy-u/users/u|v/password',
      more: { password: ['pw', ''] },
    },
    {
      method: 'POST',
      path: 'auth/understudy-u/users/u|v/policies',
      more: { policies: lists, token_policies: lists },
    },
    {
      weight: 3,
      method: 'POST',
      path: 'auth/understudy-u/login/u|u|U|v',
      tokens: ['none'],
      more: { password: ['pw', 'pw', 'x', ''] },
    },
    { method: 'GET', path: 'auth/understudy-u/login/u', tokens: ['none'] },
    { method: 'POST|GET', path: 'auth/token/renew-self|lookup-self', tokens: ['$token'] },
    {
      method: 'POST',
      path: 'sys/auth/understudy-u/tune',
      more: {
        token_type: ['default-batch', 'batch', 'service', 'x'],
        default_lease_ttl: ['1h', ''],
        max_lease_ttl: ['2h', 'system'],
        passthrough_request_headers: [[], ['A']],
      },
    },
    { method: 'GET', path: 'sys/auth/understudy-u/tune' },
  ],
}
