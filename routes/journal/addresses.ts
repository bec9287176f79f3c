import type { Address } from '../http/explains.ts'

/**
 * How well an address fits a path, given as their segments from some places on: the number of
 * segments that are the same word; undefined when it does not fit.
 */
function literalsIn(
  form: readonly string[],
  asked: readonly string[],
  at = 0,
  from = at,
): number | undefined {
  let literals = 0
  for (let ahead = 0; at + ahead < form.length; ahead += 1) {
    const [part = '', segment] = [form[at + ahead], asked[from + ahead]]
    if (segment === undefined) return undefined
    if (part.startsWith('*')) {
      const others = literalsBehind(form, asked, at + ahead + 1, from + ahead)
      return others === undefined ? undefined : literals + others
    }
    if (part === segment) literals += 1
    else if (!part.startsWith(':') || segment === '') return undefined
  }
  return asked.length - from === form.length - at ? literals : undefined
}

/** A parameter that may hold slashes takes as many segments as the others leave it. */
function literalsBehind(
  form: readonly string[],
  asked: readonly string[],
  at: number,
  from: number,
): number | undefined {
  if (asked.length - from === 1 && asked[from] === '') return undefined
  const end = asked.length - (form.length - at)
  return end > from ? literalsIn(form, asked, at, end) : undefined
}

/** The addresses that a path leads to, the most literal ones. */
export function addressesAt(addresses: readonly Address[], path: string): readonly Address[] {
  let best = -1
  let found: Address[] = []
  const asked = path.split('/')
  for (const address of addresses) {
    const fitting = literalsIn(address.path.split('/'), asked)
    if (fitting === undefined || fitting < best) continue
    if (fitting > best) found = []
    best = fitting
    found.push(address)
  }
  return found
}
