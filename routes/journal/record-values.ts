import { parseJsonWithBigints } from '../../state/json/json.ts'
import type { RequestRecord } from '../http/journal-hooks/request-record.ts'
import { Digest } from './retained-body.ts'

/**
 * Returns the value of a retained body: parsed JSON, with all digits of large integers, or text if
 * the body is not JSON. Returns the digest of a large body, and undefined for an empty or missing
 * body.
 */
export function bodyValue(kept: unknown): unknown {
  if (kept === undefined || kept instanceof Digest) return kept
  const text = String(kept)
  if (text === '') return undefined
  try {
    return parseJsonWithBigints(text)
  } catch {
    return text
  }
}

const worldPrefix = /^\/_world\/[^/?#]+/

/**
 * Returns the path of a request as sent, without the prefix of the world and without the query; `/`
 * if nothing remains.
 */
export function pathOf({ target }: RequestRecord): string {
  const begin = target.startsWith('/_world/') ? (worldPrefix.exec(target)?.[0].length ?? 0) : 0
  const query = target.indexOf('?', begin)
  return target.slice(begin, query < 0 ? undefined : query) || '/'
}

/** Returns the query of a request. A repeated parameter becomes a list. */
export function queryOf({
  target,
}: RequestRecord): Readonly<Record<string, string | readonly string[]>> {
  const begin = target.indexOf('?')
  const query: Record<string, string | string[]> = {}
  if (begin < 0) return query
  for (const [name, value] of new URLSearchParams(target.slice(begin + 1))) {
    const before = Object.hasOwn(query, name) ? query[name] : undefined
    if (before === undefined) query[name] = value
    else if (typeof before === 'string') query[name] = [before, value]
    else before.push(value)
  }
  return query
}

/**
 * Returns the token that the caller sent in a header or a query parameter; undefined if the request
 * has no token.
 */
export function sentToken(record: RequestRecord): string | undefined {
  const { headers, api } = record
  for (const name of api.secretHeaders ?? []) {
    const value = [headers[name]].flat()[0]
    const token = value?.replace(/^bearer\s+/i, '').trim()
    // Credentials of another scheme are not tokens.
    if (name === 'authorization' && token?.includes(' ')) continue
    if (token !== undefined && token !== '') return token
  }
  const query = queryOf(record)
  for (const name of api.secretParameters ?? []) {
    const token = [query[name]].flat()[0]
    if (token !== undefined && token !== '') return token
  }
  return undefined
}
