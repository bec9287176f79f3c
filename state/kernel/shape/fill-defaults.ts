import { setMember } from '../json.ts'
import { memoizeByKey } from '../memoize.ts'
import { isObjectOrList } from '../objects.ts'
import type { ListShape, MapShape, Shape, StructShape } from './kinds.ts'
import type { InputOf, ParsedOf, StoredOf } from './values.ts'

/**
 * Returns a request or document in its stored form (behaviour/scheduler#canonical-form and
 * behaviour/scheduler#differences). Missing members get their default or zero value. Empty Go lists
 * and maps become null. Members that only requests have are dropped, and so are members that the
 * shape does not declare. Optional members are present only if they have a value or a default.
 */
export function fillDefaults<const S extends StructShape>(
  value: ParsedOf<S> | InputOf<S>,
  shape: S,
): StoredOf<S> {
  // The completer follows the shape at run time as `StoredOf` does at compile time, so the cast is
  // safe.
  return completerOf(shape)(value) as StoredOf<S>
}

/**
 * Returns the stored form of an object without members: each member that is not optional has its
 * default or zero value.
 */
export function emptyValueOf<const S extends StructShape>(shape: S): StoredOf<S> {
  return completerOf(shape)({}) as StoredOf<S>
}

/** Conversion of a value of one shape to its stored form. */
type Completer = (value: unknown) => unknown

const completerOf: (shape: Shape) => Completer = memoizeByKey((shape) => {
  switch (shape.kind) {
    case 'any':
    case 'union':
      return (value) => value ?? null
    case 'nullable': {
      const complete = completerOf(shape.to)
      return (value) => (value === null || value === undefined ? null : complete(value))
    }
    case 'list':
      return listCompleter(shape)
    case 'map':
      return mapCompleter(shape)
    case 'struct':
      return structCompleter(shape)
    case 'bytes':
      return (value) => (value === '' ? null : (value ?? null))
    default: {
      const zero = zeroOf(shape)
      return (value) => value ?? zero
    }
  }
})

function listCompleter({ of, orNull }: ListShape): Completer {
  const complete = completerOf(of)
  return (value) => {
    if (Array.isArray(value) && value.length > 0) return value.map((item) => complete(item))
    return orNull ? null : []
  }
}

function mapCompleter({ of, orNull }: MapShape): Completer {
  const complete = completerOf(of)
  return (value) => {
    const members = membersOf(value)
    if (members.length === 0) return orNull ? null : {}
    const map: Record<string, unknown> = {}
    for (const [key, each] of members) setMember(map, key, complete(each))
    return map
  }
}

function structCompleter({ fields }: StructShape): Completer {
  const members = Object.entries(fields)
    .filter(([, { presence }]) => presence !== 'sent')
    .map(([name, { shape, presence, default: defaultValue }]) => ({
      name,
      defaultValue,
      isOptional: presence === 'optional',
      complete: completerOf(shape),
    }))
  return (value) => {
    const input = isObjectOrList(value) ? value : {}
    const struct: Record<string, unknown> = {}
    for (const { name, defaultValue, isOptional, complete } of members) {
      const member = input[name] ?? defaultValue
      if (!isOptional || (member !== null && member !== undefined)) struct[name] = complete(member)
    }
    return struct
  }
}

/**
 * Returns the value of a scalar that was not sent: Go's zero value, the first word of a word shape,
 * or the value of a constant.
 */
export function zeroOf(shape: Shape): unknown {
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
  return isObjectOrList(value) ? Object.entries(value) : []
}
