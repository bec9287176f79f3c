import { describe, expect, test } from 'vitest'
import { compileGoRegex } from '../../../state/go/regex.ts'

describe('behaviour/scheduler#filters: RE2 regular expressions', () => {
  test.each([
    ['', 'anything', true],
    ['b+', 'abc', true],
    ['^b', 'abc', false],
    ['(?i)ABC', 'xabcx', true],
    ['^.$', '😀', true],
    ['\\pL', '1é', true],
    ['(?P<a>x)(?<b>y)', 'xy', true],
  ])('%s in %s: %s', (expression, text, matches) => {
    expect(compileGoRegex(expression).test(text)).toBe(matches)
  })

  test('find gives the first match and its groups', () => {
    expect(compileGoRegex('(a)(b)?(c)').find('xxacabc')).toEqual(['ac', 'a', undefined, 'c'])
    expect(compileGoRegex('y').find('x')).toBeUndefined()
  })

  test.each([
    ['(', 'missing closing ): `(`'],
    ['a)', 'unexpected ): `a)`'],
    ['[a', 'missing closing ]: `[a`'],
    ['*', 'missing argument to repetition operator: `*`'],
    ['a**', 'invalid nested repetition operator: `**`'],
    ['a{1001}', 'invalid repeat count: `{1001}`'],
    ['\\', 'trailing backslash at end of expression: ``'],
    ['\\8', 'invalid escape sequence: `\\8`'],
    ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
    ['(?P<n', 'invalid named capture: `(?P<n`'],
    ['[b-a]', 'invalid character class range: `b-a`'],
    ['((a{100}){100}){100}', 'invalid repeat count: `{100}`'],
    [
      '('.repeat(1001) + ')'.repeat(1001),
      `expression nests too deeply: \`${'('.repeat(1001) + ')'.repeat(1001)}\``,
    ],
  ])('%s is refused as Go refuses it', (expression, why) => {
    expect(() => compileGoRegex(expression)).toThrow(
      expect.objectContaining({ kind: 'invalid', message: `error parsing regexp: ${why}` }),
    )
  })

  test.each([
    ['counted', 'a{1000}'.repeat(11)],
    ['nested', `(${'b'.repeat(20)}){1000}`],
    ['long', '[ab]'.repeat(2501)],
  ])('%s repetitions too large to compile are refused', (_, expression) => {
    expect(() => compileGoRegex(expression)).toThrow(
      `error parsing regexp: expression too large: \`${expression}\``,
    )
  })

  test('takes time linear in the text', () => {
    expect(compileGoRegex('^(a|a)*(a+)+$').test(`${'a'.repeat(50_000)}b`)).toBe(false)
  })
})

describe('behaviour/scheduler#functions: replacement by a regular expression', () => {
  test.each([
    ['a*', 'baaac', '-', '-b-c-'],
    ['(\\w+) (\\w+)', 'hello world', '$2 $1', 'world hello'],
    ['(?P<first>a)', 'ab', '<${first}>', '<a>b'],
    ['(a)', 'ab', '$1x', 'b'],
    ['(a)', 'ab', '${1}x', 'axb'],
    ['(a)', 'ab', '$0$9$01', 'ab'],
    ['a', 'ab', '$$1', '$1b'],
    ['a', 'ab', '$', '$b'],
    ['a', 'ab', '${}', '${}b'],
    ['(?P<__proto__>a)(b)?', 'a', '${__proto__}$2$constructor', 'a'],
    ['', '😀', '-', '-😀-'],
  ])('%s in %s by %s', (expression, text, template, replaced) => {
    expect(compileGoRegex(expression).replaceAll(text, template)).toBe(replaced)
  })

  test('pays for each search and each piece beforehand', () => {
    const paid: number[] = []
    compileGoRegex('b').replaceAll('abca', 'xyz', (cost) => paid.push(cost))
    expect(paid).toEqual([2, 1, 3, 2, 2])
  })

  test('expressions that take quadratic time to replace cost accordingly', () => {
    let left = 200_000
    const spend = (cost: number): void => {
      left -= cost
      if (left < 0) throw new RangeError('spent')
    }
    const replace = () => compileGoRegex('a*c|a').replaceAll('a'.repeat(100_000), '', spend)
    expect(replace).toThrow(new RangeError('spent'))
  })
})
