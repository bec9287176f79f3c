import { describe, expect, test } from 'vitest'
import { evaluateFilter } from './support.ts'

const parse = (parser: string, text: string, why = 'invalid syntax') =>
  `error getting match value in expression: strconv.${parser}: parsing "${text}": ${why}`
const uncompared = 'unable to find suitable primitive comparison function for matching'
const unlisted = 'unable to find suitable primitive comparison function for "in" comparison'
const unfit = (what: string, type: string, selector: string) =>
  `cannot perform ${what} operations on type ${type} for selector: "${selector}"`
const noBytes = (type: string) => `value of type ${type} is not convertible to []byte`

/** Checks an operator and its opposite. Both have the same errors. */
function check(positive: string, negative: string, expected: boolean | string): void {
  expect(evaluateFilter(positive)).toBe(expected)
  expect(evaluateFilter(negative)).toBe(typeof expected === 'boolean' ? !expected : expected)
}

describe('behaviour/scheduler#filters, == and !=', () => {
  test.each([
    ['Text', 'web-1', true],
    ['Text', 'web', false],
    ['Text', 'Web-1', false],
    ['Empty', '', true],
    ['Token', 't', true],
    ['Bool', 'true', true],
    ['Bool', 'T', true],
    ['Bool', '0', false],
    ['Bool', 'yes', parse('ParseBool', 'yes')],
    ['Int', '-5', true],
    ['Int', '-0x5', true],
    ['Int', '-0b101', true],
    ['Int', '-0o5', true],
    ['Int', '-05', true],
    ['Int', '5', false],
    ['Int', '1.5', parse('ParseInt', '1.5')],
    ['Int', 'x', parse('ParseInt', 'x')],
    ['Int', '', parse('ParseInt', '')],
    ['Int', '09', parse('ParseInt', '09')],
    ['Int', '1__0', parse('ParseInt', '1__0')],
    ['Int', '9223372036854775807', false],
    ['Int', '9223372036854775808', parse('ParseInt', '9223372036854775808', 'value out of range')],
    ['Uint', '50', true],
    ['Uint', '0x32', true],
    ['Uint', '5_0', true],
    ['Uint', '-50', parse('ParseUint', '-50')],
    ['Uint', '18446744073709551615', false],
    [
      'Uint',
      '18446744073709551616',
      parse('ParseUint', '18446744073709551616', 'value out of range'),
    ],
    ['Float', '1.5', true],
    ['Float', '15e-1', true],
    ['Float', '0x3p-1', true],
    ['Float', '-0x1.8p0', false],
    ['Float', 'inf', false],
    ['Float', '-Infinity', false],
    ['Float', 'nan', false],
    ['Float', '1.', false],
    ['Float', '0x3', parse('ParseFloat', '0x3')],
    ['Float', 'x', parse('ParseFloat', 'x')],
    ['Float', '1e999', parse('ParseFloat', '1e999', 'value out of range')],
    ['Duration', '30000000000', true],
    ['Duration', '30s', parse('ParseInt', '30s')],
    ['Delay', '5000000000', true],
    ['NoDelay', '5000000000', uncompared],
    ['Word', 'hello', true],
    ['Time', '2026-01-01T00:00:00Z', uncompared],
    ['Bytes', 'abc', uncompared],
    ['Texts', 'dc1', uncompared],
    ['NoTexts', 'dc1', uncompared],
    ['Parts', 'x', uncompared],
    ['Map', 'x', uncompared],
    ['Struct', 'x', uncompared],
    ['Pointer', 'x', uncompared],
    ['Null', 'x', uncompared],
    ['AnyMap.image', 'redis:7', true],
    ['AnyMap.port', '6379', true],
    ['AnyMap.port', 'x', parse('ParseFloat', 'x')],
    ['AnyMap.privileged', 'false', true],
    ['AnyMap.none', 'x', uncompared],
    ['AnyMap.args', 'x', uncompared],
    ['AnyNull', 'x', uncompared],
    ['Echoed', '', true],
    ['EchoedNumber', '0', true],
    ['EchoedFlag', 'false', true],
    ['EchoedPart.Name', '', true],
    ['EchoedPart.Size', '0', true],
  ])('%s == `%s`: %s', (selector, value, expected) => {
    check(`${selector} == \`${value}\``, `${selector} != \`${value}\``, expected)
  })
})

