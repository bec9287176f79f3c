import { memoizeByKey } from '../../state/kernel/memoize.ts'
import { controlOptions } from '../../state/kernel/options/control-options.ts'
import type { Change, Commit } from '../../state/kernel/store/commits.ts'
import type { FiredJob } from '../../state/kernel/time/timekeeper.ts'
import { formatTimestamp } from '../../state/kernel/time.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import { RequestRecord } from '../http/journal-hooks/request-record.ts'
import { redactTokens } from '../http/redact-url.ts'
import { changeOf, entryOf } from '../journal/entry.ts'
import { type Fingerprint, fingerprintOf } from '../journal/fingerprint.ts'
import type { Journal } from '../journal/journal.ts'

/** Types of events that a stream contains by default. */
export const eventTypes = ['request', 'change', 'clock', 'fault', 'world'] as const
/**
 * All types of events that can be requested. The type `journal` means that the journal was cleared;
 * streams contain it only if it is requested explicitly.
 */
export const requestableTypes = [...eventTypes, 'journal'] as const
export type EventType = (typeof requestableTypes)[number]

/** An event of a world, as streams send it (behaviour/program#events). */
export interface WorldEvent {
  /**
   * Id that never decreases within a stream. A replayed request keeps its id; its replayed changes
   * and faults have other ids than before.
   */
  readonly id: number
  readonly type: EventType
  readonly data: object
}

interface Listener {
  readonly types: ReadonlySet<EventType>
  send(event: WorldEvent): void
}

/**
 * Number of event ids that are reserved for each request. The id of the event `request` is a
 * multiple of this number; events before it have ids between the previous multiple and its id.
 */
const idsPerRequest = 1_000_000

/** An event that belongs to no request. Such events are kept for listeners that reconnect. */
type UnattributedEvent = Pick<WorldEvent, 'id' | 'type'> & { readonly dataOf: () => object }

/**
 * Hub for the events of one world, except for events of the type `world`. The hub subscribes to
 * nothing before it has a listener. Past requests are replayed from the journal. Events without a
 * request come from clock moves, due jobs and the control plane. The hub keeps these events from
 * the first listener on, but not longer than the journal keeps requests.
 */
class EventHub {
  readonly #world: World
  readonly #journal: Journal
  readonly #fingerprint: Fingerprint
  readonly #listeners = new Set<Listener>()
  #unsubscribers: readonly (() => void)[] = []
  #keepsUnattributed = false
  #unattributedEvents: UnattributedEvent[] = []
  /** Last id that `#nextId` returned. */
  #lastId = 0

  constructor(journal: Journal) {
    this.#world = journal.world
    this.#journal = journal
    this.#fingerprint = fingerprintOf(journal.world.seed)
  }

