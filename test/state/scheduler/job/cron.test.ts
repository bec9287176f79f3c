import { describe, expect, test } from 'vitest'
import { formatTimestamp, parseTimestamp } from '../../../../state/kernel/time.ts'
import { parseCron } from '../../../../state/scheduler/job/cron.ts'

const section = 'behaviour/scheduler#periodic'

/** Returns the next times of a specification, as RFC 3339 texts. */
function times(spec: string, zone: string, after: string, count: number): string[] {
  const schedule = parseCron(spec, zone)
  const found: string[] = []
  for (let at = parseTimestamp(after) ?? 0; found.length < count; ) {
    const next = schedule.next(at)
    if (next === undefined) break
    found.push(formatTimestamp(next))
    at = next
  }
  return found
}

describe(`${section}: when a job is launched`, () => {
  const after = '2024-01-31T10:00:00Z'

  // choice/scheduler#cron-syntax
  test.each([
    ['5 fields', '*/15 * * * *', ['2024-01-31T10:15:00Z', '2024-01-31T10:30:00Z']],
    ['6 fields, the last a year', '0 0 1 1 * 2030', ['2030-01-01T00:00:00Z']],
    [
      '7 fields, seconds first',
      '*/20 0 10 31 1 * *',
      ['2024-01-31T10:00:20Z', '2024-01-31T10:00:40Z'],
    ],
    ['fields beyond the seventh are ignored', '0 0 0 1 3 * 2024 x', ['2024-03-01T00:00:00Z']],
    ['@hourly', '@hourly', ['2024-01-31T11:00:00Z', '2024-01-31T12:00:00Z']],
    ['@daily', '@daily', ['2024-02-01T00:00:00Z', '2024-02-02T00:00:00Z']],
    ['@weekly', '@weekly', ['2024-02-04T00:00:00Z', '2024-02-11T00:00:00Z']],
    ['@monthly', '@monthly', ['2024-02-01T00:00:00Z', '2024-03-01T00:00:00Z']],
    ['@yearly', '@yearly', ['2025-01-01T00:00:00Z', '2026-01-01T00:00:00Z']],
    ['@annually', '@annually', ['2025-01-01T00:00:00Z', '2026-01-01T00:00:00Z']],
    ['a value with an interval', '5/30 * * * *', ['2024-01-31T10:05:00Z', '2024-01-31T10:35:00Z']],
    [
      'a range with an interval',
      '10-30/20 11 * * *',
      ['2024-01-31T11:10:00Z', '2024-01-31T11:30:00Z'],
    ],
    ['names in full', '0 0 1 March *', ['2024-03-01T00:00:00Z', '2025-03-01T00:00:00Z']],
    ['a question mark', '0 12 ? * MON', ['2024-02-05T12:00:00Z', '2024-02-12T12:00:00Z']],
    [
      'to Sunday, which is left out',
      '0 0 * * 6-7',
      ['2024-02-03T00:00:00Z', '2024-02-10T00:00:00Z'],
    ],
    [
      'from Sunday to Sunday, which is all days',
      '0 0 * * sun-sun',
      ['2024-02-01T00:00:00Z', '2024-02-02T00:00:00Z', '2024-02-03T00:00:00Z'],
    ],
    [
      'nothing is looked at behind a star',
      '*,x 12 * * *',
      ['2024-01-31T12:00:00Z', '2024-01-31T12:01:00Z'],
    ],
    [
      'the last weekday among other days',
      '0 0 20,LW,29 * *',
      ['2024-02-20T00:00:00Z', '2024-02-29T00:00:00Z', '2024-03-20T00:00:00Z'],
    ],
    [
      'no day of the month, but one of the week',
      '0 0 5-2 * 1',
      ['2024-02-05T00:00:00Z', '2024-02-12T00:00:00Z'],
    ],
    ['no day of the month', '0 0 5-2 * *', []],
    [
      'day of the month or of the week',
      '0 0 15 * 1',
      ['2024-02-05T00:00:00Z', '2024-02-12T00:00:00Z', '2024-02-15T00:00:00Z'],
    ],
    ['the last day', '0 0 L * *', ['2024-02-29T00:00:00Z', '2024-03-31T00:00:00Z']],
    ['the last weekday', '0 0 LW * *', ['2024-02-29T00:00:00Z', '2024-03-29T00:00:00Z']],
    [
      'the weekday nearest to a day',
      '0 0 15W * *',
      [
        '2024-02-15T00:00:00Z',
        '2024-03-15T00:00:00Z',
        '2024-04-15T00:00:00Z',
        '2024-05-15T00:00:00Z',
        '2024-06-14T00:00:00Z',
      ],
    ],
    ['the last Friday', '0 0 * * 5L', ['2024-02-23T00:00:00Z', '2024-03-29T00:00:00Z']],
    ['the third Friday', '0 0 * * fri#3', ['2024-02-16T00:00:00Z', '2024-03-15T00:00:00Z']],
    ['a day that never comes', '0 0 30 2 *', []],
    ['a range of nothing', '30-10 * * * *', []],
    ['a year gone by', '0 0 1 1 * 2020', []],
  ])('%s: %s', (_title, spec, expected) => {
    expect(times(spec, '', after, expected.length || 1)).toEqual(expected)
  })

  test('in its time zone, daylight saving included', () => {
    expect(times('0 9 * * *', 'America/New_York', '2024-03-09T00:00:00Z', 3)).toEqual([
      '2024-03-09T14:00:00Z',
      '2024-03-10T13:00:00Z',
      '2024-03-11T13:00:00Z',
    ])
  })

  test.each([
    [
      'a time that is left out does not come',
      'Europe/Berlin',
      '30 2 * * *',
      '2026-03-28T00:00:00Z',
      ['2026-03-28T01:30:00Z', '2026-03-30T00:30:00Z'],
    ],
    [
      'a time that is repeated comes twice',
      'Europe/Berlin',
      '30 2 * * *',
      '2026-10-24T12:00:00Z',
      ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', '2026-10-26T01:30:00Z'],
    ],
    [
      'the first minute of the hour that is repeated',
      'America/New_York',
      '0 1 * * *',
      '2026-11-01T05:30:00Z',
      ['2026-11-01T06:00:00Z', '2026-11-02T06:00:00Z'],
    ],
    [
      'half an hour that is left out',
      'Australia/Lord_Howe',
      '*/20 1-3 * * *',
      '2026-10-03T15:00:00Z',
      ['2026-10-03T15:10:00Z', '2026-10-03T15:40:00Z', '2026-10-03T16:00:00Z'],
    ],
  ])('%s: %s, %s', (_title, zone, spec, start, expected) => {
    expect(times(spec, zone, start, expected.length)).toEqual(expected)
  })

  test('fractions of a second do not count', () => {
    expect(times('@hourly', 'UTC', '2024-01-31T09:59:59.999Z', 1)).toEqual(['2024-01-31T10:00:00Z'])
  })
})

