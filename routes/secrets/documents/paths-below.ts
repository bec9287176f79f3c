import { namePattern } from '../../http/router/router-mounts.ts'
import type { SecretsPlace } from '../operation.ts'

/** A place that has something to say at a path or below it. */
export interface PlaceBelow {
  readonly place: SecretsPlace
  /** The rest of the place's pattern below the path; empty when the path itself is meant. */
  readonly segments: readonly string[]
}

const name = new RegExp(`^${namePattern}$`)

/**
 * The places that serve a path (from the mount, without a closing slash) or paths below it, in the
 * order in which the router tries them. A place whose pattern ends in `*rest` serves a path that
 * `rest` took in and everything below that too, so it is there twice.
 */
export function placesBelow(places: readonly SecretsPlace[], path: string): PlaceBelow[] {
  const queried = segmentsOf(path)
  const seen = new Set<string>()
  const below: PlaceBelow[] = []
  for (const place of routerOrder(places)) {
    for (const segments of remainders(segmentsOf(place.path), queried)) {
      const shape = segments.map((segment) => (isParameter(segment) ? '*' : segment)).join('/')
      if (seen.has(shape)) continue
      seen.add(shape)
      below.push({ place, segments })
    }
  }
  return below
}

/** Tells whether a segment of a pattern stands for a part of the path. */
export function isParameter(segment: string): boolean {
  return segment.startsWith(':') || segment.startsWith('*')
}

/** The segments of a path or pattern. */
export function segmentsOf(path: string): string[] {
  return path === '' ? [] : path.split('/')
}

/** The router looks among the patterns that begin with a word first. */
function routerOrder(places: readonly SecretsPlace[]): readonly SecretsPlace[] {
  const beginsWithWord = ({ path }: SecretsPlace) => !isParameter(path)
  return [...places.filter(beginsWithWord), ...places.filter((place) => !beginsWithWord(place))]
}

/**
 * Returns what a pattern may have left once it has taken in the whole path, in every way it can.
 */
function remainders(pattern: readonly string[], path: readonly string[]): string[][] {
  const [here, ...after] = pattern
  const [first, ...rest] = path
  if (first === undefined) return [[...pattern]]
  if (here === undefined) return []
  if (here.startsWith('*')) {
    const ends = path.flatMap((_segment, at) => remainders(after, path.slice(at + 1)))
    return [...ends, [...pattern]]
  }
  const fits = here.startsWith(':') ? name.test(first) : here === first
  return fits ? remainders(after, rest) : []
}
