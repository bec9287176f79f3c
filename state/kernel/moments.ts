import type { Change } from './commits.ts'
import type { StoreSnapshot } from './open-table.ts'
import type { TableDefinition } from './table.ts'

/** A change that can be taken back. */
interface Reversible extends Change {
  readonly openTable: { readonly definition: TableDefinition }
}

/** So many changes are taken back one by one at most; then a moment keeps its whole content. */
const longestWay = 1_000

/**
 * A moment of a store that somebody may want to see again. It knows what was written next and the
 * moment behind that, so that it is found by going back from a later one: keeping it costs a
 * reference. As the earlier ones know the later and never the other way round, what lies before the
 * oldest that is kept goes by itself.
 */
export class Moment {
  /** Position of the feed. */
  readonly sequence: number
  /** So many changes since the first moment that leads here. */
  readonly way: number
  /** All that the store held, where that is known. */
  content: StoreSnapshot | undefined
  next: Moment | undefined
  /** Written between this and the next one. */
  changes: readonly Reversible[] = []
  /** Indexes that moved then, with what they were, in order. */
  readonly indexes: (readonly [service: string, before: number])[] = []

  constructor(sequence: number, way = 0) {
    this.sequence = sequence
    this.way = way
  }
}

/** The moments of one store that are kept; costs nothing before the first. */
export class Moments {
  #present: Moment | undefined

  /** The present; the same object until something is written. */
  present(sequence: number): Moment {
    this.#present ??= new Moment(sequence)
    return this.#present
  }

  /** Notes that a service's index moves. */
  moved(service: string, before: number): void {
    this.#present?.indexes.push([service, before])
  }

  /**
   * Notes a commit.
   *
   * @param snapshot takes one of the store, the commit included
   */
  committed(changes: readonly Reversible[], sequence: number, snapshot: () => StoreSnapshot): void {
    const before = this.#present
    if (before === undefined) return
    this.#present = undefined
    // Nobody has to go on from a moment that holds its content to find it.
    if (before.content !== undefined) return
    const after = new Moment(sequence, before.way + changes.length)
    before.changes = changes
    before.next = after
    if (after.way > longestWay) after.content = snapshot()
    this.#present = after
  }

  /** Notes that the store is about to hold something else, which no commit leads to. */
  ended(snapshot: () => StoreSnapshot): void {
    if (this.#present !== undefined) this.#present.content ??= snapshot()
    this.#present = undefined
  }
}

/** The moments behind `moment`, nearest first, up to the first whose content is known or the present. */
export function wayFrom(moment: Moment): readonly Moment[] {
  const way = [moment]
  for (let at = moment; at.content === undefined && at.next !== undefined; at = at.next) {
    way.push(at.next)
  }
  return way
}
