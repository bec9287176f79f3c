import { JsonText } from '../../http/json-text.ts'
import type { Resource } from './resource.ts'

/**
 * Parses the query of a URL. The query begins after the first question mark; later question marks
 * are ordinary characters (RFC 3986).
 */
export function queryOf(url: string): URLSearchParams {
  const start = url.indexOf('?')
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1))
}

const defaultPageSize = 20
const maxPageSize = 100

interface Page {
  readonly number: number
  readonly size: number
}

/** JSON:API document with one page of resources. */
interface ListDocument {
  readonly data: readonly Resource[]
  readonly links: Readonly<Record<'self' | 'first' | 'prev' | 'next' | 'last', string | null>>
  readonly meta: { readonly pagination: Readonly<Record<string, number | null>> }
}

export interface ListAddress {
  /** Scheme, host and world prefix. */
  readonly origin: string
  /** Path and query as the client sent them. */
  readonly url: string
}

/** A list that can be paged: an array, or an object that reads only the requested items. */
export interface Pageable<Item> {
  readonly length: number
  slice(start: number, end: number): readonly Item[]
}

/**
 * Returns the requested page of a list, with its links (behaviour/platform#pagination). Calls
 * `resourceOf` for the items of that page only.
 */
export function pageOf<Item>(
  items: Pageable<Item>,
  resourceOf: (item: Item) => Resource,
  address: ListAddress,
): ListDocument {
  const { page, ...frame } = pageFrame(items, address)
  return { data: page.map(resourceOf), ...frame }
}

/**
 * Returns the requested page of a list about providers. While the list is empty, `total-pages` is
 * 0, as the product's client expects.
 */
export function providerPageOf<Item>(
  items: Pageable<Item>,
  resourceOf: (item: Item) => Resource,
  address: ListAddress,
): ListDocument {
  const document = pageOf(items, resourceOf, address)
  if (items.length > 0) return document
  const pagination = { ...document.meta.pagination, 'total-pages': 0 }
  return { ...document, meta: { pagination } }
}

/**
 * Returns the requested page of a list that is not counted. The document has no totals, and no
 * links to the first and the last page.
 */
export function pageWithoutTotals<Item>(
  items: Pageable<Item>,
  resourceOf: (item: Item) => Resource,
  address: ListAddress,
) {
  const { data, links, meta } = pageOf(items, resourceOf, address)
  const { 'total-pages': _pages, 'total-count': _count, ...pagination } = meta.pagination
  const { self, prev, next } = links
  return { data, links: { self, prev, next }, meta: { pagination } }
}

/** Returns the requested page of a list as JSON, from resources that are already serialized. */
export function pageText<Item>(
  items: Pageable<Item>,
  textOf: (item: Item) => string,
  address: ListAddress,
): JsonText {
  const { page, ...frame } = pageFrame(items, address)
  return new JsonText(`{"data":[${page.map(textOf).join(',')}],${JSON.stringify(frame).slice(1)}`)
}

/** Returns the items of the requested page, and the members `links` and `meta` of its document. */
function pageFrame<Item>(items: Pageable<Item>, address: ListAddress) {
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

/** Returns the requested page of a list, or the whole list if the query asks for no page. */
export function pageOrAll<Item>(
  items: readonly Item[],
  resourceOf: (item: Item) => Resource,
  address: ListAddress,
): ListDocument | Pick<ListDocument, 'data'> {
  const query = queryOf(address.url)
  const requestsPage = query.has('page[number]') || query.has('page[size]')
  return requestsPage ? pageOf(items, resourceOf, address) : { data: items.map(resourceOf) }
}

/**
 * Parses the page number (default: 1) and the page size (default: 20, maximum: 100). Values other
 * than positive numbers count as missing.
 */
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
