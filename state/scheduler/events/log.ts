import type { Change, Commit } from '../../kernel/store/commits.ts'
import type { Row, TableDefinition } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { aclPolicies, aclRoles, aclTokens } from '../acl/tables.ts'
import { schedulerName } from '../indexes.ts'
import { jobs } from '../records/tables.ts'
import { changedRows, eventTables } from './changed-rows.ts'
import { eventLines } from './lines.ts'
import type { EventLine } from './stream-events.ts'

/** The number of commits that are kept (behaviour/scheduler#event-stream). */
const maxCommits = 100

/** Someone who streams events. */
export interface Listener {
  /** The events of a commit. */
  onEvents(lines: readonly EventLine[]): void
  /** Tokens, policies or roles may be others now. */
  onRightsChanged(): void
  /** The world has ended, or has gone to another state. */
  onEnd(): void
}

/** The tables by which rights are decided. */
const rightsTables: ReadonlySet<string> = new Set(
  [aclTokens, aclPolicies, aclRoles].map(({ id }) => id),
)

/**
 * The events of a world, the last hundred commits of them. Nothing is kept until somebody listens for the
 * first time: what was before is then told from the rows, each at the index of its last change.
 */
export class EventLog {
  #commits: (readonly EventLine[])[] = []
  #stopListening: (() => void) | undefined
  #nextName: string | undefined
  readonly #listeners = new Set<Listener>()

  /** Names the write that is about to be committed, where what it changes does not show it. */
  name(type: string): void {
    if (this.#stopListening !== undefined) this.#nextName = type
  }

  /**
   * Tells someone of every commit from now on, after those that are kept from an index on; of a later
   * index than any it is the last one, as in the reference.
   *
   * @param index 0 for all
   * @returns how to stop
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

function linesAt(
  changes: readonly Change[],
  index: number,
  typeName?: string,
): readonly EventLine[] {
  return eventLines(changedRows(changes), index, typeName).map((line) => ({ ...line, index }))
}

/**
 * Tells what was before anybody listened: the rows that the last hundred commits wrote, as they are now.
 * What was done to a row shows as far as the row itself says it.
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

/** A job that was stopped by its last write is one that ran before. */
function asNewlyStopped(change: Change): Change {
  return change.table === jobs.id && change.before !== undefined
    ? { ...change, before: { ...change.before, Stop: false } }
    : change
}

const cacheKey = {}

/** The events of a world; made when somebody asks for them. */
export function eventLogOf(world: World): EventLog {
  return world.derived(cacheKey, createLog)
}

function createLog(): EventLog {
  return new EventLog()
}
