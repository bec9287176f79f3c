import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatHttpDate, parseHttpDate } from '../../../../state/secrets/cloud/signature.ts'

const instant = Date.UTC(1994, 10, 6, 8, 49, 37)

describe('behaviour/secrets#cloud-login (3): HTTP dates', () => {
  // choice/secrets#cloud-dates
  test.each([
    'Sun, 06 Nov 1994 08:49:37 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
    // As in the reference, the day of the week is not checked.
    'Mon, 06 Nov 1994 08:49:37 GMT',
  ])('%s', (text) => expect(parseHttpDate(text)).toBe(instant))

  test.each([
    ['Wednesday, 31-Dec-68 00:00:00 GMT', Date.UTC(2068, 11, 31)],
    ['Wednesday, 01-Jan-69 00:00:00 GMT', Date.UTC(1969, 0, 1)],
    ['Sat Nov 12 08:49:37 1994', instant + 6 * 86_400_000],
    ['Thu, 29 Feb 2024 23:59:59 GMT', Date.UTC(2024, 1, 29, 23, 59, 59)],
  ])('%s', (text, expected) => expect(parseHttpDate(text)).toBe(expected))

  test.each([
    '',
    'now',
    '1994-11-06T08:49:37Z',
    '784111777',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 1994 08:49:37 UTC',
    'Sun, 06 Nov 1994 08:49:37 +0000',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'Sun, 06 nov 1994 08:49:37 GMT',
    'Son, 06 Nov 1994 08:49:37 GMT',
    'Sun, 31 Feb 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT',
    ' Sun, 06 Nov 1994 08:49:37 GMT',
  ])('%j is not a date', (text) => expect(parseHttpDate(text)).toBe(undefined))

  test('formats as Node does, and parses its own output', () => {
    const seconds = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) / 1000 })
    fc.assert(
      fc.property(seconds, fc.integer({ min: 0, max: 999 }), (second, part) => {
        const text = formatHttpDate(second * 1000 + part)
        expect(text).toBe(new Date(second * 1000).toUTCString())
        expect(parseHttpDate(text)).toBe(second * 1000)
      }),
    )
  })
})
