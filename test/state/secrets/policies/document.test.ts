import { describe, expect, test } from 'vitest'
import { SECOND } from '../../../../state/go/duration.ts'
import {
  compilePolicy,
  PolicyError,
  parsePolicy,
} from '../../../../state/secrets/policies/document.ts'
import { capabilityBits, deniedPermissions } from '../../../../state/secrets/policies/rules.ts'

const { read, list, create, update, sudo } = capabilityBits
const delete_ = capabilityBits.delete

function refusal(document: string): string {
  try {
    parsePolicy(document)
  } catch (error) {
    if (error instanceof PolicyError) return error.message
    throw error
  }
  throw new Error('the document was accepted')
}

describe('behaviour/secrets#policies: policy documents', () => {
  test('all attributes of a stanza are parsed', () => {
    const [stanza] = parsePolicy(`
      name = "demo"
      path "/secret/data/*" {
        capabilities = ["read", "list"]
        required_parameters = ["Why"]
        allowed_parameters = { "A" = ["x", 1, true, ["l"], { "k" = "v" }], "b" = [] }
        denied_parameters = { "c" = ["*y"] }
        min_wrapping_ttl = "1m"
        max_wrapping_ttl = 3600
      }`)

    expect(stanza).toEqual([
      'secret/data/*',
      {
        bits: read | list,
        required: ['why'],
        allowed: new Map([
          ['a', ['x', 1, true, ['l'], { k: 'v' }]],
          ['b', []],
        ]),
        denied: new Map([['c', ['*y']]]),
        minWrappingTtl: 60 * SECOND,
        maxWrappingTtl: 3600 * SECOND,
      },
    ])
  })

  test.each([
    ['a block with a label', 'path "a" { capabilities = ["read"] }'],
    ['a second label', 'path "a" "b" { capabilities = ["read"] }'],
    [
      'capabilities in several attributes',
      'path "a" { capabilities = []\n capabilities = ["read"] }',
    ],
    [
      'MFA methods and a control group, which are not enforced',
      `path "a" {
        capabilities = ["read"]
        mfa_methods = ["duo"]
        control_group {
          ttl = "1h"
          factor "f" {
            controlled_capabilities = ["read"]
            identity { group_names = ["managers"]
              approvals = 1 }
          }
        }
      }`,
    ],
    [
      'a control group as an object',
      `path "a" {
        capabilities = ["read"]
        control_group = {
          factor = { f = { identity = { group_ids = ["x"]
            approvals = "2" } } }
        }
      }`,
    ],
    [
      'a control group in JSON',
      '{"path": {"a": {"capabilities": ["read"], "control_group": {"ttl": 1, "factor": {"f": {"identity": {"group_names": ["x"], "approvals": 1}}}}}}}',
    ],
    ['booleans in a list of the JSON form', '{"path": {"a": {"capabilities": ["read", true]}}}'],
    ['JSON', '{"path": {"a": {"capabilities": ["read"]}}}'],
    ['JSON with a list', '{"path": [{"a": {"capabilities": ["read"]}}]}'],
    ['comments', '# one\n// two\n/* three */ path "a" { capabilities = ["read"] # four\n }'],
  ])('%s is the same policy', (_, document) => {
    expect(parsePolicy(document).map(([path, { bits }]) => [path, bits])).toEqual([['a', read]])
  })

  test.each([
    ['read', read | list],
    ['write', create | read | update | delete_ | list],
    ['sudo', create | read | update | delete_ | list | sudo],
    ['deny', capabilityBits.deny],
  ])('the obsolete attribute value %s', (word, bits) => {
    expect(parsePolicy(`path "a" { policy = "${word}" }`)[0]?.[1].bits).toBe(bits)
  })

  test('the obsolete attribute adds to capabilities, except deny', () => {
    const bitsOf = (policy: string) =>
      parsePolicy(`path "a" { policy = "${policy}"\n capabilities = ["sudo"] }`)[0]?.[1].bits
    expect(bitsOf('read')).toBe(read | list | sudo)
    expect(bitsOf('deny')).toBe(capabilityBits.deny)
  })

  test.each([
    ['capabilities = {}', 'path "a" { capabilities = {} }', 'a'],
    ['capabilities of an empty block', 'path "a" { capabilities { } }', 'a'],
    ['capabilities = {} in JSON', '{"path": {"a": {"capabilities": {}}}}', 'a'],
    ['an empty block', 'path "a" { }', 'a'],
    ['a block without a label', 'path { }', 'path'],
    ['an empty path in JSON', '{"path": {}}', 'path'],
  ])('%s grants nothing', (_, document, path) => {
    expect(parsePolicy(document).map(([at, { bits }]) => [at, bits])).toEqual([[path, 0]])
  })

  test('numbers are accepted as required parameters', () => {
    const [stanza] = parsePolicy('path "a" { required_parameters = [1, "B"] }')
    expect(stanza?.[1].required).toEqual(['1', 'b'])
  })

  test.each([
    ['repeated names', 'allowed_parameters = { A = ["x"]\n A = ["y"] }', ['x', 'y']],
    [
      'repeated attributes',
      'allowed_parameters = { a = ["x"] }\n allowed_parameters = { a = ["y"] }',
      ['x', 'y'],
    ],
    ['a block', 'allowed_parameters { a = ["x"] }', ['x']],
    ['a label', 'allowed_parameters "a" { b = ["x"] }', [{ b: ['x'] }]],
    ['an object', 'allowed_parameters = { a = { b = "x" } }', [{ b: 'x' }]],
    [
      'objects in objects, which become lists',
      'allowed_parameters = { a = [{ b = { c = "x" } }] }',
      [{ b: [{ c: 'x' }] }],
    ],
  ])('parameters by %s', (_, attributes, values) => {
    const [stanza] = parsePolicy(`path "a" { ${attributes} }`)
    expect(stanza?.[1].allowed).toEqual(new Map([['a', values]]))
  })

  test('parameters in a list of the JSON form', () => {
    const [stanza] = parsePolicy(
      '{"path": {"a": {"policy": "read", "denied_parameters": [{"a": ["x"]}]}}}',
    )
    expect(stanza?.[1].denied).toEqual(new Map([['a', ['x']]]))
  })

  test('deny clears the rest of its stanza', () => {
    const document = `path "a" {
      capabilities = ["read", "deny"]
      required_parameters = ["x"]
    }`
    expect(parsePolicy(document)).toEqual([['a', deniedPermissions]])
  })

  test('paths are relative to the namespace', () => {
    expect(parsePolicy('path "/a" { policy = "read" }', 'team/')[0]?.[0]).toBe('team/a')
  })

  test('an empty document is a policy without rules', () => {
    expect(parsePolicy('# nothing')).toEqual([])
  })

  test.each([
    ['path "x" { capabilities = ["y"] }', 'path "x": invalid capability "y"'],
    ['path "x" { policy = "y" }', 'path "x": invalid policy "y"'],
    ['path "a+*" { }', `path "a+*": invalid use of wildcards ('+*' is forbidden)`],
    ['path "a/+*" { }', `path "a/+*": invalid use of wildcards ('+*' is forbidden)`],
    [
      'path "a" {\n  capability = ["read"]\n}',
      '1 error occurred:\n\t* path "a": invalid key "capability" on line 2\n\n',
    ],
    [
      'rule = 1\nother = 2',
      '2 errors occurred:\n\t* invalid key "rule" on line 1\n\t* invalid key "other" on line 2\n\n',
    ],
    [
      'path "a" { min_wrapping_ttl = "x" }',
      'error parsing min_wrapping_ttl: time: invalid duration "x"',
    ],
    [
      'path "a" { max_wrapping_ttl = true }',
      'error parsing max_wrapping_ttl: could not parse duration from input',
    ],
    [
      'path "a" { min_wrapping_ttl = 2\n max_wrapping_ttl = 1 }',
      'max_wrapping_ttl cannot be less than min_wrapping_ttl',
    ],
    ['path "a" { capabilities = [1] }', 'path "a": invalid capability "1"'],
    [
      'path "a" { capabilities = [1, true] }',
      'path "a": At 1:31: root.Capabilities[1]: unknown type for string *ast.LiteralType',
    ],
    [
      'path "a" { capabilities = ["read", ["x"]] }',
      'path "a": At 1:36: root.Capabilities[1]: unknown type for string *ast.ListType',
    ],
    [
      'path "a" { capabilities = { b = "read" } }',
      'path "a": At 1:29: root.Capabilities[0]: unknown type for string *ast.ObjectItem',
    ],
    [
      'path "a" { capabilities = "read" }',
      'path "a": At 1:27: unknown slice type: *ast.LiteralType',
    ],
    [
      'path "a" {\n  capabilities = 1\n}',
      'path "a": At 2:18: unknown slice type: *ast.LiteralType',
    ],
    [
      '{"path": {"a": {"capabilities": "read"}}}',
      'path "a": At -: unknown slice type: *ast.LiteralType',
    ],
    [
      'path "a" { required_parameters = "a" }',
      'path "a": At 1:34: unknown slice type: *ast.LiteralType',
    ],
    [
      '{"path": {"a": {"required_parameters": "a", "policy": "read"}}}',
      'path "a": At -: unknown slice type: *ast.LiteralType',
    ],
    ['path "a" { mfa_methods = "a" }', 'path "a": At 1:26: unknown slice type: *ast.LiteralType'],
    [
      'path "a" { allowed_parameters = { a = "x" } }',
      'path "a": At 1:39: unknown slice type: *ast.LiteralType',
    ],
    [
      'path "a" { denied_parameters = { a = 1 } }',
      'path "a": At 1:38: unknown slice type: *ast.LiteralType',
    ],
    [
      '{"path": {"a": {"allowed_parameters": {"a": "x"}, "policy": "read"}}}',
      'path "a": At -: unknown slice type: *ast.LiteralType',
    ],
    [
      'path "a" { allowed_parameters = { a "b" { c = ["x"] } } }',
      'path "a": root.allowed_parameters.a[0]: cannot decode into interface: *ast.ObjectItem',
    ],
    [
      'path "a" { policy = ["read"] }',
      'path "a": At 1:21: root.Policy: unknown type for string *ast.ListType',
    ],
    [
      'path "a" { policy = {} }',
      'path "a": At -: root.Policy: unknown type for string *ast.ObjectList',
    ],
    ['path "a" { policy = 3 }', 'path "a": invalid policy "3"'],
    [
      'path "a" { control_group = "x" }',
      'path "a": At 1:28: root.control_group: not an object type for struct (*ast.LiteralType)',
    ],
    ['path "a" { control_group { } }', 'no control_group factors provided'],
    ['path "a" { control_group { factor "f" { } } }', 'no control_group factor provided'],
    [
      'path "a" { control_group { factor "f" { identity { approvals = 1 } } } }',
      'must provide more than one identity group and approvals > 0',
    ],
    [
      'path "a" { control_group { factor "f" { controlled_capabilities = ["read"]\n identity { group_ids = ["x"]\n approvals = 1 } } } }',
      "control group factor capabilities must be a subset of the policy's capabilities",
    ],
    [
      'path "a" { control_group { ttl = "x" } }',
      'error parsing control group max ttl: time: invalid duration "x"',
    ],
    [
      'path "a" { control_group { factor "f" { identity { group_ids = ["x"]\n approvals = "y" } } } }',
      'path "a": strconv.ParseInt: parsing "y": invalid syntax',
    ],
    ['path = "x"', 'path "path": cannot check HCL keys of type *ast.LiteralType'],
    ['path = ["x"]', 'path "path": cannot check HCL keys of type *ast.ListType'],
    ['{"path": "x"}', 'path "path": cannot check HCL keys of type *ast.LiteralType'],
    ['{"path": ["x"]}', 'path "path": cannot check HCL keys of type *ast.ListType'],
    [
      'path = { "a" = { capabilities = ["read"] } }',
      '1 error occurred:\n\t* path "path": invalid key "a" on line 1\n\n',
    ],
    ['{"path": {"a": "x"}}', '1 error occurred:\n\t* path "path": invalid key "a" on line 1\n\n'],
    [
      '{"path": {"a": [{"policy": "read"}]}}',
      '1 error occurred:\n\t* path "path": invalid key "a" on line 1\n\n',
    ],
    [
      'path "a" { expiration = "x" }',
      '1 error occurred:\n\t* path "a": invalid key "expiration" on line 1\n\n',
    ],
    ['path "a" { capabilities = ["scan"] }', 'path "a": invalid capability "scan"'],
    ['path "a" { capabilities = ["recover"] }', 'path "a": invalid capability "recover"'],
    ['path "a" { capabilities = ["subscribe"] }', 'path "a": invalid capability "subscribe"'],
    ['name = ["x"]', 'At 1:8: root.name: unknown type for string *ast.ListType'],
    [
      'path "a" {\n  capabilities = ["y"]\n  allowed_parameters = "x"\n}',
      'path "a": At 3:24: root.allowed_parameters: not an object type for map (*ast.LiteralType)',
    ],
    [
      'path "a+*" {\n  max_wrapping_ttl = ["1"]\n  denied_parameters = ["x"] }',
      'path "a+*": At 3:23: root.denied_parameters: not an object type for map (*ast.ListType)',
    ],
    ['path = 1', 'path "path": cannot check HCL keys of type *ast.LiteralType'],
  ])('%s is refused', (document, message) => {
    expect(refusal(document)).toBe(message)
  })

  test('invalid HCL is refused with the position', () => {
    expect(refusal('path "a" {')).toBe('At 1:12: object expected closing RBRACE got: EOF')
  })

  // choice/secrets#broken-policies
  test('a stored document that does not parse grants nothing', () => {
    const compiled = compilePolicy('path "a" {', '')
    expect([compiled.exact.size, compiled.prefixes.size, compiled.segmented.all.length]).toEqual([
      0, 0, 0,
    ])
  })
})
