import { quoteGoCharacter } from '../go/text.ts'
import type { JsonErrorKind, JsonSyntaxError } from './reader-options.ts'

/**
 * The manner in which one of Go's JSON decoders reads a text, and what it says of the first fault.
 */
export interface JsonDecoding {
  /** True when only the first value counts, whatever follows it. */
  readonly firstValueOnly?: boolean
  /** Characters that may not stand right behind a number. */
  readonly forbiddenAfterNumber?: RegExp
  describe(error: JsonSyntaxError): string
}

/** The end of Go's messages, by what should be there. */
const descriptions: Readonly<Record<JsonErrorKind, string>> = {
  value: 'looking for beginning of value',
  key: 'looking for beginning of object key string',
  colon: 'after object key',
  array: 'after array element',
  object: 'after object key:value pair',
  end: 'after top-level value',
  depth: 'exceeded max depth',
  string: 'in string literal',
  escape: 'in string escape code',
  hexadecimal: 'in \\u hexadecimal character escape',
  number: 'in numeric literal',
  fraction: 'after decimal point in numeric literal',
  exponent: 'in exponent of numeric literal',
  'number end': 'after top-level value',
  word: 'in literal',
  'word end': 'after top-level value',
}

/** Places within something that a space, which Go tries at the end of a text, does not end either. */
const insideToken: ReadonlySet<JsonErrorKind> = new Set([
  'escape',
  'hexadecimal',
  'number',
  'fraction',
  'exponent',
  'word',
])

/** `json.Unmarshal`: one value and nothing behind it. */
export const unmarshal: JsonDecoding = {
  describe: (error) =>
    endsEarly(error) && !insideToken.has(error.kind)
      ? 'unexpected end of JSON input'
      : `invalid character ${characterAt(error)} ${describeKind(error)}`,
}

/** `Decoder.Decode`: the first value of a stream, whose early end has names of its own. */
export const decodeFirst: JsonDecoding = {
  firstValueOnly: true,
  forbiddenAfterNumber: /[\d.eE]/,
  describe(error) {
    if (!endsEarly(error)) return unmarshal.describe(error)
    return /^[ \t\r\n]*$/.test(error.text) ? 'EOF' : 'unexpected EOF'
  },
}

/** The same where something behind the value is refused as well. */
export const decodeWhole: JsonDecoding = { describe: decodeFirst.describe }

/** `Decoder.Token`, over and over: what closes or ends between tokens is told in few words. */
export const decodeTokens: JsonDecoding = {
  describe(error) {
    const isWithin = insideToken.has(error.kind) || error.kind === 'string'
    if (endsEarly(error)) return isWithin ? 'unexpected EOF' : 'EOF'
    if (error.kind === 'end') return 'extraneous data after JSON object'
    // A closing brace is a token to it, if not the one that is due.
    return error.kind === 'key' && error.text[error.at] !== '}'
      ? `invalid character ${characterAt(error)}`
      : unmarshal.describe(error)
  },
}

function endsEarly({ text, at }: JsonSyntaxError): boolean {
  return at >= text.length
}

function describeKind({ kind, text, at, token, open }: JsonSyntaxError): string {
  if (kind === 'word') {
    const word = { t: 'true', f: 'false', n: 'null' }[text.charAt(token)] ?? ''
    return `in literal ${word} (expecting '${word.charAt(at - token)}')`
  }
  const isInside = kind === 'number end' && open >= 0
  return descriptions[isInside ? (text[open] === '[' ? 'array' : 'object') : kind]
}

/**
 * Returns the byte that Go stumbles on, as the character of that code. At the end it tries a space.
 */
function characterAt({ text, at }: JsonSyntaxError): string {
  const code = text.codePointAt(at) ?? 0x20
  const [byte = code] = Buffer.from(String.fromCodePoint(code))
  return quoteGoCharacter(String.fromCharCode(byte))
}
