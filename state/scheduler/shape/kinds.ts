import type { Json } from '../../json/value.ts'

/**
 * What a value is on the wire, as data (3-mesh-and-scheduler.md, Resources B). From one declaration
 * come the decoder of requests, the rows' and replies' schemas, the names of the dialects, selectors of
 * filters, fields of diffs and, by `Stored` and `Sent`, the types.
 */
export type Shape = ScalarShape | ListShape | MapShape | StructShape | PointerShape | AnyShape

/** A text, number or truth value. */
export interface ScalarShape<Kind extends ScalarKind = ScalarKind> {
  readonly kind: Kind
}

/**
 * `int` and `uint` are whole numbers, `duration` one of nanoseconds; `bytes` is base64 text, null when
 * there are none; `time` is an RFC 3339 text.
 */
export type ScalarKind = 'text' | 'bool' | 'int' | 'uint' | 'float' | 'duration' | 'bytes' | 'time'

/** Values by position; null when there are none. */
export interface ListShape<Item = Shape> {
  readonly kind: 'list'
  readonly of: Item
}

/** Values by names that the user chooses; null when there are none. */
export interface MapShape<Item = Shape> {
  readonly kind: 'map'
  readonly of: Item
}

/** An object with members of its own. */
export interface StructShape<Fields = Readonly<Record<string, Field>>> {
  readonly kind: 'struct'
  /** As the reference's decoder calls it in messages. */
  readonly name: string
  /** The vendor's name of it, where that differs (section 12). */
  readonly vendor?: string
  readonly fields: Fields
}

/** A value that may be absent: null. */
export interface PointerShape<To = Shape> {
  readonly kind: 'pointer'
  readonly to: To
}

/** Any JSON. */
export interface AnyShape {
  readonly kind: 'any'
}

/** A member: its shape, or the shape with what else there is to say. */
export interface Field<S = Shape> {
  readonly shape: S
  /**
   * - `always`: present in every form;
   * - `echoed`: a member of the reference outside the specification: kept and sent back when it was
   *   sent, never invented (3b-scheduler-decisions.md section 11);
   * - `sent`: a member of requests and of the parser's output alone (section 4).
   */
  readonly presence: 'always' | 'echoed' | 'sent'
  /** The vendor's name of it, where that differs (section 12). */
  readonly vendor?: string
}

export const text = { kind: 'text' } as const
export const bool = { kind: 'bool' } as const
export const int = { kind: 'int' } as const
export const uint = { kind: 'uint' } as const
export const float = { kind: 'float' } as const
/** Nanoseconds. */
export const duration = { kind: 'duration' } as const
export const bytes = { kind: 'bytes' } as const
export const time = { kind: 'time' } as const
export const any = { kind: 'any' } as const

/** A list of what `of` says. */
export function list<const S>(of: S): ListShape<S> {
  return { kind: 'list', of }
}

/** A map of what `of` says. */
export function map<const S>(of: S): MapShape<S> {
  return { kind: 'map', of }
}

/** What `to` says, or null. */
export function pointer<const S>(to: S): PointerShape<S> {
  return { kind: 'pointer', to }
}

type AlwaysField<S> = { readonly shape: S; readonly presence: 'always'; readonly vendor?: string }
type EchoedField<S> = { readonly shape: S; readonly presence: 'echoed'; readonly vendor?: string }
type SentField<S> = { readonly shape: S; readonly presence: 'sent'; readonly vendor?: string }

/** A member that the vendor calls differently. */
export function called<const S>(vendor: string, shape: S): AlwaysField<S> {
  return { shape, presence: 'always', vendor }
}

/** A member that is there only when it was sent. */
export function echoed<const S>(shape: S, vendor?: string): EchoedField<S> {
  return { shape, presence: 'echoed', ...(vendor === undefined ? {} : { vendor }) }
}

/** A member of requests alone. */
export function sentOnly<const S>(shape: S): SentField<S> {
  return { shape, presence: 'sent' }
}

type FieldOf<D> = D extends { readonly presence: string } ? D : AlwaysField<D>

/**
 * Declares an object; members are shapes, or what `called`, `echoed` and `sentOnly` make of them.
 *
 * @param vendor the vendor's name of it, where that differs
 */
export function struct<const D extends Readonly<Record<string, object>>>(
  name: string,
  members: D,
  vendor?: string,
): StructShape<{ readonly [Name in keyof D]: FieldOf<D[Name]> }> {
  const fields = Object.entries(members).map(([member, declared]) => [
    member,
    'presence' in declared ? declared : { shape: declared, presence: 'always' },
  ])
  const names = vendor === undefined ? { name } : { name, vendor }
  return { kind: 'struct', ...names, fields: Object.fromEntries(fields) }
}

type Scalar<Kind> = Kind extends 'text' | 'time'
  ? string
  : Kind extends 'bool'
    ? boolean
    : Kind extends 'bytes'
      ? string | null
      : number

type NamesBy<Fields, Presence> = {
  [Name in keyof Fields]: Fields[Name] extends { readonly presence: Presence } ? Name : never
}[keyof Fields]

type ShapeOf<F> = F extends { readonly shape: infer S } ? S : never

/** The value as it is stored and answered: complete. */
export type Stored<S> = S extends { readonly kind: 'list'; readonly of: infer I }
  ? readonly Stored<I>[] | null
  : S extends { readonly kind: 'map'; readonly of: infer I }
    ? Readonly<Record<string, Stored<I>>> | null
    : S extends { readonly kind: 'struct'; readonly fields: infer F }
      ? { readonly [Name in NamesBy<F, 'always'>]: Stored<ShapeOf<F[Name]>> } & {
          readonly [Name in NamesBy<F, 'echoed'>]?: Stored<ShapeOf<F[Name]>>
        }
      : S extends { readonly kind: 'pointer'; readonly to: infer T }
        ? Stored<T> | null
        : S extends { readonly kind: 'any' }
          ? Json
          : S extends { readonly kind: infer Kind }
            ? Scalar<Kind>
            : never

/** The value as requests bring it and the parser makes it: whatever was not said is null. */
export type Sent<S> = S extends { readonly kind: 'list'; readonly of: infer I }
  ? readonly Sent<I>[] | null
  : S extends { readonly kind: 'map'; readonly of: infer I }
    ? Readonly<Record<string, Sent<I>>> | null
    : S extends { readonly kind: 'struct'; readonly fields: infer F }
      ? { readonly [Name in NamesBy<F, 'always' | 'sent'>]: Sent<ShapeOf<F[Name]>> | null } & {
          readonly [Name in NamesBy<F, 'echoed'>]?: Sent<ShapeOf<F[Name]>> | null
        }
      : S extends { readonly kind: 'pointer'; readonly to: infer T }
        ? Sent<T> | null
        : S extends { readonly kind: 'any' }
          ? Json
          : S extends { readonly kind: infer Kind }
            ? Scalar<Kind>
            : never
