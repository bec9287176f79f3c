import type { Row } from './table.ts'

/** What was worked out of rows, once for each row: rows never change, so neither does the result. */
export class DerivedValues {
  readonly #results = new WeakMap<object, Map<unknown, unknown>>()

  /** What `derive` makes of a row; `derive` must be a module-level function of the row alone. */
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
