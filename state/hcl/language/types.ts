import { compareBytewise } from '../../json/json.ts'
import { type HclType, type HclValue, isMapping, isSequence } from './values.ts'

/**
 * Function that charges units of work to a budget before the work is done. Throws once the budget
 * is used up.
 */
export type Spend = (units: number) => void

/** Charges nothing. Used for work that is known to be small. */
export const noCharge: Spend = () => undefined

type Attributes = Extract<HclType, { kind: 'object' }>['attributes']

/** Returns the type of a value. Null and the items of empty collections have type `any`. */
export function valueType(value: HclValue, spend: Spend = noCharge): HclType {
  spend(1)
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'number':
    case 'bigint':
      return 'number'
    case 'boolean':
      return 'bool'
  }
  const typeOf = (item: HclValue): HclType => valueType(item, spend)
  if (isSequence(value)) {
    const { kind, items } = value
    return kind === 'tuple'
      ? { kind, items: items.map(typeOf) }
      : { kind, of: elementType(items, typeOf) }
  }
  if (isMapping(value)) {
    const { kind, entries } = value
    return kind === 'object'
      ? objectType([...entries].map(([name, item]) => [name, typeOf(item)]))
      : { kind, of: elementType(entries.values(), typeOf) }
  }
  return 'any'
}

/**
 * Returns the common type of a collection's items: the type of the first item that is not null, or
 * `any` if there is no such item.
 */
function elementType(items: Iterable<HclValue>, typeOf: (item: HclValue) => HclType): HclType {
  for (const item of items) {
    if (item !== null) return typeOf(item)
  }
  return 'any'
}

function objectType(types: readonly (readonly [string, HclType])[]): HclType {
  const attributes = new Map(types.map(([name, type]) => [name, { type, optional: false }]))
  return { kind: 'object', attributes }
}

/**
 * Returns the name of a value's type in messages: `string`, `list of number`, `object`, `dynamic`.
 */
export function friendlyName(type: HclType): string {
  if (type === 'any') return 'dynamic'
  if (typeof type === 'string') return type
  return 'of' in type ? `${type.kind} of ${friendlyName(type.of)}` : type.kind
}

/**
 * Returns the name of a required type in messages. Only the names for `any` differ from those of
 * `friendlyName`: `any type`, or `any single type` for the items of a collection.
 */
export function constraintName(type: HclType): string {
  if (type === 'any') return 'any type'
  if (typeof type === 'string' || !('of' in type)) return friendlyName(type)
  return `${type.kind} of ${type.of === 'any' ? 'any single type' : constraintName(type.of)}`
}

/** Returns the name of a value's type in messages; see `friendlyName`. */
export function typeName(value: HclValue): string {
  return friendlyName(valueType(value))
}

/**
 * Returns a key that two types share only if they are equal. Whether an attribute is optional has
 * no effect on the key.
 */
export function typeKey(type: HclType, spend: Spend = noCharge): string {
  spend(1)
  if (typeof type === 'string') return type
  if ('of' in type) return `${type.kind}(${typeKey(type.of, spend)})`
  if (type.kind === 'tuple') return `[${type.items.map((item) => typeKey(item, spend)).join()}]`
  const attributes = [...type.attributes].sort(([a], [b]) => compareBytewise(a, b))
  return `{${attributes.map(([name, { type }]) => JSON.stringify(name) + typeKey(type, spend)).join()}}`
}

/** Returns whether a type is `any` or contains `any`. */
export function containsAny(type: HclType): boolean {
  if (typeof type === 'string') return type === 'any'
  if ('of' in type) return containsAny(type.of)
  return type.kind === 'tuple'
    ? type.items.some(containsAny)
    : [...type.attributes.values()].some(({ type }) => containsAny(type))
}

/**
 * Returns whether values of one type can be converted to another. Only the types are compared: the
 * conversion of a string to a number may still fail.
 */
export function isConvertible(got: HclType, want: HclType, spend: Spend = noCharge): boolean {
  spend(1)
  if (want === 'any' || got === 'any') return true
  if (typeof got === 'string' || typeof want === 'string') {
    return got === want || (isPrimitive(got) && isPrimitive(want) && isOneString(got, want))
  }
  switch (want.kind) {
    case 'list':
    case 'set':
      if (got.kind === 'list' || got.kind === 'set') return isConvertible(got.of, want.of, spend)
      return got.kind === 'tuple' && areAllConvertible(got.items, want.of, spend)
    case 'map':
      if (got.kind === 'map') return isConvertible(got.of, want.of, spend)
      return got.kind === 'object' && areAllConvertible(attributeTypes(got), want.of, spend)
    case 'tuple':
      return (
        got.kind === 'tuple' &&
        got.items.length === want.items.length &&
        want.items.every((item, index) => isConvertible(got.items[index] ?? 'any', item, spend))
      )
    case 'object':
      if (got.kind === 'map') {
        return attributeTypes(want).every((type) => isConvertible(got.of, type, spend))
      }
      return (
        got.kind === 'object' &&
        [...want.attributes].every(([name, { type, optional }]) => {
          const found = got.attributes.get(name)
          return found === undefined ? optional : isConvertible(found.type, type, spend)
        })
      )
  }
}

