import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SECOND } from '../../../../state/go/duration.ts'
import { type Json, JsonNumber } from '../../../../state/kernel/json.ts'
import {
  type AccessRequest,
  allows,
  capabilitiesOf,
  hasAnyCapabilityUnder,
  hasSudo,
  permissionsAt,
} from '../../../../state/secrets/policies/acl.ts'
import { writePolicy } from '../../../../state/secrets/policies/policies.ts'
import {
  comparePatterns,
  compileRules,
  type ParameterRules,
  type Permissions,
  patternOf,
} from '../../../../state/secrets/policies/rules.ts'
import { freshWorld, makeToken, tokenWith } from '../fresh-world.ts'

/** Formats a stanza: `p('a/*', 'read list', 'required_parameters = ["x"]')`. */
const p = (path: string, capabilities: string, more = '') =>
  `path "${path}" { capabilities = ${JSON.stringify(capabilities.split(' ').filter(Boolean))}\n ${more} }\n`

type Operation = AccessRequest['operation']

interface AclCase {
  readonly rule: string
  readonly policies: readonly string[]
  readonly ask: readonly [Operation, string]
  readonly input?: Readonly<Record<string, Json>>
  readonly sudo?: true
  /** Requested wrapping TTL in seconds. */
  readonly wrap?: number
  readonly allowed: boolean
}

/** Returns the cases of one rule: several requests under the same policies. */
function cases(
  rule: string,
  policies: readonly string[],
  questions: readonly (readonly [Operation, string, boolean, Partial<AclCase>?])[],
): AclCase[] {
  return questions.map(([operation, path, allowed, more = {}]) => ({
    rule,
    policies,
    ask: [operation, path],
    allowed,
    ...more,
  }))
}

