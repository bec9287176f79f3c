import type { Change, Commit } from '../../state/kernel/commits.ts'
import { oncePer } from '../../state/kernel/once.ts'
import { formatTimestamp } from '../../state/kernel/time.ts'
import type { Fired } from '../../state/kernel/timekeeper.ts'
import type { World } from '../../state/kernel/world.ts'
import { Visit } from '../http/visit.ts'
import { changeOf, entryOf } from '../journal/entry.ts'
import { type Fingerprint, fingerprintOf } from '../journal/fingerprint.ts'
import type { Journal } from '../journal/journal.ts'

/** The kinds of events. */
export const eventTypes = ['request', 'change', 'clock', 'fault', 'world'] as const
export type EventType = (typeof eventTypes)[number]

/** Something that happens in a world (behaviour/program#events). */
export interface WorldEvent {
  /** Never less than the one before; one that is shown again later has the same. */
  readonly id: number
  readonly type: EventType
  readonly data: object
}

/** Somebody who is told of events of some types. */
interface Listener {
  readonly types: ReadonlySet<EventType>
  tell(event: WorldEvent): void
}

/**
 * Numbers of one request: what happens before it is answered stands between the number of the one
 * before and its own.
 */
const stride = 1_000_000

/**
 * The events of one world but for those of its own life, for those who listen: nothing is worked out that nobody listens to, and
 * nothing is kept, since what is asked for again is in the journal.
 */
export class EventHub {
  readonly #world: World
  readonly #journal: Journal
  readonly #fingerprint: Fingerprint
  readonly #listeners = new Set<Listener>()
  #sources: readonly (() => void)[] = []
  /** So many requests were answered when the last event was told, and so many events since. */
  #told = { closed: 0, since: 0 }

  constructor(journal: Journal) {
    this.#world = journal.world
    this.#journal = journal
    this.#fingerprint = fingerprintOf(journal.world.seed)
  }

  /** Tells of events from now on. Returns how to stop. */
  listen(listener: Listener): () => void {
    if (this.#listeners.size === 0) this.#sources = this.#follow()
    this.#listeners.add(listener)
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return
      for (const stop of this.#sources) stop()
      this.#sources = []
    }
  }

  /** What the journal still knows of the events behind one: requests, their changes and faults. */
  *since(id: number): Generator<WorldEvent, void, undefined> {
    const seen = Math.floor(id / stride)
    let place = this.#journal.closed - this.#journal.size
    for (const visit of this.#journal.visits()) {
      place += 1
      if (place <= seen) continue
      let next = (place - 1) * stride
      const numbered = (type: EventType, data: object): WorldEvent => {
        next += 1
        return { id: next, type, data }
      }
      for (const fault of visit.faults) yield numbered('fault', fault)
      for (const change of visit.changes) {
        if (change.service !== 'kernel') yield numbered('change', this.#change(change, visit))
      }
      yield { id: place * stride, type: 'request', data: this.#request(visit) }
    }
  }

  #follow(): readonly (() => void)[] {
    const world = this.#world
    return [
      this.#journal.follow((visit) => this.#answered(visit)),
      this.#journal.followFaults((fault) => this.#tell('fault', () => fault)),
      world.store.feed.follow((commit) => this.#committed(commit)),
      world.followClock((fired) => this.#tell('clock', () => clockData(world, fired))),
    ]
  }

  #answered(visit: Visit): void {
    this.#tell('request', () => this.#request(visit), this.#journal.closed * stride)
  }

  #committed({ changes }: Commit): void {
    const { trace } = this.#world
    const visit = trace instanceof Visit ? trace : undefined
    for (const change of changes) this.#tell('change', () => this.#change(change, visit))
  }

  #request(visit: Visit): object {
    const { body: _, responseBody: __, ...entry } = entryOf(visit, this.#fingerprint)
    return entry
  }

  #change(change: Change, visit: Visit | undefined): object {
    return { ...changeOf(this.#world, change, this.#fingerprint), request: visit?.id ?? null }
  }

  #tell(type: EventType, dataOf: () => object, id?: number): void {
    const { closed } = this.#journal
    if (this.#told.closed !== closed) this.#told = { closed, since: 0 }
    if (id === undefined) this.#told.since += 1
    let event: WorldEvent | undefined
    for (const { types, tell } of this.#listeners) {
      if (!types.has(type)) continue
      event ??= { id: id ?? closed * stride + this.#told.since, type, data: dataOf() }
      tell(event)
    }
  }
}

function clockData({ clock }: World, fired: readonly Fired[]): object {
  return {
    now: formatTimestamp(clock.now()),
    mode: clock.state.mode,
    fired: fired.map(({ at, kind, id }) => ({ at: formatTimestamp(at), kind, id })),
  }
}

/** The events of a journal's world; the same for all who listen. */
export const hubOf = oncePer((journal: Journal) => new EventHub(journal))
