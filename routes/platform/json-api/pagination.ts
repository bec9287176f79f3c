import { JsonText } from '../../http/json-text.ts'
import { queryOf } from './query.ts'
import type { Resource } from './resource.ts'

const defaultPageSize = 20
const maxPageSize = 100

/** Which page a caller wants. */
interface Page {
  readonly number: number
  readonly size: number
}

/** A page of resources as a document. */
interface ListDocument {
  readonly data: readonly Resource[]
  readonly links: Readonly<Record<'self' | 'first' | 'prev' | 'next' | 'last', string | null>>
  readonly meta: { readonly pagination: Readonly<Record<string, number | null>> }
}

/** Where a list was asked for. */
export interface ListAddress {
  /** Scheme, host and world prefix. */
  readonly origin: string
  /** Path and query as sent. */
  readonly url: string
}

/** A list that can be paged: an array, or something that reads only the items it is asked for. */
interface Pageable<Item> {
  readonly length: number
  slice(start: number, end: number): readonly Item[]
}

/**
 * The page of a list that a caller asked for, with its links (behaviour/platform#pagination).
 * `resourceOf` is asked for the items of that page only.
 */
export function pageOf<Item>(
  items: Pageable<Item>,
  resourceOf: (item: Item) => Resource,
  address: ListAddress,
): ListDocument {
  const { page, ...frame } = pageFrame(items, address)
  return { data: page.map(resourceOf), ...frame }
}

/** The same of resources that are written already. */
export function pageText<Item>(
  items: Pageable<Item>,
  textOf: (item: Item) => string,
  address: ListAddress,
): JsonText {
  const { page, ...frame } = pageFrame(items, address)
  return new JsonText(`{"data":[${page.map(textOf).join(',')}],${JSON.stringify(frame).slice(1)}`)
}

/** The items of the page that a caller asked for, and what a document says around them. */
function pageFrame<Item>(
  items: Pageable<Item>,
  address: ListAddress,
): Omit<ListDocument, 'data'> & { readonly page: readonly Item[] } {
  const [path = ''] = address.url.split('?', 1)
  const query = queryOf(address.url)
  const { number, size } = parsePage(query)
  const pages = Math.max(1, Math.ceil(items.length / size))
  const first = (number - 1) * size
  const linkTo = (page: number | null): string | null => {
    if (page === null) return null
    const otherParameters = [...query].filter(
      ([name]) => name !== 'page[number]' && name !== 'page[size]',
    )
    const pairs = [...otherParameters, ['page[number]', page], ['page[size]', size]].map(
      ([name, value]) => `${encodeURIComponent(String(name))}=${encodeURIComponent(String(value))}`,
    )
    return `${address.origin}${path}?${pairs.join('&')}`
  }
  const isPastEnd = number > pages
  const previous = isPastEnd || number === 1 ? null : number - 1
  const next = isPastEnd || number === pages ? null : number + 1
  return {
    page: items.slice(first, first + size),
    links: {
      self: linkTo(number),
      first: linkTo(1),
      prev: linkTo(previous),
      next: linkTo(next),
      last: linkTo(pages),
    },
    meta: {
      pagination: {
        'current-page': number,
        'page-size': size,
        'prev-page': previous,
        'next-page': next,
        'total-pages': pages,
        'total-count': items.length,
      },
    },
  }
}

/** Tells whether a caller named a page; a few lists are whole when nobody does. */
export function requestsPage({ url }: ListAddress): boolean {
  const query = queryOf(url)
  return query.has('page[number]') || query.has('page[size]')
}

/** Page number and size; what is no number above zero is as if left out. */
function parsePage(query: URLSearchParams): Page {
  const read = (name: string, fallback: number): number => {
    const text = query.get(name) ?? ''
    const value = /^\d{1,15}$/.test(text) ? Number(text) : 0
    return value > 0 ? value : fallback
  }
  return {
    number: read('page[number]', 1),
    size: Math.min(read('page[size]', defaultPageSize), maxPageSize),
  }
}
