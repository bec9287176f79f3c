import { describe, expect, test } from 'vitest'
import {
  ConversionError,
  convertValue,
  mapOf,
  unifyValues,
} from '../../../../state/hcl/language/convert.ts'
import { equalValues, setOf } from '../../../../state/hcl/language/equality.ts'
import { readType } from '../../../../state/hcl/language/type-expression.ts'
import {
  constraintName,
  friendlyName,
  typeName,
  unify,
  valueType,
} from '../../../../state/hcl/language/types.ts'
import type { HclType } from '../../../../state/hcl/language/values.ts'
import {
  formatNumber,
  normalizeNumber,
  parseNumber,
} from '../../../../state/hcl/language/values.ts'
import { parseHclExpression } from '../../../../state/hcl/syntax/parser.ts'
import { fromPlain, plain } from './support.ts'

function type(text: string): HclType {
  const read = readType(parseHclExpression(text))
  if ('problems' in read) throw new Error(text)
  return read.type
}

function fault(value: unknown, wanted: string): string {
  try {
    convertValue(fromPlain(value), type(wanted))
  } catch (error) {
    if (error instanceof ConversionError) return error.message
    throw error
  }
  return 'no fault'
}

// behaviour/scheduler#job-file-language; where it is silent, the reference's conversions.
describe('conversions', () => {
  test.each<[unknown, string, unknown]>([
    ['5', 'number', 5],
    ['-1.50', 'number', -1.5],
    ['1e3', 'number', 1000],
    ['.5', 'number', 0.5],
    [5, 'string', '5'],
    [1.25, 'string', '1.25'],
    [true, 'string', 'true'],
    [false, 'string', 'false'],
    ['true', 'bool', true],
    ['1', 'bool', true],
    ['false', 'bool', false],
    ['0', 'bool', false],
    [null, 'number', null],
    [{ a: [1] }, 'any', { a: [1] }],
    [[1, 'a', true], 'list(string)', { '<list>': ['1', 'a', 'true'] }],
    [[], 'list(string)', { '<list>': [] }],
    [[1, 'a'], 'list(any)', { '<list>': ['1', 'a'] }],
    [[null, 1], 'list(any)', { '<list>': [null, 1] }],
    [[[1], ['a']], 'list(any)', { '<list>': [['1'], ['a']] }],
    [[[1], ['a', 'b']], 'list(any)', { '<list>': [{ '<list>': ['1'] }, { '<list>': ['a', 'b'] }] }],
    [[[1], ['a']], 'list(list(any))', { '<list>': [{ '<list>': ['1'] }, { '<list>': ['a'] }] }],
    [[3, 1, 3, 2], 'set(number)', { '<set>': [1, 2, 3] }],
    [{ '<set>': ['a', 'b'] }, 'list(string)', { '<list>': ['a', 'b'] }],
    [{ '<list>': ['b', 'a', 'b'] }, 'set(string)', { '<set>': ['a', 'b'] }],
    [{ b: 1, a: 'x' }, 'map(string)', { '<map>': { a: 'x', b: '1' } }],
    [{ b: 1, a: 'x' }, 'map(any)', { '<map>': { a: 'x', b: '1' } }],
    [{ '<map>': { a: 1 } }, 'map(string)', { '<map>': { a: '1' } }],
    [{ a: 1, b: 2 }, 'object({ a = string })', { a: '1' }],
    [{ a: 1 }, 'object({ a = number, b = optional(string) })', { a: 1, b: null }],
    [{ '<map>': { a: '1', c: '2' } }, 'object({ a = number })', { a: 1 }],
    [['1', 2], 'tuple([number, string])', [1, '2']],
    [[[[1]], [['a']]], 'list(tuple([any]))', { '<list>': [[['1']], [['a']]] }],
    [[{ a: 1 }, { a: 'x' }], 'list(object({ a = any }))', { '<list>': [{ a: '1' }, { a: 'x' }] }],
  ])('%j to %s', (value, wanted, expected) => {
    expect(plain(convertValue(fromPlain(value), type(wanted)))).toEqual(expected)
  })

  test('maps are in order of their keys', () => {
    const map = convertValue(fromPlain({ b: 1, a: 2 }), type('map(number)'))
    expect(JSON.stringify(plain(map))).toBe('{"<map>":{"a":2,"b":1}}')
    expect(
      JSON.stringify(
        plain(
          mapOf([
            ['z', 1],
            ['y', 2],
          ]),
        ),
      ),
    ).toBe('{"<map>":{"y":2,"z":1}}')
  })

  test.each<[unknown, string]>([
    [{ '<list>': ['a'] }, 'list(string)'],
    [{ '<list>': [1] }, 'list(any)'],
    [{ '<set>': ['a'] }, 'set(string)'],
    [{ '<map>': { a: 1 } }, 'map(number)'],
  ])('%j is %s already and stays the same value', (value, wanted) => {
    const before = fromPlain(value)
    expect(convertValue(before, type(wanted))).toBe(before)
  })

  test.each<[unknown, string, string]>([
    ['x', 'number', 'a number is required'],
    ['', 'number', 'a number is required'],
    ['1_000', 'number', 'a number is required'],
    ['0x10', 'number', 'a number is required'],
    ['1e999', 'number', 'a number is required'],
    [true, 'number', 'number required'],
    [1, 'bool', 'bool required'],
    ['yes', 'bool', 'a bool is required'],
    ['True', 'bool', 'a bool is required; to convert from string, use lowercase "true"'],
    ['FALSE', 'bool', 'a bool is required; to convert from string, use lowercase "false"'],
    [[1], 'string', 'string required'],
    ['a', 'list(string)', 'list of string required'],
    [{}, 'list(string)', 'list of string required'],
    [[], 'map(number)', 'map of number required'],
    [{ '<list>': [1] }, 'map(number)', 'map of number required'],
    [[1, []], 'list(number)', 'element 1: number required'],
    [['x', []], 'list(number)', 'element 1: number required'],
    [['x'], 'list(number)', 'a number is required'],
    [{ b: {}, a: 1 }, 'map(string)', 'element "b": string required'],
    [[1, true], 'list(any)', 'all list elements must have the same type'],
    [[1, []], 'set(any)', 'all set elements must have the same type'],
    [{ a: 1, b: [] }, 'map(any)', 'all map elements must have the same type'],
    [[[1, true]], 'list(list(any))', 'element 0: all list elements must have the same type'],
    [{ '<list>': [[]] }, 'list(string)', 'incorrect list element type: string required'],
    [{ '<map>': { a: [] } }, 'map(string)', 'incorrect map element type: string required'],
    [[[1], [true]], 'list(tuple([any]))', 'collection elements cannot be unified'],
    [
      [{ '<map>': { a: 1 } }, { b: 2 }],
      'list(object({ a = string }))',
      'element 1: attribute "a" is required',
    ],
    [[{ '<map>': { a: [] } }], 'list(object({ a = string }))', 'element 0: object required'],
    [[{ '<list>': [1] }, 5], 'list(set(string))', 'element 1: set of string required'],
    [{}, 'object({ a = string })', 'attribute "a" is required'],
    [{}, 'object({ b = string, a = any })', 'attributes "a" and "b" are required'],
    [{}, 'object({ c = any, b = any, a = any })', 'attributes "a", "b", and "c" are required'],
    [{ a: [] }, 'object({ a = string })', 'attribute "a": string required'],
    [{ '<map>': {} }, 'object({ a = string })', 'map has no element for required attribute "a"'],
    [1, 'object({ a = string })', 'object required'],
    [[1], 'tuple([number, number])', 'tuple required'],
    [{ '<list>': [1] }, 'tuple([number])', 'tuple required'],
    [1, 'list(any)', 'list of any single type required'],
  ])('%j is no %s: %s', (value, wanted, expected) => {
    expect(fault(value, wanted)).toBe(expected)
  })
})