describe('behaviour/scheduler#filters, in and contains', () => {
  // choice/scheduler#filter-members choice/scheduler#filter-free-numbers
  test.each([
    ['Text', 'eb-', true],
    ['Text', '', true],
    ['Text', 'x', false],
    ['Empty', 'x', false],
    ['Word', 'ell', true],
    ['Bool', 'true', unfit('in/contains', 'bool', 'Bool')],
    ['Bool', 'x', parse('ParseBool', 'x')],
    ['Int', '5', unfit('in/contains', 'int', 'Int')],
    ['Int', 'x', parse('ParseInt', 'x')],
    ['Uint', '5', unfit('in/contains', 'uint64', 'Uint')],
    ['Float', '5', unfit('in/contains', 'float64', 'Float')],
    ['Duration', '5', unfit('in/contains', 'int64', 'Duration')],
    ['Delay', '5', unfit('in/contains', 'int64', 'Delay')],
    ['NoDelay', '5', unfit('in/contains', 'invalid', 'NoDelay')],
    ['Time', '5', unfit('in/contains', 'struct', 'Time')],
    ['Bytes', '97', true],
    ['Bytes', '65', false],
    ['Bytes', 'a', parse('ParseUint', 'a')],
    ['NoBytes', '97', false],
    ['Texts', 'dc1', true],
    ['Texts', 'dc', false],
    ['NoTexts', 'dc1', false],
    ['Ints', '3', true],
    ['Ints', '4', false],
    ['Ints', 'x', parse('ParseInt', 'x')],
    ['Bools', 'true', true],
    ['Bools', 'f', false],
    ['Lists', 'a', unlisted],
    ['Parts', 'a', unlisted],
    ['NoParts', 'a', unlisted],
    ['Map', 'team', true],
    ['Map', 'core', false],
    ['Map', 'nothing', true],
    ['Map', 'toString', false],
    ['NoMap', 'team', false],
    ['PartMap', 'spare', true],
    ['AnyMap', 'image', true],
    ['AnyMap.image', 'redis', true],
    ['AnyMap.port', '1', unfit('in/contains', 'float64', 'AnyMap.port')],
    ['AnyMap.args', '-v', true],
    ['AnyMap.args', '1', true],
    ['AnyMap.args', 'true', true],
    ['AnyMap.args', 'x', false],
    ['AnyMap.nested', 'deep', true],
    ['AnyMap.none', 'x', unfit('in/contains', 'invalid', 'AnyMap.none')],
    ['AnyMap.labels', 'x', `${unlisted} in interface slice: map`],
    ['AnyMap.args', '1e999', 'error getting interface slice match value in expression'],
    ['AnyNull', 'x', unfit('in/contains', 'invalid', 'AnyNull')],
    ['Struct', 'Name', unfit('in/contains', 'struct', 'Struct')],
    ['Pointer', 'Name', unfit('in/contains', 'struct', 'Pointer')],
    ['Null', 'Name', unfit('in/contains', 'invalid', 'Null')],
    ['EchoedMap', 'x', false],
  ])('%s contains `%s`: %s', (selector, value, expected) => {
    check(`${selector} contains \`${value}\``, `${selector} not contains \`${value}\``, expected)
    check(`\`${value}\` in ${selector}`, `\`${value}\` not in ${selector}`, expected)
  })
})

