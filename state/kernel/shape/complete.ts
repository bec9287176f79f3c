import { setMember } from '../json.ts'
import type { Field, ListShape, MapShape, Shape, StructShape } from './kinds.ts'
import type { Given, Sent, Stored } from './values.ts'

/**
 * A request or a document as it is stored and answered: whatever was not said has its default or its
 * zero value, Go's empty lists and maps are null, members of requests alone are gone, optional ones are
 * there when they were said (3b-scheduler-decisions.md sections 4 and 11).
 */
export function completed<const S extends StructShape>(
  given: Sent<S> | Given<S>,
  shape: S,
): Stored<S> {
  // The shape's type is what the walk below follows at run time.
  return complete(given, shape) as Stored<S>
}

function complete(value: unknown, shape: Shape): unknown {
  switch (shape.kind) {
    case 'any':
    case 'union':
      return value ?? null
    case 'nullable':
      return value === null || value === undefined ? null : complete(value, shape.to)
    case 'list':
      return completeList(value, shape)
    case 'map':
      return completeMap(value, shape)
    case 'struct':
      return completeStruct(value, shape)
    case 'bytes':
      return value === '' ? null : (value ?? null)
    default:
      return value ?? zeroOf(shape)
  }
}

function completeList(value: unknown, { of, orNull }: ListShape): unknown {
  if (Array.isArray(value) && value.length > 0) {
    return value.map((item: unknown) => complete(item, of))
  }
  return orNull ? null : []
}

function completeMap(value: unknown, { of, orNull }: MapShape): unknown {
  const members = membersOf(value)
  if (members.length === 0) return orNull ? null : {}
  const map: Record<string, unknown> = {}
  for (const [key, each] of members) setMember(map, key, complete(each, of))
  return map
}

function completeStruct(value: unknown, { fields }: StructShape): Record<string, unknown> {
  const sent = new Map(membersOf(value))
  const struct: Record<string, unknown> = {}
  for (const [name, { shape, presence, default: usual }] of Object.entries(fields)) {
    const member = sent.get(name) ?? usual
    const isSaid = member !== null && member !== undefined
    if (presence === 'always' || (presence === 'optional' && isSaid)) {
      struct[name] = complete(member, shape)
    }
  }
  return struct
}

/** Go's zero values of an object's own scalars: what those are that nobody says. */
export function zeroesOf<const S extends StructShape>(shape: S): Partial<Sent<S>> {
  const zeroes: Record<string, unknown> = {}
  for (const [name, { shape: of, presence }] of Object.entries<Field>(shape.fields)) {
    if (presence === 'always' && scalars.has(of.kind)) zeroes[name] = zeroOf(of)
  }
  return zeroes as Partial<Sent<S>>
}

const scalars: ReadonlySet<Shape['kind']> = new Set<Shape['kind']>([
  ...(['text', 'bool', 'int', 'uint', 'float', 'duration'] as const),
])

function zeroOf(shape: Shape): unknown {
  switch (shape.kind) {
    case 'text':
    case 'time':
      return ''
    case 'bool':
      return false
    case 'word':
      return shape.words[0]
    case 'constant':
      return shape.value
    default:
      return 0
  }
}

function membersOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}
