/** A function that makes its result at its first call and returns it again at every further one. */
export function memoize<T>(compute: () => T): () => T {
  let cached: { readonly result: T } | undefined
  return () => {
    cached ??= { result: compute() }
    return cached.result
  }
}

/**
 * A function that makes its result at its first call for an object, which does not change, and returns it
 * again at every further one for the same.
 */
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
