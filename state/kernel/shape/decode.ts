import { isJsonObject, type Json, JsonNumber, setMember } from '../json.ts'
import type { Spelling } from './dialect.ts'
import { type GoNames, goType, structName } from './go-types.ts'
import type { Field, NumberShape, ScalarKind, Shape, StructShape } from './kinds.ts'
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
  readonly spelling?: Spelling
}

/**
 * Takes a JSON value as the reference's decoder does: names are compared without regard to case and in
 * either dialect's spelling, the last member of a name counts, null is as if nothing had been sent, and
 * values of another type are refused (3b-scheduler-decisions.md section 1, 3a-mesh-decisions.md section 1).
 *
 * @returns whatever was not sent is null; optional members are there only when they were sent
 */
export function decodeValue<const S extends StructShape>(
  value: Json,
  shape: S,
  vocabulary: DecoderVocabulary,
  { path = [], spelling = 'neutral' }: DecodeOptions = {},
): Sent<S> {
  const place: Place = { vocabulary, structs: [], path, spelling }
  // The shape's type is what the walk below follows at run time.
  return take(value, shape, place) as Sent<S>
}

/** Where a value stands: the objects around it that have names, and the members that lead there. */
interface Place {
  readonly vocabulary: DecoderVocabulary
  readonly structs: readonly string[]
  readonly path: readonly string[]
  readonly spelling: Spelling
}

function take(value: Json, shape: Shape, place: Place): unknown {
  if (value === null) return shape.kind === 'struct' ? takeStruct({}, shape, place) : null
  switch (shape.kind) {
    case 'any':
    case 'union':
    case 'constant':
      return place.vocabulary.free(value)
    case 'nullable':
      return take(value, shape.to, place)
    case 'list':
      if (!Array.isArray(value)) throw wrongType(value, shape, place)
      return value.map((item) => takeItem(item, shape.of, place))
    case 'map':
      return takeMap(value, shape.of, place, shape)
    case 'struct':
      return takeStruct(value, shape, place)
    default:
      return takeScalar(value, shape, place)
  }
}

/** Returns what is in a list or a map; null there is the type's zero value. */
function takeItem(value: Json, of: Shape, place: Place): unknown {
  return value === null ? zeroOf(of, place) : take(value, of, place)
}

function takeMap(value: Json, of: Shape, place: Place, shape: Shape): Record<string, unknown> {
  if (!isJsonObject(value)) throw wrongType(value, shape, place)
  const taken: Record<string, unknown> = {}
  for (const [key, each] of Object.entries(value)) setMember(taken, key, takeItem(each, of, place))
  return taken
}

function takeStruct(value: Json, shape: StructShape, place: Place): Record<string, unknown> {
  if (!isJsonObject(value)) throw wrongType(value, shape, place)
  const { vocabulary, spelling } = place
  const taken: Record<string, unknown> = {}
  for (const [name, { presence }] of Object.entries(shape.fields)) {
    if (presence !== 'optional') taken[name] = null
  }
  const structs = [...place.structs, structName(shape, spelling)]
  for (const [sent, each] of Object.entries(value)) {
    const found = memberNamed(shape, sent)
    if (found === undefined) {
      if (vocabulary.unknownMember !== undefined) throw vocabulary.unknownMember(sent)
      continue
    }
    if (each === null) continue
    const [name, field] = found
    const told = spelling === 'vendor' ? (field.vendor ?? name) : name
    const inner = { vocabulary, structs, path: [...place.path, told], spelling }
    taken[name] = take(each, field.shape, inner)
  }
  return taken
}

/** The member that a sent name means: exactly so spelled, or in another letter case or dialect. */
function memberNamed({ fields }: StructShape, sent: string): [string, Field] | undefined {
  const exact = Object.hasOwn(fields, sent) ? fields[sent] : undefined
  if (exact !== undefined) return [sent, exact]
  const folded = sent.toLowerCase()
  return Object.entries(fields).find(([name, { vendor, aliases = [] }]) =>
    [name, vendor, ...aliases].some((each) => each?.toLowerCase() === folded),
  )
}

type Atom = Extract<Shape, { kind: ScalarKind | 'word' }>

function takeScalar(value: Exclude<Json, null>, shape: Atom, place: Place): unknown {
  const own = shape.kind === 'word' ? undefined : place.vocabulary.takes?.[shape.kind]
  if (own !== undefined) {
    const taken = own(value)
    if (taken !== undefined) return taken
    throw wrongType(value, shape, place)
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
      if (isNumber(value)) return takeWhole(value, shape, place)
      break
    default:
      if (typeof value === 'string') return value
  }
  throw wrongType(value, shape, place)
}

function isNumber(value: Json): value is number | JsonNumber {
  return typeof value === 'number' || value instanceof JsonNumber
}

/** Whole numbers by their text: what is written with a point or an exponent is none. */
function takeWhole(value: number | JsonNumber, shape: NumberShape, place: Place): number {
  const literal = String(value)
  if (/^-?\d+$/.test(literal)) {
    const bits = shape.bits ?? 64
    const exact = BigInt(literal)
    const kept = shape.kind === 'uint' ? BigInt.asUintN(bits, exact) : BigInt.asIntN(bits, exact)
    if (kept === exact) return Number(exact)
  }
  throw mismatch(`number ${literal}`, shape, place)
}

/** Returns what null means inside a list or map. */
function zeroOf(shape: Shape, { vocabulary }: Place): unknown {
  switch (shape.kind) {
    case 'text':
    case 'time':
    case 'word':
      return ''
    case 'bool':
      return false
    case 'struct':
      return takeStruct({}, shape, { vocabulary, structs: [], path: [], spelling: 'neutral' })
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

function mismatch(value: string, shape: Shape, place: Place): Error {
  const { vocabulary, structs, path, spelling } = place
  const struct = vocabulary.placeBy === 'innermost' ? structs.at(-1) : structs[0]
  const holder = struct === undefined ? undefined : (vocabulary.holder?.(struct) ?? struct)
  return vocabulary.wrongType({
    value,
    place: holder === undefined ? 'Go value' : `Go struct field ${[holder, ...path].join('.')}`,
    type: goType(shape, vocabulary, spelling),
  })
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return isNumber(value) ? 'number' : typeof value
}
