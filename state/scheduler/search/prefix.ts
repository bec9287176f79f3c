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

/** The number of things of one kind that are looked at. */
export const maxExamined = 20

/** What a search by prefix found. */
interface PrefixResult {
  readonly Matches: Readonly<Record<string, readonly string[] | null>>
  readonly Truncations: Readonly<Record<string, boolean>>
  readonly Index: number
}

/**
 * Finds IDs by what they begin with (behaviour/scheduler#search).
 *
 * @param context of one kind, or `all`
 * @throws Refusal 403 where the caller may not ask for the one kind, 500 for a kind that there is not
 */
export function searchByPrefix(search: Search, prefix: string, context: string): PrefixResult {
  const contexts = permittedContexts(search, context)
  // As in the reference, which looks at UUIDs byte by byte, and spares jobs when they are asked alone.
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

/** A prefix of an even number of digits, which may be parted by hyphens. */
function toEvenLength(prefix: string): string {
  const isOdd = prefix.replaceAll('-', '').length % 2 !== 0
  return isOdd ? prefix.slice(0, -1) : prefix
}

/** As many as are looked at, and whether there are more. */
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
 * The kinds that a search is about: those of all that the caller may ask for, or the one that is named.
 *
 * @param lenient searches of all namespaces, which are refused to nobody
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
