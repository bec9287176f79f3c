import { diagnosticsError, type HclError } from '../syntax/error.ts'
import type { Range } from '../syntax/source.ts'
import { type HclValue, isMapping, isSequence } from './values.ts'

/** The cost that evaluating a small document may have; a unit is about a character or an item. */
const DEFAULT_BUDGET = 1_000_000
/** The cost that every character of a document adds: large ones may cost more. */
const PER_CHARACTER = 8
/** Lists within lists and the like. Whoever walks a value by recursion must survive that. */
const MAX_DEPTH = 250

/** The size of a value when all shared parts are counted wherever they appear. */
interface Size {
  readonly weight: number
  readonly depth: number
}

/** Pays for all that evaluating a document does, so that no document can cost much more than it is. */
export class Budget {
  #left: number
  readonly #limit: number
  readonly #sizes = new WeakMap<object, Size>()
  /** The range being evaluated, for the message. */
  at: Range | undefined

  constructor(limit = DEFAULT_BUDGET) {
    this.#left = limit
    this.#limit = limit
  }

  /**
   * Pays in advance.
   *
   * @throws HclError `Evaluation too expensive` once nothing is left, and ever after
   */
  readonly spend = (units: number): void => {
    this.#left -= units
    // Written so that not-a-number, too, is refused.
    if (!(this.#left >= 0)) {
      this.#left = -1
      throw this.#refusal('More steps, text or items are needed than a document may use.')
    }
  }

  /**
   * Pays for a list or object that was just built, and measures it. Values share their parts, so
   * that a small document could build one that is endless to whoever walks it; that is refused here.
   */
  chargeNew<T extends HclValue>(value: T): T {
    this.#measure(value, 0)
    return value
  }

  /** Items and characters of a value, those of shared parts as often as they appear. */
  sizeCost(value: HclValue): number {
    return this.#measure(value, 0).weight
  }

  #measure(value: HclValue, level: number): Size {
    if (typeof value === 'string') return { weight: 1 + value.length, depth: 0 }
    if (typeof value !== 'object' || value === null) return { weight: 1, depth: 0 }
    const known = this.#sizes.get(value)
    if (known !== undefined) return known
    let weight = 1
    let depth = 0
    const add = (part: HclValue): void => {
      const size = this.#measure(part, level + 1)
      weight += size.weight
      depth = Math.max(depth, size.depth)
    }
    if (level > MAX_DEPTH) throw this.#tooDeep()
    if (isSequence(value)) {
      this.spend(value.items.length)
      for (const item of value.items) add(item)
    } else if (isMapping(value)) {
      this.spend(value.entries.size)
      for (const [key, item] of value.entries) {
        weight += key.length
        add(item)
      }
    }
    depth++
    if (depth > MAX_DEPTH) throw this.#tooDeep()
    if (weight > this.#limit) throw this.#refusal('A value grows larger than it may be.')
    const size = { weight, depth }
    this.#sizes.set(value, size)
    return size
  }

  #tooDeep(): HclError {
    return this.#refusal(`A value is nested more than ${MAX_DEPTH} levels deep.`)
  }

  #refusal(detail: string): HclError {
    const range = this.at
    const problem = { summary: 'Evaluation too expensive', detail }
    return diagnosticsError(range === undefined ? problem : { ...problem, range })
  }
}

/** Returns the budget that fits a document with these texts. */
export function budgetFor(...texts: readonly string[]): Budget {
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  return new Budget(DEFAULT_BUDGET + PER_CHARACTER * length)
}
