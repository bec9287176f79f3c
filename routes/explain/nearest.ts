import type { Address, Asked } from '../http/explains.ts'
import { editDistance } from '../http/likeness.ts'

/** An operation that was perhaps meant. */
export interface Nearest {
  readonly operation: string
  readonly method: string
  readonly path: string
  /** What of the request is different. */
  readonly differences: readonly string[]
}

const most = 3

/** The operations that come nearest to a request, at most three (behaviour/program#explanations). */
export function nearestTo({ method, path }: Asked, addresses: readonly Address[]): Nearest[] {
  return addresses
    .map((address) => ({ address, ...distanceTo(address, method, path) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ address, differences }) => ({ ...address, differences }))
}

interface Distance {
  readonly distance: number
  readonly differences: readonly string[]
}

/** A wrong verb weighs less than any other word of the path. */
function distanceTo(address: Address, method: string, path: string): Distance {
  const wanted = address.path.split('/')
  const sent = path.split('/')
  const differences: string[] = []
  let distance = 0
  for (let at = 0; at < Math.max(wanted.length, sent.length); at += 1) {
    const [word, got] = [wanted[at], sent[at]]
    if (word?.startsWith('*') && got !== undefined && got !== '') break
    if (word === got || (word?.startsWith(':') && got !== undefined && got !== '')) continue
    if (word === undefined) {
      differences.push(`there is nothing behind ${address.path}: "${got}" is too much`)
      distance += 1 + (sent.length - at) / 4
      break
    }
    if (got === undefined) {
      differences.push(`"${word}" is missing`)
      distance += 1
    } else {
      differences.push(`"${word}" instead of "${got}"`)
      distance += editDistance(word, got) / Math.max(word.length, got.length, 1) + 0.5
    }
  }
  if (address.method !== method) {
    differences.push(`${address.method} instead of ${method}`)
    distance += 0.4
  }
  return { distance, differences }
}
