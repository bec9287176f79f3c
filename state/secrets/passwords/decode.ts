import { isDocument, type PlainValue, plainValue } from '../../hcl/document/document.ts'
import type { Value } from '../../hcl/document/value.ts'

/** A value of another type than its name asks for; the message is that of the reference's decoder. */
export class DecodeError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'DecodeError'
  }
}

/** Faults of one decoding, sorted; without any nothing happens. */
export function decodeErrors(faults: readonly string[]): void {
  if (faults.length === 0) return
  const lines = faults.map((fault) => `* ${fault}`).sort()
  throw new DecodeError(`${faults.length} error(s) decoding:\n\n${lines.join('\n')}`)
}

type Report = (faults: readonly string[]) => void

/** A number without its fraction. Reports what is none and returns 0 for it. */
export function decodeInteger(name: string, value: Value, report: Report): number {
  if (typeof value === 'number') return Math.trunc(value)
  report([unconvertibleMessage(name, 'int', value)])
  return 0
}

/** The characters of a text, or of a list of code points. Reports what is neither. */
export function decodeRunes(name: string, value: Value, report: Report): string[] {
  if (typeof value === 'string') return Array.from(value)
  if (!isList(value)) {
    const faults = isDocument(value)
      ? [unconvertibleMessage(`${name}[0]`, 'int32', value)]
      : [`'${name}': source data must be an array or slice, got ${goKind(value)}`]
    report(faults)
    return []
  }
  return value.map((element, at) => {
    if (typeof element === 'number') return character(Math.trunc(element))
    report([unconvertibleMessage(`${name}[${at}]`, 'int32', element)])
    return ''
  })
}

/** The character of a code point; for what is none the zero character, which is not printable. */
function character(code: number): string {
  return code >= 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\0'
}

function unconvertibleMessage(name: string, expected: string, value: Value): string {
  return `'${name}' expected type '${expected}', got unconvertible type '${goType(value)}', value: '${printValue(value)}'`
}

/** The kind of a value in the words of Go's reflection. */
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

/** A value as Go's `%v` prints it; an object is a list of one map in the reference's reading. */
function printValue(value: Value): string {
  const text = printPlain(plainValue(value))
  return isDocument(value) ? `[${text}]` : text
}

function printPlain(value: PlainValue): string {
  if (value instanceof Map) {
    const members = Array.from(value, ([name, inner]) => `${name}:${printPlain(inner)}`)
    return `map[${members.sort().join(' ')}]`
  }
  return Array.isArray(value) ? `[${value.map(printPlain).join(' ')}]` : String(value)
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value)
}
