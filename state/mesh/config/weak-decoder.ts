import { parseGoBoolean } from '../../go/booleans.ts'
import { DurationError, formatGoDuration, parseGoDuration } from '../../go/duration.ts'
import { parseGoInteger } from '../../go/integer.ts'
import { quoteGo } from '../../go/text.ts'
import { formatGoValue } from '../../json/go-value.ts'
import {
  isJsonObject,
  type Json,
  JsonNumber,
  type JsonObject,
  setMember,
} from '../../kernel/json.ts'
import { renderMessage } from '../../kernel/message.ts'
import {
  type Field,
  type NumberShape,
  type Shape,
  type StructShape,
  textOf,
} from '../../kernel/shape/kinds.ts'

// The rules and messages are those of the reference's weak decoder (mapstructure 1.5) with its
// hooks. For example, a list of one item counts as the item, and members may have names with
// underscores.

/** A duration that is stored and shown as text, such as `5s`. */
export const durationText = textOf({ format: 'duration' })

/**
 * A string member that only the enterprise edition has, such as a namespace. The community edition
 * treats such a member as unknown.
 */
export const enterpriseText = textOf({ format: 'enterprise' })

/**
 * Result of decoding. Values that cannot be converted are missing from `value` or have their zero
 * value.
 */
interface WeakDecodingResult {
  readonly value: JsonObject
  /** Messages about values that cannot be converted. The order is not that of the reference. */
  readonly problems: readonly string[]
  /** Paths of members that the shape does not have, such as `Splits[0].Percent`. */
  readonly unused: readonly string[]
}

/**
 * Decodes an object according to a shape. In the result, members that are always present have their
 * zero value if they were not sent, and optional members are left out if they are empty.
 */
export function decodeWeakly(
  input: JsonObject,
  shape: StructShape,
  isCommunity: boolean,
): WeakDecodingResult {
  const decoder = new WeakDecoder(isCommunity)
  const value = decoder.decodeStruct(input, shape, '')
  return { value, problems: decoder.problems, unused: decoder.unused }
}

class WeakDecoder {
  readonly problems: string[] = []
  readonly unused: string[] = []
  readonly #isCommunity: boolean

  constructor(isCommunity: boolean) {
    this.#isCommunity = isCommunity
  }

  decodeStruct(input: JsonObject, shape: StructShape, location: string): JsonObject {
    const unreadMembers = new Map(Object.entries(input))
    const result: JsonObject = {}
    for (const [name, field] of Object.entries(shape.fields)) {
      if (this.#isCommunity && field.shape === enterpriseText) continue
      const sent = takeMember(unreadMembers, name, field)
      const value =
        sent === null ? undefined : this.decode(sent, field.shape, memberLocation(location, name))
      const kept = value === undefined ? absentValue(field) : keptValue(value, field)
      if (kept !== undefined) setMember(result, name, kept)
    }
    for (const name of [...unreadMembers.keys()].sort())
      this.unused.push(memberLocation(location, name))
    return result
  }

  /**
   * Decodes a value; undefined for null. If the value cannot be converted, adds a message to
   * `problems` and returns undefined.
   */
  decode(sent: Json, shape: Shape, location: string): Json | undefined {
    if (shape.kind === 'nullable') return this.decode(sent, shape.to, location)
    if (shape.kind === 'list') return this.#decodeList(sent, shape.of, location)
    const value = Array.isArray(sent) && sent.length === 1 ? (sent[0] ?? null) : sent
    if (value === null) return undefined
    switch (shape.kind) {
      case 'struct':
        if (isJsonObject(value)) return this.decodeStruct(value, shape, location)
        return this.#refuse(`'${location}' expected a map, got '${goKind(value)}'`)
      case 'map':
        return this.#decodeMap(value, shape.of, location)
      case 'text':
        return shape === durationText
          ? this.#decodeDuration(value, location, true)
          : this.#decodeText(value, location)
      case 'bool':
        return this.#decodeBool(value, location)
      case 'duration':
        return this.#decodeDuration(value, location, false)
      case 'int':
      case 'uint':
      case 'float':
        return this.#decodeNumber(value, shape, location)
      default:
        return plainNumbers(value)
    }
  }

  #refuse(problem: string): undefined {
    this.problems.push(problem)
  }

