import { diagnosticsError, type HclError } from '../syntax/error.ts'
import type { Range } from '../syntax/source.ts'
import { type HclValue, isMapping, isSequence } from './values.ts'

/** Cost limit of evaluating an empty document. A unit is about one character or item. */
const DEFAULT_BUDGET = 1_000_000
/** Amount by which each character of the document raises the cost limit. */
const PER_CHARACTER = 8
/** Maximum nesting of a value, so that recursive readers do not overflow the stack. */
const MAX_DEPTH = 250

/**
 * Number of items and characters of a value, and its nesting. Shared parts are counted at every
 * occurrence.
 */
interface Size {
  readonly weight: number
  readonly depth: number
}

/** Cost limit of evaluating one document, in proportion to the document's size. */
export class Budget {
  #remaining: number
  readonly #limit: number
  readonly #sizes = new WeakMap<object, Size>()
  /** Range that is being evaluated; the error message contains it. */
  at: Range | undefined

  constructor(limit = DEFAULT_BUDGET) {
    this.#remaining = limit
    this.#limit = limit
  }

  /**
   * Charges for work in advance.
   *
   * @throws HclError `Evaluation too expensive` as soon as the budget is used up, and on every
   *   later call
   */
  readonly spend = (units: number): void => {
    this.#remaining -= units
    // The negation also rejects NaN.
    if (!(this.#remaining >= 0)) {
      this.#remaining = -1
      throw this.#budgetError('More steps, text or items are needed than a document may use.')
    }
  }

  /**
   * Measures a new list or object, charges for it, and returns it. Because values share their
   * parts, a small document could build a value whose traversal would practically never end.
   *
   * @throws HclError `Evaluation too expensive` if the value is too large or nested too deeply
   */
  chargeNew<T extends HclValue>(value: T): T {
    this.#measure(value, 0)
    return value
  }

  /**
   * Returns the number of items and characters of a value. Shared parts are counted at every
   * occurrence. The first measurement of a value is charged.
   */
  sizeOf(value: HclValue): number {
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
    if (level > MAX_DEPTH) throw this.#tooDeepError()
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
    if (depth > MAX_DEPTH) throw this.#tooDeepError()
    if (weight > this.#limit) throw this.#budgetError('A value grows larger than it may be.')
    const size = { weight, depth }
    this.#sizes.set(value, size)
    return size
  }

  #tooDeepError(): HclError {
    return this.#budgetError(`A value is nested more than ${MAX_DEPTH} levels deep.`)
  }

  #budgetError(detail: string): HclError {
    const range = this.at
    const problem = { summary: 'Evaluation too expensive', detail }
    return diagnosticsError(range === undefined ? problem : { ...problem, range })
  }
}

/** Returns a budget that grows with the length of the texts of a document. */
export function budgetFor(...texts: readonly string[]): Budget {
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  return new Budget(DEFAULT_BUDGET + PER_CHARACTER * length)
}