const table: readonly AclCase[] = [
  ...cases(
    'nothing is granted without a rule',
    [p('a/b', 'read')],
    [
      ['read', 'a', false],
      ['read', 'a/c', false],
      ['read', 'a/b/c', false],
      ['read', 'a/b', true],
    ],
  ),
  ...cases(
    'each operation needs its own capability',
    [p('a', 'create read')],
    [
      ['create', 'a', true],
      ['read', 'a', true],
      ['update', 'a', false],
      ['patch', 'a', false],
      ['delete', 'a', false],
      ['list', 'a', false],
    ],
  ),
  ...cases(
    'update does not imply create or patch',
    [p('a', 'update')],
    [
      ['update', 'a', true],
      ['create', 'a', false],
      ['patch', 'a', false],
    ],
  ),
  ...cases('a leading slash is cut', [p('/a/b', 'read')], [['read', 'a/b', true]]),
  ...cases(
    'a trailing * is a prefix',
    [p('a/b*', 'read')],
    [
      ['read', 'a/b', true],
      ['read', 'a/bc', true],
      ['read', 'a/b/c/d', true],
      ['read', 'a/c', false],
      ['read', 'a/', false],
    ],
  ),
  ...cases('a lone * is the prefix of everything', [p('*', 'read')], [['read', 'x/y/z', true]]),
  ...cases(
    'a * inside means itself',
    [p('a/*/b', 'read')],
    [
      ['read', 'a/x/b', false],
      ['read', 'a/*/b', true],
    ],
  ),
  ...cases(
    '+ is exactly one segment',
    [p('a/+/c', 'read')],
    [
      ['read', 'a/b/c', true],
      ['read', 'a//c', true],
      ['read', 'a/b/b/c', false],
      ['read', 'a/c', false],
      ['read', 'a/b/c/d', false],
    ],
  ),
  ...cases(
    '+ leads and closes',
    [p('+/x', 'read'), p('y/+', 'read')],
    [
      ['read', 'a/x', true],
      ['read', 'a/b/x', false],
      ['read', 'y/a', true],
      ['read', 'y/a/b', false],
    ],
  ),
  ...cases(
    'a lone + is any single segment',
    [p('+', 'read')],
    [
      ['read', 'a', true],
      ['read', 'a/b', false],
    ],
  ),
  ...cases(
    '+ may come with a trailing *',
    [p('a/+/c*', 'read')],
    [
      ['read', 'a/b/c', true],
      ['read', 'a/b/cd', true],
      ['read', 'a/b/c/d/e', true],
      ['read', 'a/b/d', false],
    ],
  ),
  ...cases(
    'a + within a segment means itself',
    [p('a/b+', 'read')],
    [
      ['read', 'a/bx', false],
      ['read', 'a/b+', true],
    ],
  ),
  ...cases(
    'the exact path wins over patterns',
    [p('a/*', 'read'), p('a/b', 'update')],
    [
      ['read', 'a/b', false],
      ['update', 'a/b', true],
      ['read', 'a/c', true],
    ],
  ),
  ...cases(
    'the exact path wins though it grants nothing',
    [p('a/*', 'read'), p('a/b', '')],
    [['read', 'a/b', false]],
  ),
  ...cases(
    'LIST also finds the path without its slash',
    [p('a/b', 'list')],
    [
      ['list', 'a/b/', true],
      ['list', 'a/b', true],
      ['list', 'a/', false],
    ],
  ),
  ...cases(
    'LIST finds the path with its slash first',
    [p('a/b', 'list'), p('a/b/', 'read')],
    [['list', 'a/b/', false]],
  ),
  ...cases('only LIST does without the slash', [p('a/b', 'read')], [['read', 'a/b/', false]]),
  ...cases(
    'LIST finds patterns for the path without its slash',
    [p('a/+', 'list')],
    [
      ['list', 'a/b/', true],
      ['list', 'a/b', true],
      ['list', 'a/b/c/', false],
      ['read', 'a/b/', false],
    ],
  ),
  ...cases(
    'LIST finds a pattern without the slash before one with it',
    [p('secret/metadata/+', 'list'), p('secret/metadata/+/*', 'deny')],
    [
      ['list', 'secret/metadata/team/', true],
      ['list', 'secret/metadata/team/a/', false],
    ],
  ),
  ...cases(
    'a pattern that denies LIST without the slash decides',
    [p('a/b*', 'deny'), p('a/+/', 'list')],
    [['list', 'a/b/', false]],
  ),
  ...cases(
    'the longer prefix decides LIST without the slash',
    [p('secret/meta*', 'list'), p('secret/metadata/*', 'deny')],
    [
      ['list', 'secret/metadata/a/', false],
      ['list', 'secret/metadata/', true],
    ],
  ),
  ...cases(
    'an exact path without the slash wins over patterns',
    [p('a/b', 'read'), p('a/+', 'list'), p('a/b/*', 'list')],
    [['list', 'a/b/', false]],
  ),
  ...cases('LIST below a prefix', [p('a/*', 'list')], [['list', 'a/b/', true]]),
  ...cases(
    'the longer prefix wins',
    [p('a/*', 'read'), p('a/b/*', 'list')],
    [
      ['read', 'a/b/c', false],
      ['list', 'a/b/c', true],
    ],
  ),
  ...cases(
    'a later first wildcard wins',
    [p('a/b/+', 'read'), p('a/+/c', 'list')],
    [
      ['read', 'a/b/c', true],
      ['list', 'a/b/c', false],
    ],
  ),
  ...cases(
    'a later * wins over an earlier +',
    [p('a/b/*', 'read'), p('a/+/c', 'list')],
    [
      ['read', 'a/b/c', true],
      ['list', 'a/b/c', false],
    ],
  ),
  ...cases(
    'no prefix wins over a prefix',
    [p('a/+', 'read'), p('a/*', 'list')],
    [
      ['read', 'a/b', true],
      ['list', 'a/b', false],
      ['list', 'a/b/c', true],
    ],
  ),
  ...cases(
    'no prefix wins over a prefix with +',
    [p('a/+/c', 'read'), p('a/+/c*', 'list')],
    [
      ['read', 'a/b/c', true],
      ['list', 'a/b/c', false],
    ],
  ),
  ...cases(
    'fewer + win',
    [p('a/+/c/d', 'read'), p('a/+/+/d', 'list')],
    [
      ['read', 'a/b/c/d', true],
      ['list', 'a/b/c/d', false],
    ],
  ),
  ...cases(
    'the longer pattern wins',
    [p('a/+/cd*', 'read'), p('a/+/c*', 'list')],
    [
      ['read', 'a/b/cde', true],
      ['list', 'a/b/cde', false],
    ],
  ),
  ...cases(
    'the lexically greater pattern wins',
    [p('+/+/b/c', 'list'), p('+/b/+/c', 'read')],
    [
      ['read', 'a/b/b/c', true],
      ['list', 'a/b/b/c', false],
    ],
  ),
  ...cases(
    'the same path in several policies adds up',
    [p('a', 'read'), p('a', 'list')],
    [
      ['read', 'a', true],
      ['list', 'a', true],
    ],
  ),
  ...cases(
    'the same pattern in several policies adds up',
    [p('a/*', 'read'), p('a/*', 'list')],
    [
      ['read', 'a/b', true],
      ['list', 'a/b', true],
    ],
  ),
  ...cases(
    'the same + pattern adds up',
    [p('+/a', 'read'), p('+/a', 'list')],
    [
      ['read', 'b/a', true],
      ['list', 'b/a', true],
    ],
  ),
  ...cases(
    'the same path twice in a policy adds up',
    [p('a', 'read') + p('a', 'list')],
    [
      ['read', 'a', true],
      ['list', 'a', true],
    ],
  ),
  ...cases('deny wins in a union', [p('a', 'read'), p('a', 'deny')], [['read', 'a', false]]),
  ...cases(
    'deny wins in a union of patterns',
    [p('a/*', 'deny'), p('a/*', 'read')],
    [['read', 'a/b', false]],
  ),
  ...cases('deny beside others leaves nothing', [p('a', 'read deny')], [['read', 'a', false]]),
  ...cases(
    'deny of a pattern yields to a better rule',
    [p('a/*', 'deny'), p('a/b', 'read')],
    [
      ['read', 'a/b', true],
      ['read', 'a/c', false],
    ],
  ),
  ...cases(
    'sudo is needed besides',
    [p('a', 'read'), p('b', 'read sudo')],
    [
      ['read', 'a', false, { sudo: true }],
      ['read', 'b', true, { sudo: true }],
      ['update', 'b', false, { sudo: true }],
      ['read', 'b', true],
    ],
  ),
  ...cases('sudo alone grants no operation', [p('a', 'sudo')], [['read', 'a', false]]),
  ...cases(
    'the old word read',
    ['path "a" { policy = "read" }'],
    [
      ['read', 'a', true],
      ['list', 'a', true],
      ['update', 'a', false],
    ],
  ),
  ...cases(
    'the old word write',
    ['path "a" { policy = "write" }'],
    [
      ['create', 'a', true],
      ['delete', 'a', true],
      ['patch', 'a', false],
      ['read', 'a', false, { sudo: true }],
    ],
  ),
  ...cases(
    'the old words sudo and deny',
    ['path "a" { policy = "sudo" } path "b" { policy = "deny" }'],
    [
      ['read', 'a', true, { sudo: true }],
      ['read', 'b', false],
    ],
  ),
  ...cases(
    'JSON documents',
    ['{"path":{"a/*":{"capabilities":["read"]},"b":{"policy":"read"}}}'],
    [
      ['read', 'a/b', true],
      ['list', 'b', true],
      ['update', 'a/b', false],
    ],
  ),
  ...cases(
    'required parameters',
    [p('a', 'update delete', 'required_parameters = ["X", "y"]')],
    [
      ['update', 'a', false],
      ['update', 'a', false, { input: { x: 1 } }],
      ['update', 'a', false, { input: { x: 1, Y: null } }],
      ['update', 'a', false, { input: { X: 1, y: 1 } }],
      ['update', 'a', true, { input: { x: 1, y: null } }],
      ['update', 'a', true, { input: { x: 1, X: 2, y: 1 } }],
      ['delete', 'a', true],
    ],
  ),
  ...cases(
    'denied keys',
    [p('a', 'update', 'denied_parameters = { "x" = [] }')],
    [
      ['update', 'a', false, { input: { X: 'any' } }],
      ['update', 'a', true, { input: { y: 'any' } }],
      ['update', 'a', true],
    ],
  ),
  ...cases(
    'denied values',
    [p('a', 'update', 'denied_parameters = { "x" = ["bad*", true, 5] }')],
    [
      ['update', 'a', true, { input: { x: 5 } }],
      ['update', 'a', true, { input: { x: '5' } }],
      ['update', 'a', true, { input: { x: 1.5 } }],
      ['update', 'a', false, { input: { x: 'badly' } }],
      ['update', 'a', false, { input: { x: true } }],
      ['update', 'a', true, { input: { x: 'good' } }],
    ],
  ),
  ...cases(
    'denied *',
    [p('a', 'update', 'denied_parameters = { "*" = [] }')],
    [
      ['update', 'a', false, { input: { x: 1 } }],
      ['update', 'a', true],
    ],
  ),
  ...cases(
    'allowed keys are all there is',
    [p('a', 'update', 'allowed_parameters = { "X" = [] }')],
    [
      ['update', 'a', true, { input: { x: 'any' } }],
      ['update', 'a', false, { input: { x: 'any', y: 1 } }],
      ['update', 'a', true],
    ],
  ),
  ...cases(
    'allowed values',
    [p('a', 'update', 'allowed_parameters = { "x" = ["a*", "*z", "*m*", 5] }')],
    [
      ['update', 'a', true, { input: { x: 'abc' } }],
      ['update', 'a', true, { input: { x: 'xyz' } }],
      ['update', 'a', true, { input: { x: 'lump' } }],
      ['update', 'a', false, { input: { x: 5 } }],
      ['update', 'a', false, { input: { x: '5' } }],
      ['update', 'a', false, { input: { x: 1.5 } }],
      ['update', 'a', false, { input: { x: new JsonNumber('5.0') } }],
      ['update', 'a', false, { input: { x: 'b' } }],
      ['update', 'a', false, { input: { x: ['abc'] } }],
    ],
  ),
  ...cases(
    'allowed * lets other keys in',
    [p('a', 'update', 'allowed_parameters = { "*" = [], "x" = ["1"] }')],
    [
      ['update', 'a', true, { input: { y: 'any', x: '1' } }],
      ['update', 'a', false, { input: { y: 'any', x: '2' } }],
    ],
  ),
  ...cases(
    'allowed * alone lets everything in',
    [p('a', 'update', 'allowed_parameters = { "*" = ["1"] }')],
    [['update', 'a', true, { input: { y: 'any', '*': '2' } }]],
  ),
  ...cases(
    'a denied value counts though its key is allowed',
    [p('a', 'update', 'allowed_parameters = { "*" = [] }\n denied_parameters = { "x" = ["1"] }')],
    [
      ['update', 'a', false, { input: { x: '1' } }],
      ['update', 'a', true, { input: { x: '2' } }],
    ],
  ),
  ...cases(
    'allowed values add up; an empty list is every value',
    [
      p('a', 'update', 'allowed_parameters = { "x" = ["1"], "y" = ["1"], "z" = [] }'),
      p('a', 'update', 'allowed_parameters = { "x" = ["2"], "y" = [], "z" = ["1"] }'),
    ],
    [
      ['update', 'a', true, { input: { x: '1' } }],
      ['update', 'a', true, { input: { x: '2' } }],
      ['update', 'a', false, { input: { x: '3' } }],
      ['update', 'a', true, { input: { y: '3' } }],
      ['update', 'a', true, { input: { z: '3' } }],
    ],
  ),
  ...cases(
    'lists and objects are compared whole',
    [
      p(
        'a',
        'update',
        'allowed_parameters = { "x" = [["1", "2"], { k = "v" }, { m = { k = "v" } }, [7]] }',
      ),
    ],
    [
      ['update', 'a', false, { input: { x: { m: { k: 'v' } } } }],
      ['update', 'a', true, { input: { x: { m: [{ k: 'v' }] } } }],
      ['update', 'a', false, { input: { x: [7] } }],
      ['update', 'a', true, { input: { x: ['1', '2'] } }],
      ['update', 'a', true, { input: { x: { k: 'v' } } }],
      ['update', 'a', false, { input: { x: ['1'] } }],
      ['update', 'a', false, { input: { x: { k: 'v', l: 'w' } } }],
    ],
  ),
  ...cases(
    'a minimum demands wrapping',
    [p('a', 'read', 'min_wrapping_ttl = "1m"')],
    [
      ['read', 'a', false],
      ['read', 'a', false, { wrap: 59 }],
      ['read', 'a', false, { wrap: 59.999 }],
      ['read', 'a', true, { wrap: 60 }],
    ],
  ),
  ...cases(
    'limits of wrapping count fractions of a second',
    [p('a', 'read', 'min_wrapping_ttl = "1500ms"'), p('b', 'read', 'max_wrapping_ttl = "10500ms"')],
    [
      ['read', 'a', false, { wrap: 1 }],
      ['read', 'a', true, { wrap: 1.5 }],
      ['read', 'b', true, { wrap: 10.5 }],
      ['read', 'b', false, { wrap: 10.501 }],
    ],
  ),
  ...cases(
    'a maximum demands wrapping',
    [p('a', 'read', 'max_wrapping_ttl = 60')],
    [
      ['read', 'a', false],
      ['read', 'a', false, { wrap: 61 }],
      ['read', 'a', false, { wrap: 60.5 }],
      ['read', 'a', true, { wrap: 60 }],
    ],
  ),
  ...cases(
    'the lowest wrapping TTLs of several policies hold',
    [
      p('a', 'read', 'min_wrapping_ttl = "1m"\n max_wrapping_ttl = "2m"'),
      p('a', 'read', 'min_wrapping_ttl = "90s"\n max_wrapping_ttl = "100s"'),
    ],
    [
      ['read', 'a', true, { wrap: 60 }],
      ['read', 'a', false, { wrap: 101 }],
    ],
  ),
  ...cases(
    'wrapping TTLs that exclude each other let nothing pass',
    [p('a', 'read', 'min_wrapping_ttl = "90s"'), p('a', 'read', 'max_wrapping_ttl = "60s"')],
    [['read', 'a', false, { wrap: 90 }]],
  ),
]

