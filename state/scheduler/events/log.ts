import type { Commit } from '../../kernel/store/commits.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { aclPolicies, aclRoles, aclTokens } from '../acl/tables.ts'
import { schedulerName } from '../indexes.ts'
import { bufferedLines, linesOfCommit } from './buffer.ts'
import type { EventLine } from './stream-events.ts'

/** Callbacks of one client of the event stream. */
interface Listener {
  /** Receives the buffered lines, and then the lines of each commit. */
  onEvents(lines: readonly EventLine[]): void
  /** Handles a commit that changes tokens, policies or roles. */
  onRightsChanged(): void
  /** Handles the deletion of the world or the replacement of its state. */
  onEnd(): void
}

/** Tables whose changes may change the rights of a client. */
const rightsTables: ReadonlySet<string> = new Set(
  [aclTokens, aclPolicies, aclRoles].map(({ id }) => id),
)

/**
 * Calls a listener with the buffered lines of a world from `index` on, and then with the lines of
 * every later commit. As in the reference, an index above all buffered indexes selects the last
 * line.
 *
 * @param index 0 for all buffered lines
 * @returns a function that removes the listener
 */
export function listenToEvents(world: World, index: number, listener: Listener): () => void {
  const lines = bufferedLines(world)
  const at = lines.findIndex((line) => line.index >= index)
  listener.onEvents(lines.slice(at))
  const { feed, watchers } = world.store
  const unsubscribe = feed.follow(({ indexes, changes }: Commit) => {
    const committed = indexes[schedulerName]
    if (committed === undefined) return
    if (changes.some(({ table }) => rightsTables.has(table))) listener.onRightsChanged()
    if (isListening) listener.onEvents(linesOfCommit(world, committed))
  })
  const stopWatching = watchers.watchReplacement(() => {
    stop()
    listener.onEnd()
  })
  let isListening = true
  const stop = () => {
    isListening = false
    unsubscribe()
    stopWatching()
  }
  return stop
}
