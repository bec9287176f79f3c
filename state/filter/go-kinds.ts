import { type NumberShape, type Shape, text, uint } from '../kernel/shape/kinds.ts'

type Width = NonNullable<NumberShape['bits']>

/** Kinds of values as in Go's reflection; `invalid` stands for null. */
export type GoKind =
  | 'string'
  | 'bool'
  | 'int'
  | `int${Width}`
  | `uint${Width}`
  | 'float64'
  | 'slice'
  | 'map'
  | 'struct'
  | 'invalid'

const kindsByShape = {
  text: 'string',
  word: 'string',
  bool: 'bool',
  int: 'int',
  uint: 'uint64',
  float: 'float64',
  duration: 'int64',
  time: 'struct',
  bytes: 'slice',
  list: 'slice',
  map: 'map',
  struct: 'struct',
} as const satisfies Partial<Record<Shape['kind'], GoKind>>

/**
 * Returns the kind of a value of a shape. For pointers and arbitrary JSON, the kind depends on the
 * value.
 */
export function kindOf(shape: Shape, value: unknown): GoKind {
  if (shape.kind === 'nullable') return value === null ? 'invalid' : kindOf(shape.to, value)
  if (shape.kind === 'int' || shape.kind === 'uint') return integerKind(shape.kind, shape.bits)
  if (!isDynamic(shape)) return kindsByShape[shape.kind]
  if (value === null) return 'invalid'
  if (Array.isArray(value)) return 'slice'
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    case 'number':
      return 'float64'
    default:
      return 'map'
  }
}

/** Returns Go's name of an integer type, such as `int32`. */
function integerKind(kind: 'int' | 'uint', bits: Width | undefined): GoKind {
  return bits === undefined ? kindsByShape[kind] : `${kind}${bits}`
}

type DynamicShape = Extract<Shape, { kind: 'any' | 'union' | 'constant' }>

/**
 * Returns whether the value alone determines the Go kind, because the shape allows several kinds.
 */
function isDynamic(shape: Shape): shape is DynamicShape {
  const { kind } = shape
  return kind === 'any' || kind === 'union' || kind === 'constant'
}

/** Returns a shape without the pointers around it. */
export function dereference(shape: Shape): Exclude<Shape, { kind: 'nullable' }> {
  return shape.kind === 'nullable' ? dereference(shape.to) : shape
}

/**
 * Returns the shape of the elements of a list, a map or bytes; for arbitrary JSON, the shape
 * itself; undefined for other shapes.
 */
export function elementShape(shape: Shape): Shape | undefined {
  switch (shape.kind) {
    case 'list':
    case 'map':
      return shape.of
    case 'bytes':
      return uint
    case 'any':
      return shape
    default:
      return undefined
  }
}

/** Returns the elements of a list or of bytes; an empty list for other values, such as null. */
export function elementsOf(shape: Shape, value: unknown): readonly unknown[] {
  if (shape.kind === 'bytes') return Array.from(bytesOf(value))
  return Array.isArray(value) ? value : []
}

/** Decodes base64 to bytes. Null yields no bytes. */
export function bytesOf(value: unknown): Uint8Array {
  return typeof value === 'string' ? Buffer.from(value, 'base64') : new Uint8Array()
}

/** Returns the members of a map; an empty object for null. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** Returns Go's zero value for a shape. The zero value replaces a missing member. */
export function zeroValueOf(shape: Shape): unknown {
  switch (shape.kind) {
    case 'text':
    case 'time':
      return ''
    case 'bool':
      return false
    case 'int':
    case 'uint':
    case 'float':
    case 'duration':
      return 0
    case 'struct':
      return {}
    default:
      return null
  }
}

/** Returns the name that Go gives to the type of a value in messages. */
export function typeName(shape: Shape, value: unknown): string {
  switch (shape.kind) {
    case 'text':
      return 'string'
    case 'duration':
      return 'time.Duration'
    case 'time':
      return 'time.Time'
    case 'struct':
      return `structs.${shape.name}`
    case 'list':
      return `[]${elementName(shape.of)}`
    case 'map':
      return `map[string]${elementName(shape.of)}`
    case 'bytes':
      return '[]uint8'
    case 'nullable':
      return value === null ? 'invalid' : typeName(shape.to, value)
    case 'any':
    case 'union':
    case 'constant':
      return dynamicTypeName(kindOf(shape, value))
    case 'int':
    case 'uint':
      return integerKind(shape.kind, shape.bits)
    default:
      return kindsByShape[shape.kind]
  }
}

function dynamicTypeName(kind: GoKind): string {
  if (kind === 'slice') return '[]interface {}'
  return kind === 'map' ? 'map[string]interface {}' : kind
}

function elementName(shape: Shape): string {
  if (shape.kind === 'any') return 'interface {}'
  return `${shape.kind === 'struct' ? '*' : ''}${typeName(shape, undefined)}`
}

/** Shape of a map's keys, which are always strings. */
export const keyShape = text
