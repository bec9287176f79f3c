import type { Found, Params, Place, Router } from './router.ts'

/** Names in paths (1-secrets-decisions.md section 1), as a regular expression without ends. */
export const namePattern = '\\w(?:[\\w.-]*\\w)?'

/** A pattern as a test of paths. */
interface Form<O> {
  readonly place: Place<O>
  /** The values of the parameters; undefined when the path does not fit. */
  match(path: string): Params | undefined
}

/**
 * Makes a router with the strategy `mounts`. A parameter that ends in a period matches nothing
 * (1-secrets.md, Conventions 7).
 */
export function mountRouter<O>(places: readonly Place<O>[]): Router<O> {
  /** Patterns without parameters. */
  const exact = new Map<string, Found<O>>()
  /** Those with some, by a first segment that is a word, in the order of their declarations. */
  const open = new Map<string, Form<O>[]>()
  const anyFirst: Form<O>[] = []
  for (const place of places) {
    const { path } = place
    if (/(^|\/)[:*]/.test(path)) {
      const form = formOf(place)
      const first = firstSegment(path)
      if (/^[:*]/.test(first)) anyFirst.push(form)
      else open.set(first, [...(open.get(first) ?? []), form])
      continue
    }
    // A pattern in front of it may take its path.
    const before = open.get(firstSegment(path)) ?? []
    for (const spelling of [path, `${path}/`]) {
      if (exact.has(spelling) || before.some(({ match }) => match(spelling))) continue
      exact.set(spelling, { place, params: none })
    }
  }

  function among(forms: readonly Form<O>[], path: string): Found<O> | undefined {
    for (const { place, match } of forms) {
      const params = match(path)
      if (params !== undefined) return { place, params }
    }
    return undefined
  }

  function find(path: string): Found<O> | undefined {
    const group = open.get(firstSegment(path))
    const found =
      exact.get(path) ??
      (group && among(group, path)) ??
      (anyFirst.length === 0 ? undefined : among(anyFirst, path))
    return found === undefined || hasDotted(found.params) ? undefined : found
  }

  return {
    find,
    all(path) {
      const found = find(path)
      return found === undefined ? [] : [found.place]
    },
  }
}

const none: Params = {}

function hasDotted(params: Params): boolean {
  for (const name in params) if (endsInPeriod(params[name] ?? '')) return true
  return false
}

/** Whether a parameter ends in a period; that of a list may have its closing slash. */
export function endsInPeriod(parameter: string): boolean {
  return parameter.endsWith('.') || parameter.endsWith('./')
}

function firstSegment(path: string): string {
  const slash = path.indexOf('/')
  return slash < 0 ? path : path.slice(0, slash)
}

function formOf<O>(place: Place<O>): Form<O> {
  const { path } = place
  const rest = /^([^:*]*)\*([^/]+)$/.exec(path)
  if (rest !== null) {
    // Most requests are for such paths: those of secrets.
    const [, before = '', name = ''] = rest
    const match = (sent: string): Params | undefined =>
      sent.startsWith(before) ? { [name]: sent.slice(before.length) } : undefined
    return { place, match }
  }
  const names: string[] = []
  const segments = path.split('/').map((segment) => {
    if (!/^[:*]/.test(segment)) return segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    names.push(segment.slice(1))
    return segment.startsWith(':') ? `(${namePattern})` : '(.*)'
  })
  const form = new RegExp(`^${segments.join('/')}/?$`, 's')
  return {
    place,
    match(sent) {
      const found = form.exec(sent)
      if (found === null) return undefined
      const params: Record<string, string> = {}
      for (const [at, name] of names.entries()) params[name] = found[at + 1] ?? ''
      return params
    },
  }
}
