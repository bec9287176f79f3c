import { describe, expect, test } from 'vitest'
import { formatGoTime } from '../../../../state/secrets/orch/name-template.ts'

/** Monday, 5 February 2024, 15:04:09.07 UTC. */
const instant = Date.UTC(2024, 1, 5, 15, 4, 9, 70)

describe("behaviour/secrets#orch, timestamp: Go's layouts", () => {
  test.each([
    ['Mon Jan _2 15:04:05 2006', 'Mon Feb  5 15:04:09 2024'],
    ['Monday, 02-Jan-06 15:04:05 MST', 'Monday, 05-Feb-24 15:04:09 UTC'],
    ['2006-01-02T15:04:05.999999999Z07:00', '2024-02-05T15:04:09.07Z'],
    ['2006-01-02T15:04:05.000-07:00', '2024-02-05T15:04:09.070+00:00'],
    ['20060102150405', '20240205150409'],
    ['3:04PM', '3:04PM'],
    ['03:04:05 pm', '03:04:09 pm'],
    ['January 2, 1/2/06 4:5', 'February 5, 2/5/24 4:9'],
    ['002 __2', '036  36'],
    ['-0700 -07 Z0700', '+0000 +00 Z'],
    ['15:04:05.0000', '15:04:09.0700'],
    ['15:04:05,9', '15:04:09'],
    ['Month Janet', 'Month Janet'],
    ['', ''],
  ])('%s', (layout, expected) => {
    expect(formatGoTime(instant, layout)).toBe(expected)
  })

  test.each([
    [Date.UTC(2026, 0, 1), 'Thursday 001 12AM'],
    [Date.UTC(2024, 11, 31, 12), 'Tuesday 366 12PM'],
    [Date.UTC(1970, 0, 1, 1), 'Thursday 001 1AM'],
    [Date.UTC(2023, 2, 1), 'Wednesday 060 12AM'],
  ])('%d', (at, expected) => {
    expect(formatGoTime(at, 'Monday 002 3PM')).toBe(expected)
  })
})
