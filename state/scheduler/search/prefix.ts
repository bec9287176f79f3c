import { quoteGo } from '../../go/text.ts'
import { refuse } from '../texts.ts'
import {
  type ContextName,
  contextNamed,
  contextNames,
  indexOfContexts,
  type Search,
  searchContexts,
} from './contexts.ts'

/** The number of things of one kind that are looked at. */
export const mostLookedAt = 20

/** What a search by prefix found. */
interface Found {
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
export function searchByPrefix(search: Search, prefix: string, context: string): Found {
  const contexts = permitted(search, context)
  // As in the reference, which looks at UUIDs byte by byte, and spares jobs when they are asked alone.
  const rounded = context === 'jobs' ? prefix : roundedDown(prefix)
  const Matches: Record<string, readonly string[] | null> = {}
  const Truncations: Record<string, boolean> = {}
  for (const name of contexts) {
    const found = searchContexts[name].ids(search, rounded)
    if (found === undefined) continue
    const { ids, isMore } = firstOf(found)
    const matching = ids.filter((id) => id.startsWith(prefix))
    Matches[name] = matching.length === 0 ? null : matching
    Truncations[name] = isMore
  }
  return { Matches, Truncations, Index: indexOfContexts(search.world, contexts) }
}

/** A prefix of an even number of digits, which may be parted by hyphens. */
function roundedDown(prefix: string): string {
  const isOdd = prefix.replaceAll('-', '').length % 2 !== 0
  return isOdd ? prefix.slice(0, -1) : prefix
}

/** As many as are looked at, and whether there are more. */
export function firstOf<T>(all: Iterable<T>): {
  readonly ids: readonly T[]
  readonly isMore: boolean
} {
  const ids: T[] = []
  for (const each of all) {
    if (ids.length === mostLookedAt) return { ids, isMore: true }
    ids.push(each)
  }
  return { ids, isMore: false }
}

/**
 * The kinds that a search is about: those of all that the caller may ask for, or the one that is named.
 *
 * @param lenient searches of all namespaces, which are refused to nobody
 */
export function permitted(
  search: Search,
  context: string,
  { lenient = false }: { readonly lenient?: boolean } = {},
): readonly ContextName[] {
  if (context === 'all') return contextNames.filter((name) => searchContexts[name].may(search))
  const name = contextNamed(context)
  if (name === undefined) {
    throw refuse('search-context-unknown', {
      known: contextNames.join(' '),
      context: quoteGo(context),
    })
  }
  if (!searchContexts[name].may(search)) {
    if (lenient) return []
    throw refuse('permission-denied')
  }
  return [name]
}
