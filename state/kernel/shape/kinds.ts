/**
 * Description of a value, as data. One declaration yields the type (values.ts), the JSON Schema
 * (schema.ts), the decoder of requests (decode.ts), the stored form (fill-defaults.ts) and the
 * vendor's names (dialect.ts). The constructors only store their arguments, so declaring a shape is
 * cheap.
 */
export type Shape =
  | TextShape
  | BoolShape
  | NumberShape
  | WordShape
  | ConstantShape
  | ListShape
  | MapShape
  | StructShape
  | NullableShape
  | UnionShape
  | AnyShape

/** Description for OpenAPI and the reference pages, without effect on values. */
interface WithDescription {
  readonly description?: string
}

/** A value whose type has its own name in the reference's decoder. */
interface WithTypeName {
  /** Type name in messages: `SchedulerAlgorithm`. */
  readonly typeName?: string
}

/** A string. `time` is in RFC 3339 format; `bytes` is base64, or null for no bytes. */
export interface TextShape<Kind extends TextKind = TextKind>
  extends TextRules,
    WithTypeName,
    WithDescription {
  readonly kind: Kind
  /**
   * Function that translates strings of the API into the vendor's spelling. Returns all other
   * strings unchanged.
   */
  readonly translate?: (neutral: string) => string
}

export type TextKind = 'text' | 'time' | 'bytes'

/** Constraints on a string; `format` is for documentation only. */
export interface TextRules {
  readonly minLength?: number
  readonly maxLength?: number
  /** A regular expression. */
  readonly pattern?: string
  readonly format?: string
}

export interface BoolShape extends WithDescription {
  readonly kind: 'bool'
}

/**
 * A number. `int` and `uint` are whole numbers, `float` may have a fraction, and `duration` is a
 * whole number of nanoseconds.
 */
export interface NumberShape<Kind extends NumberKind = NumberKind>
  extends NumberRules,
    WithTypeName,
    WithDescription {
  readonly kind: Kind
  /**
   * True if the value keeps all its digits: an integer that a JavaScript number would round is a
   * bigint.
   */
  readonly isExact?: true
}

export type NumberKind = 'int' | 'uint' | 'float' | 'duration'

/** Kinds of values that are a single string, number or boolean of any content. */
export type ScalarKind = TextKind | NumberKind | 'bool'

/** Constraints on a number; `format` is for documentation only, and only decoders check `bits`. */
export interface NumberRules {
  /** Bits of the Go type of a whole number; 64 if left out. */
  readonly bits?: 8 | 16 | 32 | 64
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly format?: string
}

/** One of a fixed set of strings. */
export interface WordShape<Word = string> extends WithDescription {
  readonly kind: 'word'
  readonly words: readonly Word[]
  /** The vendor's spelling of the words that it spells differently. */
  readonly vendor?: Readonly<Record<string, string>>
}

export interface ConstantShape<Value = string | number | boolean | null> extends WithDescription {
  readonly kind: 'constant'
  readonly value: Value
}

export interface ListShape<Item = Shape, OrNull = boolean> extends ListRules, WithDescription {
  readonly kind: 'list'
  readonly of: Item
  /** True if an empty list is null, as in Go. */
  readonly orNull: OrNull
  /** Name of the member by which the items are sorted bytewise. The items must be objects. */
  readonly orderedBy?: string
}

export interface ListRules {
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: true
}

/** A map from names, which the user chooses, to values of one shape. */
export interface MapShape<Item = Shape, OrNull = boolean> extends WithTypeName, WithDescription {
  readonly kind: 'map'
  readonly of: Item
  /** True if an empty map is null, as in Go. */
  readonly orNull: OrNull
  /** Constraints on the keys, and the vendor's spelling of keys that belong to the API. */
  readonly keys?: TextShape
}