describe('names of types', () => {
  test.each<[string, string, string]>([
    ['any', 'dynamic', 'any type'],
    ['string', 'string', 'string'],
    ['list(any)', 'list of dynamic', 'list of any single type'],
    ['map(list(number))', 'map of list of number', 'map of list of number'],
    ['set(bool)', 'set of bool', 'set of bool'],
    ['object({ a = string })', 'object', 'object'],
    ['tuple([string])', 'tuple', 'tuple'],
  ])('%s', (text, friendly, constraint) => {
    expect([friendlyName(type(text)), constraintName(type(text))]).toEqual([friendly, constraint])
  })

  test('of values', () => {
    expect(typeName(fromPlain({ '<map>': { a: null, b: [1] } }))).toBe('map of tuple')
    expect(valueType(fromPlain({ a: [1, 'x'], b: { '<set>': [] } }))).toEqual(
      type('object({ a = tuple([number, string]), b = set(any) })'),
    )
  })
})

describe('unification', () => {
  test.each<[string[], string | undefined]>([
    [[], 'any'],
    [['any', 'number'], 'number'],
    [['number', 'string', 'bool'], 'string'],
    [['number', 'bool'], undefined],
    [['number', 'list(number)'], undefined],
    [['list(number)', 'list(string)'], 'list(string)'],
    [['list(any)', 'list(string)'], 'list(string)'],
    [['set(number)', 'list(number)'], 'list(number)'],
    [['tuple([number])', 'list(string)'], 'list(string)'],
    [['tuple([number])', 'tuple([string])'], 'tuple([string])'],
    [['tuple([number])', 'tuple([string, bool])'], 'list(string)'],
    [['tuple([number])', 'tuple([bool])'], undefined],
    [['tuple([number])', 'tuple([bool, bool])'], undefined],
    [['object({ a = number })', 'object({ a = string })'], 'object({ a = string })'],
    [['object({ a = number })', 'object({ b = string })'], 'map(string)'],
    [['object({ a = number })', 'object({ a = bool })'], undefined],
    [['object({ a = number })', 'object({ b = bool })'], undefined],
    [['object({ a = number })', 'map(string)'], 'map(string)'],
    [['object({ a = number })', 'tuple([number])'], undefined],
    [['map(number)', 'map(bool)'], undefined],
  ])('%j is %s', (texts, expected) => {
    const common = unify(texts.map(type))
    expect(common).toEqual(expected === undefined ? undefined : type(expected))
  })

  test('of values converts those that differ', () => {
    const items = [1, 'a'].map(fromPlain)
    expect(unifyValues(items)).toEqual(['1', 'a'])
    expect(unifyValues([1, true].map(fromPlain))).toBeUndefined()
    const alike = [1, 2].map(fromPlain)
    expect(unifyValues(alike)).toBe(alike)
  })
})

