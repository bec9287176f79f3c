import { mapToDictionary } from '../objects.ts'
import type { Field, FileMember, Presence, StructShape } from './kinds.ts'
import type { StoredOf } from './values.ts'

/** A shape, or a field that a function of this file made from a shape. */
type Member = object

/** Shape of a member: the shape of a field, or the member itself if it is a plain shape. */
type ShapeOf<M> = M extends { readonly shape: infer S; readonly presence: Presence } ? S : M

/** A member as a field; a plain shape becomes a field that is always present. */
type FieldOf<M> = M extends { readonly shape: unknown; readonly presence: Presence }
  ? M
  : { readonly shape: M; readonly presence: 'always' }

type OptionalField<S> = { readonly shape: S; readonly presence: 'optional' }
type InputOnlyField<S> = { readonly shape: S; readonly presence: 'sent' }
type DefaultField<S> = {
  readonly shape: S
  readonly presence: 'always'
  readonly default: unknown
}

type FieldsOf<M> = { readonly [Name in keyof M]: FieldOf<M[Name]> }

function isField(member: Member): member is Field {
  return 'presence' in member && 'shape' in member
}

function fieldOf(member: Member): object {
  return isField(member) ? member : { shape: member, presence: 'always' }
}

function changedField(member: Member, change: Partial<Field>): unknown {
  return { ...fieldOf(member), ...change }
}

/**
 * Declares a member that is left out if it has neither a value nor a default. The conversions of
 * go-forms.ts that add missing members are the exception.
 */
export function optional<const M extends Member>(member: M): OptionalField<ShapeOf<M>> {
  return changedField(member, { presence: 'optional' }) as OptionalField<ShapeOf<M>>
}

/** Declares a member that only requests have. */
export function inputOnly<const M extends Member>(member: M): InputOnlyField<ShapeOf<M>> {
  return changedField(member, { presence: 'sent' }) as InputOnlyField<ShapeOf<M>>
}

/** Declares a member that requests may leave out; the stored form then has the default. */
export function withDefault<const M extends Member>(
  member: M,
  value: NoInfer<StoredOf<ShapeOf<M>>>,
): DefaultField<ShapeOf<M>> {
  return changedField(member, { default: value }) as DefaultField<ShapeOf<M>>
}

/** Declares a member that the vendor dialect calls `vendor`. Requests may use either name. */
export function vendorNamed<const M extends Member>(vendor: string, member: M): FieldOf<M> {
  return changedField(member, { vendor }) as FieldOf<M>
}

/** Declares a member that only the neutral dialect has. */
export function neutralOnly<const M extends Member>(member: M): FieldOf<M> {
  return changedField(member, { isNeutralOnly: true }) as FieldOf<M>
}

/** Declares a member with an alternative name that requests may use. */
export function aliased<const M extends Member>(alias: string, member: M): FieldOf<M> {
  return changedField(member, { aliases: [alias] }) as FieldOf<M>
}

/**
 * Declares the members of a Go type that is embedded in another type. These members are part of the
 * enclosing object, but decoders name the embedded type in messages about members of the wrong
 * type.
 */
export function embedded<const M extends Readonly<Record<string, Member>>>(
  type: string,
  members: M,
): FieldsOf<M> {
  return mapToDictionary(members, (member) => {
    const { embeddedIn = [] } = fieldOf(member) as Field
    return changedField(member, { embeddedIn: [type, ...embeddedIn] })
  }) as FieldsOf<M>
}

/** Declares a member that has another name in configuration files. */
export function inFile<const M extends Member>(form: string | FileMember, member: M): FieldOf<M> {
  const file = typeof form === 'string' ? { name: form } : form
  return changedField(member, { file }) as FieldOf<M>
}

/** Declares a member that configuration files do not have, except as the label of a block. */
export function notInFile<const M extends Member>(member: M): FieldOf<M> {
  return changedField(member, { file: 'none' }) as FieldOf<M>
}

/**
 * Declares a member whose Go type is not a pointer: null or a missing member means the zero value,
 * and configuration files refuse null. `defaultValue` replaces the zero value in canonical forms.
 */
export function goValue<const M extends Member>(
  member: M,
  defaultValue?: NoInfer<StoredOf<ShapeOf<M>>>,
): FieldOf<M> {
  const change = defaultValue === undefined ? {} : { default: defaultValue }
  return changedField(member, { goValue: true, ...change }) as FieldOf<M>
}

/**
 * Declares an optional member that `canonicalForm` and `storedForm` add to a request without it.
 * The added member has its default, if there is one. Older rows may lack the member.
 */