/** An object with declared members. */
export interface StructShape<Fields = Readonly<Record<string, Field>>, Others = Shape | undefined>
  extends WithDescription {
  readonly kind: 'struct'
  /** Name in messages of decoders; may be empty. */
  readonly name: string
  /** The vendor's name, if it differs. */
  readonly vendor?: string
  readonly fields: Fields
  /**
   * Shape of the members that `fields` does not declare; undefined if the object has only declared
   * members.
   */
  readonly others: Others
  /** True if older rows may contain the object exactly as it was sent, with any members. */
  readonly isLenient?: true
  /** True if the vendor leaves out empty members. */
  readonly vendorSparse?: true
  /**
   * Returns the shape whose vendor names apply to the object's members. Declared only if these
   * names depend on the object's content. Returns undefined if the names of this shape apply.
   */
  readonly vendorAs?: (object: Readonly<Record<string, unknown>>) => StructShape | undefined
}

export interface NullableShape<To = Shape> extends WithDescription {
  readonly kind: 'nullable'
  readonly to: To
}

export interface UnionShape<Of = readonly Shape[]> extends WithDescription {
  readonly kind: 'union'
  readonly of: Of
  /** Name of the member whose value identifies the shape of an object in a union. */
  readonly tag?: string
}

/** Any JSON value, which is not checked. */
export interface AnyShape extends WithDescription {
  readonly kind: 'any'
}

/**
 * Presence of a member:
 * - `always`: in every row and reply; input may leave it out if it has a default;
 * - `optional`: present only if there is a value or a default;
 * - `sent`: only in requests and in the output of parsers.
 */
export type Presence = 'always' | 'optional' | 'sent'

/** Declaration of one member of an object. */
export interface Field extends WithDescription {
  readonly shape: Shape
  readonly presence: Presence
  /** Stored value if the member is not sent. */
  readonly default?: unknown
  /**
   * True if the member's Go type is not a pointer: null and absence mean the zero value, which
   * `default` replaces, and configuration files refuse null.
   */
  readonly goValue?: true
  /** True if the reference decodes the member, but stores the zero value instead of its value. */
  readonly isDropped?: true
  /** True if requests do not have the member. */
  readonly isOutputOnly?: true
  /** The vendor's name, if it differs. */
  readonly vendor?: string
  /** True if the vendor does not have the member. */
  readonly isNeutralOnly?: true
  /** Alternative names of the member that requests may use. */
  readonly aliases?: readonly string[]
  /**
   * Names of the embedded Go types that declare the member, outermost first. Decoders name them in
   * messages.
   */
  readonly embeddedIn?: readonly string[]
  /** True for secrets; the journal, events and dumps show a fingerprint instead. */
  readonly secret?: true
  /**
   * Paths to secrets inside a member whose shape does not declare them: names separated by `/`,
   * where `*` matches any name.
   */
  readonly nestedSecrets?: readonly string[]
  /**
   * Form of the member in configuration files, if it does not follow from name and shape; `none` if
   * files cannot contain the member.
   */
  readonly file?: FileMember | 'none'
}

/** Form of a member in configuration files. */
export interface FileMember {
  /** Name in files; by default the member's name in lower case with underscores. */
  readonly name?: string
}

export const text = { kind: 'text' } as const
export const time = { kind: 'time' } as const
export const bytes = { kind: 'bytes' } as const
export const bool = { kind: 'bool' } as const
export const int = { kind: 'int' } as const
export const uint = { kind: 'uint' } as const
export const float = { kind: 'float' } as const
/** A number of nanoseconds. */
export const duration = { kind: 'duration' } as const
/** A whole number that keeps all its digits, as 64-bit integers need. */
export const exactInt = { kind: 'int', isExact: true } as const
/** A whole number that is not negative and keeps all its digits. */
export const exactUint = { kind: 'uint', isExact: true } as const
/** A number of nanoseconds that keeps all its digits. */
export const exactDuration = { kind: 'duration', isExact: true } as const
export const any = { kind: 'any' } as const

