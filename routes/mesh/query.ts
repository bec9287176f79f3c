import { parseGoDuration } from '../../state/go/duration.ts'
import { quoteGo } from '../../state/go/text.ts'
import { Refusal } from '../../state/kernel/refusal.ts'
import { refuse } from '../../state/mesh/texts.ts'
import type { WaitOptions } from '../http/blocking.ts'
import { readWaitOptions } from '../http/blocking.ts'
import type { Query } from '../http/query.ts'

/** The freshness that a read has to have; the name that the answer tells. */
type Consistency = 'leader' | 'stale' | 'consistent'

/** A caller's wishes for a read (3a-mesh-decisions.md section 4). */
interface ReadOptions extends WaitOptions {
  readonly consistency: Consistency
}

/**
 * Reads the parameters that every read takes, in the order in which the reference finds fault with
 * them. Values of `stale`, `consistent`, `leader` and `cached` do not matter.
 */
export function readOptions(query: Query, cacheControl: string | undefined): ReadOptions {
  const isStale = readMaxStale(query) || query.has('stale')
  const isConsistent = query.has('consistent')
  if (isStale && isConsistent) throw refuse('stale-and-consistent')
  if (query.has('cached') && isConsistent) throw refuse('cached-and-consistent')
  checkCacheControl(cacheControl ?? '')
  const consistency = isConsistent ? 'consistent' : isStale ? 'stale' : 'leader'
  return { consistency, ...readWaitOptions(query.value) }
}

/** Tells whether `max_stale` asks for a stale read. */
function readMaxStale(query: Query): boolean {
  const sent = query.value('max_stale')
  if (sent === undefined) return false
  try {
    return parseGoDuration(sent) > 0
  } catch (error) {
    if (error instanceof Refusal) throw refuse('bad-max-stale', { quoted: quoteGo(sent) })
    throw error
  }
}

function checkCacheControl(header: string): void {
  for (const directive of header.split(',')) {
    const [name = '', value = ''] = directive.trim().split('=')
    const counts = ['max-age', 'stale-if-error'].includes(name.toLowerCase())
    if (counts && !/^[+-]?\d+$/.test(value)) throw refuse('bad-cache-control')
  }
}
