import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../../state/kernel/refusal.ts'
import { parseRules, parseStoredRules } from '../../../../state/mesh/acl/rule-language.ts'

/** Returns the rules in short form: resource, segment, access and namespace block. */
function summarize(text: string, namespace = 'default') {
  return parseRules(text, namespace).map(({ resource, segment, access, inNamespace }) => {
    const formatSegment = ({ name, isPrefix }: { name: string; isPrefix: boolean }) =>
      name + (isPrefix ? '*' : '')
    const place = inNamespace === undefined ? '' : ` in ${formatSegment(inNamespace)}`
    return `${resource} ${formatSegment(segment)} ${access}${place}`
  })
}

function errorOf(text: string, namespace = 'default'): string {
  try {
    parseRules(text, namespace)
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal)
    return error instanceof Error ? error.message : ''
  }
  return 'none'
}

const blockKinds = ['agent', 'event', 'key', 'node', 'query', 'session'] as const
const structs = {
  agent: 'AgentRule{Node',
  event: 'EventRule{Event',
  key: 'KeyRule{Prefix',
  node: 'NodeRule{Name',
  query: 'PreparedQueryRule{Prefix',
  session: 'SessionRule{Node',
} as const
const singles = ['acl', 'operator', 'keyring', 'mesh', 'peering'] as const

