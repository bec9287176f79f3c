import { instant } from '../kernel/shape/kinds.ts'
import { struct } from '../kernel/shape/members.ts'
import type { World } from '../kernel/worlds/world.ts'
import { meshTable } from './indexes.ts'

/**
 * Queries that clients have sent with `cached`, by cache key, with the instant of the first answer.
 */
export const cachedQueries = meshTable('cached-queries', struct({ first_at: instant }), {
  secrets: 'none',
  keepsIndex: true,
})

const maxQueries = 1_000

/**
 * Stores the first use of a query that accepts a cached result. If the table then has more than
 * `maxQueries` rows, removes one of the other queries.
 *
 * @returns the age of the result in milliseconds; undefined for the first use of the query
 */
export function ageOfCachedQuery(world: World, query: string): number | undefined {
  const known = world.table(cachedQueries).peek(query)
  if (known !== undefined) return Math.max(0, world.clock.now() - known.first_at)
  world.write(() => {
    const table = world.table(cachedQueries)
    table.put(query, { first_at: world.clock.now() })
    if (table.size <= maxQueries) return
    const other = [...table.entries()].find(([key]) => key !== query)
    if (other !== undefined) table.delete(other[0])
  })
  return undefined
}
