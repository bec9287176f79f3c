import { decodeWhole } from '../../state/json/decodings.ts'
import { isJsonObject, type Json, JsonNumber, parseJson } from '../../state/json/json.ts'
import { setMember } from '../../state/kernel/json.ts'
import { Refusal } from '../../state/kernel/refusal.ts'
import { refuse } from '../../state/mesh/texts.ts'

/**
 * Takes a JSON value as one type of Go, as the reference's decoder does: null is as if nothing had
 * been sent, and any other type is refused. `place` is what holds the value: `Go struct field
 * Namespace.Name`.
 */
export interface Decoder<T> {
  /** The type as Go calls it. */
  readonly type: string
  take(value: Exclude<Json, null>, place: string): T
}

/** What a decoder makes of a value. */
export type Decoded<D> = D extends Decoder<infer T> ? T : never

/** The fields of a struct; those that were not sent, or as null, are undefined. */
export type Fields<S> = { readonly [Name in keyof S]: Decoded<S[Name]> | undefined }

function wrongType(value: Json, place: string, type: string): Refusal {
  return refuse('wrong-type', { found: kindOf(value), place, type })
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number' || value instanceof JsonNumber) return 'number'
  return typeof value
}

/** A text. */
export const text: Decoder<string> = {
  type: 'string',
  take(value, place) {
    if (typeof value === 'string') return value
    throw wrongType(value, place, 'string')
  },
}

/** True or false. */
export const flag: Decoder<boolean> = {
  type: 'bool',
  take(value, place) {
    if (typeof value === 'boolean') return value
    throw wrongType(value, place, 'bool')
  },
}

/** Anything; for members that are accepted and ignored. */
export const anything: Decoder<Json> = { type: 'interface {}', take: (value) => value }

/** Texts by any name. */
export const textMap: Decoder<Readonly<Record<string, string>>> = {
  type: 'map[string]string',
  take(value, place) {
    if (!isJsonObject(value)) throw wrongType(value, place, 'map[string]string')
    const texts: Record<string, string> = {}
    for (const [name, each] of Object.entries(value)) {
      setMember(texts, name, each === null ? '' : text.take(each, place))
    }
    return texts
  },
}

/** A list; `empty` is what a null in it means. */
export function list<T>(item: Decoder<T>, empty: T): Decoder<readonly T[]> {
  const type = `[]${item.type}`
  return {
    type,
    take(value, place) {
      if (!Array.isArray(value)) throw wrongType(value, place, type)
      return value.map((each) => (each === null ? empty : item.take(each, place)))
    },
  }
}

/**
 * A struct: its members are found in any letter case and under their aliases, the last one sent
 * counts, and unknown ones are refused (3a-mesh-decisions.md section 1).
 *
 * @param name Go's name of it, for messages
 * @param aliases further spellings, in lower case, and the members that they mean
 */
export function struct<const S extends Readonly<Record<string, Decoder<unknown>>>>(
  name: string,
  fields: S,
  aliases: Readonly<Record<string, keyof S & string>> = {},
): Decoder<Fields<S>> {
  const spellings = new Map(Object.keys(fields).map((field) => [field.toLowerCase(), field]))
  for (const [alias, field] of Object.entries(aliases)) spellings.set(alias, field)
  return {
    type: name,
    take(value, place) {
      if (!isJsonObject(value)) throw wrongType(value, place, name)
      const taken: Record<string, unknown> = {}
      for (const field of Object.keys(fields)) taken[field] = undefined
      for (const [sent, each] of Object.entries(value)) {
        const field = spellings.get(sent.toLowerCase())
        if (field === undefined) {
          throw refuse('unknown-field', { quoted: JSON.stringify(sent) })
        }
        if (each !== null) taken[field] = fields[field]?.take(each, within(place, name, field))
      }
      return taken as Fields<S>
    },
  }
}

const valuePlace = 'Go value'

/** `Go struct field Namespace.ACLs.PolicyDefaults`: the outermost struct, then the members. */
function within(place: string, struct: string, field: string): string {
  return place === valuePlace ? `Go struct field ${struct}.${field}` : `${place}.${field}`
}

/**
 * Reads a JSON body.
 *
 * @param what begins the message of a refusal: `Request`, `Policy`
 * @param empty what a body of `null` means
 */
export function decodeBody<T>(body: string, decoder: Decoder<T>, what: string): T {
  try {
    if (body.trim() === '') throw refuse('body-empty')
    const value = parseJson(body, decodeWhole)
    // Null leaves a struct as it is: empty.
    return decoder.take(value ?? {}, valuePlace)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw refuse('body-unreadable', { what, problem: error.said })
  }
}
