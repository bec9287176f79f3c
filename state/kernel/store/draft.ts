import type { Change } from './commits.ts'
import type { StoreSnapshot, Table } from './open-table.ts'
import { agendaTable, kernelService } from './table.ts'

/** Initial content of a store. */
export const emptySnapshot: StoreSnapshot = { tables: new Map(), indexes: new Map(), sequence: 0 }

/** A write of the open transaction, with the table that can undo the write. */
export interface LoggedChange extends Change {
  readonly openTable: Table
}

/**
 * Returns the services whose indexes the transaction's commit increments: each service that owns a
 * written table without `keepsIndex`.
 */
export function writtenServices(log: readonly LoggedChange[]): {
  readonly services: ReadonlySet<string>
  /** True if a table of any service was written, even a table that keeps the index. */
  readonly hasServiceChanges: boolean
} {
  const services = new Set<string>()
  let hasServiceChanges = false
  for (const { service, openTable } of log) {
    if (service === kernelService) continue
    hasServiceChanges = true
    if (openTable.definition.keepsIndex !== true) services.add(service)
  }
  return { services, hasServiceChanges }
}

/**
 * Returns the part of a commit that enters the change feed: writes to the services' tables, and
 * changes of the agenda's jobs.
 */
export function feedContent(log: readonly LoggedChange[]) {
  return {
    changes: log.filter(({ service }) => service !== kernelService),
    scheduledJobs: log.filter(({ table }) => table === agendaTable),
  }
}

/** The writes of a transaction that has paused. */
export interface Draft {
  readonly log: LoggedChange[]
  /** Content of the store including the writes. */
  readonly tables: StoreSnapshot['tables']
  /** Value of `Store.commits` at the pause. */
  readonly commits: number
  /** Value of `ChangeFeed.epoch` at the pause. */
  readonly epoch: number
}

/** The members of a store that determine whether a draft is still valid. */
interface DraftedStore {
  readonly commits: number
  readonly feed: { readonly epoch: number }
}

/** Returns true if nothing was committed or restored since a transaction paused. */
export function canContinue(
  { commits, epoch }: Pick<Draft, 'commits' | 'epoch'>,
  store: DraftedStore,
): boolean {
  return commits === store.commits && epoch === store.feed.epoch
}

/** The members of a store that a transaction with pauses uses. */
export interface PausingStore extends DraftedStore {
  /** True if the open transaction has written anything. */
  readonly hasWrites: boolean
  transact<T>(work: () => T): T
  snapshot(): StoreSnapshot
  suspend(before?: StoreSnapshot): Draft
  discardWrites(before?: StoreSnapshot): void
  resume(draft: Draft): void
}

/**
 * Repeats the writes of a draft in the open transaction. Returns the content before these writes,
 * for `suspend` and `discardWrites`. Without a draft, returns undefined, because the writes of the
 * first part are few and can be undone one by one.
 */
export function continueDraft(
  store: PausingStore,
  draft: Draft | undefined,
): StoreSnapshot | undefined {
  if (draft === undefined) return undefined
  const before = store.snapshot()
  store.resume(draft)
  return before
}

/**
 * Runs a part of a transaction that pauses. Between two parts, the store has its content from
 * before the transaction. Returns the draft for the next part if `work` returns true; otherwise
 * commits the transaction and returns undefined. Throws an `Error` if the draft is not valid.
 */
export function transactPart(
  store: PausingStore,
  work: () => boolean,
  draft?: Draft,
): Draft | undefined {
  return store.transact(() => {
    const before = continueDraft(store, draft)
    return work() ? store.suspend(before) : undefined
  })
}

export interface StoreSettings {
  /** True if rows are frozen, so that changing a row in place throws. Tests turn this on. */
  readonly freezeRows?: boolean
  /** The rules that are applied before each commit. */
  readonly rules?: {
    /**
     * Applies the rules to the changes from position `from` on. Writes of the rules are appended to
     * `changes`.
     */
    applyRules(changes: readonly Change[], from: number): void
  }
  /**
   * Called for each commit, including writes to the kernel's own tables, before watchers are woken.
   */
  readonly committed?: (changes: readonly Change[]) => void
}
