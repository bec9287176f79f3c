import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  civilDate,
  dayNumber,
  formatTimestamp,
  parseTimestamp,
  setAlarm,
} from '../../../state/kernel/time.ts'

describe('behaviour/secrets#durations: timestamps', () => {
  // choice/secrets#timestamp-digits
  test.each([
    [1_767_225_600_000, '2026-01-01T00:00:00Z'],
    [1_767_225_600_001, '2026-01-01T00:00:00.001Z'],
    [1_767_225_600_010, '2026-01-01T00:00:00.01Z'],
    [1_767_225_600_500, '2026-01-01T00:00:00.5Z'],
    [0, '1970-01-01T00:00:00Z'],
    [253_402_300_799_999, '9999-12-31T23:59:59.999Z'],
  ])('%d is formatted as %s and parsed back', (instant, text) => {
    expect(formatTimestamp(instant)).toBe(text)
    expect(parseTimestamp(text)).toBe(instant)
  })

  test('the platform formats times without trailing zeros, in every century', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (instant) => {
        const platform = new Date(instant).toISOString()
        expect(formatTimestamp(instant)).toBe(platform.replace(/\.?0*Z$/, 'Z'))
      }),
      { numRuns: 2000 },
    )
  })

  test.each([
    ['1970-01-01T00:00:00Z'],
    ['2000-02-29T23:59:59.9Z'],
    ['2100-02-28T23:59:59Z'],
    ['2100-03-01T00:00:00Z'],
    ['2024-12-31T12:00:00.05Z'],
    ['9999-12-31T23:59:59.999Z'],
  ])('%s', (text) => {
    expect(formatTimestamp(Date.parse(text))).toBe(text)
  })

  test('every millisecond is parsed back unchanged', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (instant) => {
        expect(parseTimestamp(formatTimestamp(instant))).toBe(instant)
      }),
    )
  })

  test.each([
    [-62_135_596_800_000, '0001-01-01T00:00:00.000Z'],
    [-62_135_596_800_001, '0001-01-01T00:00:00.000Z'],
    [253_402_300_800_000, '9999-12-31T23:59:59.999Z'],
    [1e300, '9999-12-31T23:59:59.999Z'],
    [-1e300, '0001-01-01T00:00:00.000Z'],
  ])('%d is formatted as %s, the nearest representable instant', (instant, text) => {
    expect(formatTimestamp(instant)).toBe(text)
  })

  test.each([
    ['2026-01-01T01:30:00+01:30', 1_767_225_600_000],
    ['2025-12-31T19:00:00-05:00', 1_767_225_600_000],
    ['2026-01-01t00:00:00z', 1_767_225_600_000],
    ['2026-01-01T00:00:00.123456789Z', 1_767_225_600_123],
    ['2024-02-29T00:00:00Z', 1_709_164_800_000],
  ])('%s is parsed', (text, instant) => {
    expect(parseTimestamp(text)).toBe(instant)
  })

  test.each([
    '',
    'now',
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-01-01 00:00:00Z',
    '2026-01-01T00:00Z',
    '2026-1-1T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2025-02-29T12:00:00+02:00',
    '2026-04-31T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T23:60:00Z',
    '2026-01-01T23:59:60Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00:00.1234567890Z',
    '0000-12-31T23:59:59Z',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
  ])('%j is not a time', (text) => {
    expect(parseTimestamp(text)).toBeUndefined()
  })
})

describe('behaviour/program#clock: real time', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  test('an alarm fires once after its delay unless it is cancelled', () => {
    vi.useFakeTimers()
    const rung: string[] = []
    setAlarm(100, () => rung.push('a'))
    setAlarm(50, () => rung.push('b')).cancel()
    setAlarm(-5, () => rung.push('c'))
    vi.advanceTimersByTime(99)
    expect(rung).toEqual(['c'])
    vi.advanceTimersByTime(1000)
    expect(rung).toEqual(['c', 'a'])
  })

  test('an alarm beyond the maximum of timers fires early, but not at once', () => {
    vi.useFakeTimers()
    let rung = 0
    setAlarm(2 ** 40, () => {
      rung += 1
    })
    vi.advanceTimersByTime(2 ** 31 - 2)
    expect(rung).toBe(0)
    vi.advanceTimersByTime(1)
    expect(rung).toBe(1)
  })
})

describe('behaviour/scheduler#functions: dates by days', () => {
  test.each([
    [0, { year: 1970, month: 1, day: 1 }],
    [-1, { year: 1969, month: 12, day: 31 }],
    [11_016, { year: 2000, month: 2, day: 29 }],
    [11_017, { year: 2000, month: 3, day: 1 }],
    [-25_509, { year: 1900, month: 2, day: 28 }],
    [-25_508, { year: 1900, month: 3, day: 1 }],
    [-719_528, { year: 0, month: 1, day: 1 }],
    [-719_529, { year: -1, month: 12, day: 31 }],
    [2_932_896, { year: 9999, month: 12, day: 31 }],
  ])('%i', (day, date) => {
    expect(civilDate(day)).toEqual(date)
    expect(dayNumber(date)).toBe(day)
  })
})
