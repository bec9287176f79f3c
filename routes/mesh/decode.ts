import { decodeBase64 } from '../../state/go/base64.ts'
import { DurationError, parseGoDuration } from '../../state/go/duration.ts'
import { decodeFirst } from '../../state/json/decodings.ts'
import { parseJson } from '../../state/json/json.ts'
import type { Json } from '../../state/kernel/json.ts'
import type { Message } from '../../state/kernel/message.ts'
import { Refusal } from '../../state/kernel/refusal.ts'
import { type DecoderSettings, decodeValue } from '../../state/kernel/shape/decode.ts'
import type { StructShape } from '../../state/kernel/shape/kinds.ts'
import type { ScalarSchemas } from '../../state/kernel/shape/schema.ts'
import type { ParsedOf } from '../../state/kernel/shape/values.ts'
import { parseTimestamp } from '../../state/kernel/time.ts'
import { refuse } from '../../state/mesh/messages.ts'

/**
 * Decodes a JSON body as the reference does: member names are case-insensitive, null counts as
 * omitted, and unknown members are refused (behaviour/mesh#conventions).
 *
 * @param subject start of the refusal's message, such as `Request` or `Policy`
 */
export function decodeBody<const S extends StructShape>(
  body: string,
  shape: S,
  subject: string,
): ParsedOf<S> {
  return withRefusal(
    () => decodeOne(parseBody(body), shape),
    (problem) => refuse('body-unreadable', { what: subject, problem }),
  )
}

/**
 * Throws for members of a body that name a namespace or partition, which the community edition does
 * not know (behaviour/mesh#community).
 */
export function refuseScope(body: string, subject: string): void {
  withRefusal(
    () => {
      const value = parseBody(body)
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return
      for (const name of Object.keys(value)) {
        if (/^(?:namespace|partition)$/i.test(name)) {
          throw refuse('unknown-field', { quoted: JSON.stringify(name) })
        }
      }
    },
    (problem) => refuse('body-unreadable', { what: subject, problem }),
  )
}

/**
 * Runs `read` and passes the message of its refusal to `toRefusal`, whose result is thrown instead.
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
 * Parses the first JSON value of a body and ignores the text after it. Throws if the body is empty.
 */
export function parseBody(body: string): Json {
  if (body.trim() === '') throw refuse('body-empty')
  return parseJson(body, decodeFirst)
}

/**
 * Decodes a JSON value as a shape.
 *
 * @param ignoresUnknown ignores unknown members instead of refusing them
 */
export function decodeOne<const S extends StructShape>(
  value: Json,
  shape: S,
  ignoresUnknown = false,
): ParsedOf<S> {
  // Null decodes to an empty struct.
  return decodeValue(value ?? {}, shape, ignoresUnknown ? lenientVocabulary : strictVocabulary)
}

/** Types that the reference's decoder reports under another name (behaviour/mesh#acl-endpoints). */
const aliasedTypes: ReadonlySet<string> = new Set(['ACLPolicy', 'ACLRole', 'ACLToken'])

/** Schemas of the scalars that `scalarDecoders` accepts in other forms than their kind. */
export const bodyTakes: ScalarSchemas = {
  duration: {
    type: ['integer', 'string', 'null'],
    description: 'Nanoseconds, or a Go duration: `1h30m`',
  },
}

const strictVocabulary: DecoderSettings = {
  locatedBy: 'outermost',
  structType: (name) => name,
  elementType: (name) => name,
  holder: (name) => (aliasedTypes.has(name) ? '.Alias' : name),
  wrongType: ({ value, location, type }) =>
    refuse('wrong-type', { found: value, place: location, type }),
  unknownMember: (name) => refuse('unknown-field', { quoted: JSON.stringify(name) }),
  decodeAny: (value) => value,
  scalarDecoders: {
    bytes(value) {
      if (typeof value !== 'string') return undefined
      decodeBase64(value)
      return value
    },
    // A Go duration as text, or nanoseconds.
    duration(value) {
      if (typeof value === 'number') return value
      if (typeof value !== 'string') throw new DurationError('invalid duration')
      return value === '' ? 0 : parseGoDuration(value)
    },
    time(value) {
      if (typeof value === 'string' && parseTimestamp(value) !== undefined) return value
      const layout = '"2006-01-02T15:04:05Z07:00"'
      throw refuse('bad-time', { sent: JSON.stringify(value), layout })
    },
  },
}

const { unknownMember: _, ...lenientVocabulary }: DecoderSettings = strictVocabulary
