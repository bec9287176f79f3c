import { decodeFirst } from '../../json/decodings.ts'
import { isJsonObject, type Json, JsonNumber, parseJson, setMember } from '../../json/json.ts'
import { refuse } from '../texts.ts'
import type { Field, Sent, Shape, StructShape } from './kinds.ts'

/**
 * Reads a request's body as the reference's decoder does: the first JSON value counts, unknown members
 * are passed over, names are compared without regard to case and in either dialect's spelling, null is
 * as if nothing had been sent (3b-scheduler-decisions.md section 1).
 *
 * @param vendor refusals name members as the vendor does (section 12)
 * @returns whatever was not sent is null; echoed members are there only when they were sent
 * @throws Refusal (400) with the decoder's text
 */
export function decodeBody<const S extends StructShape>(
  body: string,
  shape: S,
  { vendor = false }: { readonly vendor?: boolean } = {},
): Sent<S> {
  if (body === '') throw refuse('body-empty')
  // The shape's type is what the walk below follows at run time.
  return take(parseJson(body, decodeFirst) ?? {}, shape, {
    struct: '',
    path: [],
    vendor,
  }) as Sent<S>
}

/** The same for a value that is read already; `place` is the path of members that leads to it. */
export function decodeValue<const S extends StructShape>(
  value: Json,
  shape: S,
  place: readonly string[] = [],
): Sent<S> {
  return take(value, shape, { struct: '', path: place, vendor: false }) as Sent<S>
}

/** A request with nothing said. */
export function emptyOf<const S extends StructShape>(shape: S): Sent<S> {
  return decodeValue({}, shape)
}

/** Where a value stands: the innermost object that has a name, and the members that lead there. */
interface Place {
  readonly struct: string
  readonly path: readonly string[]
  /** Names are the vendor's. */
  readonly vendor: boolean
}

function take(value: Json, shape: Shape, place: Place): unknown {
  if (value === null) return shape.kind === 'struct' ? takeStruct({}, shape, place) : null
  switch (shape.kind) {
    case 'any':
      return plain(value)
    case 'pointer':
      return take(value, shape.to, place)
    case 'list':
      if (!Array.isArray(value)) throw wrongType(value, shape, place)
      return value.map((item) => (item === null ? zeroOf(shape.of) : take(item, shape.of, place)))
    case 'map':
      return takeMap(value, shape.of, place, shape)
    case 'struct':
      return takeStruct(value, shape, place)
    default:
      return takeScalar(value, shape, place)
  }
}

function takeMap(value: Json, of: Shape, place: Place, shape: Shape): Record<string, unknown> {
  if (!isJsonObject(value)) throw wrongType(value, shape, place)
  const taken: Record<string, unknown> = {}
  for (const [key, each] of Object.entries(value)) {
    setMember(taken, key, each === null ? zeroOf(of) : take(each, of, place))
  }
  return taken
}

function takeStruct(value: Json, shape: StructShape, place: Place): Record<string, unknown> {
  if (!isJsonObject(value)) throw wrongType(value, shape, place)
  const taken: Record<string, unknown> = {}
  for (const [name, { presence }] of Object.entries(shape.fields)) {
    if (presence !== 'echoed') taken[name] = null
  }
  const members = Object.entries(value)
  for (const [sent, each] of members) {
    const found = memberNamed(shape, sent)
    if (found === undefined || each === null) continue
    const [name, field] = found
    const { vendor } = place
    const told = vendor ? (field.vendor ?? name) : name
    const inner = { struct: nameOf(shape, vendor), path: [...place.path, told], vendor }
    taken[name] = take(each, field.shape, inner)
  }
  return taken
}

/** The member that a sent name means: exactly so spelled, or in another letter case or dialect. */
function memberNamed(shape: StructShape, sent: string): [string, Field] | undefined {
  const exact = Object.hasOwn(shape.fields, sent) ? shape.fields[sent] : undefined
  if (exact !== undefined) return [sent, exact]
  const folded = sent.toLowerCase()
  return Object.entries(shape.fields).find(
    ([name, { vendor }]) => name.toLowerCase() === folded || vendor?.toLowerCase() === folded,
  )
}

type ScalarShape = Exclude<Shape, { kind: 'any' | 'pointer' | 'list' | 'map' | 'struct' }>