describe('behaviour/mesh#rule-language: supported rules', () => {
  test.each(singles)('%s = "read", "write" or "deny", HCL and JSON', (single) => {
    for (const access of ['read', 'write', 'deny']) {
      expect(summarize(`${single} = "${access}"`)).toEqual([`${single} * ${access}`])
      expect(summarize(`{"${single}": "${access}"}`)).toEqual([`${single} * ${access}`])
    }
    expect(summarize(`${single} = ""`)).toEqual([])
  })

  test.each(blockKinds)('%s and its prefix form, HCL and JSON', (kind) => {
    for (const access of ['read', 'write', 'deny']) {
      expect(summarize(`${kind} "a" { policy = "${access}" }`)).toEqual([`${kind} a ${access}`])
      expect(summarize(`${kind}_prefix "a" { policy = "${access}" }`)).toEqual([
        `${kind} a* ${access}`,
      ])
      expect(summarize(`{"${kind}": {"a": {"policy": "${access}"}}}`)).toEqual([
        `${kind} a ${access}`,
      ])
      expect(summarize(`{"${kind}_prefix": [{"": {"policy": "${access}"}}]}`)).toEqual([
        `${kind} * ${access}`,
      ])
    }
  })

  test('only key and key_prefix accept list', () => {
    expect(summarize('key "a" { policy = "list" } key_prefix "b" { policy = "list" }')).toEqual([
      'key a list',
      'key b* list',
    ])
    for (const kind of ['agent', 'event', 'node', 'query', 'service', 'session', 'namespace']) {
      expect(errorOf(`${kind} "a" { policy = "list" }`)).toContain(`Invalid ${kind} policy: `)
    }
    expect(errorOf('operator = "list"')).toBe('Invalid operator policy: "list"')
  })

  test.each(['WRITE', 'Write', 'wRITE'])('values count in any letter case: %s', (value) => {
    for (const single of singles) {
      expect(summarize(`${single} = "${value}"`)).toEqual([`${single} * write`])
      expect(summarize(`{"${single}": "${value}"}`)).toEqual([`${single} * write`])
    }
    for (const kind of [...blockKinds, 'namespace']) {
      expect(summarize(`${kind} "a" { policy = "${value}" }`)).toEqual([`${kind} a write`])
      const json = `{"${kind}_prefix": {"a": {"policy": "${value}"}}}`
      expect(summarize(json)).toEqual([`${kind} a* write`])
    }
    expect(summarize(`service "a" { policy = "Deny" intentions = "${value}" }`)).toEqual([
      'service a deny',
      'intention a write',
    ])
  })

  test('list counts in any letter case; blanks count; texts show the value as sent', () => {
    expect(summarize('key_prefix "a" { policy = "List" }')).toEqual(['key a* list'])
    expect(summarize('service "a" { policy = "DENY" }')).toContain('intention a deny')
    expect(errorOf('acl = " write"')).toBe('Invalid acl policy: " write"')
    expect(errorOf('acl = "LIST"')).toBe('Invalid acl policy: "LIST"')
    expect(errorOf('service "a" { policy = "List" }')).toContain('Policy:"List"')
    expect(errorOf('service "a" { intentions = "write" }')).toBe(
      'Invalid service policy: &acl.ServiceRule{Name:"a", Policy:"", Intentions:"write", EnterpriseRule:acl.EnterpriseRule{}}',
    )
  })

  test('the members of a block without a label are blocks; further labels are ignored', () => {
    expect(summarize('key_prefix { policy = "read" }')).toEqual(['key policy* read'])
    expect(summarize('key_prefix {}')).toEqual([])
    expect(summarize('key "a" "b" { policy = "read" }')).toEqual(['key a read'])
    expect(errorOf('service { intentions = "write" }')).toContain('Name:"intentions", Policy:""')
  })

  test('braces at the end of the JSON form may be missing', () => {
    expect(summarize('{')).toEqual([])
    expect(summarize('{"key": {"a{": {"policy": "read"')).toEqual(['key a{ read'])
    expect(errorOf('{"acl": "read')).toMatch(/^Failed to parse ACL rules: /)
  })

  test('service rules include intentions, which follow the policy by default', () => {
    expect(summarize('service "web" { policy = "write" intentions = "deny" }')).toEqual([
      'service web write',
      'intention web deny',
    ])
    expect(summarize('service_prefix "" { policy = "write" }')).toEqual([
      'service * write',
      'intention * read',
    ])
    expect(summarize('service "a" { policy = "deny" }')).toEqual([
      'service a deny',
      'intention a deny',
    ])
  })

  test('namespace blocks may contain acl, policy, key, node, service and session rules', () => {
    const rules = `
      namespace "Team-1" {
        acl = "write"
        policy = "read"
        key "a" { policy = "read" }
        key_prefix "b/" { policy = "list" }
        node_prefix "" { policy = "read" }
        service "web" { policy = "read" }
        session_prefix "" { policy = "write" }
      }
      namespace_prefix "x-" { key_prefix "" { policy = "deny" } }`
    expect(summarize(rules)).toEqual([
      'namespace team-1 read',
      'acl * write in team-1',
      'key a read in team-1',
      'key b/* list in team-1',
      'node * read in team-1',
      'service web read in team-1',
      'intention web read in team-1',
      'session * write in team-1',
      'key * deny in x-*',
    ])
    const json = '{"namespace": {"x": {"acl": "read", "key_prefix": {"": {"policy": "read"}}}}}'
    expect(summarize(json)).toEqual(['acl * read in x', 'key * read in x'])
  })

  test('partition blocks may contain namespace blocks; default is the only partition', () => {
    const inner = 'namespace "a" { key "k" { policy = "read" } }'
    expect(summarize(`partition "default" { policy = "read" ${inner} }`)).toEqual([
      'partition default read',
      'key k read in a',
    ])
    expect(summarize(`partition_prefix "def" { ${inner} }`)).toEqual(['key k read in a'])
    expect(summarize(`partition "other" { ${inner} }`)).toEqual([])
    expect(summarize(`partition_prefix "x" { ${inner} }`)).toEqual([])
  })

  test('the source text of a rule includes the enclosing blocks', () => {
    const text = 'partition "default" { namespace_prefix "t-" { key "a" { policy = "read" } } }'
    expect(parseRules(text, 'default').map((rule) => rule.source)).toEqual([text])
    expect(parseRules('operator = "read"', 'default').map((rule) => rule.source)).toEqual([
      'operator = "read"',
    ])
    const service = 'service "a" { policy = "read" intentions = "write" }'
    expect(parseRules(service, 'default').map((rule) => rule.source)).toEqual([
      'service "a" { policy = "read" }',
      'service "a" { intentions = "write" }',
    ])
  })

  // choice/mesh#mesh-acl-unknown-rules
  test('comments, empty documents and unknown members are ignored', () => {
    expect(summarize('')).toEqual([])
    expect(summarize('# nothing\n// here\n/* at all */')).toEqual([])
    expect(summarize('{}')).toEqual([])
    const strange =
      'dance = "write" song "x" { policy = "loud" } namespace "a" { operator = "write" }'
    expect(summarize(strange)).toEqual([])
    expect(summarize('key "a" { policy = "read" colour = "red" }')).toEqual(['key a read'])
  })

  test('the last duplicate of a rule without label wins; duplicate blocks are all kept', () => {
    expect(summarize('acl = "read" acl = "write"')).toEqual(['acl * write'])
    expect(summarize('key "a" { policy = "read" } key "a" { policy = "deny" }')).toEqual([
      'key a read',
      'key a deny',
    ])
  })
})

