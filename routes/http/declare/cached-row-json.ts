import { stringifyJson } from '../../../state/kernel/deep-json.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { DialectName } from './dialect.ts'

type RowJson<Row, Dialect> = (world: World, row: Row, dialect: Dialect) => string

/**
 * Returns a function that caches the JSON of each row per dialect. Use the function only if the
 * JSON of a row depends on nothing but the row's own members.
 */
export function cachedRowJson<Dialect extends { readonly name: DialectName }>(
  dialectOf: (name: DialectName) => Dialect,
) {
  return <Row extends object>(
    view: (row: Row, dialect: Dialect) => object,
  ): RowJson<Row, Dialect> => {
    const jsonIn = (name: DialectName) => {
      const dialect = dialectOf(name)
      return (row: Row): string => stringifyJson(view(row, dialect))
    }
    const neutral = jsonIn('neutral')
    const vendor = jsonIn('vendor')
    return (world, row, { name }) => world.derived(row, name === 'vendor' ? vendor : neutral)
  }
}