describe('behaviour/secrets#policies: which rule applies', () => {
  test.each(table)('$rule: $ask with $input gives $allowed', (row) => {
    const world = freshWorld()
    const token = tokenWith(world, ...row.policies)
    const [operation, path] = row.ask
    const request: AccessRequest = {
      operation,
      path,
      sudo: row.sudo ?? false,
      input: row.input ?? {},
      wrapTtl: row.wrap === undefined ? undefined : row.wrap * SECOND,
    }

    expect(allows(world, token, request)).toBe(row.allowed)
  })

  test('the policy root bypasses everything', () => {
    const world = freshWorld()
    const root = makeToken(world, { policies: ['root'] })

    expect(
      allows(world, root, { operation: 'delete', path: 'sys/x', sudo: true, input: { a: 1 } }),
    ).toBe(true)
    expect(capabilitiesOf(world, root, 'any')).toEqual(['root'])
    expect(hasSudo(world, root, 'any')).toBe(true)
    expect(hasAnyCapabilityUnder(world, root, 'any/')).toBe(true)
  })

  test('an unknown policy grants nothing', () => {
    const world = freshWorld()
    const token = makeToken(world, { policies: ['ghost'] })

    expect(allows(world, token, { operation: 'read', path: 'a', sudo: false, input: {} })).toBe(
      false,
    )
  })

  test('a changed policy applies to existing tokens', () => {
    const world = freshWorld()
    const token = tokenWith(world, p('a', 'read'))
    const read: AccessRequest = { operation: 'read', path: 'a', sudo: false, input: {} }

    expect(allows(world, token, read)).toBe(true)
    writePolicy(world, { id: 'root', path: '', custom_metadata: {} }, 'p0', p('b', 'read'))
    expect(allows(world, token, read)).toBe(false)
  })

  test('policies of a namespace are relative to it', () => {
    const world = freshWorld()
    const namespace = { id: 'abcde', path: 'team/', custom_metadata: {} }
    writePolicy(world, namespace, 'reader', p('secret/*', 'read'))
    const token = makeToken(world, { policies: ['reader'], namespace })
    const read = (path: string) =>
      allows(world, token, { operation: 'read', path, sudo: false, input: {} })

    expect(read('team/secret/x')).toBe(true)
    expect(read('secret/x')).toBe(false)
  })
})

