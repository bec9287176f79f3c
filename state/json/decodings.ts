import { quoteGoCharacter } from '../go/text.ts'
import type { JsonFault, JsonPlace } from './manner.ts'

/**
 * The manner in which one of Go's JSON decoders reads a text, and what it says of the first fault.
 */
export interface JsonDecoding {
  /** True when only the first value counts, whatever follows it. */
  readonly firstOnly?: boolean
  /** Characters that may not stand right behind a number. */
  readonly afterNumber?: RegExp
  tell(fault: JsonFault): string
}

/** The end of Go's messages, by what should be there. */
const places: Readonly<Record<JsonPlace, string>> = {
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
const indivisible: ReadonlySet<JsonPlace> = new Set([
  'escape',
  'hexadecimal',
  'number',
  'fraction',
  'exponent',
  'word',
])

/** `json.Unmarshal`: one value and nothing behind it. */
export const unmarshal: JsonDecoding = {
  tell: (fault) =>
    endsEarly(fault) && !indivisible.has(fault.place)
      ? 'unexpected end of JSON input'
      : `invalid character ${characterAt(fault)} ${placeOf(fault)}`,
}

/** `Decoder.Decode`: the first value of a stream, whose early end has names of its own. */
export const decodeFirst: JsonDecoding = {
  firstOnly: true,
  afterNumber: /[\d.eE]/,
  tell(fault) {
    if (!endsEarly(fault)) return unmarshal.tell(fault)
    return /^[ \t\r\n]*$/.test(fault.text) ? 'EOF' : 'unexpected EOF'
  },
}

/** The same where something behind the value is refused as well. */
export const decodeWhole: JsonDecoding = { tell: decodeFirst.tell }

/** `Decoder.Token`, over and over: what closes or ends between tokens is told in few words. */
export const decodeTokens: JsonDecoding = {
  tell(fault) {
    const isWithin = indivisible.has(fault.place) || fault.place === 'string'
    if (endsEarly(fault)) return isWithin ? 'unexpected EOF' : 'EOF'
    if (fault.place === 'end') return 'extraneous data after JSON object'
    // A closing brace is a token to it, if not the one that is due.
    return fault.place === 'key' && fault.text[fault.at] !== '}'
      ? `invalid character ${characterAt(fault)}`
      : unmarshal.tell(fault)
  },
}

function endsEarly({ text, at }: JsonFault): boolean {
  return at >= text.length
}

function placeOf({ place, text, at, token, open }: JsonFault): string {
  if (place === 'word') {
    const word = { t: 'true', f: 'false', n: 'null' }[text.charAt(token)] ?? ''
    return `in literal ${word} (expecting '${word.charAt(at - token)}')`
  }
  const isInside = place === 'number end' && open >= 0
  return places[isInside ? (text[open] === '[' ? 'array' : 'object') : place]
}

/** The byte that Go stumbles on, as the character of that code. At the end it tries a space. */
function characterAt({ text, at }: JsonFault): string {
  const code = text.codePointAt(at) ?? 0x20
  const [byte = code] = Buffer.from(String.fromCodePoint(code))
  return quoteGoCharacter(String.fromCharCode(byte))
}
