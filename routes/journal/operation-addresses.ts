import type { OperationAddress } from '../http/journal-hooks/api-explanations.ts'

/**
 * Returns the number of equal literal segments of an address and a path, both compared from the
 * given positions; undefined if they do not match.
 */
function countLiterals(
  pattern: readonly string[],
  segments: readonly string[],
  at = 0,
  from = at,
): number | undefined {
  let literals = 0
  for (let ahead = 0; at + ahead < pattern.length; ahead += 1) {
    const [part = '', segment] = [pattern[at + ahead], segments[from + ahead]]
    if (segment === undefined) return undefined
    if (part.startsWith('*')) {
      const others = countLiteralsAfterWildcard(pattern, segments, at + ahead + 1, from + ahead)
      return others === undefined ? undefined : literals + others
    }
    if (part === segment) literals += 1
    else if (!part.startsWith(':') || segment === '') return undefined
  }
  return segments.length - from === pattern.length - at ? literals : undefined
}

/**
 * Counts literal segments after a parameter that may contain slashes: it takes all segments that
 * the others do not need.
 */
function countLiteralsAfterWildcard(
  pattern: readonly string[],
  segments: readonly string[],
  at: number,
  from: number,
): number | undefined {
  if (segments.length - from === 1 && segments[from] === '') return undefined
  const end = segments.length - (pattern.length - at)
  return end > from ? countLiterals(pattern, segments, at, end) : undefined
}

/** Returns the addresses that match a path, only the most literal ones. */
export function addressesAt(
  addresses: readonly OperationAddress[],
  path: string,
): readonly OperationAddress[] {
  let best = -1
  let found: OperationAddress[] = []
  const segments = path.split('/')
  for (const address of addresses) {
    const literals = countLiterals(address.path.split('/'), segments)
    if (literals === undefined || literals < best) continue
    if (literals > best) found = []
    best = literals
    found.push(address)
  }
  return found
}
