import { type Family, lists, remove } from './family.ts'

export const identity: Family = {
  name: 'identity',
  before: [],
  after: [
    ...['e1', 'e2', 'E1'].map((name) => remove(`identity/entity/name/${name}`)),
    ...['g1', 'g2'].map((name) => remove(`identity/group/name/${name}`)),
  ],
  variables: [{ name: '$id', operationPattern: /entity|group/, memberPath: ['data', 'id'] }],
  requests: [
    {
      weight: 3,
      method: 'POST',
      path: 'identity/entity',
      needed: { name: ['e1', 'e2', 'E1'] },
      more: {
        policies: lists,
        metadata: [{ a: 'b' }, 'a=b', {}, 'x'],
        disabled: [true, false],
        id: ['$id', 'x'],
      },
    },
    { method: 'GET|DELETE', path: 'identity/entity/name/e1|e2|none' },
    {
      method: 'POST',
      path: 'identity/entity/name/e1|e2',
      more: { policies: lists, metadata: [{ a: 'b' }], disabled: [true, 'x'] },
    },
    { method: 'GET', path: 'identity/entity/id/$id|x' },
    {
      weight: 2,
      method: 'POST',
      path: 'identity/group',
      needed: { name: ['g1', 'g2', ''] },
      more: {
        policies: lists,
        type: ['internal', 'external', 'x'],
        member_entity_ids: [['$id'], [], ['x']],
        member_group_ids: [['$id'], []],
        metadata: [{ a: 'b' }],
      },
    },
    { method: 'GET|DELETE', path: 'identity/group/name/g1|g2|none' },
    {
      method: 'POST',
      path: 'identity/lookup/entity|group',
      more: { name: ['e1', 'g1'], id: ['$id', 'x'] },
    },
    {
      method: 'POST',
      path: 'identity/entity/merge',
      more: { from_entity_ids: [['$id'], []], to_entity_id: ['$id', 'x', ''] },
    },
  ],
}

const rules = [
  'secret/data/{{identity.entity.name}}',
  't/{{time.now}}',
  'a/{{identity.entity.metadata.k}}/*',
  '{{identity.entity.id',
  'a/{{x}}',
  'b/{{identity.groups.names.g.id}}',
]

/** Requests about templated policies and the capabilities that follow from them. */
export const templated: Family = {
  name: 'templated-policies',
  before: [],
  after: [remove('sys/policies/acl/understudy-t')],
  requests: [
    {
      weight: 2,
      method: 'POST',
      path: 'sys/policies/acl/understudy-t',
      needed: { policy: rules.map((path) => `path "${path}" { capabilities = ["read", "list"] }`) },
    },
    { method: 'POST', path: 'auth/token/create', needed: { policies: [['understudy-t']] } },
    {
      weight: 2,
      method: 'POST',
      path: 'sys/capabilities-self',
      tokens: ['$token'],
      needed: { paths: [['a/b/c'], ['secret/data/x'], ['a//b', 'b/'], ['']] },
    },
    {
      method: 'POST',
      path: 'sys/capabilities|capabilities-accessor',
      needed: { paths: [['a/b'], ['a', ''], []] },
      more: { token: ['$token', 'x', ''], accessor: ['$accessor', 'x', ''] },
    },
  ],
}
