import { describe, expect, test } from 'vitest'
import { SECOND } from '../../../../state/go/duration.ts'
import {
  compilePolicy,
  PolicyError,
  parsePolicy,
} from '../../../../state/secrets/policies/document.ts'
import { capabilityBits, denied } from '../../../../state/secrets/policies/rules.ts'

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
  test('all attributes of a stanza', () => {
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
    ['an object', 'path = { "a" = { capabilities = ["read"] } }'],
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

  test('deny clears the rest of its stanza', () => {
    const document = `path "a" {
      capabilities = ["read", "deny"]
      required_parameters = ["x"]
    }`
    expect(parsePolicy(document)).toEqual([['a', denied]])
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
    ['path "a" { capabilities = [true] }', 'path "a": expected a list of strings'],
    [
      'path "a" {\n  capabilities = ["y"]\n  allowed_parameters = "x"\n}',
      'path "a": At 3:24: root.allowed_parameters: not an object type for map (*ast.LiteralType)',
    ],
    [
      'path "a+*" { denied_parameters = ["x"] }',
      'path "a+*": At 1:34: root.denied_parameters: not an object type for map (*ast.ListType)',
    ],
    ['path = 1', "At 1:1: key 'path' expected start of object ('{')"],
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