  /**
   * Calls the listener with each later event of the types that the listener wants. Returns a
   * function that unsubscribes.
   */
  listen(listener: Listener): () => void {
    if (!this.#keepsUnattributed) this.#keepUnattributed()
    if (this.#listeners.size === 0) this.#unsubscribers = this.#follow()
    this.#listeners.add(listener)
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return
      for (const stop of this.#unsubscribers) stop()
      this.#unsubscribers = []
    }
  }

  /**
   * Returns the events after the event with this id, sorted by id, if the journal or this hub still
   * has them. For a request that was answered after that event, returns all changes and faults of
   * the request, even those that streams sent before that event.
   */
  since(id: number): WorldEvent[] {
    const unattributed = this.#unattributedEvents.filter((event) => event.id > id)
    const events = unattributed.map(({ id, type, dataOf }) => ({ id, type, data: dataOf() }))
    return [...this.#journaledSince(id), ...events].sort((one, other) => one.id - other.id)
  }

  /**
   * Yields the events after `id` that can be rebuilt from the journal: requests, and their changes
   * and faults.
   */
  *#journaledSince(id: number): Generator<WorldEvent, void, undefined> {
    const seenRequestCount = Math.floor(id / idsPerRequest)
    let position = this.#journal.completed - this.#journal.size
    for (const record of this.#journal.records()) {
      position += 1
      if (position <= seenRequestCount) continue
      // The ids of replayed faults and changes begin in the middle of the range of their request.
      // These ids are above those of earlier events without a request, and below the id of the event
      // `request`.
      let next = (position - 0.5) * idsPerRequest
      const nextEvent = (type: EventType, data: object): WorldEvent => {
        next += 1
        return { id: next, type, data }
      }
      for (const fault of record.faults) yield nextEvent('fault', fault)
      for (const change of record.changes) {
        if (change.service !== 'kernel') yield nextEvent('change', this.#changeData(change, record))
      }
      yield { id: position * idsPerRequest, type: 'request', data: this.#requestData(record) }
    }
  }

  #follow(): readonly (() => void)[] {
    return [
      this.#journal.follow((record) => this.#sendAnswered(record)),
      this.#journal.followFaults((fault) => this.#sendNew('fault', () => fault)),
      this.#journal.followClearing(() => this.#sendNew('journal', () => ({ cleared: true }))),
    ]
  }

  /**
   * Starts to keep events without a request. The hub never stops keeping such events, because
   * listeners may reconnect.
   */
  #keepUnattributed(): void {
    const world = this.#world
    this.#keepsUnattributed = true
    world.store.feed.follow((commit) => this.#sendCommitted(commit))
    world.followClock((fired) => {
      const data = clockData(world, fired, this.#fingerprint)
      this.#sendUnattributed('clock', () => data)
    })
  }

  #retain(event: UnattributedEvent): void {
    const { completed, size } = this.#journal
    const { journalSize } = this.#world.options(controlOptions)
    const oldest = (completed - size) * idsPerRequest
    if (
      this.#unattributedEvents.length >= 2 * journalSize ||
      (this.#unattributedEvents[0]?.id ?? oldest) < oldest
    ) {
      this.#unattributedEvents = this.#unattributedEvents
        .filter(({ id }) => id >= oldest)
        .slice(-journalSize)
    }
    if (journalSize > 0) this.#unattributedEvents.push(event)
  }

  #sendAnswered(record: RequestRecord): void {
    this.#sendNew(
      'request',
      () => this.#requestData(record),
      this.#journal.completed * idsPerRequest,
    )
  }

  #sendCommitted({ changes }: Commit): void {
    const record = this.#world.requestObserver
    if (!(record instanceof RequestRecord)) {
      for (const change of changes)
        this.#sendUnattributed('change', () => this.#changeData(change, undefined))
    } else if (this.#listeners.size > 0) {
      for (const change of changes) this.#sendNew('change', () => this.#changeData(change, record))
    }
  }

  #requestData(record: RequestRecord): object {
    const { body: _, responseBody: __, ...entry } = entryOf(record, this.#fingerprint)
    return entry
  }

  #changeData(change: Change, record: RequestRecord | undefined): object {
    return { ...changeOf(this.#world, change, this.#fingerprint), request: record?.id ?? null }
  }

  #sendUnattributed(type: EventType, dataOf: () => object): void {
    const id = this.#nextId()
    this.#retain({ id, type, dataOf })
    this.#send(type, dataOf, id)
  }

  #sendNew(type: EventType, dataOf: () => object, id = this.#nextId()): void {
    this.#send(type, dataOf, id)
  }

  /**
   * Returns an id that is greater than the ids of the last event and of the last answered request.
   */
  #nextId(): number {
    const lastAnsweredId = this.#journal.completed * idsPerRequest
    this.#lastId = Math.max(this.#lastId, lastAnsweredId) + 1
    return this.#lastId
  }

  #send(type: EventType, dataOf: () => object, id: number): void {
    let event: WorldEvent | undefined
    for (const { types, send } of this.#listeners) {
      if (!types.has(type)) continue
      event ??= { id, type, data: dataOf() }
      send(event)
    }
  }
}

function clockData({ clock }: World, fired: readonly FiredJob[], fingerprint: Fingerprint): object {
  return {
    now: formatTimestamp(clock.now()),
    mode: clock.state.mode,
    fired: fired.map(({ at, kind, id }) => {
      return { at: formatTimestamp(at), kind, id: redactTokens(id, undefined, fingerprint) }
    }),
  }
}

/** Returns the only event hub of a journal. The first call creates it. */
export const eventHubOf = memoizeByKey((journal: Journal) => new EventHub(journal))