describe('behaviour/secrets#policies: capabilities of a path', () => {
  test.each([
    [
      'sorted',
      [p('a', 'update read sudo list create patch delete')],
      'a',
      ['create', 'delete', 'list', 'patch', 'read', 'sudo', 'update'],
    ],
    ['deny for nothing', [p('a', 'read')], 'b', ['deny']],
    ['deny for an empty list', [p('a', '')], 'a', ['deny']],
    ['deny when explicit', [p('a', 'read'), p('a', 'deny')], 'a', ['deny']],
    ['looked up as LIST does', [p('a', 'list')], 'a/', ['list']],
    ['of a pattern for the path without its slash', [p('a/+', 'list')], 'a/b/', ['list']],
    ['of the best pattern', [p('a/+', 'read'), p('a/*', 'list')], 'a/b', ['read']],
  ] as const)('%s', (_, documents, path, expected) => {
    const world = freshWorld()
    expect(capabilitiesOf(world, tokenWith(world, ...documents), path)).toEqual(expected)
  })
})

describe('behaviour/secrets#preflight: access below a prefix', () => {
  test.each([
    ['an exact path below', [p('secret/a/b', 'read')], 'secret/', true],
    ['an exact path elsewhere', [p('kv/a', 'read')], 'secret/', false],
    ['a prefix below', [p('secret/a/*', 'read')], 'secret/', true],
    ['a prefix above', [p('sec*', 'read')], 'secret/', true],
    ['a path that is denied', [p('secret/a', 'deny')], 'secret/', false],
    ['a path that grants nothing', [p('secret/a', '')], 'secret/', false],
    ['a + in front', [p('+/a', 'read')], 'secret/', true],
    ['a + below', [p('secret/+/a', 'read')], 'secret/', true],
    ['a + elsewhere', [p('kv/+/a', 'read')], 'secret/', false],
    ['a + that is denied', [p('secret/+/a', 'deny')], 'secret/', false],
    ['a + and a * above', [p('+/a*', 'read')], 'secret/ab/c/', true],
    ['a + and a * elsewhere', [p('+/a*', 'read')], 'secret/b/', false],
    ['a + that is too short', [p('+/a', 'read')], 'secret/a/b/', false],
    ['the mount itself', [p('secret', 'list')], 'secret/', true],
  ] as const)('%s', (_, documents, prefix, expected) => {
    const world = freshWorld()
    expect(hasAnyCapabilityUnder(world, tokenWith(world, ...documents), prefix)).toBe(expected)
  })
})

