import { createHash } from 'node:crypto'
import type { World } from '../../state/kernel/worlds/world.ts'
import { ageOfCachedQuery } from '../../state/mesh/cached-queries.ts'
import type { Query } from '../http/query.ts'

/**
 * Mode of the agent's cache for a query. Results in the mode `refreshed` are updated in the
 * background; results in the mode `fetched` are not. The mode `always` is like `refreshed`, but
 * also applies to requests without the parameter `cached`.
 */
export type CacheKind = 'refreshed' | 'fetched' | 'always'

/** The parts of a request that form its cache key. */
interface CachedRequest {
  readonly world: World
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  /** Raw body, if the cache key of the operation includes it. */
  readonly body?: Buffer
}

const digestOf = (body: Buffer) => createHash('sha256').update(body).digest('hex')

/** Query parameters that are part of the cache key. */
const cacheKeyParameters = [
  ...['ns', 'tag', 'passing', 'node-meta', 'near', 'filter', 'merge-central-config'],
  ...['limit', 'connect', 'by', 'name', 'source', 'destination', 'compile-dc'],
] as const

/**
 * Returns the headers of a read that accepts a cached result, and records the use of the query
 * (behaviour/mesh#reads). Returns no headers for other reads. The content of the reply is always
 * current.
 *
 * @param path the path of the operation
 */
export function cacheHeaders(
  { world, params, query, body }: CachedRequest,
  path: string,
  kind: CacheKind,
): Readonly<Record<string, string>> {
  if (kind !== 'always' && !query.has('cached')) return {}
  const parts = cacheKeyParameters.map((name) => [name, query.all(name)] as const)
  const sent = parts.filter(([name]) => query.has(name))
  const content = body === undefined || body.length === 0 ? [] : [digestOf(body)]
  const age = ageOfCachedQuery(
    world,
    JSON.stringify([path, Object.values(params), sent, ...content]),
  )
  if (age === undefined) return { 'X-Cache': 'MISS' }
  const seconds = kind === 'fetched' ? Math.floor(age / 1_000) : 0
  return { 'X-Cache': 'HIT', Age: String(seconds) }
}
