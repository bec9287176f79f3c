import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readDocument } from '../../../../state/hcl/document/document.ts'
import { HclError } from '../../../../state/hcl/syntax/error.ts'
import { parseHcl, parseHclExpression } from '../../../../state/hcl/syntax/parser.ts'

const MEGABYTE = 1024 * 1024
const QUARTER = MEGABYTE / 4

/** Returns `ok` or the message of an HclError; any other exception fails the test. */
function outcome(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    if (error instanceof HclError) return error.message
    throw error
  }
  return 'ok'
}

function repeated(piece: string, length = QUARTER): string {
  return piece.repeat(Math.ceil(length / piece.length))
}

// There is no timing check: with more than linear time, this test would take minutes instead of
// milliseconds.
describe('A malformed text is refused with an HclError', () => {
  const pieces = [
    '[',
    '{',
    '(',
    '!',
    '-',
    '"${',
    '${',
    '%{if x}',
    'f(',
    'a[',
    'a.',
    'a[*].',
    'a ? ',
  ]
  const more = [
    '<<E\n',
    '<<-E\n',
    '"',
    '\\',
    '\\q',
    '/*',
    "'",
    'a = )\n',
    'a {\n',
    '[{',
    'a b ',
    '::',
  ]

  test.each([...pieces, ...more])('HCL2: %j', (piece) => {
    const text = repeated(piece)
    for (const before of ['', 'a = ', 'a = "', 'a = <<E\n', 'a = [x) ']) {
      expect(outcome(() => parseHcl(before + text))).not.toBe('ok')
    }
    expect(outcome(() => parseHclExpression(text))).not.toBe('ok')
  })

  test.each([...pieces, ...more, 'a "'])('HCL1 and its JSON form: %j', (piece) => {
    const text = repeated(piece)
    for (const before of ['', 'a = "', 'a = [', 'a = <<E\n', '{"a": ', '{"a": "']) {
      const whole = before + text
      if (whole === text && piece === '/*') continue
      expect(outcome(() => readDocument(whole))).not.toBe('ok')
    }
  })

  test.each(['[', '"${', '<<E\n', '"', '(', '{'])('a whole megabyte of %j', (piece) => {
    const text = repeated(piece, MEGABYTE)
    expect(outcome(() => parseHcl(`a = ${text}`))).not.toBe('ok')
    expect(outcome(() => readDocument(`a = ${text}`))).not.toBe('ok')
  })

  test('a number too large for a double is refused', () => {
    const invalid = 'Invalid number literal; Failed to recognize the value of this number literal.'
    expect(outcome(() => parseHcl('a = 1e999'))).toBe(`input.hcl:1,5-10: ${invalid}`)
    expect(outcome(() => readDocument('a = 1e999'))).toBe('At 1:5: number out of range: 1e999')
  })

  test('unmatched closing brackets after a broken list take linear time', () => {
    const text = `a = [x) ${repeated('[')}${repeated(')')}`
    expect(outcome(() => parseHcl(text))).toContain('Missing item separator')
  })
})

describe('Limits', () => {
  const nested = (open: string, close: string, levels: number): string =>
    `a = ${open.repeat(levels)}1${close.repeat(levels)}`

  test('250 levels by default, counting the expression itself', () => {
    expect(outcome(() => parseHcl(nested('[', ']', 249)))).toBe('ok')
    expect(outcome(() => parseHcl(nested('[', ']', 250)))).toBe(
      'input.hcl:1,255-256: Nesting too deep; More than 250 levels are nested here.',
    )
    expect(outcome(() => readDocument(nested('[', ']', 250)))).toBe('ok')
    expect(outcome(() => readDocument(nested('{ b =', '}', 251)))).toBe(
      'At 1:1255: nested more than 250 levels deep',
    )
    expect(outcome(() => readDocument(`{"a":${'['.repeat(250)}`))).toBe(
      '1:255: nested more than 250 levels deep',
    )
  })

  test('depth and length are parameters', () => {
    expect(outcome(() => parseHcl('a {\nb {\n}\n}', { maxDepth: 2 }))).toBe('ok')
    expect(outcome(() => parseHcl('a {\nb {\n}\n}', { maxDepth: 1 }))).toBe(
      'input.hcl:2,4-3,1: Nesting too deep; More than 1 levels are nested here.',
    )
    expect(outcome(() => parseHcl('a = 1', { maxLength: 4 }))).toBe(
      '<nil>: Document too large; The document is longer than the 4 characters allowed.',
    )
    expect(outcome(() => readDocument('a = 1', { maxLength: 4 }))).toBe(
      'At 1:1: longer than the 4 characters allowed',
    )
  })

  test('a chain of operators makes a tree that can be traversed by recursion', () => {
    expect(outcome(() => parseHclExpression(`1${' + 1'.repeat(900)}`))).toBe('ok')
    expect(outcome(() => parseHclExpression(`1${' + 1'.repeat(1100)}`))).toContain(
      'More than 1000 operators follow each other here.',
    )
  })
})

describe('Any text yields a tree or an HclError', () => {
  const fragment = fc.constantFrom(
    ...[
      'a',
      'for',
      'in',
      'if',
      '=',
      '{',
      '}',
      '[',
      ']',
      '(',
      ')',
      '"',
      '${',
      '%{',
      '~}',
      '\\',
      '$',
    ],
    ...['<<E\n', '<<-E\n', 'E\n', '\n', ' ', ',', '.', '*', '1', '-', '?', ':', '=>', '...', '/*'],
    ...['*/', '#', '\r', 'é', '😀', '\ud800', '\0', 'true', 'endif', 'endfor', 'else', '"a":'],
  )
  const text = fc.oneof(
    fc.array(fragment, { maxLength: 40 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 40 }),
  )

  test('HCL2', () => {
    fc.assert(
      fc.property(text, (source) => {
        outcome(() => parseHcl(source))
        outcome(() => parseHcl(`a = "${source}"`))
        outcome(() => parseHclExpression(source))
      }),
      { numRuns: 2000, seed: 1 },
    )
  })

  test('HCL1 and its JSON form', () => {
    fc.assert(
      fc.property(text, (source) => {
        outcome(() => readDocument(source))
        outcome(() => readDocument(`{"a": ${source}`))
      }),
      { numRuns: 2000, seed: 1 },
    )
  })

  test('every JSON object is parsed to an equal object', () => {
    const json = fc.jsonValue({ noUnicodeString: false }).map((value) => ({ a: value }))
    fc.assert(
      fc.property(json, (value) => {
        expect(outcome(() => readDocument(JSON.stringify(value)))).toBe('ok')
      }),
      { numRuns: 500, seed: 1 },
    )
  })
})
