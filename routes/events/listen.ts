import type { Worlds } from '../../state/kernel/worlds/worlds.ts'
import type { Journal } from '../journal/journal.ts'
import { type EventType, hubOf, type WorldEvent } from './hub.ts'

/** Who is told of which events. */
export interface Subscription {
  readonly worlds: Worlds
  /** Of the world whose events they are. */
  readonly journal: Journal
  readonly types: ReadonlySet<EventType>
  /** Tells of what happens to other worlds as such, too. */
  readonly allWorlds: boolean
  /** The event behind which it begins; undefined: with what comes from now on. */
  readonly after: number | undefined
  /** Told of what was missed; at once. */
  replay(events: readonly WorldEvent[]): void
  send(event: WorldEvent): void
  /** Told once the world has ended. */
  end(): void
}

/** Tells of the events of a world until it ends. Returns how to stop. */
export function listen(subscription: Subscription): () => void {
  const { worlds, journal, types, allWorlds, after, replay, send, end } = subscription
  const { world } = journal
  const hub = hubOf(journal)
  let last = after ?? 0
  const track = (event: WorldEvent): void => {
    last = Math.max(last, event.id)
    send(event)
  }
  const before = after === undefined ? [] : [...hub.since(after)]
  last = before.at(-1)?.id ?? last
  replay(before.filter(({ type }) => types.has(type)))
  const stops = [
    hub.listen({ types, send: track }),
    worlds.follow((data) => {
      const isThisWorld = data.id === world.id
      if (types.has('world') && (isThisWorld || allWorlds)) send({ id: last, type: 'world', data })
      if (isThisWorld && data.change === 'deleted') end()
    }),
    // The process may end, too.
    world.store.watchers.watchReplacement(() => {
      if (world.closed) end()
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
