import { decodeBase64 } from '../go/base64.ts'
import { parseGoDuration } from '../go/duration.ts'
import { quoteGo } from '../go/text.ts'
import { decodeFirst } from '../json/decodings.ts'
import { parseJson } from '../json/json.ts'
import { type Json, JsonNumber } from '../kernel/json.ts'
import type { Message } from '../kernel/message.ts'
import { Refusal } from '../kernel/refusal.ts'
import { type DecoderSettings, decodeValue } from '../kernel/shape/decode.ts'
import type { StructShape } from '../kernel/shape/kinds.ts'
import type { ParsedOf } from '../kernel/shape/values.ts'
import { parseTimestamp } from '../kernel/time.ts'
import { refuse } from './messages.ts'

/**
 * Returns the result of `read`. If `read` throws a refusal, throws the refusal that `toRefusal`
 * makes from its message.
 */
export function withRefusal<T>(read: () => T, toRefusal: (problem: Message) => Refusal): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw toRefusal(error.reason)
  }
}

/**
 * Parses the first JSON value of a body and ignores the text after it. Throws a refusal if the body
 * is empty or malformed.
 */
export function parseBody(body: Buffer): Json {
  const json = body.toString('utf8')
  if (json.trim() === '') throw refuse('body-empty')
  return parseJson(json, decodeFirst)
}

/**
 * Decodes a JSON value according to a shape; null counts as an empty object. Throws a refusal for
 * values of the wrong type and for unknown members.
 *
 * @param ignoresUnknown true to ignore unknown members instead of refusing them
 */
export function decodeBodyValue<const S extends StructShape>(
  value: Json,
  shape: S,
  ignoresUnknown = false,
): ParsedOf<S> {
  // In Go, null leaves a struct at its zero value.
  return decodeValue(value ?? {}, shape, ignoresUnknown ? lenientDecoder : strictDecoder)
}

/**
 * Unnamed Go types into which the reference decodes bodies, by the name of the object's type.
 * Messages about a whole body contain the unnamed type (behaviour/mesh#decoding).
 */
const wrappedTypes: ReadonlyMap<string, string> = new Map([
  ['ACLPolicy', 'struct { Hash string; *structs.Alias }'],
  ['ACLRole', 'struct { Hash string; *structs.Alias }'],
  ['ACLToken', 'struct { ExpirationTTL interface {}; Hash string; *structs.Alias }'],
  ['ACLAuthMethod', 'struct { MaxTokenTTL interface {}; *structs.Alias }'],
  ['ServiceDefinition', 'struct { *structs.Alias }'],
  ['CheckDefinition', 'struct { *structs.Alias }'],
  ['CheckType', 'struct { *structs.Alias }'],
  ['Intention', 'struct { Hash string; CreatedAt string; UpdatedAt string; *structs.Alias }'],
  ['Session', 'struct { LockDelay interface {}; *structs.Alias }'],
])

/**
 * Pattern of types that messages name without a package: their source is not public, or Go itself
 * declares them.
 */
const unqualifiedTypes = /^Namespace|^ACLLink$|^uint$/

/** Pattern of types that the reference declares in its client package, `api`. */
const clientTypes = /^(?:AgentToken|TxnOps?|KVTxnOp)$/

function qualifiedType(name: string): string {
  const wrapped = wrappedTypes.get(name)
  if (wrapped !== undefined) return wrapped
  if (unqualifiedTypes.test(name)) return name
  if (name === 'CheckID') return 'types.CheckID'
  return `${clientTypes.test(name) ? 'api' : 'structs'}.${name}`
}

/**
 * Parts of RFC 3339 in the notation of Go's layouts, each with the pattern that its text must
 * match.
 */
const timeParts = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^\d\d/],
  ['-', /^-/],
  ['02', /^\d\d/],
  ['T', /^T/],
  ['15', /^\d\d?/],
  [':', /^:/],
  ['04', /^\d\d/],
  [':', /^:/],
  ['05', /^\d\d(?:[.,]\d+)?/],
  ['Z07:00', /^(?:Z|[+-]\d\d:\d\d)/],
] as const

/**
 * Returns Go's message about a string that is not an RFC 3339 time, without the words `parsing
 * time` at its beginning.
 */
function timeProblem(sent: string): string {
  const quoted = quoteGo(sent)
  let rest = sent
  for (const [part, pattern] of timeParts) {
    const [found] = pattern.exec(rest) ?? []
    if (found === undefined) {
      const layout = '"2006-01-02T15:04:05Z07:00"'
      return `${quoted} as ${layout}: cannot parse ${quoteGo(rest)} as "${part}"`
    }
    rest = rest.slice(found.length)
  }
  if (rest !== '') return `${quoted}: extra text: ${quoteGo(rest)}`
  const [, month = 0, , hour = 0, minute = 0, second = 0] = sent.split(/[-T:Z+.]/).map(Number)
  if (month < 1 || month > 12) return `${quoted}: month out of range`
  if (hour > 23) return `${quoted}: hour out of range`
  if (minute > 59) return `${quoted}: minute out of range`
  if (second > 59) return `${quoted}: second out of range`
  const [, zoneHour = 0, zoneMinute = 0] = (/[+-](\d\d):(\d\d)$/.exec(sent) ?? []).map(Number)
  if (zoneHour > 24) return `${quoted}: time zone offset hour out of range`
  if (zoneMinute > 60) return `${quoted}: time zone offset minute out of range`
  return `${quoted}: day out of range`
}

const strictDecoder: DecoderSettings = {
  locatedBy: 'innermost',
  structType: qualifiedType,
  elementType: qualifiedType,
  holder: (name) => (wrappedTypes.has(name) ? '' : name),
  wrongType: ({ value, location, type }) => refuse('wrong-type', { found: value, location, type }),
  unknownMember: (name) => refuse('unknown-field', { quoted: JSON.stringify(name) }),
  decodeAny: (value) => value,
  scalarDecoders: {
    bytes(value) {
      if (typeof value !== 'string') return undefined
      decodeBase64(value)
      return value
    },
    // A duration is a Go duration as text, or a number of nanoseconds; values of other types count
    // as 0.
    duration(value) {
      if (typeof value === 'string') return parseGoDuration(value)
      const isNumber = typeof value === 'number' || value instanceof JsonNumber
      return isNumber ? Math.trunc(Number(String(value))) : 0
    },
    time(value) {
      if (typeof value !== 'string') throw refuse('time-no-text')
      // Go also accepts a comma and an hour of one digit.
      const normalizedTime = value.replace(',', '.').replace(/T(?=\d:)/, 'T0')
      if (parseTimestamp(normalizedTime) !== undefined) return normalizedTime
      throw refuse('bad-time', { problem: timeProblem(value) })
    },
  },
}

const { unknownMember: _, ...lenientDecoder }: DecoderSettings = strictDecoder
