/**
 * The description of a value, as data: said once, and from it come the type (values.ts), the JSON
 * Schema (schema.ts), the decoder of requests (decode.ts), zero values (complete.ts) and the
 * vendor's names (dialect.ts). Constructors only note what they are told, so a shape costs next to
 * nothing to declare.
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

/** The words that a shape may have for people. */
interface Documented {
  readonly description?: string
}

/** A value whose type has a name of its own where the reference decodes it. */
interface Typed {
  /** It stands in messages: `SchedulerAlgorithm`. */
  readonly typeName?: string
}

/** `time` is an RFC 3339 text, `bytes` base64, null when there are none. */
export interface TextShape<Kind extends TextKind = TextKind> extends TextRules, Typed, Documented {
  readonly kind: Kind
  /** The vendor's spelling of a text of the API's own; what it does not know it leaves as it is. */
  readonly translate?: (neutral: string) => string
}

export type TextKind = 'text' | 'time' | 'bytes'

/** Rules for a text; `format` only documents. */
export interface TextRules {
  readonly minLength?: number
  readonly maxLength?: number
  /** A regular expression. */
  readonly pattern?: string
  readonly format?: string
}

export interface BoolShape extends Documented {
  readonly kind: 'bool'
}

/** `int` and `uint` are whole numbers, `duration` one of nanoseconds. */
export interface NumberShape<Kind extends NumberKind = NumberKind> extends NumberRules, Documented {
  readonly kind: Kind
}

export type NumberKind = 'int' | 'uint' | 'float' | 'duration'

/** The kinds of values that are one text, number or truth value of any content. */
export type ScalarKind = TextKind | NumberKind | 'bool'

/** Rules for a number; `format` only documents. */
export interface NumberRules {
  /** Of whole numbers whose type says how many; without it Go keeps them in 64. */
  readonly bits?: 8 | 16 | 32 | 64
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly format?: string
}

/** One of a few texts. */
export interface WordShape<Word = string> extends Documented {
  readonly kind: 'word'
  readonly words: readonly Word[]
  /** The vendor's spelling of those that it spells otherwise. */
  readonly vendor?: Readonly<Record<string, string>>
}

/** A value that is always the same. */
export interface ConstantShape<Value = string | number | boolean | null> extends Documented {
  readonly kind: 'constant'
  readonly value: Value
}

/** Values by position. */
export interface ListShape<Item = Shape, OrNull = boolean> extends ListRules, Documented {
  readonly kind: 'list'
  readonly of: Item
  /** An empty one is null, as Go's are. */
  readonly orNull: OrNull
  /** The member by whose text the items, which are objects, stand in order, bytewise. */
  readonly orderedBy?: string
}

/** Rules for the length of a list. */
export interface ListRules {
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: true
}

/** Values by names that the user chooses. */
export interface MapShape<Item = Shape, OrNull = boolean> extends Typed, Documented {
  readonly kind: 'map'
  readonly of: Item
  /** An empty one is null, as Go's are. */
  readonly orNull: OrNull
  /** Rules for the names, and how the vendor spells those that are the API's own. */
  readonly keys?: TextShape
}

/** An object with members of its own. */
export interface StructShape<Fields = Readonly<Record<string, Field>>, Others = Shape | undefined>
  extends Documented {
  readonly kind: 'struct'
  /** As decoders call it in messages; empty for none. */
  readonly name: string
  /** The vendor's name of it, where that differs. */
  readonly vendor?: string
  readonly fields: Fields
  /** The shape of members of other names; without it there are none. */
  readonly others: Others
  /** The vendor leaves out members that are empty. */
  readonly vendorSparse?: true
  /** By whose declarations the vendor names what is in an object, where that depends on the object. */
  readonly vendorAs?: (object: Readonly<Record<string, unknown>>) => StructShape | undefined
}

/** A value that may be null. */
export interface NullableShape<To = Shape> extends Documented {
  readonly kind: 'nullable'
  readonly to: To
}

/** A value of one of several shapes. */
export interface UnionShape<Of = readonly Shape[]> extends Documented {
  readonly kind: 'union'
  readonly of: Of
  /** The member whose word tells objects apart. */
  readonly tag?: string
}

/** Any JSON. */
export interface AnyShape extends Documented {
  readonly kind: 'any'
}

/**
 * When a member is there:
 * - `always`: in every form;
 * - `optional`: only when there is something to say; nothing is made up for it;
 * - `sent`: in requests and what parsers make alone.
 */
export type Presence = 'always' | 'optional' | 'sent'

