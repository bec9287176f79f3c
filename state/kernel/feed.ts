import type { Change, Commit } from './store.ts'

/**
 * Commits kept for those who follow; one who has fallen further behind takes a snapshot instead. Few
 * enough that under load they die young: a long tail would be copied by every garbage collection.
 */
const defaultReach = 1_000

/**
 * The commits of a world in order, of which the last thousand or so are kept. A restore breaks the
 * sequence: followers of an older `epoch` cannot go on from it.
 */
export class ChangeFeed {
  readonly #reach: number
  #commits: Commit[] = []
  #sequence = 0
  #epoch = 0
  readonly #followers = new Set<(commit: Commit) => void>()

  constructor(reach = defaultReach) {
    this.#reach = reach
  }

  /** Position of the last commit; 0 before the first. */
  get sequence(): number {
    return this.#sequence
  }

  /** Raised by each restore: positions of different epochs cannot be compared. */
  get epoch(): number {
    return this.#epoch
  }

  append(indexes: Commit['indexes'], changes: readonly Change[]): void {
    this.#sequence += 1
    const commit: Commit = { sequence: this.#sequence, indexes, changes }
    this.#commits.push(commit)
    // Cut in large pieces: shifting one at a time would cost the whole array each time.
    if (this.#commits.length >= 2 * this.#reach) this.#commits = this.#commits.slice(-this.#reach)
    for (const tell of this.#followers) tell(commit)
  }

  /** The commits after a position, or undefined when the feed no longer reaches back that far. */
  since(sequence: number): readonly Commit[] | undefined {
    const missing = this.#sequence - sequence
    if (missing < 0 || missing > this.#commits.length) return undefined
    return missing === 0 ? [] : this.#commits.slice(-missing)
  }

  /** Tells of each commit from now on, as it happens. Returns how to stop. */
  follow(tell: (commit: Commit) => void): () => void {
    this.#followers.add(tell)
    return () => this.#followers.delete(tell)
  }

  /** Forgets the commits and goes on from another position. */
  restart(sequence: number): void {
    this.#commits = []
    this.#sequence = sequence
    this.#epoch += 1
  }
}
