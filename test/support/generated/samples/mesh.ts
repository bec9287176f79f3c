import type { Samples } from './sample.ts'

const policy = { Name: 'reads', Description: 'x', Rules: 'key_prefix "app/" { policy = "read" }' }
const role = { Name: 'readers', Policies: [{ Name: 'reads' }] }
const token = { Description: 'x', Policies: [{ Name: 'reads' }], ExpirationTTL: '1h' }

export const meshSamples: Samples = {
  tokenHeader: 'x-mesh-token',
  tokens: ['mesh-management-token', 'anonymous', ''],
  contentType: 'application/json',
  values: {
    name: ['reads', 'readers', 'none'],
    'namespace/:name': ['team-a', 'default', 'none'],
    key: ['app/a', 'app/', 'lock'],
    id: /^[0-9a-f-]{36}$/,
    accessor: /^[0-9a-f-]{36}$/,
  },
  bodies: {
    'PUT /v1/namespace': [{ Name: 'team-a', Description: 'x', Meta: { a: 'b' } }],
    'PUT /v1/namespace/:name': [{ Name: 'team-a', Description: 'y' }, { Description: 'z' }],
    'PUT /v1/kv/:key': ['value', { any: 'JSON' }],
    'PUT /v1/acl/policy': [policy, { ...policy, Name: 'more', Rules: 'operator = "read"' }],
    'PUT /v1/acl/policy/:id': [{ ...policy, Description: 'y' }],
    'PUT /v1/acl/role': [role],
    'PUT /v1/acl/role/:id': [{ ...role, Description: 'y' }],
    'PUT /v1/acl/token': [token, { Roles: [{ Name: 'readers' }], Local: true }],
    'PUT /v1/acl/token/:accessor': [{ ...token, Description: 'y' }],
    'PUT /v1/acl/bootstrap': [undefined, {}],
  },
}