/** A member: its shape, and what else there is to say of it. */
export interface Field extends Documented {
  readonly shape: Shape
  readonly presence: Presence
  /** The value when nobody says one. */
  readonly default?: unknown
  /** The vendor's name of it, where that differs. */
  readonly vendor?: string
  /** Further names by which requests may call it. */
  readonly aliases?: readonly string[]
  /** The types embedded in the object that it is of, outermost first, as decoders call them. */
  readonly embeddedIn?: readonly string[]
  /** Shown to nobody who only looks on: journals keep a fingerprint. */
  readonly secret?: true
  /**
   * The form of it in configuration files, where name and shape do not say it; `none`: they do not.
   */
  readonly file?: FileMember | 'none'
}

/** The form of a member in configuration files. */
export interface FileMember {
  /** By default the member's name in small letters, its words parted by underscores. */
  readonly name?: string
  /** Null is refused instead of meaning that nothing is said. */
  readonly notNullInFile?: true
}

export const text = { kind: 'text' } as const
export const time = { kind: 'time' } as const
export const bytes = { kind: 'bytes' } as const
export const bool = { kind: 'bool' } as const
export const int = { kind: 'int' } as const
export const uint = { kind: 'uint' } as const
export const float = { kind: 'float' } as const
/** Nanoseconds. */
export const duration = { kind: 'duration' } as const
export const any = { kind: 'any' } as const

/** A text that is not empty: what names and ids are. */
export const name = { kind: 'text', minLength: 1 } as const
/** Milliseconds since 1970. */
export const instant = { kind: 'int' } as const

/** A text that keeps rules. */
export function textOf(rules: TextRules): TextShape<'text'> {
  return { kind: 'text', ...rules }
}

/** A text or a map whose type the reference's decoder calls by a name of its own. */
export function typed<const S extends TextShape | MapShape<unknown>>(
  typeName: string,
  shape: S,
): S {
  return { ...shape, typeName }
}

/** A whole number that keeps rules. */
export function intOf(rules: NumberRules): NumberShape<'int'> {
  return { kind: 'int', ...rules }
}

/** The same for one that is not below zero. */
export function uintOf(rules: NumberRules): NumberShape<'uint'> {
  return { kind: 'uint', ...rules }
}

/** A number that keeps rules. */
export function floatOf(rules: NumberRules): NumberShape<'float'> {
  return { kind: 'float', ...rules }
}

/**
 * Any text, of which some are names of the API's own.
 *
 * @param vendor the vendor's spelling of those, by the neutral ones or worked out
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

/** One of these texts; `{ neutral: 'vendor' }` for those that the vendor spells otherwise. */
export function word<const W extends readonly (string | Readonly<Record<string, string>>)[]>(
  ...words: W
): WordShape<WordOf<W[number]>> {
  const vendor = Object.assign({}, ...words.filter((each) => typeof each !== 'string'))
  // The neutral words are what the type takes from the arguments.
  const neutral = words.flatMap((each) => (typeof each === 'string' ? each : Object.keys(each)))
  return {
    kind: 'word',
    words: neutral as WordOf<W[number]>[],
    ...(Object.keys(vendor).length > 0 && { vendor }),
  }
}

/** Nothing but this value. */
export function constant<const V extends string | number | boolean | null>(
  value: V,
): ConstantShape<V> {
  return { kind: 'constant', value }
}

/** A list of what `of` says. */
export function list<const S>(of: S, rules: ListRules = {}): ListShape<S, false> {
  return { kind: 'list', of, orNull: false, ...rules }
}

/** A list that is null when it is empty. */
export function goList<const S>(
  of: S,
  more: Pick<ListShape, 'orderedBy'> = {},
): ListShape<S, true> {
  return { kind: 'list', of, orNull: true, ...more }
}

/** A map of what `of` says, by texts as `keys` says. */
export function map<const S>(of: S, keys?: TextShape): MapShape<S, false> {
  return { kind: 'map', of, orNull: false, ...(keys && { keys }) }
}

/** A map that is null when it is empty. */
export function goMap<const S>(of: S, keys?: TextShape): MapShape<S, true> {
  return { kind: 'map', of, orNull: true, ...(keys && { keys }) }
}

/** Returns what `to` says, or null. */
export function nullable<const S>(to: S): NullableShape<S> {
  return { kind: 'nullable', to }
}

/** Returns what one of them says. */
export function union<const Of extends readonly object[]>(...of: Of): UnionShape<Of> {
  return { kind: 'union', of }
}

/** One of several objects, which the word in the member `tag` tells apart. */
export function tagged<const Of extends readonly object[]>(tag: string, ...of: Of): UnionShape<Of> {
  return { kind: 'union', tag, of }
}
