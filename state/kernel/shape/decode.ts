import { type Integer, integerOf } from '../integers.ts'
import { isJsonObject, type Json, JsonNumber, type JsonObject, setMember } from '../json.ts'
import type { InParts } from '../parts.ts'
import { emptyOf, type Member, memberNamed } from './decode-members.ts'
import type { DialectName } from './dialect.ts'
import { type GoNames, goType, structName } from './go-types.ts'
import { type NumberShape, type ScalarKind, type Shape, type StructShape, uintOf } from './kinds.ts'
import type { ParsedOf } from './values.ts'

/** Parts of the message about a value of the wrong type, in Go's words. */
interface Mismatch {
  /** Kind of the value that was sent, such as `number`. */
  readonly value: string
  /** Location of the value in Go's types, such as `Go struct field Job.Job.ID`. */
  readonly location: string
  /** Expected type, such as `string`. */
  readonly type: string
}

type Scalar = string | number | boolean

/** Settings and wording of an API that decodes as Go does. */
export interface DecoderSettings extends GoNames {
  /** The enclosing object that error messages name: the outermost or the innermost. */
  readonly locatedBy: 'outermost' | 'innermost'
  /** Returns the name of an object in messages, if it differs from the shape's name. */
  holder?(name: string): string
  /** Returns the name of a member in messages, if that differs from the name in the dialect. */
  memberName?(name: string): string
  /** Returns the error for a value of the wrong type. */
  wrongType(mismatch: Mismatch): Error
  /** Returns the error for an unknown member; without it unknown members are ignored. */
  unknownMember?(name: string): Error
  /** Converts a value of unknown shape into a value that rows may contain. */
  decodeAny(value: Json): Json
  /**
   * Decoders that replace the standard ones, by kind of scalar. A decoder returns undefined for a
   * value of the wrong type.
   */
  readonly scalarDecoders?: {
    readonly [Kind in ScalarKind]?: (value: Exclude<Json, null>) => Scalar | undefined
  }
}

/** Settings of a single call; `DecoderSettings` are the same for all calls of an API. */
interface DecodeOptions {
  /** Names of the members that enclose the value, outermost first. */
  readonly path?: readonly string[]
  /** Dialect of the names in messages. */
  readonly dialect?: DialectName
}

/**
 * Decodes a JSON value as the reference's decoder does: the letter case of names is ignored, both
 * dialects' spellings are accepted, the last of several equal names wins, and null counts as not
 * sent. Throws the error of the settings for a value of the wrong type and, if the settings refuse
 * unknown members, for an unknown member (behaviour/scheduler#bodies, behaviour/mesh#conventions).
 *
 * @returns members that were not sent are null; optional members are missing unless sent
 */
export function decodeValue<const S extends StructShape>(
  value: Json,
  shape: S,
  settings: DecoderSettings,
  { path = [], dialect = 'neutral' }: DecodeOptions = {},
): ParsedOf<S> {
  return decodeWith(value, shape, { settings, path, dialect: dialect })
}

/**
 * Decodes a JSON value as `decodeValue` does and throws the same errors, but pauses after each item
 * of a long list.
 */
export function* decodeValueInParts<const S extends StructShape>(
  value: Json,
  shape: S,
  settings: DecoderSettings,
  { path = [], dialect = 'neutral' }: DecodeOptions = {},
): InParts<ParsedOf<S>> {
  const decodedValues = new Map<Json, unknown>()
  const context = { settings, path, dialect, decodedValues }
  try {
    for (const [item, of] of itemsOfLongLists(value, shape)) {
      decodedValues.set(item, decodeMember(item, of, context))
      yield
    }
  } catch {
    // The call below decodes the whole value and throws for the first mistake in the value, which
    // may precede the mistake that was caught.
  }
  return decodeWith(value, shape, context)
}

function decodeWith<const S extends StructShape>(
  value: Json,
  shape: S,
  context: DecodeContext,
): ParsedOf<S> {
  // `decodeMember` follows the shape at run time as `ParsedOf` does at compile time, so the cast is
  // safe.
  return decodeMember(value, shape, context) as ParsedOf<S>
}

/** Number of items up to which a list is decoded without a pause. */
const longListLength = 20

/** Yields the objects in outermost lists of more than `longListLength` items, with their shapes. */
function* itemsOfLongLists(value: Json, shape: Shape): Generator<[JsonObject, Shape]> {
  if (shape.kind === 'nullable') yield* itemsOfLongLists(value, shape.to)
  if (shape.kind === 'list' && Array.isArray(value)) {
    for (const item of value) {
      if (value.length <= longListLength) yield* itemsOfLongLists(item, shape.of)
      else if (isJsonObject(item)) yield [item, shape.of]
    }
  }
  if (shape.kind !== 'struct' || !isJsonObject(value)) return
  for (const [key, each] of Object.entries(value)) {
    const member = memberNamed(shape, key)
    if (member !== undefined) yield* itemsOfLongLists(each, member.shape)
  }
}

interface DecodeContext {
  readonly settings: DecoderSettings
  readonly path: readonly string[]
  readonly dialect: DialectName
  /** Items of long lists that were decoded earlier, with pauses: decoded value by original item. */
  readonly decodedValues?: ReadonlyMap<Json, unknown>
}

/** Chain of the declared members that lead to a value, innermost first. */
interface MemberPath {
  readonly member: Member
  readonly outer: MemberPath | undefined
}

