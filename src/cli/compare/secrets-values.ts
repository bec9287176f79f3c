import { vendorField } from '../../../routes/secrets/dialect/vendor-names.ts'
import { type FieldSchemas, fieldInfo } from '../../../routes/secrets/fields/fields.ts'
import type { Shape } from '../../../state/kernel/shape/kinds.ts'
import { constant, objectOf, oneOf, type ValueGenerator, weighted } from './generators.ts'

const policies = [
  'path "a" { capabilities = ["read"] }',
  'path "understudy-kv2/*" { capabilities = ["create", "list"] }',
  'path "a" { capabilities = ["fly"] }',
  'path "a" {',
  'length = 8\nrule "charset" { charset = "abc" }',
  '',
]

/** Values to try for certain fields, where a random value would rarely be meaningful. */
const valuesByField: Readonly<Record<string, readonly unknown[]>> = {
  policy: policies,
  rules: policies,
  policies: [['default'], ['understudy-p'], 'understudy-p,default', [], 'root', ['nobody'], 3],
  type: ['service', 'batch', 'kv', 'kv-v2', 'generic', 'zz', '', 'sys'],
  token: ['$token', '$wrapped', 'nobody', ''],
  accessor: ['$accessor', 'nobody', ''],
  key: ['aa', 'aabb', 'ab'.repeat(33), '', 3],
  nonce: ['$nonce', '', 'x'],
  paths: [['understudy-kv2/data/a'], ['a', 'b'], 'a', [], ''],
  data: [{}, { a: 1 }, { a: { b: [1], c: null } }, { a: null }, 'x', null, 3],
  options: [{}, { cas: 0 }, { cas: 1 }, { cas: '1' }, { cas: 'x' }, { version: '2' }, 'x', null],
  versions: [[1], [1, 2], '1,2', [], 'x', [9], null],
  from: ['understudy-kv1', 'understudy-none', 'sys', '', 'understudy-m'],
  to: ['understudy-m', 'understudy-kv2', 'understudy-kv2/x', 'sys/x', 'auth/understudy-x', ''],
  kubernetes_host: ['https://orch.example', '', 3],
  allowed_kubernetes_namespaces: ['*', 'A,b,a', ['x'], [], ''],
  allowed_kubernetes_namespace_selector: ['', '{"matchLabels":{"a":"b"}}', '{'],
  service_account_name: ['x', ''],
  kubernetes_role_name: ['x', ''],
  kubernetes_role_type: ['Role', 'clusterrole', 'zz', ''],
  generated_role_rules: [
    '',
    '{"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]}',
    '{',
    'rules: 3',
  ],
  name_template: ['', '{{.RoleName}}', '{{', '{{zz}}', '{{unix_time}}-{{random 5}}'],
  extra_labels: [{}, { a: 'b' }, null, 'a=b', 3],
  extra_annotations: [{}, { a: 'b' }, null],
  lease_id: ['', 'nobody', 'auth/token/create/x'],
  custom_metadata: [{}, { a: '1' }, { a: 1 }, { a: null }, { a: {} }, 'a=b', null],
  secret_shares: [1, 3, 0, 300, '3'],
  secret_threshold: [1, 2, 0, 5],
  id: ['understudy-id', 'a.b', 's.abc', ''],
  listing_visibility: ['', 'hidden', 'unauth', 'x'],
}

/** Returns valid values of a shape, and some invalid ones. */
function valuesOfShape(shape: Shape): readonly unknown[] {
  switch (shape.kind) {
    case 'text':
      return ['x', '', '3', 3, true, null, [], {}]
    case 'int':
      return shape.format === undefined
        ? [0, 1, 2, -1, '2', 'x', 1.5, true, null, []]
        : ['1h', 3600, '60', 0, '', -5, '2d', 'abc', true, null, []]
    case 'bool':
      return [true, false, 'true', 'x', 1, null, []]
    case 'list':
      return [[], ['a'], 'a,b', [1], {}, null, [[]]]
    default:
      return [{}, { a: '1' }, { a: 1 }, 'a=b', [], null, 3]
  }
}

/**
 * Returns a generator of bodies with these fields: mostly a subset of them, sometimes an invalid
 * body.
 *
 * @param spell returns the name of a field in the dialect
 */
export function bodyGenerator(
  fields: FieldSchemas,
  spell: (name: string) => string,
): ValueGenerator<string | undefined> {
  const members = Object.entries(fields).map(([name, field]) => {
    const values = valuesByField[vendorField(name)] ?? valuesOfShape(fieldInfo(field).shape)
    return [spell(name), oneOf(...values)] as const
  })
  const objects = objectOf([...members, ['zed', constant(1)]], 0, 3)
  return weighted<string | undefined>(
    [12, (random) => JSON.stringify(objects(random))],
    [1, oneOf(undefined, '', ' ', '[]', '{', '{} x', 'null', '3')],
  )
}

/** Returns a generator of queries for a read, list or delete. */
export function queryGenerator(fields: FieldSchemas): ValueGenerator<string> {
  const names = oneOf(...Object.keys(fields), 'zed')
  const values = oneOf('1', '2', '0', '-1', 'x', '')
  return weighted([4, constant('')], [1, (random) => `?${names(random)}=${values(random)}`])
}
