import type { Reader } from './reader.ts'
import { type Position, type Range, utf8Length } from './source.ts'
import type { Token } from './token.ts'

const SIMPLE_ESCAPE_VALUES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['"', '"'],
  ['\\', '\\'],
])

/** Replaces `$${` with `${` and `%%{` with `%{`. A doubled sign begins no sequence. */
export function unescapeTemplateMarkers(text: string): string {
  return text.includes('{') ? text.replace(/([$%])\1\{/g, '$1{') : text
}

/** Decodes the escapes and doubled markers in a token of quoted text. Reports invalid escapes. */
export function decodeQuoted(reader: Reader, token: Token): string {
  const { text } = token
  if (!text.includes('\\')) return normalizeText(unescapeTemplateMarkers(text))
  let decoded = ''
  let from = 0
  for (;;) {
    const at = text.indexOf('\\', from)
    if (at < 0) break
    decoded += unescapeTemplateMarkers(text.slice(from, at))
    const found = readEscape(text, at)
    if (found.problem !== undefined) {
      reader.report(
        'Invalid escape sequence',
        found.problem,
        rangeWithin(token, at, at + found.length),
      )
    }
    decoded += found.value
    from = at + found.length
  }
  return normalizeText(decoded + unescapeTemplateMarkers(text.slice(from)))
}

/** Returns a string in Unicode's composed form, which the real evaluator also uses. */
export function normalizeText(text: string): string {
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) >= 0x80) return text.normalize('NFC')
  }
  return text
}

interface Escape {
  readonly value: string
  /** Length of the escape in code units, including the backslash. */
  readonly length: number
  readonly problem?: string
}

function readEscape(text: string, at: number): Escape {
  const selector = String.fromCodePoint(text.codePointAt(at + 1) ?? 0x5c)
  const simple = SIMPLE_ESCAPE_VALUES.get(selector)
  if (simple !== undefined) return { value: simple, length: 2 }
  if (selector !== 'u' && selector !== 'U') {
    const problem = `The symbol ${JSON.stringify(selector)} is not a valid escape sequence selector.`
    return { value: '', length: 1 + selector.length, problem }
  }
  const digits = selector === 'u' ? 4 : 8
  const found = /^[0-9a-fA-F]*/.exec(text.slice(at + 2, at + 2 + digits))?.[0] ?? ''
  const length = 2 + found.length
  if (found.length < digits) {
    const count = digits === 4 ? 'four' : 'eight'
    const problem = `The \\${selector} escape sequence must be followed by ${count} hexadecimal digits.`
    return { value: '', length, problem }
  }
  const codePoint = Number.parseInt(found, 16)
  const isCharacter = codePoint <= 0x10ffff && (codePoint < 0xd800 || codePoint > 0xdfff)
  return { value: isCharacter ? String.fromCodePoint(codePoint) : '\ufffd', length }
}

/**
 * Returns the range of the characters `from` to `to` of a token. The token must not contain a line
 * break before `to`.
 */
function rangeWithin(token: Token, from: number, to: number): Range {
  const { file, start } = token.range
  return {
    file,
    start: positionAt(start, token.text, from),
    end: positionAt(start, token.text, to),
  }
}

function positionAt(start: Position, text: string, to: number): Position {
  const points = [...text.slice(0, to)]
  return {
    line: start.line,
    column: start.column + points.length,
    byte: points.reduce((sum, point) => sum + utf8Length(point.codePointAt(0) ?? 0), start.byte),
    offset: start.offset + to,
  }
}