/** A string that is not empty, for names and ids. */
export const name = { kind: 'text', minLength: 1 } as const
/** An instant in milliseconds since 1970. */
export const instant = { kind: 'int' } as const

export function textOf(rules: TextRules): TextShape<'text'> {
  return { kind: 'text', ...rules }
}

/** Declares a string, number or map whose type has its own name in the reference's decoder. */
export function typed<const S extends TextShape | NumberShape | MapShape<unknown>>(
  typeName: string,
  shape: S,
): S {
  return { ...shape, typeName }
}

export function intOf(rules: NumberRules): NumberShape<'int'> {
  return { kind: 'int', ...rules }
}

/**
 * Declares a whole number as `intOf` does, but integers that a JavaScript number would round are
 * bigints.
 */
export function exactIntOf(rules: NumberRules): NumberShape<'int'> & { readonly isExact: true } {
  return { kind: 'int', isExact: true, ...rules }
}

export function uintOf(rules: NumberRules): NumberShape<'uint'> {
  return { kind: 'uint', ...rules }
}

export function floatOf(rules: NumberRules): NumberShape<'float'> {
  return { kind: 'float', ...rules }
}

/**
 * Declares a string that the vendor dialect spells differently for some values.
 *
 * @param vendor vendor spellings by neutral value, or a function that returns the vendor spelling
 */
export function translatedText(
  vendor: Readonly<Record<string, string>> | ((neutral: string) => string),
): TextShape<'text'> {
  if (typeof vendor === 'function') return { kind: 'text', translate: vendor }
  const translate = (neutral: string) =>
    (Object.hasOwn(vendor, neutral) ? vendor[neutral] : undefined) ?? neutral
  return { kind: 'text', translate }
}

type WordOf<W> = W extends string ? W : keyof W & string

/**
 * Declares one of several fixed strings. A string that the vendor spells differently is written as
 * `{ neutral: 'vendor' }`.
 */
export function word<const W extends readonly (string | Readonly<Record<string, string>>)[]>(
  ...words: W
): WordShape<WordOf<W[number]>> {
  const vendor = Object.assign({}, ...words.filter((each) => typeof each !== 'string'))
  // The cast is safe: `WordOf` derives the same neutral words from the types of the arguments.
  const neutral = words.flatMap((each) => (typeof each === 'string' ? each : Object.keys(each)))
  return {
    kind: 'word',
    words: neutral as WordOf<W[number]>[],
    ...(Object.keys(vendor).length > 0 && { vendor }),
  }
}

export function constant<const V extends string | number | boolean | null>(
  value: V,
): ConstantShape<V> {
  return { kind: 'constant', value }
}

export function list<const S>(of: S, rules: ListRules = {}): ListShape<S, false> {
  return { kind: 'list', of, orNull: false, ...rules }
}

/** Declares a list that is null when it is empty. */
export function goList<const S>(
  of: S,
  more: Pick<ListShape, 'orderedBy'> = {},
): ListShape<S, true> {
  return { kind: 'list', of, orNull: true, ...more }
}

/** Declares a map of values of one shape; the rules of `keys` apply to its keys. */
export function map<const S>(of: S, keys?: TextShape): MapShape<S, false> {
  return { kind: 'map', of, orNull: false, ...(keys && { keys }) }
}

/** Declares a map that is null when it is empty. */
export function goMap<const S>(of: S, keys?: TextShape): MapShape<S, true> {
  return { kind: 'map', of, orNull: true, ...(keys && { keys }) }
}

export function nullable<const S>(to: S): NullableShape<S> {
  return { kind: 'nullable', to }
}

export function union<const Of extends readonly object[]>(...of: Of): UnionShape<Of> {
  return { kind: 'union', of }
}

/** Declares a union of objects in which the word in the member `tag` identifies the shape. */
export function tagged<const Of extends readonly object[]>(tag: string, ...of: Of): UnionShape<Of> {
  return { kind: 'union', tag, of }
}
