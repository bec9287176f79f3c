import { isJsonObject, type Json, JsonNumber, type JsonObject, setMember } from '../json.ts'
import { oncePer } from '../once.ts'
import type { DialectName } from './dialect.ts'
import { type GoNames, goType, structName } from './go-types.ts'
import type { NumberShape, ScalarKind, Shape, StructShape } from './kinds.ts'
import type { Sent } from './values.ts'

/** A value that does not fit, as Go tells it: `number`, `Go struct field Job.Job.ID`, `string`. */
interface Mismatch {
  readonly value: string
  readonly place: string
  readonly type: string
}

type Scalar = string | number | boolean

/** The manners and words of an API that decodes as Go does. */
export interface DecoderVocabulary extends GoNames {
  /** Of the objects around a value, which one its place is said to be in. */
  readonly placeBy: 'outermost' | 'innermost'
  /** What places call an object, where that is not its name. */
  holder?(name: string): string
  /** Returns what is to be thrown for a value of the wrong type. */
  wrongType(mismatch: Mismatch): Error
  /** The same for a member that there is not; without it they are passed over. */
  unknownMember?(name: string): Error
  /** Free values as rows may hold them. */
  free(value: Json): Json
  /**
   * Functions that take scalars of a kind in a way of its own; undefined for a value of the wrong
   * type.
   */
  readonly takes?: {
    readonly [Kind in ScalarKind]?: (value: Exclude<Json, null>) => Scalar | undefined
  }
}

/** Where a value comes from that is not the whole of a request. */
interface DecodeOptions {
  /** The members that lead to it. */
  readonly path?: readonly string[]
  /** Whose names messages tell. */
  readonly dialect?: DialectName
}

/**
 * Takes a JSON value as the reference's decoder does: names are compared without regard to case and in
 * either dialect's spelling, the last member of a name counts, null is as if nothing had been sent, and
 * values of another type are refused (behaviour/scheduler#conventions, behaviour/mesh#conventions).
 *
 * @returns whatever was not sent is null; optional members are there only when they were sent
 */
export function decodeValue<const S extends StructShape>(
  value: Json,
  shape: S,
  vocabulary: DecoderVocabulary,
  { path = [], dialect: spelling = 'neutral' }: DecodeOptions = {},
): Sent<S> {
  // The shape's type is what the walk below follows at run time.
  return take(value, shape, { vocabulary, path, dialect: spelling }) as Sent<S>
}

/** Who decodes, and where the whole of what is decoded stands. */
interface Reading {
  readonly vocabulary: DecoderVocabulary
  readonly path: readonly string[]
  readonly dialect: DialectName
}

/** The member that a value is, and the one that its object is, if it is one. */
interface Place {
  readonly member: Member
  readonly outer: Place | undefined
}

/** A member of an object as a decoder looks it up. */
interface Member {
  readonly of: StructShape
  readonly name: string
  /** The vendor's name of it. */
  readonly vendor: string
  readonly embeddedIn: readonly string[]
  readonly shape: Shape
}

function take(value: Json, shape: Shape, reading: Reading, place?: Place): unknown {
  if (value === null) return shape.kind === 'struct' ? emptyOf(shape) : null
  switch (shape.kind) {
    case 'any':
    case 'union':
    case 'constant':
      return reading.vocabulary.free(value)
    case 'nullable':
      return take(value, shape.to, reading, place)
    case 'list':
      if (!Array.isArray(value)) throw wrongType(value, shape, reading, place)
      return value.map((item) => takeItem(item, shape.of, reading, place))
    case 'map':
      if (!isJsonObject(value)) throw wrongType(value, shape, reading, place)
      return takeMap(value, shape.of, reading, place)
    case 'struct':
      if (!isJsonObject(value)) throw wrongType(value, shape, reading, place)
      return takeStruct(value, shape, reading, place)
    default:
      return takeScalar(value, shape, reading, place)
  }
}

/** Returns what is in a list or a map; null there is the type's zero value. */
function takeItem(value: Json, of: Shape, reading: Reading, place: Place | undefined): unknown {
  return value === null ? zeroOf(of) : take(value, of, reading, place)
}

function takeMap(
  value: JsonObject,
  of: Shape,
  reading: Reading,
  place: Place | undefined,
): Record<string, unknown> {
  const taken: Record<string, unknown> = {}
  for (const [key, each] of Object.entries(value)) {
    setMember(taken, key, takeItem(each, of, reading, place))
  }
  return taken
}

function takeStruct(
  value: JsonObject,
  shape: StructShape,
  reading: Reading,
  outer: Place | undefined,
): Record<string, unknown> {
  const taken = emptyOf(shape)
  const { named, folded } = membersOf(shape)
  for (const sent of Object.keys(value)) {
    const each = value[sent] ?? null
    const member = named.get(sent) ?? folded.get(sent.toLowerCase())
    if (member === undefined) {
      const { unknownMember } = reading.vocabulary
      if (unknownMember !== undefined) throw unknownMember(sent)
    } else if (each !== null) {
      taken[member.name] = take(each, member.shape, reading, { member, outer })
    }
  }
  return taken
}