function takeScalar(value: Exclude<Json, null>, shape: ScalarShape, place: Place): unknown {
  switch (shape.kind) {
    case 'text':
    case 'time':
      if (typeof value === 'string') return value
      break
    case 'bytes':
      if (typeof value === 'string') return checkedBase64(value)
      break
    case 'bool':
      if (typeof value === 'boolean') return value
      break
    case 'float':
      if (isNumber(value)) return Number(value)
      break
    default:
      if (isNumber(value)) return takeWhole(value, shape, place)
  }
  throw wrongType(value, shape, place)
}

function isNumber(value: Json): value is number | JsonNumber {
  return typeof value === 'number' || value instanceof JsonNumber
}

const bits = 64n

/** Whole numbers by their text: what is written with a point or an exponent is none. */
function takeWhole(value: number | JsonNumber, shape: ScalarShape, place: Place): number {
  const literal = String(value)
  const isUnsigned = shape.kind === 'uint'
  if (/^-?\d+$/.test(literal)) {
    const exact = BigInt(literal)
    const [low, high] = isUnsigned
      ? [0n, 2n ** bits - 1n]
      : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n]
    if (exact >= low && exact <= high) return Number(exact)
  }
  throw mismatch(`number ${literal}`, shape, place)
}

function checkedBase64(value: string): string {
  const text = value.replace(/[\r\n]/g, '')
  const wrong = text.search(/[^A-Za-z0-9+/=]/)
  if (wrong >= 0) throw refuse('body-no-base64', { at: wrong })
  const body = text.replace(/={0,2}$/, '')
  const padding = body.indexOf('=')
  if (padding >= 0) throw refuse('body-no-base64', { at: padding })
  if (text.length % 4 !== 0 || body.length % 4 === 1) {
    throw refuse('body-no-base64', { at: text.length - (text.length % 4) })
  }
  return text
}

/** How many levels free values may have: what works on rows goes down them one call at a time. */
const deepestValue = 1000

/** JSON as rows may hold it: numbers are doubles. */
function plain(value: Json, level = 1): Json {
  if (value instanceof JsonNumber) return Number(value.text)
  const isList = Array.isArray(value)
  if (!isList && !isJsonObject(value)) return value
  if (level > deepestValue) throw refuse('body-too-deep')
  if (isList) return value.map((each) => plain(each, level + 1))
  const copy: Record<string, Json> = {}
  for (const [key, each] of Object.entries(value)) setMember(copy, key, plain(each, level + 1))
  return copy
}

/** What null means inside a list or map. */
function zeroOf(shape: Shape): unknown {
  switch (shape.kind) {
    case 'text':
    case 'time':
      return ''
    case 'bool':
      return false
    case 'struct':
      return takeStruct({}, shape, { struct: '', path: [], vendor: false })
    case 'int':
    case 'uint':
    case 'float':
    case 'duration':
      return 0
    default:
      return null
  }
}

function wrongType(value: Json, shape: Shape, place: Place): Error {
  return mismatch(kindOf(value), shape, place)
}

function mismatch(value: string, shape: Shape, { struct, path, vendor }: Place): Error {
  const place = struct === '' ? 'Go value' : `Go struct field ${[struct, ...path].join('.')}`
  return refuse('body-mistyped', { value, place, type: goType(shape, vendor) })
}

function nameOf(shape: StructShape, vendor: boolean): string {
  return vendor ? (shape.vendor ?? shape.name) : shape.name
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return isNumber(value) ? 'number' : typeof value
}

const scalarTypes = {
  text: 'string',
  time: 'time.Time',
  bool: 'bool',
  int: 'int',
  uint: 'uint64',
  float: 'float64',
  duration: 'time.Duration',
  bytes: '[]uint8',
} as const

/** The reference's name of a type. */
function goType(shape: Shape, vendor: boolean): string {
  switch (shape.kind) {
    case 'any':
      return 'interface {}'
    case 'pointer':
      return goType(shape.to, vendor)
    case 'list':
      return `[]${elementType(shape.of, vendor)}`
    case 'map':
      return `map[string]${elementType(shape.of, vendor)}`
    case 'struct':
      return `api.${nameOf(shape, vendor)}`
    default:
      return scalarTypes[shape.kind]
  }
}

function elementType(shape: Shape, vendor: boolean): string {
  return shape.kind === 'struct' ? `*${goType(shape, vendor)}` : goType(shape, vendor)
}
