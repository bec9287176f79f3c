import type { Change } from './commits.ts'
import type { StoreSnapshot } from './open-table.ts'
import type { TableDefinition } from './table.ts'

/** A change that can be taken back. */
interface Reversible extends Change {
  readonly openTable: { readonly definition: TableDefinition }
}

/** So many changes are taken back one by one at most; then a moment keeps its whole content. */
const maxDistance = 1_000

/**
 * A moment of a store that somebody may want to see again. It knows what was written next and the
 * moment behind that, so that it is found by going back from a later one: keeping it costs a
 * reference. As the earlier ones know the later and never the other way round, what lies before the
 * oldest that is kept goes by itself.
 */
export class Checkpoint {
  /** Position of the feed. */
  readonly sequence: number
  /** So many changes since the first moment that leads here. */
  readonly distance: number
  /** All that the store held, where that is known. */
  content: StoreSnapshot | undefined
  next: Checkpoint | undefined
  /** Written between this and the next one. */
  changes: readonly Reversible[] = []
  /** Indexes that moved then, with what they were, in order. */
  readonly indexes: (readonly [service: string, before: number])[] = []

  constructor(sequence: number, distance = 0) {
    this.sequence = sequence
    this.distance = distance
  }
}

/** The moments of one store that are kept; costs nothing before the first. */
export class Checkpoints {
  #current: Checkpoint | undefined

  /** The present; the same object until something is written. */
  current(sequence: number): Checkpoint {
    this.#current ??= new Checkpoint(sequence)
    return this.#current
  }

  /** Notes that a service's index moves. */
  indexChanged(service: string, before: number): void {
    this.#current?.indexes.push([service, before])
  }

  /**
   * Notes a commit.
   *
   * @param snapshot takes one of the store, the commit included
   */
  committed(changes: readonly Reversible[], sequence: number, snapshot: () => StoreSnapshot): void {
    const before = this.#current
    if (before === undefined) return
    this.#current = undefined
    // Nobody has to go on from a moment that holds its content to find it.
    if (before.content !== undefined) return
    const after = new Checkpoint(sequence, before.distance + changes.length)
    before.changes = changes
    before.next = after
    if (after.distance > maxDistance) after.content = snapshot()
    this.#current = after
  }

  /** Notes that the store is about to hold something else, which no commit leads to. */
  stateReplaced(snapshot: () => StoreSnapshot): void {
    if (this.#current !== undefined) this.#current.content ??= snapshot()
    this.#current = undefined
  }
}

/** The moments behind `moment`, nearest first, up to the first whose content is known or the present. */
export function checkpointsFrom(checkpoint: Checkpoint): readonly Checkpoint[] {
  const distance = [checkpoint]
  for (let at = checkpoint; at.content === undefined && at.next !== undefined; at = at.next) {
    distance.push(at.next)
  }
  return distance
}
