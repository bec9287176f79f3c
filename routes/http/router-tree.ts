import type { Found, Params, Place, Router } from './routing.ts'

/** A place in the tree, with the names of its path's parameters in order. */
interface Leaf<O> {
  readonly place: Place<O>
  readonly names: readonly string[]
}

/** A segment of the paths that begin alike. */
class Branch<O> {
  readonly literal = new Map<string, Branch<O>>()
  /** Any one segment, if some path has a parameter here. */
  parameter: Branch<O> | undefined
  /** Those whose path ends here; more than one where parameters have several names. */
  readonly ends: Leaf<O>[] = []
  /** Those that take the rest of the path. */
  readonly rests: Leaf<O>[] = []
}

/** Looks for places on the way down a tree, the most literal first. */
interface Search<O> {
  readonly path: string
  /** The values of the parameters so far. */
  readonly values: string[]
  /** Called at each place that fits; true ends the search. */
  visit(leaf: Leaf<O>): boolean
}

/** Makes a router with the strategy `tree`. */
export function treeRouter<O>(places: readonly Place<O>[]): Router<O> {
  const root = new Branch<O>()
  const exact = new Map<string, Place<O>>()
  for (const place of places) {
    plant(root, place)
    if (!/[:*]/.test(place.path)) exact.set(place.path, place)
  }
  return {
    places,
    find(path, verb) {
      // What is literal throughout goes before everything else.
      const literal = exact.get(path)
      if (literal?.operations.has(verb) === true) return { place: literal, params: none }
      const values: string[] = []
      let first: Found<O> | undefined
      let found: Found<O> | undefined
      const visit = (leaf: Leaf<O>): boolean => {
        const isOffered = leaf.place.operations.has(verb)
        if (isOffered) found = { place: leaf.place, params: pair(leaf, values) }
        else first ??= { place: leaf.place, params: pair(leaf, values) }
        return isOffered
      }
      descend(root, start(path), { path, values, visit })
      return found ?? first
    },
    all(path) {
      const all: Place<O>[] = []
      const visit = ({ place }: Leaf<O>): boolean => {
        all.push(place)
        return false
      }
      descend(root, start(path), { path, values: [], visit })
      return all
    },
  }
}

const none: Params = {}

function plant<O>(root: Branch<O>, place: Place<O>): void {
  const names: string[] = []
  let branch = root
  const { path } = place
  for (const segment of path === '/' || path === '' ? [] : path.slice(1).split('/')) {
    if (segment === '*') {
      branch.rests.push({ place, names: [...names, '*'] })
      return
    }
    if (segment.startsWith(':')) {
      names.push(segment.slice(1))
      branch.parameter ??= new Branch()
      branch = branch.parameter
    } else {
      const next = branch.literal.get(segment) ?? new Branch()
      branch.literal.set(segment, next)
      branch = next
    }
  }
  branch.ends.push({ place, names })
}

/** Where the first segment begins; behind the end when there is none. */
function start(path: string): number {
  return path === '/' || path === '' ? path.length + 1 : 1
}

/** Goes on below a branch with the segment that begins at a position; true ends the search. */
function descend<O>(branch: Branch<O>, from: number, search: Search<O>): boolean {
  const { path, values, visit } = search
  if (from > path.length) {
    for (const leaf of branch.ends) if (visit(leaf)) return true
  } else {
    const slash = path.indexOf('/', from)
    const end = slash < 0 ? path.length : slash
    const segment = path.slice(from, end)
    const next = branch.literal.get(segment)
    if (next !== undefined && descend(next, end + 1, search)) return true
    if (branch.parameter !== undefined && segment !== '') {
      values.push(segment)
      if (descend(branch.parameter, end + 1, search)) return true
      values.pop()
    }
  }
  if (branch.rests.length === 0) return false
  values.push(path.slice(from))
  for (const leaf of branch.rests) if (visit(leaf)) return true
  values.pop()
  return false
}

function pair<O>({ names }: Leaf<O>, values: readonly string[]): Params {
  if (names.length === 0) return none
  const params: Record<string, string> = {}
  let at = 0
  for (const name of names) params[name] = decode(values[at++] ?? '')
  return params
}

/**
 * Decodes a part of a path. What cannot be decoded stays as it is: no id is written so, so nothing
 * is found.
 */
function decode(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