  #recordUnconvertible(value: Json, type: string, location: string): undefined {
    return this.#refuse(
      `'${location}' expected type '${type}', got unconvertible type '${goType(value)}', value: '${formatGoValue(value)}'`,
    )
  }

  #decodeList(sent: Json, of: Shape, location: string): Json | undefined {
    if (sent === null) return undefined
    const isEmptyMap = isJsonObject(sent) && Object.keys(sent).length === 0
    const items = Array.isArray(sent) ? sent : isEmptyMap ? [] : [sent]
    return items.flatMap((item, at) => this.#decodeItem(item, of, `${location}[${at}]`))
  }

  #decodeItem(item: Json, of: Shape, location: string): readonly Json[] {
    const isObject = of.kind === 'struct'
    const value = item === null && isObject ? {} : item
    const decoded = value === null ? undefined : this.decode(value, of, location)
    return decoded === undefined ? [] : [decoded]
  }

  #decodeMap(value: Json, of: Shape, location: string): Json | undefined {
    if (Array.isArray(value) && value.every(isJsonObject)) {
      return this.#decodeMap(Object.assign({}, ...value), of, location)
    }
    if (!isJsonObject(value))
      return this.#refuse(`'${location}' expected a map, got '${goKind(value)}'`)
    const result: JsonObject = {}
    for (const [key, item] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) {
      const isObject = of.kind === 'struct'
      const source = item === null && isObject ? {} : item
      const decoded =
        source === null && of.kind === 'any' ? null : this.decode(source, of, `${location}[${key}]`)
      if (decoded !== undefined) setMember(result, key, decoded)
      else if (source === null && of.kind === 'text') setMember(result, key, '')
    }
    return result
  }

  #decodeText(value: Json, location: string): string | undefined {
    if (typeof value === 'string') return value
    if (typeof value === 'boolean') return value ? '1' : '0'
    if (isNumber(value)) return String(Number(String(value)))
    return this.#recordUnconvertible(value, 'string', location)
  }

  #decodeBool(value: Json, location: string): boolean | undefined {
    if (typeof value === 'boolean') return value
    if (isNumber(value)) return Number(String(value)) !== 0
    if (typeof value !== 'string') return this.#recordUnconvertible(value, 'bool', location)
    const parsed = value === '' ? false : parseGoBoolean(value)
    if (parsed !== undefined) return parsed
    return this.#refuse(
      `cannot parse '${location}' as bool: strconv.ParseBool: parsing ${quoteGo(value)}: invalid syntax`,
    )
  }

  #decodeNumber(value: Json, shape: NumberShape, location: string): number | undefined {
    const { kind } = shape
    if (isNumber(value)) return this.#checkSign(Number(String(value)), shape, location)
    if (typeof value === 'boolean') return value ? 1 : 0
    const type = kind === 'float' ? 'float32' : `${kind}${shape.bits ?? ''}`
    if (typeof value !== 'string') return this.#recordUnconvertible(value, type, location)
    const text = value === '' ? '0' : value
    const parsed = kind === 'float' ? Number(text) : Number(parseGoInteger(text) ?? Number.NaN)
    if (!Number.isNaN(parsed)) return parsed
    const parser = { int: 'ParseInt', uint: 'ParseUint', float: 'ParseFloat', duration: 'ParseInt' }
    return this.#refuse(
      `cannot parse '${location}' as ${kind}: strconv.${parser[kind]}: parsing ${quoteGo(text)}: invalid syntax`,
    )
  }

  #checkSign(value: number, { kind }: NumberShape, location: string): number | undefined {
    if (kind === 'float') return value
    if (kind === 'uint' && value < 0) {
      return this.#refuse(`cannot parse '${location}', ${value.toFixed(6)} overflows uint`)
    }
    return Math.trunc(value)
  }

  #decodeDuration(value: Json, location: string, asText: boolean): Json | undefined {
    try {
      const nanoseconds =
        typeof value === 'string'
          ? parseGoDuration(value)
          : this.#decodeNumber(value, { kind: 'int', bits: 64 }, location)
      if (nanoseconds === undefined) return undefined
      if (!asText) return nanoseconds
      return nanoseconds === 0 ? '' : formatGoDuration(nanoseconds)
    } catch (error) {
      if (!(error instanceof DurationError)) throw error
      return this.#refuse(`error decoding '${location}': ${renderMessage(error.reason)}`)
    }
  }
}

