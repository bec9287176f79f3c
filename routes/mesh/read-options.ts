import { parseGoDuration } from '../../state/go/duration.ts'
import { quoteGo } from '../../state/go/text.ts'
import { Refusal } from '../../state/kernel/refusal.ts'
import { refuse } from '../../state/mesh/messages.ts'
import { readWaitOptions, type WaitOptions } from '../http/blocking/blocking.ts'
import type { Query } from '../http/query.ts'

/** Consistency mode of a read. A response header names the mode. */
type Consistency = 'leader' | 'stale' | 'consistent'

/** Parameters that every read accepts (behaviour/mesh#reads). */
interface ReadOptions extends WaitOptions {
  readonly consistency: Consistency
}

/**
 * Parses the parameters of a read in the reference's order of checks. `stale`, `consistent`,
 * `leader` and `cached` count if they are present, whatever their values are. Throws a refusal for
 * parameters that contradict each other or are malformed.
 */
export function readOptions(query: Query, cacheControl: string | undefined): ReadOptions {
  const consistency = readConsistency(query, cacheControl)
  return { consistency, ...readWaitOptions(query.value) }
}

/**
 * Options of reads below `/v1/agent/`. The parameters for consistency, `index` and `wait` have no
 * effect on such reads.
 */
export const agentReadOptions: ReadOptions = {
  consistency: 'leader',
  ...readWaitOptions(() => undefined),
}

/**
 * Parses the consistency mode of a read. Throws a refusal for parameters that contradict each other
 * or are malformed.
 */
export function readConsistency(query: Query, cacheControl: string | undefined): Consistency {
  const isStale = readMaxStale(query) || query.has('stale')
  const isConsistent = query.has('consistent')
  if (isStale && isConsistent) throw refuse('stale-and-consistent')
  if (query.has('cached') && isConsistent) throw refuse('cached-and-consistent')
  checkCacheControl(cacheControl)
  return isConsistent ? 'consistent' : isStale ? 'stale' : 'leader'
}

/**
 * Returns whether `max_stale` is a positive duration, which allows a stale read. Throws a refusal
 * if the value is not a duration.
 */
function readMaxStale(query: Query): boolean {
  const text = query.value('max_stale')
  if (text === undefined) return false
  try {
    return parseGoDuration(text) > 0
  } catch (error) {
    if (error instanceof Refusal) throw refuse('bad-max-stale', { quoted: quoteGo(text) })
    throw error
  }
}

function checkCacheControl(header: string | undefined): void {
  if (header === undefined) return
  for (const directive of header.split(',')) {
    const [name = '', value = ''] = directive.trim().split('=')
    const takesSeconds = ['max-age', 'stale-if-error'].includes(name.toLowerCase())
    if (takesSeconds && !/^[+-]?\d+$/.test(value)) throw refuse('bad-cache-control')
  }
}
