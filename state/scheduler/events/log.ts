import type { Change, Commit } from '../../kernel/store/commits.ts'
import type { Row, TableDefinition } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { aclPolicies, aclRoles, aclTokens } from '../acl/tables.ts'
import { schedulerName } from '../indexes.ts'
import { jobs } from '../records/tables.ts'
import { changedRows, eventTables } from './changed-rows.ts'
import { eventLines } from './lines.ts'
import type { EventLine } from './stream-events.ts'

/** Maximum number of stored commits (behaviour/scheduler#event-stream). */
const maxCommits = 100

/** A listener of the event stream. */
export interface Listener {
  /** Takes the events of a commit. */
  onEvents(lines: readonly EventLine[]): void
  /** Takes notice that tokens, policies or roles may have changed. */
  onRightsChanged(): void
  /** Takes notice that the world ends or its state is replaced. */
  onEnd(): void
}

/** Tables that determine rights. */
const rightsTables: ReadonlySet<string> = new Set(
  [aclTokens, aclPolicies, aclRoles].map(({ id }) => id),
)

/**
 * The events of a world's last hundred commits. Nothing is stored before the first listener;
 * earlier events are then reconstructed from the rows, each at the index of its last change.
 */
export class EventLog {
  #commits: (readonly EventLine[])[] = []
  #stopListening: (() => void) | undefined
  #nextName: string | undefined
  readonly #listeners = new Set<Listener>()

  /** Names the kind of the write about to be committed, where its changes do not show it. */
  name(type: string): void {
    if (this.#stopListening !== undefined) this.#nextName = type
  }

  /**
   * Sends the stored events from an index on, then those of every later commit. As in the
   * reference, an index above all stored ones selects the last commit.
   *
   * @param index 0 for all
   * @returns a function that removes the listener
   */
  listen(world: World, index: number, listener: Listener): () => void {
    this.#start(world)
    const at = this.#commits.findIndex((lines) => (lines[0]?.index ?? 0) >= index)
    const first = index === 0 ? 0 : at < 0 ? this.#commits.length - 1 : at
    for (const lines of this.#commits.slice(Math.max(0, first))) listener.onEvents(lines)
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #start(world: World): void {
    if (this.#stopListening !== undefined) return
    this.#commits = reconstructHistory(world)
    const { feed, watchers } = world.store
    const unsubscribe = feed.follow((commit) => this.#record(commit))
    const stopWatching = watchers.watchReplacement(() => this.#reset())
    this.#stopListening = () => {
      unsubscribe()
      stopWatching()
    }
  }

  #record({ indexes, changes }: Commit): void {
    const typeName = this.#nextName
    this.#nextName = undefined
    const index = indexes[schedulerName]
    if (index === undefined) return
    const lines = linesAt(changes, index, typeName)
    if (lines.length > 0) {
      this.#commits.push(lines)
      if (this.#commits.length > maxCommits) this.#commits.shift()
    }
    const changesRights = changes.some(({ table }) => rightsTables.has(table))
    for (const listener of [...this.#listeners]) {
      if (changesRights) listener.onRightsChanged()
      if (lines.length > 0 && this.#listeners.has(listener)) listener.onEvents(lines)
    }
  }

  #reset(): void {
    this.#stopListening?.()
    this.#stopListening = undefined
    this.#commits = []
    this.#nextName = undefined
    for (const listener of [...this.#listeners]) listener.onEnd()
    this.#listeners.clear()
  }
}

function linesAt(changes: readonly Change[], index: number, typeName?: string) {
  return eventLines(changedRows(changes), index, typeName).map((line) => ({ ...line, index }))
}

/**
 * Reconstructs events from before the first listener: the rows of the last hundred commits in their
 * current state. The kind of a change is only known as far as the row shows it.
 */
function reconstructHistory(world: World): (readonly EventLine[])[] {
  const byIndex = new Map<number, Change[]>()
  for (const { table, service, key, row } of allRows(world)) {
    const last = numberMember(row, 'ModifyIndex')
    const before =
      numberMember(row, 'CreateIndex') === last ? undefined : { ...row, ModifyIndex: 0 }
    const changes = byIndex.get(last) ?? []
    byIndex.set(last, changes)
    changes.push({ table, service, key, before, after: row })
  }
  const commits = [...byIndex]
    .sort(([a], [b]) => b - a)
    .slice(0, maxCommits)
    .reverse()
    .map(([index, changes]) => linesAt(changes.map(asNewlyStopped), index))
  return commits.filter((lines) => lines.length > 0)
}

function* allRows(world: World) {
  const definitions: readonly TableDefinition[] = Object.values(eventTables)
  for (const definition of definitions) {
    const { id: table, service } = definition
    for (const [key, row] of world.table(definition).entries()) yield { table, service, key, row }
  }
}

function numberMember(row: Row, member: string): number {
  return Number(Reflect.get(row, member))
}

/** Treats a job that its last write stopped as one that ran before. */
function asNewlyStopped(change: Change): Change {
  return change.table === jobs.id && change.before !== undefined
    ? { ...change, before: { ...change.before, Stop: false } }
    : change
}

const cacheKey = {}

/** Returns the event log of a world, created on first use. */
export function eventLogOf(world: World): EventLog {
  return world.derived(cacheKey, createLog)
}

function createLog(): EventLog {
  return new EventLog()
}