describe(`${section}: specifications that are refused, as the reference's library words it`, () => {
  // choice/scheduler#cron-syntax
  test.each([
    ['', '', 'missing field(s)'],
    ['* * * *', '', 'missing field(s)'],
    ['60 * * * *', '', "syntax error in minute field: '60'"],
    ['* 24 * * *', '', "syntax error in hour field: '24'"],
    ['* * 32 * *', '', "syntax error in day-of-month field: '32'"],
    ['* * * Foo *', '', "syntax error in month field: 'Foo'"],
    ['* * * * 8', '', "syntax error in day-of-week field: '8'"],
    ['* * * * * 1969', '', "syntax error in year field: '1969'"],
    ['x * * * * * *', '', "syntax error in second field: 'x'"],
    ['1,2x,3 * * * *', '', "syntax error in minute field: '2x'"],
    ['x,* * * * *', '', "syntax error in minute field: 'x'"],
    ['* * *,x * *', '', "syntax error in day-of-month field: 'x'"],
    ['*,*/0 * * * *', '', 'invalid interval */0'],
    [', * * * *', '', 'minute field: missing directive'],
    ['*/0 * * * *', '', 'invalid interval */0'],
    ['*/60 * * * *', '', 'invalid interval */60'],
    ['@reboot', '', 'missing field(s)'],
    ['@daily', 'Nowhere/Land', 'unknown time zone Nowhere/Land'],
    ['@daily', '+01:00', 'unknown time zone +01:00'],
    ['@daily', '../etc/passwd', 'time: invalid location name'],
    ['@daily', '/etc/passwd', 'time: invalid location name'],
  ])('%j in zone %j', (spec, zone, message) => {
    expect(() => parseCron(spec, zone)).toThrow(new RangeError(message))
  })
})