export function filledIn<const M extends Member>(
  member: M,
  defaultValue?: NoInfer<StoredOf<ShapeOf<M>>>,
): OptionalField<ShapeOf<M>> {
  const change = defaultValue === undefined ? {} : { default: defaultValue }
  return changedField(member, { presence: 'optional', ...change }) as OptionalField<ShapeOf<M>>
}

/** Declares a nullable object that is created with its defaults if it is missing. */
export function createdBlock<const M extends Member>(member: M): FieldOf<M> {
  return changedField(member, { default: {} }) as FieldOf<M>
}

/** Declares a member that is decoded, but stored as its zero value. */
export function dropped<const M extends Member>(member: M): FieldOf<M> {
  return changedField(member, { isDropped: true }) as FieldOf<M>
}

/** Declares a member that requests do not have. */
export function outputOnly<const M extends Member>(member: M): FieldOf<M> {
  return changedField(member, { isOutputOnly: true }) as FieldOf<M>
}

/** Declares a secret member: the journal, events and dumps show a fingerprint of it. */
export function secret<const M extends Member>(member: M): FieldOf<M> {
  return changedField(member, { secret: true }) as FieldOf<M>
}

/**
 * Declares paths to secrets inside a member whose own shape does not declare them, such as
 * `auth/password`; `*` stands for any name or index.
 */
export function secretAt<const M extends Member>(
  nestedSecrets: readonly string[],
  member: M,
): FieldOf<M> {
  return changedField(member, { nestedSecrets }) as FieldOf<M>
}

/**
 * Returns a copy of a shape or member with a description, which OpenAPI and the reference pages
 * show.
 */
export function described<const D extends object>(of: D, description: string): D {
  return { ...of, description }
}

/** Returns the members as fields: plain shapes become fields that are always present. */
export function fieldsOf<const M extends Readonly<Record<string, Member>>>(
  members: M,
): FieldsOf<M> {
  return mapToDictionary(members, fieldOf) as FieldsOf<M>
}

type StructOf<M> = StructShape<FieldsOf<M>, undefined>

/** Name and form of an object in the vendor dialect, where they differ from the neutral ones. */
interface VendorStruct {
  readonly name?: string
  /** True if empty members are left out. */
  readonly sparse?: true
  /**
   * Function that returns the shape whose vendor names apply to the object's members. Left out
   * unless these names depend on the object's content.
   */
  readonly as?: NonNullable<StructShape['vendorAs']>
}

/**
 * Declares an object whose members are shapes or fields.
 *
 * @param name name of the object in messages of decoders
 * @param vendor name or form of the object in the vendor dialect, if it differs
 */
export function struct<const M extends Readonly<Record<string, Member>>>(members: M): StructOf<M>
export function struct<const M extends Readonly<Record<string, Member>>>(
  name: string,
  members: M,
  vendor?: string | VendorStruct,
): StructOf<M>
export function struct(
  first: string | Readonly<Record<string, Member>>,
  second: Readonly<Record<string, Member>> = {},
  vendor: string | VendorStruct = {},
): StructOf<Readonly<Record<string, Member>>> {
  const [name, members] = typeof first === 'string' ? [first, second] : ['', first]
  const vendorStruct: VendorStruct = typeof vendor === 'string' ? { name: vendor } : vendor
  return {
    kind: 'struct',
    name,
    ...(vendorStruct.name !== undefined && { vendor: vendorStruct.name }),
    ...(vendorStruct.sparse && { vendorSparse: true }),
    ...(vendorStruct.as && { vendorAs: vendorStruct.as }),
    fields: fieldsOf(members),
    others: undefined,
  }
}

/**
 * Declares an object that older rows may contain exactly as a request sent it, including members
 * that are not declared.
 */
export function lenientStruct<const M extends Readonly<Record<string, Member>>>(
  name: string,
  members: M,
  vendor?: string,
): StructOf<M> {
  return { ...struct(name, members, vendor), isLenient: true }
}

/**
 * Returns a copy of an object shape that also allows members of other names, with the shape
 * `others`.
 */
export function withOthers<const F, const S>(
  shape: StructShape<F, unknown>,
  others: S,
): StructShape<F, S> {
  return { ...shape, others }
}

type PartialFields<F> = {
  readonly [Name in keyof F]: F[Name] extends { readonly shape: infer S } ? OptionalField<S> : never
}

/**
 * Returns a copy of an object shape in which all members are optional and have no defaults, for
 * requests that change only some of them. Members of other names are not allowed.
 */
export function partial<const F extends Readonly<Record<string, Field>>>(
  shape: StructShape<F, unknown>,
): StructShape<PartialFields<F>, undefined> {
  const fields = Object.entries<Field>(shape.fields).map(([name, { default: _, ...field }]) => [
    name,
    { ...field, presence: 'optional' },
  ])
  return { ...shape, fields: Object.fromEntries(fields), others: undefined }
}
