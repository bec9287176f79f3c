import type { Change } from './commits.ts'
import type { StoreSnapshot, Table } from './open-table.ts'

/** Initial content of a store. */
export const emptySnapshot: StoreSnapshot = { tables: new Map(), indexes: new Map(), sequence: 0 }

/** A write of the open transaction. */
export interface LoggedChange extends Change {
  readonly openTable: Table
}

/** The writes of a transaction that has paused. */
export interface Draft {
  readonly log: LoggedChange[]
  /** Content of the store with the writes. */
  readonly tables: StoreSnapshot['tables']
  /** Number of the store's commits at the pause. */
  readonly commits: number
  /** Number of the store's restores at the pause. */
  readonly epoch: number
}

/** The members of a store that tell whether a draft is still valid. */
interface DraftedStore {
  readonly commits: number
  readonly feed: { readonly epoch: number }
}

/** Returns true if nothing was committed or restored since a transaction paused. */
export function canContinue({ commits, epoch }: Draft, store: DraftedStore): boolean {
  return commits === store.commits && epoch === store.feed.epoch
}

/** Settings of a store. */
export interface StoreSettings {
  /** Freezes rows, so that changing one in place throws. Tests turn it on. */
  readonly freezeRows?: boolean
  /** The rules that are applied after each commit. */
  readonly rules?: {
    /** Applies the rules to the changes from one position on. The list grows while rules write. */
    applyRules(changes: readonly Change[], from: number): void
  }
  /**
   * Called for each commit, including writes to the kernel's own tables, before watchers are woken.
   */
  readonly committed?: (changes: readonly Change[]) => void
}
