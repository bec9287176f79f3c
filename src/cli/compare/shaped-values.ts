import type { DialectName } from '../../../routes/http/declare/dialect.ts'
import { isStruct } from '../../../routes/http/declare/shape-or-schema.ts'
import { wordInDialect } from '../../../state/kernel/shape/dialect.ts'
import type { Field, Shape, StructShape } from '../../../state/kernel/shape/kinds.ts'
import { constant, listOf, objectOf, oneOf, type ValueGenerator, weighted } from './generators.ts'

/**
 * Values to try for members, by the member's vendor name. Members without an entry get values for
 * their shape.
 */
export type ValuesByName = Readonly<Record<string, readonly unknown[]>>

/** Maximum depth of generated objects and lists. */
const maxDepth = 5

/**
 * Factory for generators of values that have a given shape. Most values are valid. Members have
 * their names in the dialect.
 */
export class ShapedValues {
  readonly #byName: ValuesByName
  readonly #dialect: DialectName

  constructor(byName: ValuesByName, dialect: DialectName) {
    this.#byName = byName
    this.#dialect = dialect
  }

  /** Returns a generator of values for a shape, with a few invalid ones. */
  valuesOf(shape: Shape, depth = 0): ValueGenerator<unknown> {
    // The inner shape is resolved when a value is generated, because shapes may be recursive.
    const valid: ValueGenerator<unknown> = (random) => this.#validValuesOf(shape, depth)(random)
    return weighted([40, valid], [1, oneOf<unknown>(null, 3, 'x', true, [], {})])
  }

  /** Returns a generator of objects with one to four members of a shape. */
  objectsOf({ fields }: StructShape, depth = 0): ValueGenerator<Record<string, unknown>> {
    const members = Object.entries(fields)
      // An empty list of values excludes the member.
      .filter(([name, field]) => this.#byName[field.vendor ?? name]?.length !== 0)
      .map(([name, field]) => {
        const spelled = this.#dialect === 'vendor' ? (field.vendor ?? name) : name
        return [spelled, this.#memberValues(field.vendor ?? name, field, depth)] as const
      })
    return objectOf(members, 1, 4)
  }

  #memberValues(name: string, { shape }: Field, depth: number): ValueGenerator<unknown> {
    const candidates = this.#byName[name]
    return candidates === undefined ? this.valuesOf(shape, depth + 1) : oneOf(...candidates)
  }

  #validValuesOf(shape: Shape, depth: number): ValueGenerator<unknown> {
    switch (shape.kind) {
      case 'bool':
        return oneOf<unknown>(true, false)
      case 'word':
        return oneOf(...shape.words.map((word) => wordInDialect(shape, word, this.#dialect)), 'zz')
      case 'constant':
        return constant<unknown>(shape.value)
      case 'time':
        return oneOf<unknown>('2031-01-01T00:00:00Z', '2001-01-01T00:00:00Z')
      case 'bytes':
        return oneOf<unknown>('YQ==', '', '!')
      case 'int':
      case 'uint':
      case 'float':
        return oneOf<unknown>(1, 2, 0, -1)
      case 'duration':
        return oneOf<unknown>(1_000_000_000, 60_000_000_000, 0, '10s', '1h')
      case 'nullable':
        return this.#validValuesOf(shape.to, depth)
      case 'union':
        return weighted(...shape.of.map((one) => [1, this.#validValuesOf(one, depth)] as const))
      case 'list':
        return depth > maxDepth ? () => [] : listOf(this.valuesOf(shape.of, depth + 1), 0, 2)
      case 'map':
        return depth > maxDepth ? () => ({}) : this.#mapsOf(shape.of, depth)
      case 'struct':
        return depth > maxDepth ? () => ({}) : this.objectsOf(shape, depth)
      default:
        return oneOf<unknown>('a', 'b', 'x-1', '')
    }
  }

  #mapsOf(shape: Shape, depth: number): ValueGenerator<unknown> {
    const value = this.valuesOf(shape, depth + 1)
    return objectOf(
      ['a', 'b', 'a b'].map((name) => [name, value] as const),
      0,
      2,
    )
  }
}

/**
 * Returns a generator of query strings: usually empty, otherwise one or two parameters that are
 * declared or listed in `byName`.
 */
export function queryGenerator(query: unknown, byName: ValuesByName): ValueGenerator<string> {
  const fields = isStruct(query) ? Object.keys(query.fields) : []
  const names = [...fields, ...Object.keys(byName)]
  if (names.length === 0) return constant('')
  const name = oneOf(...names)
  const pair: ValueGenerator<string> = (random) => {
    const pickedName = name(random)
    const value = oneOf(...(byName[pickedName] ?? ['', '1', '0', 'true', 'x']))(random)
    return `${pickedName}=${encodeURIComponent(String(value)).replaceAll('%24', '$')}`
  }
  const pairs = listOf(pair, 1, 2)
  return weighted([3, constant('')], [2, (random) => `?${pairs(random).join('&')}`])
}
