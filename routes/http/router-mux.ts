import type { Params, Place, Router } from './routing.ts'

/** A path with a parameter between two fixed parts. */
interface OpenPath<O> {
  readonly before: string
  readonly name: string
  /** Empty where the parameter takes the rest of the path. */
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
    const parameter = /^(\/.*\/):([^/:]+)(\/[^:]*)?$/.exec(path)
    if (parameter === null) exact.set(path, place)
    else {
      const [, before = '', name = '', after = ''] = parameter
      const first = firstSegment(path)
      open.set(first, [...(open.get(first) ?? []), { before, name, after, place }])
    }
  }
  for (const group of open.values()) {
    group.sort((a, b) => b.before.length - a.before.length || b.after.length - a.after.length)
  }

  function fits({ before, after }: OpenPath<O>, path: string): boolean {
    const isLongEnough = path.length >= before.length + after.length
    return isLongEnough && path.startsWith(before) && path.endsWith(after)
  }

  return {
    places,
    find(path) {
      const place = exact.get(path)
      if (place !== undefined) return { place, params: none }
      for (const each of open.get(firstSegment(path)) ?? []) {
        if (!fits(each, path)) continue
        const { name, before, after } = each
        const value = path.slice(before.length, path.length - after.length)
        const params: Record<string, string> = {}
        params[name] = value
        return { place: each.place, params }
      }
      return undefined
    },
    all(path) {
      const place = exact.get(path)
      const others = (open.get(firstSegment(path)) ?? []).filter((each) => fits(each, path))
      return [...(place === undefined ? [] : [place]), ...others.map((each) => each.place)]
    },
  }
}

const none: Params = {}

/** `job` of `/job/x/y`. */
function firstSegment(path: string): string {
  const slash = path.indexOf('/', 1)
  return slash < 0 ? path.slice(1) : path.slice(1, slash)
}
