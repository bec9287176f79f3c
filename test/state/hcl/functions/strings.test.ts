import { describe, expect, test } from 'vitest'
import { call, fault } from './support.ts'

// Results and messages match the reference, except where it returns an infinity or crashes.
describe('behaviour/scheduler#functions: texts', () => {
  test.each<[string, unknown]>([
    ['chomp("a\\n\\r\\n")', 'a'],
    ['chomp("a\\nb\\r")', 'a\nb'],
    ['chomp("")', ''],
    ['indent(2, "a\\nb\\n")', 'a\n  b\n  '],
    ['join(",", ["a","b"], ["c", 1])', 'a,b,c,1'],
    ['join(",", [])', ''],
    ['lower("ÀΣΑΣ İ")', 'àσασ i'],
    ['regex_replace("hello world", "(\\\\w+) (\\\\w+)", "$2 $1")', 'world hello'],
    ['replace("a.b.c", ".", "-")', 'a-b-c'],
    ['replace("aé", "", "-")', '-a-é-'],
    ['replace("abc", "b", "$1")', 'a$1c'],
    ['reverse("abc")', 'cba'],
    ['sort(["b","a","B","é"])', { '<list>': ['B', 'a', 'b', 'é'] }],
    ['sort([])', { '<list>': [] }],
    ['sort([1, 10, 2])', { '<list>': ['1', '10', '2'] }],
    ['split(",", "a,b,,c")', { '<list>': ['a', 'b', '', 'c'] }],
    ['split("", "añb")', { '<list>': ['a', 'ñ', 'b'] }],
    ['split(",", "")', { '<list>': [''] }],
    ['split("", "")', { '<list>': [] }],
    ['strlen("e\\u0301👨\u200d👩\u200d👧é\\r\\n")', 4],
    ['strlen("")', 0],
    ['strrev("abc\\u00e9\\r\\n👨\u200d👩\u200d👧")', '👨\u200d👩\u200d👧\r\nécba'],
    ['substr("hello world", 1, 4)', 'ello'],
    ['substr("hello", -3, 2)', 'll'],
    ['substr("hello", -3, 0)', 'llo'],
    ['substr("hello", -10, 2)', 'he'],
    ['substr("hello", 1, -1)', 'ello'],
    ['substr("hello", 10, 2)', ''],
    ['substr("hello", 5, 2)', ''],
    ['substr("hello", 0, 0)', ''],
    ['substr("héllo👨\u200d👩\u200d👧x", 5, 1)', '👨\u200d👩\u200d👧'],
    ['substr("", 0, 3)', ''],
    ['substr("", -1, 3)', ''],
    ['title("hello wORLD foo-bar it\'s _x 1a é ß ǆ")', "Hello WORLD Foo-Bar It'S _x 1a É ß ǅ"],
    ['title("")', ''],
    ['trim("xxhixyx", "xy")', 'hi'],
    ['trim("?!hi?", "")', '?!hi?'],
    ['trimprefix("helloworld", "hello")', 'world'],
    ['trimprefix("aaab", "a")', 'aab'],
    ['trimspace("\\u00a0 \\u0085 a b \\t\\n\\u2003\\ufeff")', 'a b \u0009\n\u2003\ufeff'],
    ['trimsuffix("helloworld", "world")', 'hello'],
    ['upper("straße ǆ ŉ é ᾳ")', 'STRAßE Ǆ ŉ É ᾼ'],
  ])('%s', (expression, result) => {
    expect(call(expression)).toEqual(result)
  })

  test.each<[string, string]>([
    ['chomp([])', 'Invalid function argument; Invalid value for "str" parameter: string required.'],
    [
      'indent(-1, "a\\nb\\n")',
      'Error in function call; Call to function "indent" failed: the number of spaces must not be negative.',
    ],
    [
      'indent(1.5, "a")',
      'Error in function call; Call to function "indent" failed: value must be a whole number, between -9223372036854775808 and 9223372036854775807.',
    ],
    [
      'join(",")',
      'Error in function call; Call to function "join" failed: at least one list is required.',
    ],
    [
      'join(",", ["a", null])',
      'Invalid function argument; Invalid value for "lists" parameter: element 1 is null; cannot concatenate null values.',
    ],
    [
      'join(",", ["a"], ["b", null])',
      'Invalid function argument; Invalid value for "lists" parameter: element 1 of list 2 is null; cannot concatenate null values.',
    ],
    [
      'join(",", "a")',
      'Invalid function argument; Invalid value for "lists" parameter: list of string required.',
    ],
    ['lower({})', 'Invalid function argument; Invalid value for "str" parameter: string required.'],
    [
      'regex_replace("a", "(", "")',
      'Error in function call; Call to function "regex_replace" failed: error parsing regexp: missing closing ): `(`.',
    ],
    [
      'replace("a","b")',
      'Not enough function arguments; Function "replace" expects 3 argument(s). Missing value for "replace".',
    ],
    [
      'reverse(["a"])',
      'Invalid function argument; Invalid value for "str" parameter: string required.',
    ],
    [
      'sort(["a", null])',
      'Error in function call; Call to function "sort" failed: given list element 1 is null; a null string cannot be sorted.',
    ],
    [
      'split(",")',
      'Not enough function arguments; Function "split" expects 2 argument(s). Missing value for "str".',
    ],
    [
      'strlen([])',
      'Invalid function argument; Invalid value for "str" parameter: string required.',
    ],
    [
      'strrev([])',
      'Invalid function argument; Invalid value for "str" parameter: string required.',
    ],
    [
      'substr("hello", 1.5, 0)',
      'Error in function call; Call to function "substr" failed: value must be a whole number, between -9223372036854775808 and 9223372036854775807.',
    ],
    [
      'trim("a")',
      'Not enough function arguments; Function "trim" expects 2 argument(s). Missing value for "cutset".',
    ],
    [
      'trimprefix("a", null)',
      'Invalid function argument; Invalid value for "prefix" parameter: argument must not be null.',
    ],
    [
      'trimspace({})',
      'Invalid function argument; Invalid value for "str" parameter: string required.',
    ],
    [
      'trimsuffix("a")',
      'Not enough function arguments; Function "trimsuffix" expects 2 argument(s). Missing value for "suffix".',
    ],
    [
      'upper(null)',
      'Invalid function argument; Invalid value for "str" parameter: argument must not be null.',
    ],
  ])('%s is refused', (expression, why) => {
    expect(fault(expression)).toBe(why)
  })
})

describe('behaviour/scheduler#functions: characters of long texts', () => {
  test.each([
    ['accents', 'e\u0301x', 2],
    ['families', '👨‍👩‍👧', 1],
    ['flags', '🇩🇪🇫🇷', 2],
    ['line ends', '\r\n', 1],
  ])('%s', (_, piece, characters) => {
    const text = JSON.stringify(piece.repeat(1000))
    expect(call(`strlen(${text})`)).toBe(1000 * characters)
    expect(call(`strrev(strrev(${text}))`)).toBe(piece.repeat(1000).normalize())
  })

  test('a character with many combining marks counts as one', () => {
    expect(call(`strlen("a${'\u0323\u0301'.repeat(3000)}b")`)).toBe(2)
  })
})
