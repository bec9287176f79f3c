import type { World } from '../../../state/kernel/worlds/world.ts'
import type { DialectName } from './dialect.ts'

/** Returns the JSON of a row in a dialect. */
type RowJson<Row, Dialect> = (world: World, row: Row, dialect: Dialect) => string

/**
 * Makes what gives the JSON of rows that show nothing but what they hold themselves: it is worked out
 * once for each row and dialect of an API.
 */
export function cachedRowJson<Dialect extends { readonly name: DialectName }>(
  dialectOf: (name: DialectName) => Dialect,
) {
  return <Row extends object>(
    view: (row: Row, dialect: Dialect) => object,
  ): RowJson<Row, Dialect> => {
    const jsonIn = (name: DialectName) => {
      const dialect = dialectOf(name)
      return (row: Row): string => JSON.stringify(view(row, dialect))
    }
    const neutral = jsonIn('neutral')
    const vendor = jsonIn('vendor')
    return (world, row, { name }) => world.derived(row, name === 'vendor' ? vendor : neutral)
  }
}