describe('behaviour/mesh#rule-language: errors', () => {
  test.each(singles)('Invalid %s policy', (single) => {
    expect(errorOf(`${single} = "x"`)).toBe(`Invalid ${single} policy: "x"`)
    expect(errorOf(`{"${single}": "a\\"b"}`)).toBe(`Invalid ${single} policy: "a\\"b"`)
    expect(errorOf(`${single} = 5`)).toBe(`Invalid ${single} policy: "5"`)
  })

  test.each(blockKinds)('Invalid %s policy', (kind) => {
    const printed = `&acl.${structs[kind]}:"a", Policy:"x", EnterpriseRule:acl.EnterpriseRule{}}`
    expect(errorOf(`${kind} "a" { policy = "x" }`)).toBe(`Invalid ${kind} policy: ${printed}`)
    expect(errorOf(`${kind}_prefix "a" { policy = "x" }`)).toBe(
      `Invalid ${kind}_prefix policy: ${printed}`,
    )
    expect(errorOf(`${kind} "a" { }`)).toBe(
      `Invalid ${kind} policy: ${printed.replace('"x"', '""')}`,
    )
  })

  test('Invalid service policy, its intentions, namespace and partition policies', () => {
    expect(errorOf('service "a" { policy = "x" }')).toBe(
      'Invalid service policy: &acl.ServiceRule{Name:"a", Policy:"x", Intentions:"", EnterpriseRule:acl.EnterpriseRule{}}',
    )
    expect(errorOf('service_prefix "a" { policy = "read" intentions = "x" }')).toBe(
      'Invalid service_prefix intentions policy: &acl.ServiceRule{Name:"a", Policy:"read", Intentions:"x", EnterpriseRule:acl.EnterpriseRule{}}',
    )
    expect(errorOf('namespace "a" { policy = "x" }')).toBe(
      'Invalid namespace policy: &acl.NamespaceRule{Name:"a", Policy:"x", EnterpriseRule:acl.EnterpriseRule{}}',
    )
    expect(errorOf('partition_prefix "" { policy = "x" }')).toBe(
      'Invalid partition_prefix policy: &acl.PartitionRule{Name:"", Policy:"x", EnterpriseRule:acl.EnterpriseRule{}}',
    )
  })

  test('nested rules are validated like top-level rules', () => {
    expect(errorOf('namespace "a" { acl = "x" }')).toBe('Invalid acl policy: "x"')
    expect(errorOf('namespace "a" { key "k" { policy = "x" } }')).toBe(
      'Invalid key policy: &acl.KeyRule{Prefix:"k", Policy:"x", EnterpriseRule:acl.EnterpriseRule{}}',
    )
    expect(errorOf('partition "p" { namespace "a" { node "k" { } } }')).toBe(
      'Invalid node policy: &acl.NodeRule{Name:"k", Policy:"", EnterpriseRule:acl.EnterpriseRule{}}',
    )
  })

  test('the first error in the reference order is reported', () => {
    const all = 'namespace "a" { policy = "x" } operator = "x" key "a" { policy = "x" } acl = "x"'
    expect(errorOf(all)).toBe('Invalid acl policy: "x"')
    expect(errorOf(all.replace('acl = "x"', ''))).toContain('Invalid key policy')
    expect(errorOf('namespace "a" { policy = "x" } operator = "x"')).toContain('Invalid operator')
  })

  test.each([
    ['key "a" {', 'Failed to parse ACL rules: At 1:11: object expected closing RBRACE got: EOF'],
    ['key = "read"', "Failed to parse ACL rules: At 1:1: key 'key' expected start of object ('{')"],
    ['operator = true', "Failed to parse ACL rules: At 1:1: 'operator' must be a string"],
    [
      'key "a" { policy = ["read"] }',
      "Failed to parse ACL rules: At 1:11: 'policy' must be a string",
    ],
  ])('%s is a syntax error', (text, message) => {
    expect(errorOf(text)).toBe(message)
  })

  test('malformed JSON is a syntax error', () => {
    expect(errorOf('{"key": ')).toMatch(/^Failed to parse ACL rules: \d+:\d+: /)
  })

  test.each([
    ['operator = "read"', 'operator'],
    ['keyring = "read"', 'keyring'],
    ['event "a" { policy = "read" }', 'event'],
    ['event_prefix "a" { policy = "read" }', 'event_prefix'],
    ['query "a" { policy = "read" }', 'query'],
    ['query_prefix "a" { policy = "read" }', 'query_prefix'],
    ['namespace "a" { policy = "read" }', 'namespace'],
    ['namespace_prefix "a" { policy = "read" }', 'namespace_prefix'],
    ['node "a" { policy = "write" }', 'node'],
    ['node_prefix "a" { policy = "write" }', 'node_prefix'],
    ['node "a" { policy = "WRITE" }', 'node'],
    ['partition "default" { namespace "a" { policy = "read" } }', 'namespace'],
  ])('%s is not allowed outside the default namespace', (text, kind) => {
    expect(errorOf(text)).toBe('none')
    expect(errorOf(text, 'Default')).toBe('none')
    expect(errorOf(text, 'Team-1')).toBe(
      `Invalid ${kind} policy: not allowed in namespace "Team-1"`,
    )
  })

  test('other rules are allowed outside the default namespace', () => {
    const text = `acl = "write" agent "a" { policy = "read" } key "a" { policy = "write" }
      node "a" { policy = "read" } service "a" { policy = "write" } session "a" { policy = "write" }`
    expect(summarize(text, 'team')).toHaveLength(7)
  })

  test('stored rules with syntax errors grant nothing', () => {
    expect(parseStoredRules({ rules: 'operator = "x"', namespace: 'default' })).toEqual([])
    expect(parseStoredRules({ rules: 'operator = "read"', namespace: 'team' })).toEqual([])
    expect(parseStoredRules({ rules: 'operator = "read"', namespace: 'default' })).toHaveLength(1)
  })
})