const segment = fc.constantFrom('a', 'b', 'ab', '+')
const rulePath = fc
  .tuple(fc.array(segment, { minLength: 1, maxLength: 4 }), fc.constantFrom('', '*', '/*', '/'))
  .map(([segments, end]) => segments.join('/') + end)
  .filter((path) => !path.includes('+*'))
const requestedPath = fc
  .array(fc.constantFrom('a', 'b', 'ab'), { minLength: 1, maxLength: 5 })
  .map((segments) => segments.join('/'))

const parameters = fc
  .dictionary(fc.constantFrom('x', 'y'), fc.array(fc.constantFrom('1', '2'), { maxLength: 2 }))
  .map((byName) => new Map(Object.entries(byName)))
const permissions: fc.Arbitrary<Permissions> = fc.record({
  bits: fc.integer({ min: 1, max: 127 }).map((bits) => (bits % 9 === 0 ? 1 : bits * 2)),
  allowed: parameters,
  denied: parameters,
  required: fc.uniqueArray(fc.constantFrom('r', 's'), { maxLength: 2 }),
  minWrappingTtl: fc.nat(3),
  maxWrappingTtl: fc.nat(3),
})
const policy = fc.array(fc.tuple(rulePath, permissions), { maxLength: 5 }).map(compileRules)