describe('equality', () => {
  test.each<[unknown, unknown, boolean]>([
    [1, 1, true],
    [1, '1', false],
    [null, null, true],
    [null, '', false],
    [[1, [2]], [1, [2]], true],
    [[1], [1, 2], false],
    [[1], { '<list>': [1] }, false],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: 1 }, { b: 1 }, false],
    [{ a: 1 }, { a: 1, b: 1 }, false],
    [{ a: 1 }, { '<map>': { a: 1 } }, false],
    [{ a: 1 }, [1], false],
    [[1], { a: 1 }, false],
  ])('%j == %j: %s', (one, other, expected) => {
    expect(equalValues(fromPlain(one), fromPlain(other))).toBe(expected)
  })

  test.each<[unknown[], unknown[]]>([
    [
      [10, 9, 10, 2],
      [2, 9, 10],
    ],
    [
      ['b', 'B', 'a', 'é', 'b'],
      ['B', 'a', 'b', 'é'],
    ],
    [
      [true, false],
      [false, true],
    ],
    [
      ['x', null, 'a', null],
      ['a', 'x', null],
    ],
    [
      [[2], [1], [2]],
      [[1], [2]],
    ],
    [
      [{ a: 2 }, { a: 1 }, { a: 2 }],
      [{ a: 1 }, { a: 2 }],
    ],
    [
      [{ '<map>': { b: true } }, { '<map>': { a: { '<list>': [null] } } }],
      [{ '<map>': { a: { '<list>': [null] } } }, { '<map>': { b: true } }],
    ],
  ])('the set of %j is %j', (items, expected) => {
    expect(plain(setOf(items.map(fromPlain)))).toEqual({ '<set>': expected })
  })
})

describe('numbers', () => {
  test.each([
    [0, '0'],
    [-0, '0'],
    [-1.5, '-1.5'],
    [1e21, '1000000000000000000000'],
    [-1.25e22, '-12500000000000000000000'],
    [1e-7, '0.0000001'],
    [-1.5e-9, '-0.0000000015'],
    [9007199254740991, '9007199254740991'],
  ])('%d is written %s', (number, expected) => {
    expect(formatNumber(number)).toBe(expected)
  })

  test('text that is read as a number', () => {
    expect(['1', '+1', '-0', '5.', '1E2', 'x', ' 1'].map(parseNumber)).toEqual([
      1,
      1,
      0,
      5,
      100,
      undefined,
      undefined,
    ])
  })

  test('results lose the tail that only binary fractions have', () => {
    expect([0.1 + 0.2, 1 / 3, -0, 1e300].map(normalizeNumber)).toEqual([0.3, 1 / 3, 0, 1e300])
  })
})