describe('behaviour/scheduler#filters, matches: RE2, unanchored', () => {
  test.each([
    ['Text', 'b-', true],
    ['Text', '^web-\\d+$', true],
    ['Text', '^b', false],
    ['Text', '(?i)WEB', true],
    ['Empty', '^$', true],
    ['Word', 'l{2}', true],
    ['Bytes', '^abc$', true],
    ['NoBytes', '^$', true],
    ['AnyMap.image', 'redis', true],
    ['Bool', 'true', noBytes('bool')],
    ['Int', '5', noBytes('int')],
    ['Uint', '5', noBytes('uint64')],
    ['Float', '5', noBytes('float64')],
    ['Duration', '5', noBytes('time.Duration')],
    ['Delay', '5', noBytes('time.Duration')],
    ['NoDelay', '5', noBytes('invalid')],
    ['Time', '5', noBytes('time.Time')],
    ['Texts', 'dc', noBytes('[]string')],
    ['Ints', '5', noBytes('[]int')],
    ['Lists', 'x', noBytes('[][]string')],
    ['Parts', 'x', noBytes('[]*structs.Part')],
    ['Map', 'x', noBytes('map[string]string')],
    ['PartMap', 'x', noBytes('map[string]*structs.Part')],
    ['AnyMap', 'x', noBytes('map[string]interface {}')],
    ['AnyMap.port', 'x', noBytes('float64')],
    ['AnyMap.args', 'x', noBytes('[]interface {}')],
    ['AnyMap.nested', 'x', noBytes('map[string]interface {}')],
    ['Struct', 'x', noBytes('structs.Part')],
    ['Pointer', 'x', noBytes('structs.Part')],
    ['Null', 'x', noBytes('invalid')],
    [
      'Text',
      '(',
      'failed to compile regular expression "(": error parsing regexp: missing closing ): `(`',
    ],
    [
      'Text',
      '(?=x)',
      'failed to compile regular expression "(?=x)": error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
    ],
  ])('%s matches %s: %s', (selector, value, expected) => {
    check(`${selector} matches \`${value}\``, `${selector} not matches \`${value}\``, expected)
  })
})

describe('behaviour/scheduler#filters, is empty: texts, lists, maps', () => {
  test.each([
    ['Text', false],
    ['Empty', true],
    ['Word', false],
    ['Bytes', false],
    ['NoBytes', true],
    ['Texts', false],
    ['NoTexts', true],
    ['Parts', false],
    ['NoParts', true],
    ['Map', false],
    ['NoMap', true],
    ['AnyMap', false],
    ['AnyMap.args', false],
    ['AnyMap.image', false],
    ['AnyMap.nested', false],
    ['Echoed', true],
    ['EchoedMap', true],
    ['AnyMap.port', unfit('is-empty', 'float64', 'AnyMap.port')],
    ['AnyMap.none', unfit('is-empty', 'invalid', 'AnyMap.none')],
    ['Bool', unfit('is-empty', 'bool', 'Bool')],
    ['Int', unfit('is-empty', 'int', 'Int')],
    ['Uint', unfit('is-empty', 'uint64', 'Uint')],
    ['Float', unfit('is-empty', 'float64', 'Float')],
    ['Duration', unfit('is-empty', 'int64', 'Duration')],
    ['NoDelay', unfit('is-empty', 'invalid', 'NoDelay')],
    ['Time', unfit('is-empty', 'struct', 'Time')],
    ['Struct', unfit('is-empty', 'struct', 'Struct')],
    ['Pointer', unfit('is-empty', 'struct', 'Pointer')],
    ['Null', unfit('is-empty', 'invalid', 'Null')],
  ])('%s is empty: %s', (selector, expected) => {
    check(`${selector} is empty`, `${selector} is not empty`, expected)
  })
})

describe('behaviour/scheduler#filters, is nil: lists, maps, objects', () => {
  // choice/scheduler#filter-members choice/scheduler#filter-nil-scalars
  test.each([
    ['Bytes', false],
    ['NoBytes', true],
    ['Texts', false],
    ['NoTexts', true],
    ['Parts', false],
    ['NoParts', true],
    ['Map', false],
    ['NoMap', true],
    ['Struct', false],
    ['Pointer', false],
    ['Null', true],
    ['Delay', unfit('is-nil', 'int64', 'Delay')],
    ['NoDelay', true],
    ['Time', false],
    ['AnyMap.args', false],
    ['AnyMap.nested', false],
    ['AnyMap.none', true],
    ['AnyNull', true],
    ['EchoedMap', true],
    ['EchoedPart', false],
    ['AnyMap.image', unfit('is-nil', 'string', 'AnyMap.image')],
    ['Text', unfit('is-nil', 'string', 'Text')],
    ['Bool', unfit('is-nil', 'bool', 'Bool')],
    ['Int', unfit('is-nil', 'int', 'Int')],
    ['Uint', unfit('is-nil', 'uint64', 'Uint')],
    ['Float', unfit('is-nil', 'float64', 'Float')],
    ['Duration', unfit('is-nil', 'int64', 'Duration')],
  ])('%s is nil: %s', (selector, expected) => {
    check(`${selector} is nil`, `${selector} is not nil`, expected)
  })
})
