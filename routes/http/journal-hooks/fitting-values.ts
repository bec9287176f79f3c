import { parseGoDuration } from '../../../state/go/duration.ts'
import { isObject } from '../../../state/kernel/objects.ts'
import type { Field, Shape, StructShape } from '../../../state/kernel/shape/kinds.ts'
import { parseTimestamp } from '../../../state/kernel/time.ts'

/** Sample value for each kind of shape that has no constraints. */
const samplesByKind: Readonly<Record<string, unknown>> = {
  text: 'example',
  time: '2030-01-01T00:00:00Z',
  bytes: 'ZXhhbXBsZQ==',
  bool: true,
  float: 1,
  any: {},
  map: {},
}

/** Returns a small value that matches a shape, for requests that explanations suggest. */
export function sampleOf(shape: Shape): unknown {
  switch (shape.kind) {
    case 'text':
      return 'example'.padEnd(shape.minLength ?? 0, '-').slice(0, shape.maxLength)
    case 'int':
    case 'uint':
    case 'duration':
      return Math.min(
        Math.max(1, shape.minimum ?? 1, (shape.exclusiveMinimum ?? 0) + 1),
        shape.maximum ?? Infinity,
      )
    case 'word':
      return shape.words[0]
    case 'constant':
      return shape.value
    case 'list':
      return shape.minItems ? [sampleOf(shape.of)] : []
    case 'struct':
      return Object.fromEntries(
        Object.entries(shape.fields)
          .filter(([, field]) => isRequired(field))
          .map(([name, field]) => [name, sampleOf(field.shape)]),
      )
    case 'nullable':
      return sampleOf(shape.to)
    case 'union':
      return shape.of[0] === undefined ? {} : sampleOf(shape.of[0])
    default:
      return samplesByKind[shape.kind]
  }
}

function isRequired(field: Field): boolean {
  return field.presence === 'always' && field.default === undefined && field.isOutputOnly !== true
}

/**
 * Returns a copy of a value that matches a shape: unknown members are left out, and sample values
 * replace values of the wrong type. Null is kept. Names of members are compared without regard to
 * case, as in Go.
 */
export function fitToShape(value: unknown, shape: Shape): unknown {
  if (value === null) return null
  switch (shape.kind) {
    case 'struct':
      return isObject(value) ? fitStruct(value, shape) : sampleOf(shape)
    case 'map':
      if (!isObject(value)) return {}
      return Object.fromEntries(
        Object.entries(value).map(([name, each]) => [name, fitToShape(each, shape.of)]),
      )
    case 'list':
      return Array.isArray(value)
        ? value.map((each) => fitToShape(each, shape.of))
        : sampleOf(shape)
    case 'nullable':
      return fitToShape(value, shape.to)
    case 'any':
    case 'union':
    case 'constant':
      return value
    default:
      return fitScalar(value, shape)
  }
}

function fitStruct(value: Readonly<Record<string, unknown>>, shape: StructShape): object {
  const entries = Object.entries(value).flatMap(([name, each]) => {
    const member = fieldShape(shape, name)
    return member === undefined ? [] : [[name, fitToShape(each, member)]]
  })
  return Object.fromEntries(entries)
}

/**
 * Returns the shape of a member by any of its names. For an undeclared member, returns the shape
 * that the struct allows for undeclared members; undefined if the struct allows none.
 */
function fieldShape({ fields, others }: StructShape, name: string): Shape | undefined {
  const lower = name.toLowerCase()
  const found = Object.entries<Field>(fields).find(([known, { vendor, aliases = [] }]) =>
    [known, vendor, ...aliases].some((each) => each?.toLowerCase() === lower),
  )
  return found?.[1].shape ?? others
}

function fitScalar(value: unknown, shape: Shape): unknown {
  const isWhole = Number.isSafeInteger(value)
  switch (shape.kind) {
    case 'bool':
      return typeof value === 'boolean' ? value : sampleOf(shape)
    case 'float':
      return typeof value === 'number' ? value : sampleOf(shape)
    case 'int':
      return isWhole ? value : sampleOf(shape)
    case 'uint':
      return isWhole && Number(value) >= 0 ? value : sampleOf(shape)
    case 'duration':
      return isWhole ? value : durationOf(value)
    case 'time':
      return typeof value === 'string' && parseTimestamp(value) !== undefined
        ? value
        : sampleOf(shape)
    case 'bytes':
      return typeof value === 'string' && /^[\w+/]*={0,2}$/.test(value) ? value : sampleOf(shape)
    default:
      return typeof value === 'string' ? value : sampleOf(shape)
  }
}

/** Returns the nanoseconds of a Go duration; one second for any other value. */
function durationOf(value: unknown): number {
  try {
    return parseGoDuration(String(value))
  } catch {
    return 1_000_000_000
  }
}
