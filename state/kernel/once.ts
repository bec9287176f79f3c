/** A function that makes its result at its first call and returns it again at every further one. */
export function once<T>(make: () => T): () => T {
  let made: { readonly result: T } | undefined
  return () => {
    made ??= { result: make() }
    return made.result
  }
}

/**
 * A function that makes its result at its first call for an object, which does not change, and returns it
 * again at every further one for the same.
 */
export function oncePer<K extends object, T>(make: (key: K) => T): (key: K) => T {
  const results = new WeakMap<K, { readonly result: T }>()
  return (key) => {
    let made = results.get(key)
    if (made === undefined) {
      made = { result: make(key) }
      results.set(key, made)
    }
    return made.result
  }
}
