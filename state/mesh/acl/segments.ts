import type { Segment } from './rules.ts'

/**
 * Values by segment: exact names and prefixes. Of the segments that match a name, the exact one
 * comes first, then the prefixes, longest first (behaviour/mesh#acl-decision).
 */
export class Segments<V> {
  readonly #exact = new Map<string, V>()
  readonly #prefixes = new Map<string, V>()
  /** Lengths of the stored prefixes, longest first. */
  #lengths: number[] = []

  get({ name, isPrefix }: Segment): V | undefined {
    return (isPrefix ? this.#prefixes : this.#exact).get(name)
  }

  set({ name, isPrefix }: Segment, value: V): void {
    if (!isPrefix) {
      this.#exact.set(name, value)
      return
    }
    if (!this.#lengths.includes(name.length)) {
      this.#lengths = [...this.#lengths, name.length].sort((a, b) => b - a)
    }
    this.#prefixes.set(name, value)
  }

  /** Yields the values that match a name, most specific first. */
  *matching(name: string): Generator<V, void, undefined> {
    const exact = this.#exact.get(name)
    if (exact !== undefined) yield exact
    yield* this.covering(name)
  }

  /** Yields the values of the prefixes that `name` begins with, longest first. */
  *covering(name: string): Generator<V, void, undefined> {
    for (const length of this.#lengths) {
      if (length > name.length) continue
      const covered = this.#prefixes.get(name.slice(0, length))
      if (covered !== undefined) yield covered
    }
  }

  /** Yields the values of all segments, exact or prefix, that begin with `name`. */
  *startingWith(name: string): Generator<V, void, undefined> {
    for (const values of [this.#exact, this.#prefixes]) {
      for (const [segmentName, value] of values) if (segmentName.startsWith(name)) yield value
    }
  }
}
