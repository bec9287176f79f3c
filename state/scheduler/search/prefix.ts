import { quoteGo } from '../../go/text.ts'
import { refuse } from '../messages.ts'
import {
  type ContextName,
  contextNames,
  findContextName,
  indexOfContexts,
  type Search,
  searchContexts,
} from './contexts.ts'

/** Maximum number of examined objects per kind. */
export const maxExamined = 20

/** The result of a prefix search. */
interface PrefixResult {
  readonly Matches: Readonly<Record<string, readonly string[] | null>>
  readonly Truncations: Readonly<Record<string, boolean>>
  readonly Index: number
}

/**
 * Finds IDs by prefix (behaviour/scheduler#search).
 *
 * @param context name of one kind, or `all`
 * @throws Refusal 403 if the caller may not search the requested kind, 500 for an unknown kind
 */
export function searchByPrefix(search: Search, prefix: string, context: string): PrefixResult {
  const contexts = permittedContexts(search, context)
  // The reference compares UUIDs bytewise, except in a search for jobs only.
  const evenPrefix = context === 'jobs' ? prefix : toEvenLength(prefix)
  const Matches: Record<string, readonly string[] | null> = {}
  const Truncations: Record<string, boolean> = {}
  for (const name of contexts) {
    const taken = searchContexts[name].ids(search, evenPrefix)
    if (taken === undefined) continue
    const { ids, hasMore } = takeFirst(taken)
    const matching = ids.filter((id) => id.startsWith(prefix))
    Matches[name] = matching.length === 0 ? null : matching
    Truncations[name] = hasMore
  }
  return { Matches, Truncations, Index: indexOfContexts(search.world, contexts) }
}

/** Shortens a prefix to an even number of digits, ignoring hyphens. */
function toEvenLength(prefix: string): string {
  const isOdd = prefix.replaceAll('-', '').length % 2 !== 0
  return isOdd ? prefix.slice(0, -1) : prefix
}

/** Returns the first items up to the maximum, and whether there are more. */
export function takeFirst<T>(iterable: Iterable<T>): {
  readonly ids: readonly T[]
  readonly hasMore: boolean
} {
  const ids: T[] = []
  for (const each of iterable) {
    if (ids.length === maxExamined) return { ids, hasMore: true }
    ids.push(each)
  }
  return { ids, hasMore: false }
}

/**
 * Returns the kinds of a search: the named one, or all that the caller may search.
 *
 * @param lenient true for searches of all namespaces, which are never refused
 */
export function permittedContexts(
  search: Search,
  context: string,
  { allowsNone = false }: { readonly allowsNone?: boolean } = {},
): readonly ContextName[] {
  if (context === 'all') return contextNames.filter((name) => searchContexts[name].may(search))
  const name = findContextName(context)
  if (name === undefined) {
    throw refuse('search-context-unknown', {
      known: contextNames.join(' '),
      context: quoteGo(context),
    })
  }
  if (!searchContexts[name].may(search)) {
    if (allowsNone) return []
    throw refuse('permission-denied')
  }
  return [name]
}
