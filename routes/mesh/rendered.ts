import type { World } from '../../state/kernel/world.ts'
import { type MeshDialect, meshDialect } from './dialect.ts'

/**
 * Makes what renders the JSON of a row that shows nothing but what it holds itself: worked out once for
 * each row and dialect.
 */
export function rendered<R extends object>(view: (row: R, dialect: MeshDialect) => object) {
  const textIn = (name: MeshDialect['name']) => {
    const dialect = meshDialect(name)
    return (row: R): string => JSON.stringify(view(row, dialect))
  }
  const neutral = textIn('neutral')
  const vendor = textIn('vendor')
  return (world: World, row: R, { name }: MeshDialect): string =>
    world.derived(row, name === 'vendor' ? vendor : neutral)
}
