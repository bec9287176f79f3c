import type { Params, Place, Router } from './routing.ts'

/** A path with parameters between fixed parts. */
interface OpenPath<O> {
  /** The fixed part in front of the first parameter. */
  readonly before: string
  readonly names: readonly string[]
  /** The fixed parts between two parameters. */
  readonly between: readonly string[]
  /** The fixed part behind the last; empty where that takes the rest of the path. */
  readonly after: string
  readonly place: Place<O>
}

/** Makes a router with the strategy `mux`. */
export function muxRouter<O>(places: readonly Place<O>[]): Router<O> {
  const exact = new Map<string, Place<O>>()
  /** By first segment, the most particular first. */
  const open = new Map<string, OpenPath<O>[]>()
  for (const place of places) {
    const { path } = place
    // Fixed parts and names, by turns.
    const [before = '', ...rest] = path.split(/:([^/:]+)/)
    if (rest.length === 0) exact.set(path, place)
    else {
      const names = rest.filter((_, at) => at % 2 === 0)
      const between = rest.filter((_, at) => at % 2 === 1)
      const after = between.pop() ?? ''
      const first = firstSegment(path)
      open.set(first, [...(open.get(first) ?? []), { before, names, between, after, place }])
    }
  }
  for (const group of open.values()) {
    group.sort(
      (a, b) =>
        b.before.length - a.before.length ||
        b.after.length - a.after.length ||
        b.names.length - a.names.length,
    )
  }

  return {
    places,
    find(path) {
      const place = exact.get(path)
      if (place !== undefined) return { place, params: none }
      for (const each of open.get(firstSegment(path)) ?? []) {
        const params = paramsOf(each, path)
        if (params !== undefined) return { place: each.place, params }
      }
      return undefined
    },
    all(path) {
      const place = exact.get(path)
      const others = (open.get(firstSegment(path)) ?? []).filter(
        (each) => paramsOf(each, path) !== undefined,
      )
      return [...(place === undefined ? [] : [place]), ...others.map((each) => each.place)]
    },
  }
}

const none: Params = {}

/** The values of a path's parameters, of which the first may hold slashes; undefined where it does not fit. */
function paramsOf<O>(open: OpenPath<O>, path: string): Params | undefined {
  const { before, names, between, after } = open
  const isLongEnough = path.length >= before.length + after.length
  if (!isLongEnough || !path.startsWith(before) || !path.endsWith(after)) return undefined
  let rest = path.slice(before.length, path.length - after.length)
  const params: Record<string, string> = {}
  for (let at = names.length - 1; at > 0; at--) {
    const fixed = between[at - 1] ?? ''
    const start = rest.lastIndexOf(fixed)
    const value = rest.slice(start + fixed.length)
    if (start < 0 || value.includes('/')) return undefined
    params[names[at] ?? ''] = value
    rest = rest.slice(0, start)
  }
  params[names[0] ?? ''] = rest
  return params
}

/** `job` of `/job/x/y`. */
function firstSegment(path: string): string {
  const slash = path.indexOf('/', 1)
  return slash < 0 ? path.slice(1) : path.slice(1, slash)
}
