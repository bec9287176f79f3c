import type { Field, ScalarKind, Shape, StructShape } from '../../kernel/shape/kinds.ts'

/** Texts of scalars by name. */
export type FlatFields = ReadonlyMap<string, string>

/** Which scalars of an object are compared: its own ones by name, those of maps as `Meta[key]`. */
export interface FieldRule {
  readonly shape: StructShape
  /** Names, as they would be listed, that are not. */
  readonly excluded?: readonly string[]
  /** Echoed members whose absence is `""`; that of others is as good as a zero. */
  readonly optional?: readonly string[]
  /** Pointers, which are passed over otherwise; they count when both sides have the object. */
  readonly pointers?: readonly string[]
  /** Pointers that count on whichever side the object is; null is `nil`. */
  readonly nullable?: readonly string[]
}

/**
 * Both sides of an object that something differs in (behaviour/scheduler#diff, Flatten).
 * Objects, pointers and lists in it are no scalars; echoed members count when either side has them. A
 * side that is not there has no texts at all.
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
    const member = ownProperty(value, name)
    const kind = scalarKindOf(field.shape)
    if (field.shape.kind === 'map') addMap(flat, name, field.shape.of, member)
    else if (kind === undefined) addPointer(flat, name, rule, member, other)
    else if (isCompared(name, field, rule, value, other)) flat.set(name, scalarText(kind, member))
  }
  for (const name of rule.excluded ?? []) flat.delete(name)
  return flat
}

function isCompared(
  name: string,
  { presence }: Field,
  { optional }: FieldRule,
  value: Members,
  other: unknown,
): boolean {
  if (presence === 'always' || Object.hasOwn(value, name)) return true
  return isObject(other) && Object.hasOwn(other, name) && optional?.includes(name) !== true
}

function addMap(flat: Map<string, string>, name: string, of: Shape, value: unknown): void {
  const kind = scalarKindOf(of)
  if (kind === undefined || !isObject(value)) return
  for (const [key, each] of Object.entries(value)) {
    flat.set(`${name}[${key}]`, scalarText(kind, each))
  }
}

function addPointer(
  flat: Map<string, string>,
  name: string,
  { pointers, nullable }: FieldRule,
  value: unknown,
  other: unknown,
): void {
  if (nullable?.includes(name) === true) flat.set(name, value === null ? 'nil' : String(value))
  if (pointers?.includes(name) === true && isObject(other) && typeof value === 'number') {
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

/** Truth values as `true` and `false`, numbers in decimal: durations as nanoseconds. */
function scalarText(kind: ScalarShapeKind, value: unknown): string {
  return isScalar(value) ? String(value) : zeroValues[kind]
}

/**
 * All scalars of a map of any JSON, however deep: `image`, `args[0]`, `port_map[0][db]`. Null is
 * `nil`; empty lists and objects leave nothing.
 */
export function flattenDeep(value: unknown): FlatFields {
  const flat = new Map<string, string>()
  // A list of its own, as users may nest deeper than calls can.
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

type Members = Readonly<Record<string, unknown>>

/** True for objects and maps of stored values. */
export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A member, of which the name is data; undefined when the value is no object or has none. */
export function ownProperty(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}
