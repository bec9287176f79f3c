import { describe, expect, test } from 'vitest'
import {
  PasswordPolicyError,
  parsePasswordPolicy,
} from '../../../../state/secrets/passwords/document.ts'

/** Returns the message with which a document is refused. */
function parseFailure(text: string): string {
  try {
    parsePasswordPolicy(text)
  } catch (error) {
    if (error instanceof PasswordPolicyError) return error.message
    throw error
  }
  throw new Error('the document is taken')
}

const ab = { charset: ['a', 'b'], minChars: 1 }

describe('behaviour/secrets#password-policies: documents', () => {
  test.each([
    ['HCL', 'length = 20\nrule "charset" {\n  charset = "ab"\n  min-chars = 1\n}'],
    ['HCL with line breaks of Windows', 'length=20\r\nrule "charset" { charset="ab" min-chars=1 }'],
    [
      'HCL with nested objects',
      'length = 20 rule = { charset = { charset = "ab", min-chars = 1 } }',
    ],
    ['HCL with a nested block', 'length = 20 rule { charset { charset = "ab" min-chars = 1 } }'],
    ['JSON', '{"length":20,"rule":[{"charset":{"charset":"ab","min-chars":1}}]}'],
    ['JSON without lists', '{"length":20,"rule":{"charset":{"charset":"ab","min-chars":1}}}'],
    ['names in other spelling', 'LENGTH = 20 rule "charset" { Charset = "ab" Min-Chars = 1 }'],
    [
      'names that mean nothing',
      'length = 20 more = [1] rule "charset" { charset = "ab" min-chars = 1 x = 2 }',
    ],
    ['fractions', 'length = 20.9 rule "charset" { charset = "ab" min-chars = 1.5 }'],
    ['code points', 'length = 20 rule "charset" { charset = [97, 98] min-chars = 1 }'],
    [
      'a length that is set twice',
      'length = 5 length = 20 rule "charset" { charset = "ab" min-chars = 1 }',
    ],
  ])('%s', (_, text) => {
    expect(parsePasswordPolicy(text)).toEqual({ length: 20, rules: [ab] })
  })

  test('several rules in their order; min-chars is 0 by default', () => {
    const text =
      'length = 4 rule "charset" { charset = "xx" } rule "charset" { charset = "ab" min-chars = 1 }'
    expect(parsePasswordPolicy(text)).toEqual({
      length: 4,
      rules: [{ charset: ['x', 'x'], minChars: 0 }, ab],
    })
    const json =
      '{"length":4,"rule":[{"charset":{"charset":"xx"}},{"charset":{"charset":"ab","min-chars":1}}]}'
    expect(parsePasswordPolicy(json)).toEqual(parsePasswordPolicy(text))
  })

  test('characters are code points', () => {
    const { rules } = parsePasswordPolicy('length = 4 rule "charset" { charset = "ä𝒳🔑" }')
    expect(rules).toEqual([{ charset: ['ä', '𝒳', '🔑'], minChars: 0 }])
  })

  test('a second label empties the rule', () => {
    const text = 'length = 4 rule "charset" { charset = "a" } rule "charset" "b" { charset = "b" }'
    expect(parsePasswordPolicy(text).rules).toEqual([
      { charset: ['a'], minChars: 0 },
      { charset: [], minChars: 0 },
    ])
  })
})

const decoding = (...faults: string[]) =>
  `${faults.length} error(s) decoding:\n\n${faults.map((fault) => `* ${fault}`).join('\n')}`

