import { quoteGo, quoteGoCharacter } from '../../go/text.ts'
import { FunctionFault } from '../language/function.ts'

/** One `%` sequence of a format string. */
export interface Verb {
  /** Its whole text. */
  readonly raw: string
  /** Where it is, in bytes. */
  readonly offset: number
  readonly mode: string
  /** The number of the value it takes, from 1. */
  readonly argument: number
  /** Any of `0`, `#`, `-`, `+` and space. */
  readonly flags: string
  readonly width: number | undefined
  readonly precision: number | undefined
}

/** Flags, width, precision, number of the value and letter; ends where a sequence goes wrong. */
const sequence = /%(?:%|([0#\-+ ]*)([1-9]\d*)?(?:\.(\d*))?(?:\[(?:([1-9]\d*)(\])?)?)?([A-Za-z])?)/y

/**
 * Splits a format string into its texts and verbs, one at a time: a fault counts only when all before
 * it has been formatted.
 *
 * @throws FunctionFault in the reference's words
 */
export function* scanFormat(format: string): Generator<string | Verb> {
  let argument = 1
  let offset = 0
  for (let at = 0; at < format.length; ) {
    const start = format.indexOf('%', at)
    const text = format.slice(at, start < 0 ? undefined : start)
    if (text !== '') yield text
    if (start < 0) return
    offset += Buffer.byteLength(text)
    sequence.lastIndex = start
    const [raw = '%', flags = '', width, precision, index, closing, mode] =
      sequence.exec(format) ?? []
    at = start + raw.length
    const verbOffset = offset
    offset += raw.length
    if (raw === '%%') {
      yield '%'
      continue
    }
    const unclosed = raw.includes('[') && closing === undefined
    if (mode === undefined || unclosed) {
      const back = unclosed && mode !== undefined ? 1 : 0
      throw misplaced(format.codePointAt(at - back), offset - back)
    }
    if (index !== undefined) argument = Number(index)
    yield {
      raw,
      offset: verbOffset,
      mode,
      argument,
      flags,
      width: width === undefined ? undefined : Number(width),
      precision: precision === undefined ? undefined : Number(precision),
    }
    argument += 1
  }
}

/** A format string that ends too early, or goes on with what no verb has. */
function misplaced(code: number | undefined, offset: number): FunctionFault {
  if (code === undefined) {
    return new FunctionFault(`invalid format string starting at offset ${offset}`)
  }
  const character = quoteGoCharacter(String.fromCodePoint(code))
  return new FunctionFault(`unrecognized format character ${character} at offset ${offset}`)
}

/** A value that a verb cannot write. */
export function unsupported({ raw, offset }: Verb, why: string): FunctionFault {
  return new FunctionFault(`unsupported value for ${quoteGo(raw)} at ${offset}: ${why}`)
}
