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
