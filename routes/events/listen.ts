import type { Worlds } from '../../state/kernel/worlds/worlds.ts'
import type { Journal } from '../journal/journal.ts'
import { type EventType, eventHubOf, type WorldEvent } from './hub.ts'

export interface Subscription {
  readonly worlds: Worlds
  /** Journal whose world the subscription follows. */
  readonly journal: Journal
  readonly types: ReadonlySet<EventType>
  /** True to include the creation and the end of other worlds. */
  readonly allWorlds: boolean
  /** Id of the event after which events are replayed; undefined to receive only new events. */
  readonly after: number | undefined
  /** Receives the replayed events once, when the subscription begins. The list may be empty. */
  replay(events: readonly WorldEvent[]): void
  send(event: WorldEvent): void
  /** Ends the output. Called after the world was deleted or closed. */
  end(): void
}

/**
 * Replays earlier events, if `after` is set, then sends the events of a world, and calls `end` when
 * the world ends. Returns a function that unsubscribes.
 */
export function listen(subscription: Subscription): () => void {
  const { worlds, journal, types, allWorlds, after, replay, send, end } = subscription
  const { world } = journal
  const hub = eventHubOf(journal)
  let last = after ?? 0
  const sendTracked = (event: WorldEvent): void => {
    last = Math.max(last, event.id)
    send(event)
  }
  const before = after === undefined ? [] : [...hub.since(after)]
  last = before.at(-1)?.id ?? last
  replay(before.filter(({ type }) => types.has(type)))
  const unsubscribers = [
    hub.listen({ types, send: sendTracked }),
    worlds.follow((data) => {
      const isThisWorld = data.id === world.id
      if (types.has('world') && (isThisWorld || allWorlds)) send({ id: last, type: 'world', data })
      if (isThisWorld && data.change === 'deleted') end()
    }),
    // A world is also closed when the process ends.
    world.store.watchers.watchReplacement(() => {
      if (world.closed) end()
    }),
  ]
  return () => {
    for (const unsubscribe of unsubscribers) unsubscribe()
  }
}