function decodeMember(
  value: Json,
  shape: Shape,
  context: DecodeContext,
  location?: MemberPath,
): unknown {
  if (value === null) return shape.kind === 'struct' ? emptyOf(shape) : null
  if (typeof value === 'object' && context.decodedValues?.has(value))
    return context.decodedValues.get(value)
  switch (shape.kind) {
    case 'any':
    case 'union':
    case 'constant':
      return context.settings.decodeAny(value)
    case 'nullable':
      return decodeMember(value, shape.to, context, location)
    case 'list':
      if (!Array.isArray(value)) throw wrongType(value, shape, context, location)
      return value.map((item) => decodeItem(item, shape.of, context, location))
    case 'map':
      if (!isJsonObject(value)) throw wrongType(value, shape, context, location)
      return decodeMap(value, shape.of, context, location)
    case 'struct':
      if (!isJsonObject(value)) throw wrongType(value, shape, context, location)
      return decodeStruct(value, shape, context, location)
    case 'bytes':
      if (Array.isArray(value)) return decodeByteList(value, context, location)
      return decodeScalar(value, shape, context, location)
    default:
      return decodeScalar(value, shape, context, location)
  }
}

const byteShape = uintOf({ bits: 8 })

/** Converts a byte slice that was sent as a list of numbers to base64. Go accepts both forms. */
function decodeByteList(
  values: readonly Json[],
  context: DecodeContext,
  location: MemberPath | undefined,
): string {
  const numbers = values.map((each) => Number(decodeItem(each, byteShape, context, location)))
  return Buffer.from(numbers).toString('base64')
}

/** Decodes an element of a list or map. Null becomes the zero value of the type. */
function decodeItem(
  value: Json,
  of: Shape,
  context: DecodeContext,
  location: MemberPath | undefined,
): unknown {
  return value === null ? zeroOf(of) : decodeMember(value, of, context, location)
}

function decodeMap(
  value: JsonObject,
  of: Shape,
  context: DecodeContext,
  location: MemberPath | undefined,
): Record<string, unknown> {
  const decoded: Record<string, unknown> = {}
  for (const [key, each] of Object.entries(value)) {
    setMember(decoded, key, decodeItem(each, of, context, location))
  }
  return decoded
}

function decodeStruct(
  value: JsonObject,
  shape: StructShape,
  context: DecodeContext,
  outer: MemberPath | undefined,
): Record<string, unknown> {
  const decoded = emptyOf(shape)
  for (const key of Object.keys(value)) {
    const each = value[key] ?? null
    const member = memberNamed(shape, key)
    if (member === undefined) {
      const { unknownMember } = context.settings
      if (unknownMember !== undefined) throw unknownMember(key)
    } else if (each !== null) {
      decoded[member.name] = decodeMember(each, member.shape, context, { member, outer })
    }
  }
  return decoded
}

type ScalarOrWordShape = Extract<Shape, { kind: ScalarKind | 'word' }>

function decodeScalar(
  value: Exclude<Json, null>,
  shape: ScalarOrWordShape,
  context: DecodeContext,
  location: MemberPath | undefined,
): unknown {
  const decodeCustom =
    shape.kind === 'word' ? undefined : context.settings.scalarDecoders?.[shape.kind]
  if (decodeCustom !== undefined) {
    const decoded = decodeCustom(value)
    if (decoded !== undefined) return decoded
    throw wrongType(value, shape, context, location)
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
      if (isNumber(value)) return decodeInteger(value, shape, context, location)
      break
    default:
      if (typeof value === 'string') return value
  }
  throw wrongType(value, shape, context, location)
}

function isNumber(value: Json): value is number | JsonNumber {
  return typeof value === 'number' || value instanceof JsonNumber
}

/**
 * Decodes a whole number from its text. Throws for a point, an exponent, or a value outside the
 * range of the type.
 */
function decodeInteger(
  value: number | JsonNumber,
  shape: NumberShape,
  context: DecodeContext,
  location: MemberPath | undefined,
): Integer {
  const { kind, bits = 64 } = shape
  if (typeof value === 'number' && Number.isSafeInteger(value) && bits === 64) {
    // The addition turns -0 into 0.
    if (value >= 0 || kind !== 'uint') return value + 0
  }
  const literal = String(value)
  if (/^-?\d+$/.test(literal)) {
    const exact = BigInt(literal)
    const wrappedInteger =
      kind === 'uint' ? BigInt.asUintN(bits, exact) : BigInt.asIntN(bits, exact)
    if (wrappedInteger === exact) return shape.isExact ? integerOf(String(exact)) : Number(exact)
  }
  throw mismatch(`number ${literal}`, shape, context, location)
}

/** Returns the value that replaces null inside a list or map. */
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

function wrongType(
  value: Json,
  shape: Shape,
  context: DecodeContext,
  location: MemberPath | undefined,
): Error {
  return mismatch(kindOf(value), shape, context, location)
}

function mismatch(
  value: string,
  shape: Shape,
  { settings, dialect, path }: DecodeContext,
  location: MemberPath | undefined,
): Error {
  const members: Member[] = []
  for (let each = location; each !== undefined; each = each.outer) members.unshift(each.member)
  const holdingMember = settings.locatedBy === 'innermost' ? members.at(-1) : members[0]
  const struct = holdingMember && structName(holdingMember.of, dialect)
  const holder = struct === undefined ? undefined : (settings.holder?.(struct) ?? struct)
  const nameOf = (name: string) => settings.memberName?.(name) ?? name
  const names = members.flatMap(({ name, vendor, embeddedIn }) => [
    ...embeddedIn,
    nameOf(dialect === 'vendor' ? vendor : name),
  ])
  return settings.wrongType({
    value,
    location:
      holder === undefined
        ? 'Go value'
        : `Go struct field ${[holder, ...path, ...names].join('.')}`,
    type: goType(shape, settings, dialect),
  })
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return isNumber(value) ? 'number' : typeof value
}
