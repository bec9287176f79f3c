import { describe, expect, test } from 'vitest'
import { hclFunctions } from '../../../../state/hcl/language/functions.ts'
import { call, fault } from '../functions/support.ts'

const decided =
  'abs base64decode base64encode ceil chomp chunklist cidrhost cidrnetmask cidrsubnet cidrsubnets coalesce coalescelist compact concat contains csvdecode distinct element flatten floor format formatdate formatlist indent index join jsondecode jsonencode keys length log lookup lower max md5 merge min parseint pow range regex_replace replace reverse setintersection setproduct setunion sha1 sha256 sha512 signum slice sort split strlen strrev substr timeadd title trim trimprefix trimspace trimsuffix upper urlencode uuidv4 uuidv5 values yamldecode yamlencode zipmap'

const ofFiles = 'abspath basename dirname file filebase64 fileexists fileset pathexpand'

test('behaviour/scheduler#functions: exactly these functions exist', () => {
  const names = [...hclFunctions.keys()].sort()
  expect(names).toEqual(`${decided} ${ofFiles}`.split(' ').sort())
})

describe('behaviour/scheduler#functions: any data', () => {
  test('texts that functions concatenate are normalized', () => {
    expect(call('join("", ["e", "\\u0301"])')).toBe('\u00e9')
    expect(call('base64decode("ZcyB")')).toBe('\u00e9')
    expect(call('split(",", "e,\\u0301")')).toEqual({ '<list>': ['e', '\u0301'] })
    expect(call('formatlist("%s%s", ["e"], "\\u0301")')).toEqual({ '<list>': ['\u00e9'] })
  })

  test.each([
    ['jsondecode("{\\"__proto__\\": 1}")["__proto__"]', 1],
    ['yamldecode("__proto__: 1")["__proto__"]', 1],
    ['yamldecode("<<: {__proto__: 1}")["__proto__"]', 1],
    ['csvdecode("__proto__\\n1")[0]["__proto__"]', '1'],
    ['zipmap(["__proto__"], [1])["__proto__"]', 1],
    ['merge({}, {"__proto__" = 1})["__proto__"]', 1],
    ['lookup({"__proto__" = 1}, "__proto__", 2)', 1],
    ['lookup({}, "constructor", 2)', 2],
    ['keys({"__proto__" = 1})[0]', '__proto__'],
    ['jsonencode({"__proto__" = 1})', '{"__proto__":1}'],
    ['yamlencode({"constructor" = 1})', '"constructor": 1\n'],
    ['contains(["toString"], "valueOf")', false],
  ])('%s', (expression, result) => {
    expect(call(expression)).toBe(result)
  })
})

describe('behaviour/scheduler#functions: hostile arguments are refused early', () => {
  const long = 'abcdefghij'.repeat(2000)
  const many = `[${'1,'.repeat(1000)}]`

  test.each([
    ['padding', 'format("%99999999s", "")'],
    ['padding of the default format', 'format("%99999999v", [])'],
    ['digits', 'format("%.99999999f", 1)'],
    ['digits of whole numbers', 'format("%099999999d", 1)'],
    ['many texts', `formatlist("%9999s", ${many})`],
    ['blanks', 'indent(99999999, "a\\nb")'],
    ['replacements', `replace("${long}", "", "${long}")`],
    ['replacements by expressions', `regex_replace("${long}", "", "${long}")`],
    ['searches', `regex_replace("${'a'.repeat(20_000)}", "a*c|a", "")`],
    ['large expressions', `regex_replace("${long}", "[a-c]{500}x|a", "")`],
    ['products', `setproduct(${many}, ${many}, ${many})`],
    ['separators', `join("${long}", ${many})`],
    ['aliases', `yamldecode("a: &a [${'1,'.repeat(20)}]\\n${aliases(8)}")`],
  ])('%s', (_, expression) => {
    expect(fault(expression)).toBe(
      'Evaluation too expensive; More steps, text or items are needed than a document may use.',
    )
  })

  /** Returns lines of YAML, each of which repeats the previous one many times. */
  function aliases(count: number): string {
    const names = Array.from({ length: count + 1 }, (_, at) => String.fromCharCode(97 + at))
    return names
      .slice(1)
      .map((name, at) => `${name}: &${name} [${`*${names[at]},`.repeat(20)}]\\n`)
      .join('')
  }

  test.each([
    [
      'brackets of JSON',
      `jsondecode("${'['.repeat(5000)}${']'.repeat(5000)}")`,
      'exceeded max depth',
    ],
    [
      'brackets of YAML',
      `yamldecode("${'['.repeat(5000)}")`,
      'the document is too long or nests too deeply',
    ],
    [
      'long YAML',
      `yamldecode("${'- a\\n'.repeat(10_000)}")`,
      'the document is too long or nests too deeply',
    ],
  ])('%s', (_, expression, why) => {
    const [name] = expression.split('(')
    expect(fault(expression)).toBe(
      `Error in function call; Call to function "${name}" failed: ${why}.`,
    )
  })

  // There is no timing check: with more than linear time, these calls would take minutes.
  test.each<[string, string, unknown]>([
    ['trims', `strlen(trimspace("x${' '.repeat(1_000_000)}x"))`, 1_000_002],
    ['line ends', `strlen(chomp("x${'\\n'.repeat(300_000)}x"))`, 300_002],
    ['verbs', `format("${'%[1]s'.repeat(100_000)}", "")`, ''],
    ['quoted fields', `length(csvdecode("a${'\\n\\"x\\"'.repeat(100_000)}"))`, 100_000],
    ['equal items', `length(distinct([${'[1],'.repeat(30_000)}]))`, 1],
  ])('%s take no more than linear time', (_, expression, result) => {
    expect(call(expression, 1e9)).toBe(result)
  })

  test.each([
    [
      'columns',
      `csvdecode("${Array.from({ length: 200_000 }, (_, at) => at).join()},1")`,
      'duplicate column name "1"',
    ],
    ['escaped quotes', `jsondecode("\\"${'\\\\\\"'.repeat(200_000)}")`, 'unexpected EOF'],
    [
      'encoded digits',
      `base64decode("${'A'.repeat(99)}")`,
      `failed to decode base64 data '${'A'.repeat(99)}'`,
    ],
  ])('%s are refused in no more than linear time', (_, expression, why) => {
    expect(fault(expression, 1e9)).toContain(`failed: ${why}.`)
  })
})
