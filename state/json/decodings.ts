import { quoteGoCharacter } from '../go/text.ts'
import type { JsonErrorKind, JsonSyntaxError } from './reader-options.ts'

/**
 * Behaviour of one of Go's JSON decoders: how the decoder reads a text, and how it describes the
 * first error.
 */
export interface JsonDecoding {
  /** Whether only the first value counts and the rest of the text is ignored. */
  readonly firstValueOnly?: boolean
  /** Characters that may not directly follow a number. */
  readonly forbiddenAfterNumber?: RegExp
  describe(error: JsonSyntaxError): string
}

/** Endings of Go's messages, by the kind of token that was expected. */
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

/**
 * States of the scanner inside a token. If the text ends in one of these states, the message
 * reports an invalid space, because Go's scanner reads a space after the end of the text.
 */
const insideToken: ReadonlySet<JsonErrorKind> = new Set([
  'escape',
  'hexadecimal',
  'number',
  'fraction',
  'exponent',
  'word',
])

/** The decoder `json.Unmarshal`, which accepts one value and nothing after it. */
export const unmarshal: JsonDecoding = {
  describe: (error) =>
    endsEarly(error) && !insideToken.has(error.kind)
      ? 'unexpected end of JSON input'
      : `invalid character ${characterAt(error)} ${describeKind(error)}`,
}

/**
 * The decoder `Decoder.Decode`, which reads the first value of a stream. The messages differ from
 * those of `json.Unmarshal` only if the stream ends early.
 */
export const decodeFirst: JsonDecoding = {
  firstValueOnly: true,
  forbiddenAfterNumber: /[\d.eE]/,
  describe(error) {
    if (!endsEarly(error)) return unmarshal.describe(error)
    return /^[ \t\r\n]*$/.test(error.text) ? 'EOF' : 'unexpected EOF'
  },
}

/**
 * The decoder `Decoder.Token`, called in a loop. The messages about invalid keys and about an early
 * end do not say what the decoder expected.
 */
export const decodeTokens: JsonDecoding = {
  describe(error) {
    const isInsideValue = insideToken.has(error.kind) || error.kind === 'string'
    if (endsEarly(error)) return isInsideValue ? 'unexpected EOF' : 'EOF'
    if (error.kind === 'end') return 'extraneous data after JSON object'
    // This decoder treats a closing brace as a token, even an unexpected one.
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
 * Returns the byte at which Go stops, as the character with that code. At the end of the text,
 * returns a space.
 */
function characterAt({ text, at }: JsonSyntaxError): string {
  const code = text.codePointAt(at) ?? 0x20
  const [byte = code] = Buffer.from(String.fromCodePoint(code))
  return quoteGoCharacter(String.fromCharCode(byte))
}
