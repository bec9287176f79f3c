import { rootRequest } from '../../../src/cli/compare/request.ts'
import {
  counts,
  durations,
  enable,
  type Family,
  lists,
  networks,
  remove,
  tokenFields,
} from './family.ts'

export const approle: Family = {
  name: 'approle',
  before: [
    enable('auth/understudy-a', 'approle'),
    rootRequest('POST', 'auth/understudy-a/role/r', { token_ttl: '5m' }),
  ],
  after: [remove('sys/auth/understudy-a')],
  variables: [
    { name: '$roleid', memberPath: ['data', 'role_id'] },
    { name: '$secretid', memberPath: ['data', 'secret_id'] },
    { name: '$secretaccessor', memberPath: ['data', 'secret_id_accessor'] },
  ],
  requests: [
    {
      weight: 3,
      method: 'POST',
      path: 'auth/understudy-a/role/r|r|s|R|-x',
      more: {
        ...tokenFields,
        period: durations,
        bind_secret_id: [true, false, 'x'],
        secret_id_bound_cidrs: networks,
        bound_cidr_list: networks,
        secret_id_num_uses: counts,
        secret_id_ttl: durations,
        role_id: ['', 'id-1'],
        local_secret_ids: [true, false],
      },
    },
    { method: 'GET|LIST|DELETE', path: 'auth/understudy-a/role/r|s' },
    { method: 'LIST', path: 'auth/understudy-a/role' },
    { weight: 2, method: 'GET', path: 'auth/understudy-a/role/r|r|s/role-id' },
    {
      weight: 2,
      method: 'POST',
      path: 'auth/understudy-a/role/r|r|s/secret-id',
      more: {
        metadata: ['{"a":"b"}', 'x', '', { a: 1 }],
        cidr_list: networks,
        token_bound_cidrs: networks,
        num_uses: counts,
        ttl: durations,
      },
    },
    { method: 'LIST', path: 'auth/understudy-a/role/r/secret-id' },
    {
      method: 'POST|PUT|LIST',
      path: 'auth/understudy-a/role/r|s/secret-id/lookup|destroy',
      more: { secret_id: ['$secretid', 'x', ''] },
    },
    {
      method: 'POST|DELETE',
      path: 'auth/understudy-a/role/r|s/secret-id-accessor/lookup|destroy',
      more: { secret_id_accessor: ['$secretaccessor', 'x', ''] },
    },
    {
      method: 'POST',
      path: 'auth/understudy-a/role/r|s/custom-secret-id',
      more: { secret_id: ['own', ''], metadata: ['{}'] },
    },
    {
      method: 'GET|DELETE',
      path: 'auth/understudy-a/role/r|s/policies|period|bind-secret-id|secret-id-num-uses|secret-id-ttl|token-num-uses|token-ttl|token-max-ttl|bound-cidr-list|secret-id-bound-cidrs|token-bound-cidrs|local-secret-ids',
    },
    {
      method: 'POST',
      path: 'auth/understudy-a/role/r|s/policies',
      more: { policies: lists, token_policies: lists },
    },
    {
      method: 'POST',
      path: 'auth/understudy-a/role/r|s/period|token-ttl|token-max-ttl|secret-id-ttl',
      more: {
        period: durations,
        token_period: durations,
        token_ttl: durations,
        token_max_ttl: durations,
        secret_id_ttl: durations,
      },
    },
    {
      weight: 3,
      method: 'POST',
      path: 'auth/understudy-a/login',
      tokens: ['none', 'none', 'root'],
      needed: { role_id: ['$roleid', '$roleid', 'x'] },
      more: { secret_id: ['$secretid', '$secretid', 'x', ''] },
    },
    { method: 'POST|GET', path: 'auth/token/renew-self|lookup-self', tokens: ['$token'] },
  ],
}
