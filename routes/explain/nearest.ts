import { oncePer } from '../../state/kernel/once.ts'
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

/**
 * The operations that come nearest to a request, at most three (behaviour/program#explanations). A
 * report asks for each unmatched request of a full journal: what is told is written for those three
 * alone, and two words are compared once.
 */
export function nearestTo({ method, path }: Asked, addresses: readonly Address[]): Nearest[] {
  const sent = path.split('/')
  const apart = new WordDistances()
  const nearest: { address: Address; distance: number }[] = []
  for (const address of addresses) {
    const distance = distanceTo(address, method, sent, apart)
    const place = nearest.findIndex((other) => distance < other.distance)
    if (place >= 0) nearest.splice(place, 0, { address, distance })
    else if (nearest.length < most) nearest.push({ address, distance })
    if (nearest.length > most) nearest.pop()
  }
  return nearest.map(({ address }) => ({
    ...address,
    differences: differencesFrom(address, method, sent),
  }))
}

/** A place at which an address and a path differ; `word` is the address's. */
type Difference =
  | { readonly kind: 'other'; readonly word: string; readonly got: string }
  | { readonly kind: 'missing'; readonly word: string }
  | { readonly kind: 'behind'; readonly got: string; readonly count: number }

function* differencesOf(wanted: readonly string[], sent: readonly string[]): Generator<Difference> {
  for (let at = 0; at < Math.max(wanted.length, sent.length); at += 1) {
    const [word, got] = [wanted[at], sent[at]]
    if (word?.startsWith('*') && got !== undefined && got !== '') return
    if (word === got || (word?.startsWith(':') && got !== undefined && got !== '')) continue
    if (word === undefined) {
      yield { kind: 'behind', got: got ?? '', count: sent.length - at }
      return
    }
    yield got === undefined ? { kind: 'missing', word } : { kind: 'other', word, got }
  }
}

const segmentsOf = oncePer((address: Address): readonly string[] => address.path.split('/'))

/** A wrong verb weighs less than any other word of the path. */
function distanceTo(
  address: Address,
  method: string,
  sent: readonly string[],
  apart: WordDistances,
): number {
  let distance = address.method === method ? 0 : 0.4
  for (const difference of differencesOf(segmentsOf(address), sent)) {
    if (difference.kind === 'missing') distance += 1
    else if (difference.kind === 'behind') distance += 1 + difference.count / 4
    else distance += apart.of(difference.word, difference.got) + 0.5
  }
  return distance
}

function differencesFrom(address: Address, method: string, sent: readonly string[]): string[] {
  const differences = [...differencesOf(segmentsOf(address), sent)].map((difference) => {
    if (difference.kind === 'missing') return `"${difference.word}" is missing`
    if (difference.kind === 'other') return `"${difference.word}" instead of "${difference.got}"`
    return `there is nothing behind ${address.path}: "${difference.got}" is too much`
  })
  if (address.method !== method) differences.push(`${address.method} instead of ${method}`)
  return differences
}

/** How far words are apart, from 0 to 1; each pair is compared once. */
class WordDistances {
  readonly #known = new Map<string, Map<string, number>>()

  of(word: string, got: string): number {
    const others = this.#known.get(got) ?? new Map<string, number>()
    this.#known.set(got, others)
    const known = others.get(word)
    if (known !== undefined) return known
    const distance = editDistance(word, got) / Math.max(word.length, got.length, 1)
    others.set(word, distance)
    return distance
  }
}