function areAllConvertible(items: readonly HclType[], want: HclType, spend: Spend): boolean {
  if (want === 'any') return items.length === 0 || unify(items, spend) !== undefined
  return items.every((item) => isConvertible(item, want, spend))
}

function isPrimitive(type: HclType): boolean {
  return type === 'string' || type === 'number' || type === 'bool'
}

function isOneString(one: HclType, other: HclType): boolean {
  return one === 'string' || other === 'string'
}

function attributeTypes({ attributes }: { readonly attributes: Attributes }): HclType[] {
  return [...attributes.values()].map(({ type }) => type)
}

/**
 * Returns the type to which values of all the given types can be converted; undefined if there is
 * no such type. `any` agrees with every type. The result is:
 * - for objects with equal attribute names, an object type; for other objects, a map type;
 * - for tuples of equal length, a tuple type; for other tuples, a list type;
 * - for lists, sets or maps, a collection type with the common type of their items;
 * - otherwise, the most general of the types.
 */
export function unify(types: readonly HclType[], spend: Spend = noCharge): HclType | undefined {
  spend(types.length)
  const known = types.filter((type) => type !== 'any')
  const first = known[0]
  if (first === undefined) return 'any'
  if (known.every((type) => type === first)) return first
  const distinct = [...new Map(known.map((type) => [typeKey(type, spend), type])).values()]
  if (distinct.length === 1) return first
  const areAllOfKind = (kind: string): boolean =>
    distinct.every((type) => typeof type !== 'string' && type.kind === kind)
  if (areAllOfKind('object')) return unifyObjects(distinct, spend)
  if (areAllOfKind('tuple')) return unifyTuples(distinct, spend)
  for (const kind of ['list', 'set', 'map'] as const) {
    if (areAllOfKind(kind)) return collectionOf(kind, distinct.map(elementOf), spend)
  }
  const mostGeneralFirst = distinct.toSorted((a, b) => compareGenerality(a, b, spend))
  return mostGeneralFirst.find((want) => distinct.every((got) => isConvertible(got, want, spend)))
}

function elementOf(type: HclType): HclType {
  return typeof type !== 'string' && 'of' in type ? type.of : 'any'
}

function collectionOf(kind: 'list' | 'set' | 'map', items: readonly HclType[], spend: Spend) {
  const of = unify(items, spend)
  return of === undefined ? undefined : { kind, of }
}

function unifyObjects(types: readonly HclType[], spend: Spend): HclType | undefined {
  const objects = types.flatMap((type) =>
    typeof type !== 'string' && type.kind === 'object' ? [type.attributes] : [],
  )
  const names = [...(objects[0]?.keys() ?? [])]
  const haveSameNames = objects.every(
    (attributes) => attributes.size === names.length && names.every((name) => attributes.has(name)),
  )
  if (!haveSameNames) {
    const all = objects.flatMap((attributes) => attributeTypes({ attributes }))
    return collectionOf('map', all, spend)
  }
  const unified: [string, HclType][] = []
  for (const name of names) {
    const across = objects.map((attributes) => attributes.get(name)?.type ?? 'any')
    const type = unify(across, spend)
    if (type === undefined) return undefined
    unified.push([name, type])
  }
  return objectType(unified)
}

function unifyTuples(types: readonly HclType[], spend: Spend): HclType | undefined {
  const tuples = types.flatMap((type) =>
    typeof type !== 'string' && type.kind === 'tuple' ? [type.items] : [],
  )
  const length = tuples[0]?.length ?? 0
  if (tuples.some((items) => items.length !== length)) {
    return collectionOf('list', tuples.flat(), spend)
  }
  const unified: HclType[] = []
  for (let index = 0; index < length; index++) {
    const across = tuples.map((items) => items[index] ?? 'any')
    const type = unify(across, spend)
    if (type === undefined) return undefined
    unified.push(type)
  }
  return { kind: 'tuple', items: unified }
}

const GENERALITY = ['string', 'number', 'bool', 'list', 'tuple', 'set', 'map', 'object', 'any']

/** Compares two types. The result is negative if the first is better suited as the common type. */
function compareGenerality(a: HclType, b: HclType, spend: Spend): number {
  spend(1)
  const rank = (type: HclType): number =>
    GENERALITY.indexOf(typeof type === 'string' ? type : type.kind)
  const order = rank(a) - rank(b)
  if (order !== 0 || typeof a === 'string' || typeof b === 'string') return order
  return 'of' in a && 'of' in b ? compareGenerality(a.of, b.of, spend) : 0
}
