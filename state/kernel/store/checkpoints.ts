import type { Change } from './commits.ts'
import type { StoreSnapshot } from './open-table.ts'
import type { TableDefinition } from './table.ts'

/** A change that can be undone. */
interface ReversibleChange extends Change {
  readonly openTable: { readonly definition: TableDefinition }
}

/**
 * Maximum number of changes that are undone to find the content of a checkpoint. The first
 * checkpoint beyond this distance keeps a snapshot.
 */
const maxDistance = 1_000

/**
 * A point in the history of a store that may be needed again. Each checkpoint refers to the changes
 * that follow it and to the next checkpoint, so its content is found by undoing changes from a
 * later checkpoint. Keeping a checkpoint therefore costs one reference. Earlier checkpoints refer
 * to later ones, never the reverse, so checkpoints before the oldest one in use are garbage
 * collected.
 */
export class Checkpoint {
  /** Position in the change feed. */
  readonly sequence: number
  /** Number of changes from the first checkpoint of the chain to this one. */
  readonly distance: number
  /** Whole content of the store at this point; undefined if it is found by undoing changes. */
  content: StoreSnapshot | undefined
  next: Checkpoint | undefined
  /** Changes between this checkpoint and the next one. */
  changes: readonly ReversibleChange[] = []
  /**
   * Service indexes that changed between this checkpoint and the next one, each with its previous
   * value, in order.
   */
  readonly indexes: (readonly [service: string, before: number])[] = []

  constructor(sequence: number, distance = 0) {
    this.sequence = sequence
    this.distance = distance
  }
}

/**
 * Chain of checkpoints of one store. Commits cost nothing extra before the first checkpoint is
 * taken.
 */
export class Checkpoints {
  #current: Checkpoint | undefined

  /**
   * Returns the checkpoint of the present state. Calls return the same object until the next commit
   * or restore.
   */
  current(sequence: number): Checkpoint {
    this.#current ??= new Checkpoint(sequence)
    return this.#current
  }

  /** Records a service's index before a change, so that the change can be undone. */
  recordIndexChange(service: string, before: number): void {
    this.#current?.indexes.push([service, before])
  }

  /**
   * Extends the chain by a commit, or ends it if the checkpoint before the commit has its own
   * content. Does nothing if the state before the commit has no checkpoint.
   *
   * @param snapshot takes a snapshot of the store, including the commit
   */
  recordCommit(
    changes: readonly ReversibleChange[],
    sequence: number,
    snapshot: () => StoreSnapshot,
  ): void {
    const before = this.#current
    if (before === undefined) return
    this.#current = undefined
    // A checkpoint with its own content needs no chain.
    if (before.content !== undefined) return
    const after = new Checkpoint(sequence, before.distance + changes.length)
    before.changes = changes
    before.next = after
    if (after.distance > maxDistance) after.content = snapshot()
    this.#current = after
  }

  /**
   * Ends the chain before a restore, because a restore cannot be undone change by change. The last
   * checkpoint keeps a snapshot.
   */
  recordRestore(snapshot: () => StoreSnapshot): void {
    if (this.#current !== undefined) this.#current.content ??= snapshot()
    this.#current = undefined
  }
}

/**
 * Returns `checkpoint` and the checkpoints after it, nearest first. The list ends with the first
 * checkpoint whose content is known or, if there is none, with the last checkpoint of the chain.
 */
export function checkpointsFrom(checkpoint: Checkpoint): readonly Checkpoint[] {
  const chain = [checkpoint]
  for (let at = checkpoint; at.content === undefined && at.next !== undefined; at = at.next) {
    chain.push(at.next)
  }
  return chain
}
