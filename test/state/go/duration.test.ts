import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  DAY,
  DurationError,
  formatGoDuration,
  HOUR,
  MICROSECOND,
  MILLISECOND,
  MINUTE,
  NANOSECOND,
  parseDuration,
  parseGoDuration,
  SECOND,
  toSeconds,
} from '../../../state/go/duration.ts'

const section = 'behaviour/secrets#durations'

describe(`${section}: the Go form`, () => {
  test.each([
    ['0', 0],
    ['-0', 0],
    ['+5s', 5 * SECOND],
    ['-5s', -5 * SECOND],
    ['1h30m', HOUR + 30 * MINUTE],
    ['3h25m19s', 3 * HOUR + 25 * MINUTE + 19 * SECOND],
    ['1.5s', 1.5 * SECOND],
    ['.5s', 0.5 * SECOND],
    ['1.s', SECOND],
    ['300ms', 300 * MILLISECOND],
    ['12us', 12 * MICROSECOND],
    ['12µs', 12 * MICROSECOND],
    ['12μs', 12 * MICROSECOND],
    ['7ns', 7 * NANOSECOND],
    ['1.9ns', 1],
    ['5m5m', 10 * MINUTE],
    ['0.3333333333333333333h', 20 * MINUTE],
    ['0.100000000000000000000h', 6 * MINUTE],
    ['2562047h47m16.854775807s', 2 ** 63],
    ['-9223372036854775808ns', -(2 ** 63)],
  ])('%s', (text, nanoseconds) => {
    expect(parseGoDuration(text)).toBe(nanoseconds)
  })

  test('sums of many parts are exact, up to the part that is refused', () => {
    expect(parseGoDuration('7ns'.repeat(3_000))).toBe(21_000)
    expect(parseGoDuration(`${'2h'.repeat(4_000)}1.5s`)).toBe(8_000 * HOUR + 1.5 * SECOND)
    expect(() => parseGoDuration(`${'90h'.repeat(28_000)}1x`)).toThrow('unknown unit "x"')
    expect(() => parseGoDuration(`${'90h'.repeat(29_000)}1x`)).toThrow('invalid duration')
  })

  // choice/secrets#duration-overflow
  test.each([
    ['', 'time: invalid duration ""'],
    ['-', 'time: invalid duration "-"'],
    ['.s', 'time: invalid duration ".s"'],
    ['x', 'time: invalid duration "x"'],
    ['1h 2m', 'time: unknown unit "h " in duration "1h 2m"'],
    ['5', 'time: missing unit in duration "5"'],
    ['1h5', 'time: missing unit in duration "1h5"'],
    ['1d', 'time: unknown unit "d" in duration "1d"'],
    ['1"s', 'time: unknown unit "\\"s" in duration "1\\"s"'],
    ['é', 'time: invalid duration "\\xc3\\xa9"'],
    ['9223372036854775808ns', 'time: invalid duration "9223372036854775808ns"'],
    ['-9223372036854775809ns', 'time: invalid duration "-9223372036854775809ns"'],
    ['2562048h', 'time: invalid duration "2562048h"'],
    ['99999999999999h5x', 'time: invalid duration "99999999999999h5x"'],
  ])('refuses %j', (text, message) => {
    expect(() => parseGoDuration(text)).toThrow(new DurationError(message))
  })

  test('a number of a hundred thousand digits is refused at once', () => {
    const digits = '9'.repeat(100_000)
    expect(() => parseGoDuration(`${digits}h`)).toThrow(DurationError)
    expect(() => parseDuration(digits)).toThrow(DurationError)
  })
})

describe(`${section}: out as Go form`, () => {
  test.each([
    [0, '0s'],
    [1, '1ns'],
    [300 * MICROSECOND, '300µs'],
    [1100, '1.1µs'],
    [MILLISECOND, '1ms'],
    [2_200_000, '2.2ms'],
    [1.5 * SECOND, '1.5s'],
    [MINUTE, '1m0s'],
    [HOUR, '1h0m0s'],
    [DAY, '24h0m0s'],
    [4 * MINUTE + 5_001_000_000, '4m5.001s'],
    [-(HOUR + SECOND), '-1h0m1s'],
    [-1, '-1ns'],
    [2 ** 53, '2501h59m59.254740992s'],
    [-(2 ** 63), '-2562047h47m16.854775808s'],
  ])('%d', (nanoseconds, text) => {
    expect(formatGoDuration(nanoseconds)).toBe(text)
  })

  test('a formatted duration parses to an equal one', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (nanoseconds) => {
        expect(parseGoDuration(formatGoDuration(nanoseconds))).toBe(nanoseconds)
      }),
    )
  })
})

describe(`${section}: in as seconds, days or Go form`, () => {
  test.each([
    [30, 30 * SECOND],
    [-30, -30 * SECOND],
    ['30', 30 * SECOND],
    ['+30', 30 * SECOND],
    ['-1', -SECOND],
    ['010', 10 * SECOND],
    ['', 0],
    ['2d', 2 * DAY],
    ['-2d', -2 * DAY],
    ['1h30m', 1.5 * HOUR],
  ])('%j', (value, nanoseconds) => {
    expect(parseDuration(value)).toBe(nanoseconds)
  })

  test.each([
    ['abc', 'time: invalid duration "abc"'],
    [1.5, 'time: missing unit in duration "1.5"'],
    [' 3', 'time: invalid duration " 3"'],
    ['xd', 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['1.5d', 'strconv.ParseInt: parsing "1.5": invalid syntax'],
    ['1h2d', 'strconv.ParseInt: parsing "1h2": invalid syntax'],
    ['d', 'strconv.ParseInt: parsing "": invalid syntax'],
    ['9999999999999999999d', 'strconv.ParseInt: parsing "9999999999999999999": value out of range'],
    ['9223372037', 'time: invalid duration "9223372037"'],
    ['106752d', 'time: invalid duration "106752d"'],
    ['12345678901234567890', 'time: invalid duration "12345678901234567890"'],
  ])('refuses %j', (value, message) => {
    expect(() => parseDuration(value)).toThrow(new DurationError(message))
  })

  test('seconds are cut', () => {
    expect([toSeconds(1.9 * SECOND), toSeconds(-1.9 * SECOND)]).toEqual([1, -1])
    expect(toSeconds(-0.5 * SECOND)).toBe(0)
  })
})
