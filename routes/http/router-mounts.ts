import type { Found, Params, Place, Router } from './routing.ts'

/** Names in paths (behaviour/secrets#conventions), as a regular expression without ends. */
export const namePattern = '\\w(?:[\\w.-]*\\w)?'

/** A pattern with parameters as a test of paths. */
interface Form<O> {
  /** Returns undefined when the path does not fit, null when it does but has a value that none can have. */
  match(path: string): Found<O> | null | undefined
}

/**
 * Makes a router with the strategy `mounts`. A parameter that ends in a period matches nothing
 * (behaviour/secrets#api-periods).
 */
export function mountRouter<O>(places: readonly Place<O>[]): Router<O> {
  return routerOf(places, '.*')
}

/** The same with the strategy `system`. */
export function systemRouter<O>(places: readonly Place<O>[]): Router<O> {
  return routerOf(places, '.+')
}

function routerOf<O>(places: readonly Place<O>[], rest: '.*' | '.+'): Router<O> {
  /** Patterns without parameters. */
  const exact = new Map<string, Found<O>>()
  /** Those with some, by a first segment that is a word, in the order of their declarations. */
  const open = new Map<string, Form<O>[]>()
  const anyFirst: Form<O>[] = []
  for (const place of places) {
    const { path } = place
    if (/(^|\/)[:*]/.test(path)) {
      const form = formOf(place, rest)
      const first = firstSegment(path)
      if (/^[:*]/.test(first)) anyFirst.push(form)
      else open.set(first, [...(open.get(first) ?? []), form])
      continue
    }
    // A pattern in front of it may take its path.
    const before = open.get(firstSegment(path)) ?? []
    // A closing slash is part of a path; that of a folder is there or not.
    for (const spelling of isFolder(place) ? [path, `${path}/`] : [path]) {
      if (exact.has(spelling) || before.some(({ match }) => match(spelling) !== undefined)) continue
      exact.set(spelling, { place, params: none })
    }
  }

  function find(path: string): Found<O> | undefined {
    const found = exact.get(path)
    if (found !== undefined) return found
    for (const { match } of open.get(firstSegment(path)) ?? noForms) {
      const matched = match(path)
      if (matched !== undefined) return matched ?? undefined
    }
    for (const { match } of anyFirst) {
      const matched = match(path)
      if (matched !== undefined) return matched ?? undefined
    }
    return undefined
  }

  return {
    places,
    find,
    all(path) {
      const found = find(path)
      return found === undefined ? [] : [found.place]
    },
  }
}

function isFolder({ operations }: Place<unknown>): boolean {
  return operations.has('list')
}

const none: Params = {}
const noForms: readonly never[] = []

/** Tells whether a parameter ends in a period; that of a list may have its closing slash. */
export function endsInPeriod(parameter: string): boolean {
  return parameter.endsWith('.') || parameter.endsWith('./')
}

function firstSegment(path: string): string {
  const slash = path.indexOf('/')
  return slash < 0 ? path : path.slice(0, slash)
}

function formOf<O>(place: Place<O>, rest: '.*' | '.+'): Form<O> {
  const { path } = place
  const tail = /^([^:*]*)\*([^/]+)$/.exec(path)
  if (tail !== null) {
    // Most requests are for such paths: those of secrets.
    const [, before = '', name = ''] = tail
    const least = before.length + (rest === '.+' ? 1 : 0)
    return {
      match(sent) {
        if (sent.length < least || !sent.startsWith(before)) return undefined
        const value = sent.slice(before.length)
        if (endsInPeriod(value)) return null
        const params: Record<string, string> = {}
        params[name] = value
        return { place, params }
      },
    }
  }
  const names: string[] = []
  const segments = path.split('/').map((segment) => {
    if (!/^[:*]/.test(segment)) return segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    names.push(segment.slice(1))
    return segment.startsWith(':') ? `(${namePattern})` : `(${rest})`
  })
  const form = new RegExp(`^${segments.join('/')}${isFolder(place) ? '/?' : ''}$`, 's')
  return {
    match(sent) {
      const values = form.exec(sent)
      if (values === null) return undefined
      const params: Record<string, string> = {}
      let at = 1
      for (const name of names) {
        const value = values[at++] ?? ''
        if (endsInPeriod(value)) return null
        params[name] = value
      }
      return { place, params }
    },
  }
}
