import { describe, expect, test } from 'vitest'
import { call, fault } from './support.ts'

// Results and messages match the reference, except where it returns an infinity or crashes.
describe('behaviour/scheduler#functions: format strings', () => {
  test.each<[string, unknown]>([
    ['format("%v", 1000000)', '1e+06'],
    ['format("%v", 123456789)', '1.23456789e+08'],
    ['format("%v", 0.00001)', '1e-05'],
    ['format("%v", 1.5e30)', '1.5e+30'],
    ['format("%v", 100)', '100'],
    ['format("%d", "12")', '12'],
    [
      'format("%05d|%-5d|%+d|% d|%x|%X|%#x|%o|%b|%.5d", 42,42,42,42,255,255,255,8,5,7)',
      '00042|42   |+42| 42|ff|FF|0xff|10|101|00007',
    ],
    [
      'format("%f %e %g %.2f %8.3f %-8.1f| %+.1f %08.2f", 3.14159, 31415.9, 1e21, 2.675, 3.14159, 2.55, 1.25, -3.14159)',
      '3.141590 3.141590e+04 1e+21 2.67    3.142 2.5     | +1.2 -0003.14',
    ],
    [
      'format("%.2f %.2f %.2f %.1f %.1f %.0f %.0f", 1.005, 2.675, 1.115, 0.25, 0.35, 0.5, 1.5)',
      '1.00 2.67 1.12 0.2 0.3 0 2',
    ],
    [
      'format("%g %g %g %G %E", 100000, 1000000, 0.0001, 1e-10, 12345.678)',
      '100000 1e+06 0.0001 1E-10 1.234568E+04',
    ],
    ['format("%.3g %.10g", 1234.5678, 1234.5678)', '1.23e+03 1234.5678'],
    ['format("%v", null)', 'null'],
    ['format("%#v %v", "x", {a=[1,null,true]})', '"x" {"a":[1,null,true]}'],
    ['format("%q", "a\\"b")', '"a\\"b"'],
    ['format("%t %t", true, "false")', 'true false'],
    ['format("%5t|", true)', 'true|'],
    ['format("%[2]s %s", 1, 2, 3)', '2 3'],
    ['format("%[2]s %[1]s", "a", "b")', 'b a'],
    ['format("%%")', '%'],
    [
      'format("%5s|%-5s|%.2s|%.0s|%05s", "é", "ab", "abcdef", "abc", "a")',
      '    é|ab   |ab|abc|0000a',
    ],
    ['format("%s", true)', 'true'],
    ['format("%10q|", "a")', '       "a"|'],
    ['format("%v", "x")', 'x'],
    ['format("%6v|%-6v|%06v", 1.5, true, 2)', '   1.5|true  |000002'],
    ['format("%e", 0)', '0.000000e+00'],
    ['format("%g", 0)', '0'],
    ['format("%.3e", 0)', '0.000e+00'],
    ['format("%f", 0)', '0.000000'],
    ['format("%.0e", 12345)', '1e+04'],
    ['format("%f", 123456789012)', '123456789012.000000'],
    ['format("%d", 123456789012345678)', '123456789012345680'],
    ['formatlist("%s-%s", ["a","b"], "x")', { '<list>': ['a-x', 'b-x'] }],
    ['formatlist("x")', { '<list>': ['x'] }],
    ['formatlist("%s", [])', { '<list>': [] }],
  ])('%s', (expression, result) => {
    expect(call(expression)).toEqual(result)
  })

  test.each<[string, string]>([
    [
      'format("%d", 1.5)',
      'Error in function call; Call to function "format" failed: unsupported value for "%d" at 0: an integer is required.',
    ],
    [
      'format("%s", [1])',
      'Error in function call; Call to function "format" failed: unsupported value for "%s" at 0: string required.',
    ],
    [
      'format("%s", null)',
      'Error in function call; Call to function "format" failed: unsupported value for "%s" at 0: null value cannot be formatted.',
    ],
    [
      'format("%t", 1)',
      'Error in function call; Call to function "format" failed: unsupported value for "%t" at 0: bool required.',
    ],
    [
      'format("%z", 1)',
      'Error in function call; Call to function "format" failed: unsupported format verb \'z\' in "%z" at offset 0.',
    ],
    [
      'format("%")',
      'Error in function call; Call to function "format" failed: invalid format string starting at offset 1.',
    ],
    [
      'format("%5")',
      'Error in function call; Call to function "format" failed: invalid format string starting at offset 2.',
    ],
    [
      'format("é%5%", 1)',
      'Error in function call; Call to function "format" failed: unrecognized format character \'%\' at offset 4.',
    ],
    [
      'format("%[1", 1)',
      'Error in function call; Call to function "format" failed: invalid format string starting at offset 3.',
    ],
    [
      'format("%[0]s", 1)',
      'Error in function call; Call to function "format" failed: unrecognized format character \'0\' at offset 2.',
    ],
    [
      'format("%s")',
      'Error in function call; Call to function "format" failed: not enough arguments for "%s" at 0: need index 1 but have 0 total.',
    ],
    [
      'format("hi", 1)',
      'Invalid function argument; Invalid value for "args" parameter: too many arguments; no verbs in format string.',
    ],
    [
      'format("%s", 1, 2)',
      'Invalid function argument; Invalid value for "args" parameter: too many arguments; only 1 used by format string.',
    ],
    [
      'format("%.-3s", "a")',
      'Error in function call; Call to function "format" failed: unrecognized format character \'-\' at offset 2.',
    ],
    [
      'format("%é", "a")',
      'Error in function call; Call to function "format" failed: unrecognized format character \'é\' at offset 1.',
    ],
    [
      'format("%٣d", "a")',
      'Error in function call; Call to function "format" failed: unrecognized format character \'٣\' at offset 1.',
    ],
    [
      'format("%d", "x")',
      'Error in function call; Call to function "format" failed: unsupported value for "%d" at 0: a number is required.',
    ],
    [
      'formatlist("%s")',
      'Error in function call; Call to function "formatlist" failed: not enough arguments for "%s" at 0: need index 1 but have 0 total.',
    ],
    [
      'formatlist("%s %s", [1,2], [3])',
      'Invalid function argument; Invalid value for "args" parameter: argument 2 has length 1, which is inconsistent with argument 1 of length 2.',
    ],
    [
      'formatlist("%d", ["a"])',
      'Error in function call; Call to function "formatlist" failed: error on format iteration 0: unsupported value for "%d" at 0: a number is required.',
    ],
    [
      'formatlist("%s", null)',
      'Error in function call; Call to function "formatlist" failed: error on format iteration 0: unsupported value for "%s" at 0: null value cannot be formatted.',
    ],
    [
      'formatlist("%s", "a", "b")',
      'Error in function call; Call to function "formatlist" failed: error on format iteration 0: too many arguments; only 1 used by format string.',
    ],
  ])('%s is refused', (expression, why) => {
    expect(fault(expression)).toBe(why)
  })
})
