import type { Commit } from './commit.ts'

/** Commits kept for those who follow; one who has fallen further behind takes a snapshot instead. */
const defaultReach = 1_000

/**
 * The commits of a world in order. While somebody has asked for it the last thousand or so are kept,
 * for a follower that loses touch to catch up with; otherwise only the position moves on, because
 * kept commits would outlive every garbage collection and make each write dearer. A restore breaks
 * the sequence: followers of an older `epoch` cannot go on from it.
 */
export class ChangeFeed {
  readonly #reach: number
  #commits: Commit[] = []
  #keepers = 0
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

  /** Takes a commit up. `contentOf` is asked only when somebody wants to know. */
  append(
    indexes: Commit['indexes'],
    contentOf: () => Pick<Commit, 'changes' | 'appointments'>,
  ): void {
    this.#sequence += 1
    if (this.#keepers === 0 && this.#followers.size === 0) return
    const commit: Commit = { sequence: this.#sequence, indexes, ...contentOf() }
    if (this.#keepers > 0) this.#commits.push(commit)
    // Cut in large pieces: shifting one at a time would cost the whole array each time.
    if (this.#commits.length >= 2 * this.#reach) this.#commits = this.#commits.slice(-this.#reach)
    for (const tell of this.#followers) tell(commit)
  }

  /** Keeps commits from now on, until the result is called: for those who will ask `since`. */
  keep(): () => void {
    let kept = true
    this.#keepers += 1
    return () => {
      if (kept) this.#keepers -= 1
      kept = false
      if (this.#keepers === 0) this.#commits = []
    }
  }

  /** The commits after a position, or undefined when the feed does not reach back that far. */
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