const memberLocation = (location: string, name: string) =>
  location === '' ? name : `${location}.${name}`

/**
 * Removes a member from the input and returns its value; null if the member is missing. In the
 * input, the name may have any letter case, may contain underscores between words, and may be an
 * alias.
 */
function takeMember(unreadMembers: Map<string, Json>, name: string, { aliases = [] }: Field): Json {
  const acceptedNames = new Set(
    [name, snakeCase(name), ...aliases].map((each) => each.toLowerCase()),
  )
  const keys = [...unreadMembers.keys()].filter((key) => acceptedNames.has(key.toLowerCase()))
  const key = keys.includes(name) ? name : keys[0]
  if (key === undefined) return null
  const value = unreadMembers.get(key) ?? null
  unreadMembers.delete(key)
  return value
}

/** Converts a name to lower case with underscores: `TLSMinVersion` to `tls_min_version`. */
function snakeCase(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
}

/**
 * Returns the value of a member that was not sent: its zero value, or undefined for an optional
 * member.
 */
function absentValue({ shape, presence }: Field): Json | undefined {
  if (presence === 'optional') return undefined
  if (shape.kind === 'struct') return emptyStruct(shape)
  return zeroOf(shape)
}

function emptyStruct(shape: StructShape): JsonObject {
  return decodeWeakly({}, shape, true).value
}

function zeroOf(shape: Shape): Json {
  switch (shape.kind) {
    case 'text':
      return ''
    case 'bool':
      return false
    case 'int':
    case 'uint':
    case 'float':
    case 'duration':
      return 0
    default:
      return null
  }
}

/**
 * Returns the value of a member that was sent; undefined if it is left out because it is empty.
 * Optional objects and nullable values stand for pointers, which are shown even if they are empty.
 */
function keptValue(value: Json, { shape, presence }: Field): Json | undefined {
  if (presence !== 'optional' || shape.kind === 'struct' || shape.kind === 'nullable') return value
  const isEmpty =
    value === '' ||
    value === 0 ||
    value === false ||
    (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  return isEmpty ? undefined : value
}

function isNumber(value: Json): value is number | JsonNumber {
  return typeof value === 'number' || value instanceof JsonNumber
}

/**
 * Returns Go's name for the kind of a JSON value other than null: `map`, `slice`, `bool`, `string`
 * or `float64`.
 */
export function goKind(value: Json): string {
  if (Array.isArray(value)) return 'slice'
  if (isJsonObject(value)) return 'map'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'string' ? 'string' : 'float64'
}

function goType(value: Json): string {
  if (Array.isArray(value)) return '[]interface {}'
  return isJsonObject(value) ? 'map[string]interface {}' : goKind(value)
}

/** Converts all numbers in a value to doubles, like the reference's decoder. */
function plainNumbers(value: Json): Json {
  if (value instanceof JsonNumber) return Number(value.text)
  if (Array.isArray(value)) return value.map(plainNumbers)
  if (!isJsonObject(value)) return value
  const result: JsonObject = {}
  for (const [name, item] of Object.entries(value)) setMember(result, name, plainNumbers(item))
  return result
}
