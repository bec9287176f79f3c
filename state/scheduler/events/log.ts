import type { Change, Commit } from '../../kernel/commits.ts'
import type { Row, TableDefinition } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'
import { aclPolicies, aclRoles, aclTokens } from '../acl/tables.ts'
import { schedulerName } from '../indexes.ts'
import { jobs } from '../records/tables.ts'
import { linesOf } from './lines.ts'
import type { EventLine } from './stream-events.ts'
import { toldTables, writesOf } from './writes.ts'

/** The number of commits that are kept (behaviour/scheduler#event-stream). */
const keptCommits = 100

/** Someone who streams events. */
export interface Listener {
  /** The events of a commit. */
  hear(lines: readonly EventLine[]): void
  /** Tokens, policies or roles may be others now. */
  rightsChanged(): void
  /** The world has ended, or has gone to another state. */
  end(): void
}

/** The tables by which rights are decided. */
const rights: ReadonlySet<string> = new Set([aclTokens, aclPolicies, aclRoles].map(({ id }) => id))

/**
 * The events of a world, the last hundred commits of them. Nothing is kept until somebody listens for the
 * first time: what was before is then told from the rows, each at the index of its last change.
 */
export class EventLog {
  #commits: (readonly EventLine[])[] = []
  #stop: (() => void) | undefined
  #name: string | undefined
  readonly #listeners = new Set<Listener>()

  /** Names the write that is about to be committed, where what it changes does not show it. */
  name(type: string): void {
    if (this.#stop !== undefined) this.#name = type
  }

  /**
   * Tells someone of every commit from now on, after those that are kept from an index on; of a later
   * index than any it is the last one, as in the reference.
   *
   * @param index 0 for all
   * @returns how to stop
   */
  listen(world: World, index: number, listener: Listener): () => void {
    this.#begin(world)
    const at = this.#commits.findIndex((lines) => (lines[0]?.index ?? 0) >= index)
    const first = index === 0 ? 0 : at < 0 ? this.#commits.length - 1 : at
    for (const lines of this.#commits.slice(Math.max(0, first))) listener.hear(lines)
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #begin(world: World): void {
    if (this.#stop !== undefined) return
    this.#commits = history(world)
    const { feed, watchers } = world.store
    const unfollow = feed.follow((commit) => this.#take(commit))
    const unwatch = watchers.watchReplacement(() => this.#end())
    this.#stop = () => {
      unfollow()
      unwatch()
    }
  }

  #take({ indexes, changes }: Commit): void {
    const named = this.#name
    this.#name = undefined
    const index = indexes[schedulerName]
    if (index === undefined) return
    const lines = linesAt(changes, index, named)
    if (lines.length > 0) {
      this.#commits.push(lines)
      if (this.#commits.length > keptCommits) this.#commits.shift()
    }
    const concernsRights = changes.some(({ table }) => rights.has(table))
    for (const listener of [...this.#listeners]) {
      if (concernsRights) listener.rightsChanged()
      if (lines.length > 0 && this.#listeners.has(listener)) listener.hear(lines)
    }
  }

  #end(): void {
    this.#stop?.()
    this.#stop = undefined
    this.#commits = []
    this.#name = undefined
    for (const listener of [...this.#listeners]) listener.end()
    this.#listeners.clear()
  }
}

function linesAt(changes: readonly Change[], index: number, named?: string): readonly EventLine[] {
  return linesOf(writesOf(changes), index, named).map((line) => ({ ...line, index }))
}

/**
 * Tells what was before anybody listened: the rows that the last hundred commits wrote, as they are now.
 * What was done to a row shows as far as the row itself says it.
 */
function history(world: World): (readonly EventLine[])[] {
  const byIndex = new Map<number, Change[]>()
  for (const { table, service, key, row } of rowsOf(world)) {
    const last = numberIn(row, 'ModifyIndex')
    const before = numberIn(row, 'CreateIndex') === last ? undefined : { ...row, ModifyIndex: 0 }
    const changes = byIndex.get(last) ?? []
    byIndex.set(last, changes)
    changes.push({ table, service, key, before, after: row })
  }
  const told = [...byIndex]
    .sort(([a], [b]) => b - a)
    .slice(0, keptCommits)
    .reverse()
    .map(([index, changes]) => linesAt(changes.map(stopped), index))
  return told.filter((lines) => lines.length > 0)
}

function* rowsOf(world: World) {
  const definitions: readonly TableDefinition[] = Object.values(toldTables)
  for (const definition of definitions) {
    const { id: table, service } = definition
    for (const [key, row] of world.table(definition).entries()) yield { table, service, key, row }
  }
}

function numberIn(row: Row, member: string): number {
  return Number(Reflect.get(row, member))
}

/** A job that was stopped by its last write is one that ran before. */
function stopped(change: Change): Change {
  return change.table === jobs.id && change.before !== undefined
    ? { ...change, before: { ...change.before, Stop: false } }
    : change
}

const anchor = {}

/** The events of a world; made when somebody asks for them. */
export function eventLogOf(world: World): EventLog {
  return world.derived(anchor, makeLog)
}

function makeLog(): EventLog {
  return new EventLog()
}