/** An object of which nothing was sent. */
function emptyOf(shape: StructShape): Record<string, unknown> {
  return { ...membersOf(shape).unsent }
}

/** The members of an object, looked through once and not with each value. */
const membersOf = oncePer((of: StructShape) => {
  const named = new Map<string, Member>()
  /** In another letter case or dialect: the first that has the name. */
  const folded = new Map<string, Member>()
  const unsent: [string, null][] = []
  for (const [name, field] of Object.entries(of.fields)) {
    const { shape, presence, vendor = name, aliases = [], embeddedIn = [] } = field
    const member = { of, name, vendor, embeddedIn, shape }
    named.set(name, member)
    for (const each of [name, vendor, ...aliases].map((spelling) => spelling.toLowerCase())) {
      if (!folded.has(each)) folded.set(each, member)
    }
    if (presence !== 'optional') unsent.push([name, null])
  }
  // V8 keeps a large object as a hash table if it grew, but not if it was parsed; and so its copies.
  const parsed: Readonly<Record<string, null>> = JSON.parse(
    JSON.stringify(Object.fromEntries(unsent)),
  )
  return { named, folded, unsent: parsed }
})

type Atom = Extract<Shape, { kind: ScalarKind | 'word' }>

function takeScalar(
  value: Exclude<Json, null>,
  shape: Atom,
  reading: Reading,
  place: Place | undefined,
): unknown {
  const own = shape.kind === 'word' ? undefined : reading.vocabulary.takes?.[shape.kind]
  if (own !== undefined) {
    const taken = own(value)
    if (taken !== undefined) return taken
    throw wrongType(value, shape, reading, place)
  }
  switch (shape.kind) {
    case 'bool':
      if (typeof value === 'boolean') return value
      break
    case 'float':
      if (isNumber(value)) return Number(value)
      break
    case 'int':
    case 'uint':
    case 'duration':
      if (isNumber(value)) return takeWhole(value, shape, reading, place)
      break
    default:
      if (typeof value === 'string') return value
  }
  throw wrongType(value, shape, reading, place)
}

function isNumber(value: Json): value is number | JsonNumber {
  return typeof value === 'number' || value instanceof JsonNumber
}

/** Whole numbers by their text: what is written with a point or an exponent is none. */
function takeWhole(
  value: number | JsonNumber,
  shape: NumberShape,
  reading: Reading,
  place: Place | undefined,
): number {
  const { kind, bits = 64 } = shape
  if (typeof value === 'number' && Number.isSafeInteger(value) && bits === 64) {
    // What is written as -0 is 0.
    if (value >= 0 || kind !== 'uint') return value + 0
  }
  const literal = String(value)
  if (/^-?\d+$/.test(literal)) {
    const exact = BigInt(literal)
    const kept = kind === 'uint' ? BigInt.asUintN(bits, exact) : BigInt.asIntN(bits, exact)
    if (kept === exact) return Number(exact)
  }
  throw mismatch(`number ${literal}`, shape, reading, place)
}

/** Returns what null means inside a list or map. */
function zeroOf(shape: Shape): unknown {
  switch (shape.kind) {
    case 'text':
    case 'time':
    case 'word':
      return ''
    case 'bool':
      return false
    case 'struct':
      return emptyOf(shape)
    case 'int':
    case 'uint':
    case 'float':
    case 'duration':
      return 0
    default:
      return null
  }
}

function wrongType(value: Json, shape: Shape, reading: Reading, place: Place | undefined): Error {
  return mismatch(kindOf(value), shape, reading, place)
}

function mismatch(
  value: string,
  shape: Shape,
  { vocabulary, dialect: spelling, path }: Reading,
  place: Place | undefined,
): Error {
  const members: Member[] = []
  for (let each = place; each !== undefined; each = each.outer) members.unshift(each.member)
  const holding = vocabulary.placeBy === 'innermost' ? members.at(-1) : members[0]
  const struct = holding && structName(holding.of, spelling)
  const holder = struct === undefined ? undefined : (vocabulary.holder?.(struct) ?? struct)
  const names = members.flatMap(({ name, vendor, embeddedIn }) => [
    ...embeddedIn,
    spelling === 'vendor' ? vendor : name,
  ])
  return vocabulary.wrongType({
    value,
    place:
      holder === undefined
        ? 'Go value'
        : `Go struct field ${[holder, ...path, ...names].join('.')}`,
    type: goType(shape, vocabulary, spelling),
  })
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return isNumber(value) ? 'number' : typeof value
}
