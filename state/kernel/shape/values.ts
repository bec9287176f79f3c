import type { Integer } from '../integers.ts'
import type { Json } from '../json.ts'
import type { Shape } from './kinds.ts'

type Scalar<Kind> = Kind extends 'text' | 'time'
  ? string
  : Kind extends 'bool'
    ? boolean
    : Kind extends 'bytes'
      ? string | null
      : Kind extends 'int' | 'uint' | 'float' | 'duration'
        ? number
        : never

type OrNull<N> = N extends true ? null : never

export type Plain<T> = { [Name in keyof T]: T[Name] }

type NamesBy<Fields, Like> = {
  [Name in keyof Fields]: Fields[Name] extends Like ? Name : never
}[keyof Fields]

type ShapeOf<F> = F extends { readonly shape: infer S } ? S : never

type AlwaysPresent = { readonly presence: 'always' }
type OptionalMember = { readonly presence: 'optional' }
type MemberWithDefault = { readonly presence: 'always'; readonly default: unknown }
type InputOnlyMember = { readonly presence: 'sent' }

/**
 * Type of an object that may also have members of other names. In TypeScript the index signature
 * must also cover the types of the declared members.
 */
type WithOthers<T, O> = O extends object
  ? T & { readonly [name: string]: StoredOf<O> | T[keyof T] }
  : T

/** Type of a complete value of a shape, as rows and replies contain it. */
export type StoredOf<S> = Shape extends S
  ? Json
  : S extends {
        readonly kind: 'struct'
        readonly fields: infer F
        readonly others: infer O
      }
    ? WithOthers<
        Plain<
          { readonly [Name in NamesBy<F, AlwaysPresent>]: StoredOf<ShapeOf<F[Name]>> } & {
            readonly [Name in NamesBy<F, OptionalMember>]?: StoredOf<ShapeOf<F[Name]>>
          }
        >,
        O
      >
    : S extends { readonly kind: 'list'; readonly of: infer I; readonly orNull: infer N }
      ? readonly StoredOf<I>[] | OrNull<N>
      : S extends { readonly kind: 'map'; readonly of: infer I; readonly orNull: infer N }
        ? Readonly<Record<string, StoredOf<I>>> | OrNull<N>
        : S extends { readonly kind: 'nullable'; readonly to: infer T }
          ? StoredOf<T> | null
          : S extends { readonly kind: 'union'; readonly of: readonly (infer U)[] }
            ? StoredOf<U>
            : Atom<S>

/** Type of a value whose shape contains no other shapes. */
type Atom<S> = S extends { readonly kind: 'word'; readonly words: readonly (infer W)[] }
  ? W
  : S extends { readonly kind: 'constant'; readonly value: infer V }
    ? V
    : S extends { readonly kind: 'any' }
      ? Json
      : S extends { readonly isExact: true }
        ? Integer
        : S extends { readonly kind: infer Kind }
          ? Scalar<Kind>
          : never

/**
 * Type of a value in documents and JSON bodies: members that are optional or have a default may be
 * left out.
 */
export type InputOf<S> = Shape extends S
  ? Json
  : S extends {
        readonly kind: 'struct'
        readonly fields: infer F
        readonly others: infer O
      }
    ? WithOthers<
        Plain<
          {
            readonly [Name in Exclude<
              NamesBy<F, AlwaysPresent | InputOnlyMember>,
              NamesBy<F, MemberWithDefault>
            >]: InputOf<ShapeOf<F[Name]>>
          } & {
            readonly [Name in NamesBy<F, OptionalMember | MemberWithDefault>]?: InputOf<
              ShapeOf<F[Name]>
            >
          }
        >,
        O
      >
    : S extends { readonly kind: 'list'; readonly of: infer I; readonly orNull: infer N }
      ? readonly InputOf<I>[] | OrNull<N>
      : S extends { readonly kind: 'map'; readonly of: infer I; readonly orNull: infer N }
        ? Readonly<Record<string, InputOf<I>>> | OrNull<N>
        : S extends { readonly kind: 'nullable'; readonly to: infer T }
          ? InputOf<T> | null
          : S extends { readonly kind: 'union'; readonly of: readonly (infer U)[] }
            ? InputOf<U>
            : Atom<S>

/**
 * Type of a value that Go decoders read from requests, or that parsers produce. Members that were
 * not sent are null, or missing if they are optional. A `word` (one of a fixed list of strings) can
 * still be any string.
 */
export type ParsedOf<S> = Shape extends S
  ? Json
  : S extends { readonly kind: 'struct'; readonly fields: infer F }
    ? Plain<
        {
          readonly [Name in NamesBy<F, AlwaysPresent | InputOnlyMember>]: ParsedOf<
            ShapeOf<F[Name]>
          > | null
        } & {
          readonly [Name in NamesBy<F, OptionalMember>]?: ParsedOf<ShapeOf<F[Name]>>
        }
      >
    : S extends { readonly kind: 'list'; readonly of: infer I; readonly orNull: infer N }
      ? readonly ParsedOf<I>[] | OrNull<N>
      : S extends { readonly kind: 'map'; readonly of: infer I; readonly orNull: infer N }
        ? Readonly<Record<string, ParsedOf<I>>> | OrNull<N>
        : S extends { readonly kind: 'nullable'; readonly to: infer T }
          ? ParsedOf<T> | null
          : S extends { readonly kind: 'word' }
            ? string
            : S extends { readonly kind: 'union' | 'constant' }
              ? Json
              : Atom<S>
