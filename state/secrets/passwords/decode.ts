import { isDocument, isList, type PlainValue, plainValue } from '../../hcl/document/document.ts'
import type { Value } from '../../hcl/document/value.ts'

/**
 * Error for values of the wrong type, with the message of the reference's decoder (mapstructure).
 */
export class DecodeError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'DecodeError'
  }
}

/** Throws one `DecodeError` that lists all problems, sorted. Does nothing for an empty list. */
export function throwDecodeErrors(problems: readonly string[]): void {
  if (problems.length === 0) return
  const lines = problems.map((problem) => `* ${problem}`).sort()
  throw new DecodeError(`${problems.length} error(s) decoding:\n\n${lines.join('\n')}`)
}

type Report = (problems: readonly string[]) => void

/**
 * Rounds a number toward zero, as the reference does. Reports an error for other values and returns
 * 0.
 */
export function decodeInteger(name: string, value: Value, report: Report): number {
  if (typeof value === 'number') return Math.trunc(value)
  report([unconvertibleMessage(name, 'int', value)])
  return 0
}

/**
 * Returns the characters of a string, or of a list of code points. For any other value, reports an
 * error and returns an empty list. For any other element of a list, reports an error and puts an
 * empty string in its place.
 */
export function decodeRunes(name: string, value: Value, report: Report): string[] {
  if (typeof value === 'string') return Array.from(value)
  if (!isList(value)) {
    const problems = isDocument(value)
      ? [unconvertibleMessage(`${name}[0]`, 'int32', value)]
      : [`'${name}': source data must be an array or slice, got ${goKind(value)}`]
    report(problems)
    return []
  }
  return value.map((element, at) => {
    if (typeof element === 'number') return runeText(Math.trunc(element))
    report([unconvertibleMessage(`${name}[${at}]`, 'int32', element)])
    return ''
  })
}

/**
 * Returns the character of a code point. Returns NUL, which policies refuse as not printable, for
 * an invalid code point.
 */
function runeText(code: number): string {
  return code >= 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\0'
}

function unconvertibleMessage(name: string, expected: string, value: Value): string {
  return `'${name}' expected type '${expected}', got unconvertible type '${goType(value)}', value: '${printValue(value)}'`
}

/** Returns the name that Go's `reflect` package has for the kind of a value. */
export function goKind(value: Value): string {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    case 'number':
      return Number.isInteger(value) ? 'int' : 'float64'
  }
  return 'slice'
}

function goType(value: Value): string {
  if (isDocument(value)) return '[]map[string]interface {}'
  return isList(value) ? '[]interface {}' : goKind(value)
}

/** Formats a value as Go's `%v` does. The reference decodes an object as a list with one map. */
function printValue(value: Value): string {
  const text = printPlain(plainValue(value))
  return isDocument(value) ? `[${text}]` : text
}

function printPlain(value: PlainValue): string {
  if (value instanceof Map) {
    const members = Array.from(value, ([name, memberValue]) => `${name}:${printPlain(memberValue)}`)
    return `map[${members.sort().join(' ')}]`
  }
  return Array.isArray(value) ? `[${value.map(printPlain).join(' ')}]` : String(value)
}
