import type { Field, FileMember, Presence, StructShape } from './kinds.ts'
import type { StoredOf } from './values.ts'

/** A shape, or a field that the functions of this module made of one. */
type Member = object

/** The shape of a member. */
type ShapeOf<M> = M extends { readonly shape: infer S; readonly presence: Presence } ? S : M

/** A member as a field: a plain shape is always present. */
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

/** The fields of members by name. */
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

/** Declares a member that is left out if there is no value. It is never invented. */
export function optional<const M extends Member>(member: M): OptionalField<ShapeOf<M>> {
  return changedField(member, { presence: 'optional' }) as OptionalField<ShapeOf<M>>
}

/** Declares a member that only requests have. */
export function inputOnly<const M extends Member>(member: M): InputOnlyField<ShapeOf<M>> {
  return changedField(member, { presence: 'sent' }) as InputOnlyField<ShapeOf<M>>
}

/** Declares a member with a default. */
export function withDefault<const M extends Member>(
  member: M,
  value: NoInfer<StoredOf<ShapeOf<M>>>,
): DefaultField<ShapeOf<M>> {
  return changedField(member, { default: value }) as DefaultField<ShapeOf<M>>
}

/** Declares a member with another name in the vendor dialect. */
export function vendorNamed<const M extends Member>(vendor: string, member: M): FieldOf<M> {
  return changedField(member, { vendor }) as FieldOf<M>
}

/** Declares a member with a further name that requests may use. */
export function aliased<const M extends Member>(alias: string, member: M): FieldOf<M> {
  return changedField(member, { aliases: [alias] }) as FieldOf<M>
}

/**
 * Members of a type that is embedded in others: part of the same object, but decoders name the type
 * before those of the wrong type.
 */
export function embedded<const M extends Readonly<Record<string, Member>>>(
  type: string,
  members: M,
): FieldsOf<M> {
  const fields = Object.entries(fieldsOf(members)).map(([name, field]) => {
    const { embeddedIn = [] } = field as Field
    return [name, changedField(field, { embeddedIn: [type, ...embeddedIn] })]
  })
  return Object.fromEntries(fields) as FieldsOf<M>
}

/** Returns a member that configuration files write in a way of their own, or under another name. */
export function inFile<const M extends Member>(form: string | FileMember, member: M): FieldOf<M> {
  const file = typeof form === 'string' ? { name: form } : form
  return changedField(member, { file }) as FieldOf<M>
}

/** Returns a member that configuration files do not write, unless as the label of a block. */
export function notInFile<const M extends Member>(member: M): FieldOf<M> {
  return changedField(member, { file: 'none' }) as FieldOf<M>
}

/** Returns a member that cannot be null where configuration files write it. */
export function notNullInFile<const M extends Member>(member: M): FieldOf<M> {
  const { file } = isField(member) ? member : { file: undefined }
  const before = file === 'none' ? {} : file
  return changedField(member, { file: { ...before, notNullInFile: true } }) as FieldOf<M>
}

/** Returns a member that is nobody's business: of journals it is a fingerprint. */
export function secret<const M extends Member>(member: M): FieldOf<M> {
  return changedField(member, { secret: true }) as FieldOf<M>
}

/** Returns a shape or a member with what people shall read of it. */
export function described<const D extends object>(of: D, description: string): D {
  return { ...of, description }
}

/** Returns the declared members as fields, all of them. */
export function fieldsOf<const M extends Readonly<Record<string, Member>>>(
  members: M,
): FieldsOf<M> {
  const fields = Object.entries(members).map(([name, member]) => [name, fieldOf(member)])
  return Object.fromEntries(fields) as FieldsOf<M>
}

type StructOf<M> = StructShape<FieldsOf<M>, undefined>

/** The vendor's form of an object. */
interface VendorStruct {
  readonly name?: string
  /** Without the members that are empty. */
  readonly sparse?: true
  /** By the declarations of another shape, when the object itself says so. */
  readonly as?: NonNullable<StructShape['vendorAs']>
}

/**
 * Declares an object; members are shapes, or what the functions above make of them.
 *
 * @param name what decoders call it in messages
 * @param vendor how the vendor has it, or calls it, where that differs
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

/** Returns an object that may have members of other names too, which are what `others` says. */
export function withOthers<const F, const S>(
  shape: StructShape<F, unknown>,
  others: S,
): StructShape<F, S> {
  return { ...shape, others }
}

type PartialFields<F> = {
  readonly [Name in keyof F]: F[Name] extends { readonly shape: infer S } ? OptionalField<S> : never
}

/** Returns an object of which every member may be left out: what changes say. */
export function partial<const F extends Readonly<Record<string, Field>>>(
  shape: StructShape<F, unknown>,
): StructShape<PartialFields<F>, undefined> {
  const fields = Object.entries<Field>(shape.fields).map(([name, { default: _, ...field }]) => [
    name,
    { ...field, presence: 'optional' },
  ])
  return { ...shape, fields: Object.fromEntries(fields), others: undefined }
}
