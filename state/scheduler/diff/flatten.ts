import type { Integer } from '../../kernel/integers.ts'
import { isObject, type Members } from '../../kernel/objects.ts'
import type { Field, ScalarKind, Shape, StructShape } from '../../kernel/shape/kinds.ts'

/** Formatted scalars by name. */
export type FlatFields = ReadonlyMap<string, string>

/**
 * Rule that selects the scalars of an object to compare. Scalars in maps have names such as
 * `Meta[key]`.
 */
export interface FieldRule {
  readonly shape: StructShape
  /** Names of scalars to leave out, in the spelling of the output, such as `Target[Job]`. */
  readonly excludedFields?: readonly string[]
  /**
   * Pointer members that are compared if at least one side has a value. Null is compared as `""`.
   */
  readonly pointersOfEitherSide?: readonly string[]
  /**
   * Pointer members that are left out if the object that contains the member exists on one side
   * only.
   */
  readonly pointers?: readonly string[]
  /** Pointer members that are always compared. Null is rendered as `nil`. */
  readonly nullable?: readonly string[]
}

/**
 * Flattens both sides of a comparison (behaviour/scheduler#diff). Nested objects, lists, and
 * pointers that the rule does not name are skipped. An optional member is compared if either side
 * has the member. A missing side has no scalars.
 */
export function flattenSides(
  rule: FieldRule,
  old: unknown,
  next: unknown,
): readonly [FlatFields, FlatFields] {
  return [flatten(rule, old, next), flatten(rule, next, old)]
}

function flatten(rule: FieldRule, value: unknown, other: unknown): FlatFields {
  const flat = new Map<string, string>()
  if (!isObject(value)) return flat
  for (const [name, field] of Object.entries(rule.shape.fields)) {
    const member = propertyOf(value, name)
    const kind = scalarKindOf(field.shape)
    if (field.shape.kind === 'map') addMap(flat, name, field.shape.of, member)
    else if (kind === undefined) addPointer(flat, name, rule, member, other)
    else if (isCompared(name, field, value, other)) flat.set(name, scalarText(kind, member))
  }
  for (const name of rule.excludedFields ?? []) flat.delete(name)
  return flat
}

function isCompared(name: string, { presence }: Field, value: Members, other: unknown): boolean {
  if (presence === 'always' || Object.hasOwn(value, name)) return true
  return isObject(other) && Object.hasOwn(other, name)
}

function addMap(flat: Map<string, string>, name: string, valueShape: Shape, value: unknown): void {
  const kind = scalarKindOf(valueShape)
  if (kind === undefined || !isObject(value)) return
  for (const [key, each] of Object.entries(value)) {
    flat.set(`${name}[${key}]`, scalarText(kind, each))
  }
}

function addPointer(
  flat: Map<string, string>,
  name: string,
  { pointers, nullable, pointersOfEitherSide: setPointers }: FieldRule,
  value: unknown,
  other: unknown,
): void {
  if (nullable?.includes(name) === true) flat.set(name, value === null ? 'nil' : String(value))
  const isListed = setPointers?.includes(name) || (pointers?.includes(name) && isObject(other))
  if (isListed && isInteger(value)) {
    flat.set(name, String(value))
  }
}

const zeroValues: Readonly<Record<Exclude<ScalarKind, 'bytes'>, string>> = {
  text: '',
  time: '',
  bool: 'false',
  int: '0',
  uint: '0',
  float: '0',
  duration: '0',
}

type ScalarShapeKind = keyof typeof zeroValues

function scalarKindOf({ kind }: Shape): ScalarShapeKind | undefined {
  return isScalarKind(kind) ? kind : undefined
}

function isScalarKind(kind: Shape['kind']): kind is ScalarShapeKind {
  return Object.hasOwn(zeroValues, kind)
}

/**
 * Formats a scalar: booleans as `true` and `false`, numbers in decimal, durations in nanoseconds. A
 * missing scalar has the zero value of its kind.
 */
function scalarText(kind: ScalarShapeKind, value: unknown): string {
  return isScalar(value) ? String(value) : zeroValues[kind]
}

/**
 * Returns the scalars of a JSON object at any depth, by paths such as `image`, `args[0]` and
 * `port_map[0][db]`. Null is rendered as `nil`; empty lists and objects are left out. Returns an
 * empty map for other values.
 */
export function flattenDeep(value: unknown): FlatFields {
  const flat = new Map<string, string>()
  // The stack is explicit, because values may be nested more deeply than the call stack allows.
  const pending: (readonly [path: string, value: unknown])[] = isObject(value)
    ? Object.entries(value)
    : []
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [path, each] = next
    if (Array.isArray(each)) {
      for (const [at, item] of each.entries()) pending.push([`${path}[${at}]`, item])
    } else if (isObject(each)) {
      for (const [key, member] of Object.entries(each)) pending.push([`${path}[${key}]`, member])
    } else flat.set(path, isScalar(each) ? String(each) : 'nil')
  }
  return flat
}

/**
 * Returns the member `name` of a value. The name may come from data and be, for example,
 * `constructor`, so inherited members are ignored. Returns undefined if the value is not an object
 * or does not have the member itself.
 */
export function propertyOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

function isScalar(value: unknown): value is string | Integer | boolean {
  return typeof value === 'string' || isInteger(value) || typeof value === 'boolean'
}

function isInteger(value: unknown): value is Integer {
  return typeof value === 'number' || typeof value === 'bigint'
}
