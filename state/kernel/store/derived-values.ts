import type { Row } from './table.ts'

/**
 * Cache of values that are computed from rows, once per row. Rows never change, so the values stay
 * valid.
 */
export class DerivedValues {
  readonly #results = new WeakMap<object, Map<unknown, unknown>>()

  /**
   * Returns `derive(row)`, computed once. `derive` must be a module-level function that depends on
   * the row alone.
   */
  of<R extends Row, T>(row: R, derive: (row: R) => T): T {
    let results = this.#results.get(row)
    if (results === undefined) {
      results = new Map()
      this.#results.set(row, results)
    }
    if (!results.has(derive)) results.set(derive, derive(row))
    return results.get(derive) as T
  }
}
