import { describe, expect, test } from 'vitest'
import { call, fault } from './support.ts'

// Results and messages match the reference, except where it returns an infinity or crashes.
describe('behaviour/scheduler#functions: timestamps', () => {
  test.each<[string, unknown]>([
    ['formatdate("YYYY-MM-DD\'T\'hh:mm:ssZ", "2020-02-01T03:04:05Z")', '2020-02-01T03:04:05Z'],
    ['formatdate("DD MMM YYYY hh:mm ZZZ", "2018-01-02T23:12:01Z")', '02 Jan 2018 23:12 UTC'],
    [
      'formatdate("EEEE, DD-MMM-YY hh:mm:ss ZZZ", "2018-01-02T23:12:01-08:00")',
      'Tuesday, 02-Jan-18 23:12:01 -0800',
    ],
    [
      'formatdate("EEE D M MMMM H HH h m s AA aa ZZZZ ZZZZZ Z", "2018-01-02T03:04:05+05:30")',
      'Tue 2 1 January 3 03 3 4 5 AM am +0530 +05:30 +05:30',
    ],
    ['formatdate("HH AA", "2018-01-02T00:04:05Z")', '12 AM'],
    ['formatdate("", "2018-01-02T00:04:05Z")', ''],
    ['formatdate("\'a\'", "2018-01-02T00:04:05Z")', 'a'],
    ['formatdate("YY\'\'", "2018-01-02T00:04:05Z")', "18'"],
    ['timeadd("2017-11-22T00:00:00Z", "10m")', '2017-11-22T00:10:00Z'],
    ['timeadd("2017-11-22T00:00:00.5+01:00", "-1h30m0.5s")', '2017-11-21T22:30:00+01:00'],
    ['timeadd("2017-02-28T23:59:59Z", "1s")', '2017-03-01T00:00:00Z'],
    ['timeadd("0001-01-01T00:00:00Z", "-1s")', '0000-12-31T23:59:59Z'],
    ['timeadd("9999-12-31T23:59:59Z", "1s")', '10000-01-01T00:00:00Z'],
    ['timeadd("2017-02-01T00:00:00+00:00", "1s")', '2017-02-01T00:00:01Z'],
    ['timeadd("2017-02-01T00:00:00-00:00", "1s")', '2017-02-01T00:00:01Z'],
    ['timeadd("2017-02-01T00:00:00.123456789123Z", "1s")', '2017-02-01T00:00:01Z'],
    ['timeadd("2016-02-29T00:00:00Z", "8760h")', '2017-02-28T00:00:00Z'],
    ['timeadd("0000-01-01T00:00:00Z", "1s")', '0000-01-01T00:00:01Z'],
  ])('%s', (expression, result) => {
    expect(call(expression)).toEqual(result)
  })

  test.each<[string, string]>([
    [
      "formatdate(\"'it''s' ''x\", \"2018-01-02T00:04:05Z\")",
      'Invalid function argument; Invalid value for "format" parameter: invalid date format verb "x".',
    ],
    [
      'formatdate("\'abc", "2018-01-02T00:04:05Z")',
      'Invalid function argument; Invalid value for "format" parameter: unterminated literal \'.',
    ],
    [
      'formatdate("\'", "2018-01-02T00:04:05Z")',
      'Invalid function argument; Invalid value for "format" parameter: unterminated literal \'.',
    ],
    [
      'formatdate("YYY", "2018-01-02T00:04:05Z")',
      'Invalid function argument; Invalid value for "format" parameter: invalid date format verb "YYY": year must either be "YY" or "YYYY".',
    ],
    [
      'formatdate("MMMMM", "2018-01-02T00:04:05Z")',
      'Invalid function argument; Invalid value for "format" parameter: invalid date format verb "MMMMM": month must be "M", "MM", "MMM", or "MMMM".',
    ],
    [
      'formatdate("DDD", "2018-01-02T00:04:05Z")',
      'Invalid function argument; Invalid value for "format" parameter: invalid date format verb "DDD": day of month must either be "D" or "DD".',
    ],
    [
      'formatdate("E", "2018-01-02T00:04:05Z")',
      'Invalid function argument; Invalid value for "format" parameter: invalid date format verb "E": day of week must either be "EEE" or "EEEE".',
    ],
    [
      'formatdate("hhh", "2018-01-02T00:04:05Z")',
      'Invalid function argument; Invalid value for "format" parameter: invalid date format verb "hhh": 24-hour must either be "h" or "hh".',
    ],
    [
      'formatdate("HHH", "2018-01-02T00:04:05Z")',
      'Invalid function argument; Invalid value for "format" parameter: invalid date format verb "HHH": 12-hour must either be "H" or "HH".',
    ],
    [
      'formatdate("A", "2018-01-02T00:04:05Z")',
      'Invalid function argument; Invalid value for "format" parameter: invalid date format verb "A": must be "AA".',
    ],
    [
      'formatdate("aaa", "2018-01-02T00:04:05Z")',
      'Invalid function argument; Invalid value for "format" parameter: invalid date format verb "aaa": must be "aa".',
    ],
    [
      'formatdate("mmm", "2018-01-02T00:04:05Z")',
      'Invalid function argument; Invalid value for "format" parameter: invalid date format verb "mmm": minute must either be "m" or "mm".',
    ],
    [
      'formatdate("sss", "2018-01-02T00:04:05Z")',
      'Invalid function argument; Invalid value for "format" parameter: invalid date format verb "sss": second must either be "s" or "ss".',
    ],
    [
      'formatdate("ZZ", "2018-01-02T00:04:05Z")',
      'Invalid function argument; Invalid value for "format" parameter: invalid date format verb "ZZ": timezone must be Z, ZZZZ, or ZZZZZ.',
    ],
    [
      'formatdate("xx", "2018-01-02T00:04:05Z")',
      'Invalid function argument; Invalid value for "format" parameter: invalid date format verb "xx".',
    ],
    [
      'formatdate("\'a", "2018-01-02T00:04:05Z")',
      'Invalid function argument; Invalid value for "format" parameter: unterminated literal \'.',
    ],
    [
      'formatdate("Y", "x")',
      'Invalid function argument; Invalid value for "time" parameter: not a valid RFC3339 timestamp: cannot use "x" as year.',
    ],
    [
      'timeadd("2017-11-22T00:00:00Z", "x")',
      'Error in function call; Call to function "timeadd" failed: time: invalid duration "x".',
    ],
    [
      'timeadd("", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: end of string before year.',
    ],
    [
      'timeadd("2017", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: end of string where "-" is expected.',
    ],
    [
      'timeadd("2017-", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: end of string before month.',
    ],
    [
      'timeadd("201-", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: cannot use "201-" as year.',
    ],
    [
      'timeadd("2017-1-1", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: cannot use "1-1" as month.',
    ],
    [
      'timeadd("2017-13-01T00:00:00Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: cannot use "-01T00:00:00Z" as month.',
    ],
    [
      'timeadd("2017-00-01T00:00:00Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: cannot use "-01T00:00:00Z" as month.',
    ],
    [
      'timeadd("2017-02-30T00:00:00Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: day out of range.',
    ],
    [
      'timeadd("2017-02-32T00:00:00Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: day out of range.',
    ],
    [
      'timeadd("2017-02-01 00:00:00Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: missing required time introducer \'T\'.',
    ],
    [
      'timeadd("2017-02-01T", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: end of string before hour.',
    ],
    [
      'timeadd("2017-02-01T0:00:00Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: hour must have exactly two digits.',
    ],
    [
      'timeadd("2017-02-01T24:00:00Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: hour must be between 0 and 23 inclusive.',
    ],
    [
      'timeadd("2017-02-01T00:60:00Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: minute must have exactly two digits.',
    ],
    [
      'timeadd("2017-02-01T00:0:00Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: minute must have exactly two digits.',
    ],
    [
      'timeadd("2017-02-01T00:00:60Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: cannot use "Z" as second.',
    ],
    [
      'timeadd("2017-02-01T00:00:0Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: cannot use "0Z" as second.',
    ],
    [
      'timeadd("2017-02-01T00:00", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: end of string where ":" is expected.',
    ],
    [
      'timeadd("2017-02-01T00:00:00", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: end of string before UTC offset.',
    ],
    [
      'timeadd("2017-02-01T00:00:00x", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: cannot use "x" as UTC offset.',
    ],
    [
      'timeadd("2017-02-01T00:00:00+1", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: cannot use "+1" as UTC offset.',
    ],
    [
      'timeadd("2017-02-01T00:00:00+25:00", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: end of string before UTC offset.',
    ],
    [
      'timeadd("2017-02-01T00:00:00+24:00", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: cannot use "+24:00" as UTC offset.',
    ],
    [
      'timeadd("2017-02-01T00:00:00+00:60", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: cannot use "+00:60" as UTC offset.',
    ],
    [
      'timeadd("2017-02-01T00:00:00ZZ", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: cannot use "Z" as timestamp segment.',
    ],
    [
      'timeadd("2017-02-01t00:00:00z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: missing required time introducer \'T\'.',
    ],
    [
      'timeadd("2017-02-01T00:00:00,5Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: cannot use "," as timestamp segment.',
    ],
    [
      'timeadd("2017-02-01T00:00:00.Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: cannot use ".Z" as UTC offset.',
    ],
    [
      'timeadd("2017/02-01T00:00:00Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: found "/02-01T00:00:00Z" where "-" is expected.',
    ],
    [
      'timeadd("2017-02/01T00:00:00Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: found "/01T00:00:00Z" where "-" is expected.',
    ],
    [
      'timeadd("2017-02-01T00-00:00Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: found "-00:00Z" where ":" is expected.',
    ],
    [
      'timeadd("2017-02-01T00:00-00Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: found "-00Z" where ":" is expected.',
    ],
    [
      'timeadd("abcd-02-01T00:00:00Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: cannot use "abcd-02-01T00:00:00Z" as year.',
    ],
    [
      'timeadd("2017-ab-01T00:00:00Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: cannot use "ab-01T00:00:00Z" as month.',
    ],
    [
      'timeadd("2017-01-abT00:00:00Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: cannot use "abT00:00:00Z" as day of month.',
    ],
    [
      'timeadd("2017-01-01Tab:00:00Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: hour must be between 0 and 23 inclusive.',
    ],
    [
      'timeadd("2017-01-01T00:ab:00Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: minute must have exactly two digits.',
    ],
    [
      'timeadd("2017-01-01T00:00:abZ", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: cannot use "abZ" as second.',
    ],
    [
      'timeadd("2017-01-1T00:00:00Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: cannot use "1T00:00:00Z" as day of month.',
    ],
    [
      'timeadd("2017-2", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: cannot use "2" as month.',
    ],
    [
      'timeadd("2017-2-01T00:00:00Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: cannot use "2-01T00:00:00Z" as month.',
    ],
    [
      'timeadd("2017-01-01T00", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: end of string where ":" is expected.',
    ],
    [
      'timeadd("2017-01-01T00:", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: end of string before minute.',
    ],
    [
      'timeadd("2017-01-01T00:00:", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: end of string before second.',
    ],
    [
      'timeadd("2017-01-01T000:00:00Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: found "0:00:00Z" where ":" is expected.',
    ],
    [
      'timeadd("2017-01-01T00:000:00Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: found "0:00Z" where ":" is expected.',
    ],
    [
      'timeadd("20171-01-01T00:00:00Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: found "1-01-01T00:00:00Z" where "-" is expected.',
    ],
    [
      'timeadd("+017-01-01T00:00:00Z", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: cannot use "+017-01-01T00:00:00Z" as year.',
    ],
    [
      'timeadd("2017-01-01T00:00:00Z ", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: cannot use " " as timestamp segment.',
    ],
    [
      'timeadd("2017-02-29T00:00:00Z", "8760h")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: day out of range.',
    ],
    [
      'timeadd("2017-02-29T00:00:00", "8760h")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: end of string before UTC offset.',
    ],
    [
      'timeadd("2017-02-01T00:00:00+0100", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: cannot use "+0100" as UTC offset.',
    ],
    [
      'timeadd("2017-02-01T00:00:00+01:0", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: cannot use "+01:0" as UTC offset.',
    ],
    [
      'timeadd("2017-02-01T00:00:00+ab:00", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: cannot use "+ab:00" as UTC offset.',
    ],
    [
      'timeadd("2017-02-01T00:00:00é", "1s")',
      'Error in function call; Call to function "timeadd" failed: not a valid RFC3339 timestamp: cannot use "é" as UTC offset.',
    ],
  ])('%s is refused', (expression, why) => {
    expect(fault(expression)).toBe(why)
  })
})
