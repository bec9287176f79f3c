/** A function that makes its result at its first call and returns it again at every further one. */
export function once<T>(make: () => T): () => T {
  let made: { readonly result: T } | undefined
  return () => {
    made ??= { result: make() }
    return made.result
  }
}
