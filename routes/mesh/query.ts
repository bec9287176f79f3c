import { parseGoDuration } from '../../state/kernel/duration.ts'
import { quoteGo } from '../../state/kernel/go-text.ts'
import { Refusal } from '../../state/kernel/refusal.ts'
import { malformed } from '../../state/mesh/refusals.ts'
import type { WaitOptions } from '../http/blocking.ts'
import { readWaitOptions } from '../http/blocking.ts'

/** The parameters of a query string, as Go's servers look at them. */
export class Query {
  readonly #parameters: Readonly<Record<string, unknown>>

  /** @param parsed what Fastify made of the query string */
  constructor(parsed: unknown) {
    this.#parameters = typeof parsed === 'object' && parsed !== null ? { ...parsed } : {}
  }

  /** Whether the parameter is there, with a value or without. */
  has(name: string): boolean {
    return Object.hasOwn(this.#parameters, name)
  }

  /** The first value; undefined when there is none or it is empty. */
  readonly value = (name: string): string | undefined => {
    const sent = this.has(name) ? this.#parameters[name] : undefined
    const first = Array.isArray(sent) ? sent[0] : sent
    return typeof first === 'string' && first !== '' ? first : undefined
  }

  /** The whole of it as Go writes it again: by name, each value escaped. */
  encode(): string {
    const parts = Object.keys(this.#parameters)
      .sort()
      .flatMap((name) => {
        const values = [this.#parameters[name]].flat()
        return values.map((value) => `${escapeGo(name)}=${escapeGo(String(value))}`)
      })
    return parts.join('&')
  }
}

/** Escapes as Go does for query strings. */
function escapeGo(text: string): string {
  const escaped = encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return escaped.replaceAll('%20', '+')
}

/** How fresh a read has to be; the name that the answer tells. */
export type Consistency = 'leader' | 'stale' | 'consistent'

/** What a caller asks of a read (3a-mesh-decisions.md section 4). */
export interface ReadOptions extends WaitOptions {
  readonly consistency: Consistency
}

/**
 * Reads the parameters that every read takes, in the order in which the reference finds fault with
 * them. Values of `stale`, `consistent`, `leader` and `cached` do not matter.
 */
export function readOptions(query: Query, cacheControl: string | undefined): ReadOptions {
  const isStale = readMaxStale(query) || query.has('stale')
  const isConsistent = query.has('consistent')
  if (isStale && isConsistent) {
    throw malformed('Cannot specify ?stale with ?consistent, conflicting semantics.')
  }
  if (query.has('cached') && isConsistent) {
    throw malformed('Cannot specify ?cached with ?consistent, conflicting semantics.')
  }
  checkCacheControl(cacheControl ?? '')
  const consistency = isConsistent ? 'consistent' : isStale ? 'stale' : 'leader'
  return { consistency, ...readWaitOptions(query.value) }
}

/** Whether `max_stale` asks for a stale read. */
function readMaxStale(query: Query): boolean {
  const sent = query.value('max_stale')
  if (sent === undefined) return false
  try {
    return parseGoDuration(sent) > 0
  } catch (error) {
    if (error instanceof Refusal) throw malformed(`Invalid max_stale value ${quoteGo(sent)}`)
    throw error
  }
}

function checkCacheControl(header: string): void {
  for (const directive of header.split(',')) {
    const [name = '', value = ''] = directive.trim().split('=')
    const counts = ['max-age', 'stale-if-error'].includes(name.toLowerCase())
    if (counts && !/^[+-]?\d+$/.test(value)) throw malformed('Invalid Cache-Control header.')
  }
}
