import { quoteGo } from '../../state/go/text.ts'
import type { Message } from '../../state/kernel/message.ts'
import type { Refusal } from '../../state/kernel/refusal.ts'
import type { StructShape } from '../../state/kernel/shape/kinds.ts'
import type { ScalarSchemas } from '../../state/kernel/shape/schema.ts'
import type { ParsedOf } from '../../state/kernel/shape/values.ts'
import { decodeBodyValue, parseBody, withRefusal } from '../../state/mesh/decoding.ts'
import { refuse } from '../../state/mesh/messages.ts'
import type { Query } from '../http/query.ts'

export { decodeBodyValue as decodeOne, parseBody, withRefusal }

/**
 * Decodes a JSON body as the reference does: member names are case-insensitive, null counts as
 * omitted, and unknown members are refused (behaviour/mesh#conventions).
 *
 * @param toRefusal returns the refusal of a body that cannot be decoded
 * @param ignoresUnknown true to ignore unknown members instead of refusing them
 */
export function decodeBody<const S extends StructShape>(
  { body }: { readonly body: Buffer },
  shape: S,
  toRefusal: (problem: Message) => Refusal,
  ignoresUnknown = false,
): ParsedOf<S> {
  return withRefusal(() => decodeBodyValue(parseBody(body), shape, ignoresUnknown), toRefusal)
}

/**
 * Throws a refusal if a body has a member that names a namespace or a partition. The community
 * edition has neither namespaces nor partitions (behaviour/mesh#community).
 */
export function refuseScope(body: Buffer, toRefusal: (problem: Message) => Refusal): void {
  withRefusal(() => {
    const value = parseBody(body)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    for (const name of Object.keys(value)) {
      if (/^(?:namespace|partition)$/i.test(name)) {
        throw refuse('unknown-field', { quoted: JSON.stringify(name) })
      }
    }
  }, toRefusal)
}

/**
 * Returns the digits of a query parameter that is an unsigned number; undefined if the parameter is
 * missing. If the value is malformed or needs more than 64 bits, throws a refusal with the message
 * of Go's parser.
 */
export function digitsParameter(query: Query, name: string): string | undefined {
  if (!query.has(name)) return undefined
  const digits = query.value(name) ?? ''
  const quoted = quoteGo(digits)
  if (!/^\d+$/.test(digits)) throw refuse('no-number', { quoted })
  if (BigInt(digits) >= 2n ** 64n) throw refuse('number-too-large', { quoted })
  return digits
}

/** Schemas of the scalar kinds that the API's decoder decodes in its own way (`scalarDecoders`). */
export const bodyScalarSchemas: ScalarSchemas = {
  duration: {
    description: 'Nanoseconds, or a Go duration: `1h30m`. Values of other types are ignored.',
  },
}
