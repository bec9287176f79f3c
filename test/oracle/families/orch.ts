import { rootRequest } from '../../../src/cli/compare/request.ts'
import { enable, type Family, oldFields, remove, tokenFields } from './family.ts'

/**
 * Requests to the login method of the orchestrator, which fail at the latest when the orchestrator
 * would review the token.
 */
export const orch: Family = {
  name: 'orch-login',
  before: [
    enable('auth/understudy-k', 'kubernetes'),
    rootRequest('POST', 'auth/understudy-k/config', {
      kubernetes_host: 'https://127.0.0.1:1',

      disable_local_ca_jwt: false,
    }),
  ],
  after: [remove('sys/auth/understudy-k')],
  requests: [
    {
      weight: 4,
      method: 'POST',
      path: 'auth/understudy-k/role/r|r|s',
      more: {
        bound_service_account_names: ['web', '*', ['*', 'a'], ''],
        bound_service_account_namespaces: ['shop', '*', []],
        audience: ['a', ''],
        alias_name_source: ['serviceaccount_name', 'serviceaccount_uid', 'x', ''],
        ...tokenFields,
        ...oldFields,
      },
    },
    { method: 'GET|DELETE', path: 'auth/understudy-k/role/r|s' },
    { method: 'LIST', path: 'auth/understudy-k/role' },
    { method: 'GET', path: 'auth/understudy-k/config' },
    {
      method: 'POST',
      path: 'auth/understudy-k/login',
      tokens: ['none'],
      more: { role: ['r', 's', ''], jwt: ['', 'x', 'x.y.z'] },
    },
  ],
}