/** Sorts the members of permissions whose order has no meaning. */
const comparable = (found: Permissions | undefined) =>
  found && {
    ...found,
    required: [...found.required].sort(),
    allowed: sorted(found.allowed),
    denied: sorted(found.denied),
  }

const sorted = (rules: ParameterRules) =>
  new Map(Array.from(rules, ([name, values]) => [name, [...values].map(String).sort()]))

describe('behaviour/secrets#system: properties of the selection', () => {
  test('the selection does not depend on the order of the policies', () => {
    const policiesInTwoOrders = fc
      .array(policy, { maxLength: 5 })
      .chain((list) =>
        fc.tuple(
          fc.constant(list),
          fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length }),
        ),
      )
    fc.assert(
      fc.property(policiesInTwoOrders, requestedPath, fc.boolean(), ([one, other], path, list) => {
        expect(comparable(permissionsAt(other, path, list))).toEqual(
          comparable(permissionsAt(one, path, list)),
        )
      }),
    )
  })

  test('the selected pattern is the greatest of those that match as regular expressions', () => {
    fc.assert(
      fc.property(fc.uniqueArray(rulePath, { maxLength: 8 }), requestedPath, (paths, requested) => {
        const bitOf = new Map(paths.map((path, at) => [path, 2 ** (at + 1)]))
        const rules = paths.map((path) => [path, { ...empty, bits: bitOf.get(path) ?? 0 }] as const)
        const chosen = permissionsAt([compileRules(rules)], requested, false)?.bits

        const exact = paths.find((path) => patternOf(path) === undefined && path === requested)
        const matching = paths
          .flatMap((path) => patternOf(path) ?? [])
          .filter(({ source }) => expression(source).test(requested))
          .sort(comparePatterns)
        const expected = exact ?? matching.at(-1)?.source
        expect(chosen).toBe(expected === undefined ? undefined : bitOf.get(expected))
      }),
    )
  })
})

const empty: Permissions = {
  bits: 0,
  allowed: new Map(),
  denied: new Map(),
  required: [],
  minWrappingTtl: 0,
  maxWrappingTtl: 0,
}

/** Converts a pattern to a regular expression, independently of the program. */
function expression(source: string): RegExp {
  const body = source.replace(/\*$/, '').replaceAll(/(^|(?<=\/))\+(?=\/|$)/g, '[^/]*')
  return new RegExp(`^${body}${source.endsWith('*') ? '.*' : ''}$`)
}