describe('behaviour/secrets#password-policies: documents that are refused', () => {
  // choice/secrets#password-decoding
  test.each([
    ['no HCL', 'length = ]', 'unable to decode: At 1:10: Unknown token: 1:10 RBRACK ]'],
    ['no JSON', '{"length" 20}', `unable to decode: 1:11: expected: ':' got: "2"`],
    [
      'a length that is text',
      'length = "20"',
      `failed to decode configuration: ${decoding("'length' expected type 'int', got unconvertible type 'string', value: '20'")}`,
    ],
    [
      'a length that is true',
      'length = true',
      `failed to decode configuration: ${decoding("'length' expected type 'int', got unconvertible type 'bool', value: 'true'")}`,
    ],
    [
      'a length that is a list',
      'length = [1, "a", {b = 2}]',
      `failed to decode configuration: ${decoding("'length' expected type 'int', got unconvertible type '[]interface {}', value: '[1 a map[b:2]]'")}`,
    ],
    [
      'a length that is a block',
      'length { a = 1 }',
      `failed to decode configuration: ${decoding("'length' expected type 'int', got unconvertible type '[]map[string]interface {}', value: '[map[a:1]]'")}`,
    ],
    [
      'a rule that is text',
      'length = 5 rule = "a"',
      "unable to retrieve rules: '': source data must be an array or slice, got string",
    ],
    [
      'a rule that is a list of others',
      'length = 5 rule = ["a", 1, 1.5, true, [1]]',
      `unable to retrieve rules: ${decoding(
        "'[0]' expected a map, got 'string'",
        "'[1]' expected a map, got 'int'",
        "'[2]' expected a map, got 'float64'",
        "'[3]' expected a map, got 'bool'",
        "'[4]' expected a map, got 'slice'",
      )}`,
    ],
    [
      'a rule without a type',
      'length = 5 rule {}',
      'unable to parse rules: unable to get rule info: rule is empty',
    ],
    [
      'a rule with values instead of a type',
      'length = 5 rule { a = 1 }',
      "unable to parse rules: unable to get rule info: unable to get rule data: '': source data must be an array or slice, got int",
    ],
    [
      'a rule with an empty type',
      'length = 5 rule { charset = [] }',
      'unable to parse rules: unable to get rule info: rule info cannot be empty',
    ],
    [
      'a rule of another type',
      'length = 5 rule "word" { list = "a" }',
      'unable to parse rules: unable to parse rule word: unrecognized rule type word',
    ],
    [
      'a charset that is a number and min-chars that are text',
      'length = 5 rule "charset" { charset = 1 min-chars = "1" }',
      `unable to parse rules: unable to parse rule charset: failed to parse charset restriction: ${decoding(
        "'charset': source data must be an array or slice, got int",
        "'min-chars' expected type 'int', got unconvertible type 'string', value: '1'",
      )}`,
    ],
    [
      'a charset that is a list of texts',
      'length = 5 rule "charset" { charset = ["a", 98] }',
      `unable to parse rules: unable to parse rule charset: failed to parse charset restriction: ${decoding(
        "'charset[0]' expected type 'int32', got unconvertible type 'string', value: 'a'",
      )}`,
    ],
    [
      'a charset that is a block',
      'length = 5 rule "charset" { charset { a = 1 } }',
      `unable to parse rules: unable to parse rule charset: failed to parse charset restriction: ${decoding(
        "'charset[0]' expected type 'int32', got unconvertible type '[]map[string]interface {}', value: '[map[a:1]]'",
      )}`,
    ],
  ])('%s', (_, text, message) => {
    expect(parseFailure(text)).toBe(message)
  })

  const nested = (...faults: string[]) =>
    `${faults.length} error${faults.length === 1 ? '' : 's'} occurred:\n${faults.map((fault) => `\t* ${fault}\n`).join('')}\n`

  test.each([
    ['nothing', ' ', ['length must be > 0', 'no charset specified']],
    ['length 0', 'length = 0 rule "charset" { charset = "a" }', ['length must be > 0']],
    ['length below 0', 'length = -1 rule "charset" { charset = "a" }', ['length must be > 0']],
    ['no rule', 'length = 5', ['no charset specified']],
    ['an empty list of rules', '{"length":5,"rule":[]}', ['no charset specified']],
    ['an empty charset', 'length = 5 rule "charset" { charset = "" }', ['no charset specified']],
    [
      'more characters than there is room for',
      'length = 5 rule "charset" { charset = "a" min-chars = 3 } rule "charset" { charset = "b" min-chars = 4 }',
      ['specified rules require at least 7 characters but 5 is specified'],
    ],
    [
      'a tab',
      'length = 5 rule "charset" { charset = "a\\tb" }',
      ['non-printable character in charset'],
    ],
    [
      'a space that is not the plain one',
      'length = 5 rule "charset" { charset = "a\\u00a0" }',
      ['non-printable character in charset'],
    ],
    [
      'a code point beyond Unicode',
      'length = 5 rule "charset" { charset = [1114112] }',
      ['non-printable character in charset'],
    ],
    [
      'all at once',
      'length = 1 rule "charset" { charset = "\\n" min-chars = 2 }',
      [
        'specified rules require at least 2 characters but 1 is specified',
        'non-printable character in charset',
      ],
    ],
  ])('%s', (_, text, faults) => {
    expect(parseFailure(text)).toBe(nested(...faults))
  })

  test('the plain space is an ordinary character', () => {
    const text = 'length = 5 rule "charset" { charset = " " }'
    expect(parsePasswordPolicy(text).rules).toEqual([{ charset: [' '], minChars: 0 }])
  })
})
