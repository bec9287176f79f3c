import type { Address } from '../http/explains.ts'

/** How well an address fits a path: the number of its segments that are the same word. */
export function fitOf({ path }: Address, asked: string): number | undefined {
  return literalsIn(path.split('/'), asked.split('/'))
}

function literalsIn(
  [first, ...rest]: readonly string[],
  asked: readonly string[],
): number | undefined {
  const [segment] = asked
  if (first === undefined) return asked.length === 0 ? 0 : undefined
  if (segment === undefined) return undefined
  if (first.startsWith('*')) return literalsBehind(rest, asked)
  if (first.startsWith(':')) return segment === '' ? undefined : literalsIn(rest, asked.slice(1))
  if (first !== segment) return undefined
  const others = literalsIn(rest, asked.slice(1))
  return others === undefined ? undefined : others + 1
}

/** A parameter that may hold slashes takes as many segments as it can. */
function literalsBehind(rest: readonly string[], asked: readonly string[]): number | undefined {
  if (asked.length === 1 && asked[0] === '') return undefined
  for (let taken = asked.length; taken > 0; taken -= 1) {
    const others = literalsIn(rest, asked.slice(taken))
    if (others !== undefined) return others
  }
  return undefined
}

/** The addresses that a path leads to, the most literal ones. */
export function addressesAt(addresses: readonly Address[], path: string): readonly Address[] {
  let best = -1
  let found: Address[] = []
  for (const address of addresses) {
    const fitting = fitOf(address, path)
    if (fitting === undefined || fitting < best) continue
    if (fitting > best) found = []
    best = fitting
    found.push(address)
  }
  return found
}
