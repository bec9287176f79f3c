/**
 * Returns a function that computes its result at the first call and returns the same result
 * afterwards.
 */
export function memoize<T>(compute: () => T): () => T {
  let cached: { readonly result: T } | undefined
  return () => {
    cached ??= { result: compute() }
    return cached.result
  }
}

/** Returns a function that computes its result once per key object. Key objects must not change. */
export function memoizeByKey<K extends object, T>(compute: (key: K) => T): (key: K) => T {
  const results = new WeakMap<K, { readonly result: T }>()
  return (key) => {
    let cached = results.get(key)
    if (cached === undefined) {
      cached = { result: compute(key) }
      results.set(key, cached)
    }
    return cached.result
  }
}

/**
 * Cache of values that are computed from rows, once per row. Rows never change, so cached values
 * never become outdated.
 */
export class DerivedValues {
  readonly #results = new WeakMap<object, Map<unknown, unknown>>()

  /**
   * Returns `derive(row)`, computed once. `derive` must be a module-level function that depends on
   * the row alone.
   */
  of<R extends object, T>(row: R, derive: (row: R) => T): T {
    let results = this.#results.get(row)
    if (results === undefined) {
      results = new Map()
      this.#results.set(row, results)
    }
    if (!results.has(derive)) results.set(derive, derive(row))
    return results.get(derive) as T
  }
}
