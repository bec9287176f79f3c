import type { DialectName } from './dialect.ts'
import type { Shape, StructShape } from './kinds.ts'

/** Names of types in the messages of an API's decoder. */
export interface GoNames {
  /** Returns the name of a struct or another named type: `api.Job`. */
  structType(name: string): string
  /** Returns the name of a struct as an element of a list or map: `*api.Job`. */
  elementType(name: string): string
}

const scalarTypes = {
  text: 'string',
  word: 'string',
  time: 'time.Time',
  bool: 'bool',
  int: 'int',
  uint: 'uint64',
  float: 'float64',
  duration: 'time.Duration',
  bytes: '[]uint8',
} as const

/** Returns the name of a struct in a dialect, without the package that `GoNames` adds. */
export function structName({ name, vendor = name }: StructShape, dialect: DialectName): string {
  return dialect === 'vendor' ? vendor : name
}

/** Returns a type as Go prints it in error messages, such as `[]*api.Job`. */
export function goType(shape: Shape, names: GoNames, dialect: DialectName): string {
  if ('typeName' in shape && shape.typeName !== undefined) return names.structType(shape.typeName)
  switch (shape.kind) {
    case 'any':
    case 'union':
    case 'constant':
      return 'interface {}'
    case 'nullable':
      return goType(shape.to, names, dialect)
    case 'list':
      return `[]${elementType(shape.of, names, dialect)}`
    case 'map':
      return `map[string]${elementType(shape.of, names, dialect)}`
    case 'struct':
      return names.structType(structName(shape, dialect))
    case 'int':
    case 'uint':
      return shape.bits === undefined ? scalarTypes[shape.kind] : shape.kind + shape.bits
    default:
      return scalarTypes[shape.kind]
  }
}

function elementType(shape: Shape, names: GoNames, dialect: DialectName): string {
  if (shape.kind === 'struct') return names.elementType(structName(shape, dialect))
  const type = goType(shape, names, dialect)
  return shape.kind === 'nullable' ? `*${type}` : type
}
