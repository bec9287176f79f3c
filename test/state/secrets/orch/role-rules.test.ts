import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../../state/kernel/refusal.ts'
import { parseRoleRules } from '../../../../state/secrets/orch/role-rules.ts'

const podRules = [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }]
const text = "failed to parse 'generated_role_rules' as orch.io/api/rbac/v1/Policy object"

function refusalOf(rules: string): unknown {
  try {
    return parseRoleRules(rules)
  } catch (error) {
    return error instanceof Refusal ? [error.kind, error.message] : error
  }
}

describe('behaviour/secrets#api-orch, generated_role_rules: JSON or YAML', () => {
  // choice/secrets#orch-rules-form choice/secrets#orch-rules-bounds
  test.each([
    ['YAML in blocks', 'rules:\n- apiGroups:\n  - ""\n  resources:\n  - pods\n  verbs: [list]\n'],
    ['YAML in flow', '{rules: [{apiGroups: [""], resources: [pods], verbs: [list]}]}'],
    ['JSON', '{"rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}]}'],
    [
      'JSON without its braces, indented by tabs',
      '"rules": [\n\t{\n\t\t"apiGroups": [\n\t\t\t""\n\t\t],\n\t\t"resources": [\n\t\t\t"pods"\n\t\t],\n\t\t"verbs": [\n\t\t\t"list"\n\t\t]\n\t}\n]',
    ],
    ['quoted keys', '"rules":\n- {apiGroups: [""], resources: [pods], verbs: [list]}'],
    ['a document mark', '---\nrules: [{apiGroups: [""], resources: [pods], verbs: [list]}]\n'],
    ['a comment', '# rules\nrules: [{apiGroups: [""], resources: [pods], verbs: [list]}]\n'],
    [
      'anchors',
      'list: &list [list]\nrules: [{apiGroups: [""], resources: [pods], verbs: *list}]\n',
    ],
    [
      'further keys',
      '{"kind": "Role", "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"], "x": 1}]}',
    ],
    [
      'the last of equal keys',
      'rules: []\nrules: [{apiGroups: [""], resources: [pods], verbs: [list]}]',
    ],
  ])('%s', (_, rules) => {
    expect(parseRoleRules(rules)).toEqual(podRules)
  })

  test('every list of a rule is stored, null is left out', () => {
    const rule = {
      apiGroups: ['apps', ''],
      resources: ['deployments'],
      resourceNames: ['web'],
      verbs: ['get', '*'],
      nonResourceURLs: ['/healthz'],
    }
    expect(parseRoleRules(JSON.stringify({ rules: [rule, {}] }))).toEqual([rule, {}])
    expect(parseRoleRules('rules: [{verbs: ~}]')).toEqual([{}])
    expect(parseRoleRules('rules: []')).toEqual([])
  })

  // choice/secrets#orch-rules-form
  test.each([
    ['nothing', ' '],
    ['a text', 'rules'],
    ['a list', '[]'],
    ['a number', '5'],
    ['no rules', '{}'],
    ['rules that are null', 'rules:'],
    ['rules that are an object', 'rules: {verbs: [list]}'],
    ['a rule that is a text', 'rules: [list]'],
    ['a rule that is null', 'rules: [~]'],
    ['a list that is a text', 'rules: [{verbs: list}]'],
    ['a list of numbers', 'rules: [{verbs: [1]}]'],
    ['booleans of YAML 1.1', 'rules: [{verbs: [yes]}]'],
    ['lists in a list', 'rules: [{verbs: [[list]]}]'],
    ['broken JSON', '{"rules": [}'],
    ['broken YAML', 'rules:\n+ apiGroups:\n\t- ""\n'],
    ['YAML indented by tabs', 'rules:\n\t- verbs: [list]'],
    ['an alias of nothing', 'rules: *none'],
    ['a merge of nothing', 'rules: []\n<<:'],
    ['a tag that does not fit', 'rules: !!float x'],
    ['prototypes', '{"__proto__": {"rules": []}}'],
  ])('%s is refused', (_, rules) => {
    expect(refusalOf(rules)).toEqual(['invalid', text])
  })
})

describe('Bad input: alias bombs are refused with bounded work', () => {
  /** Nine to the ninth power and more: a billion texts when expanded. */
  const aliasBomb = [
    'a: &a [x, x, x, x, x, x, x, x, x]',
    ...'bcdefghi'
      .split('')
      .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[at]}`).join(', ')}]`),
    'rules: [{verbs: *i}]',
  ].join('\n')

  // choice/secrets#orch-rules-bounds
  test.each([
    ['aliases that multiply', aliasBomb],
    ['an alias of itself', 'rules: &a [*a]'],
    ['many aliases', `a: &a list\nrules: [{verbs: [${Array(2000).fill('*a').join(',')}]}]`],
    ['merge keys', `a: &a {x: 1}\nrules: [${Array(2000).fill('{<<: *a}').join(',')}]`],
    ['open brackets', '['.repeat(30_000)],
    ['nested brackets', `rules: ${'['.repeat(1000)}${']'.repeat(1000)}`],
    ['nested braces', '{a: '.repeat(5000)],
    ['entries within entries', '- '.repeat(15_000)],
    ['keys within keys', '? '.repeat(15_000)],
    ['JSON that nests without end', `{"rules":${'['.repeat(200_000)}`],
    ['YAML that is too long', `rules: []\n${'#'.repeat(32 * 1024)}`],
  ])('%s', (_, rules) => {
    expect(refusalOf(rules)).toEqual(['invalid', text])
  })

  test('long JSON is accepted', () => {
    const rules = Array.from({ length: 5000 }, (_, at) => ({ verbs: [`verb-${at}`] }))
    expect(parseRoleRules(JSON.stringify({ rules }))).toEqual(rules)
  })
})
