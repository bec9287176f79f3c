import { memoizeByKey } from '../../state/kernel/memoize.ts'
import { controlOptions } from '../../state/kernel/options/control-options.ts'
import type { Change, Commit } from '../../state/kernel/store/commits.ts'
import type { Fired } from '../../state/kernel/time/timekeeper.ts'
import { formatTimestamp } from '../../state/kernel/time.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import { RequestRecord } from '../http/journal-hooks/request-record.ts'
import { changeOf, entryOf } from '../journal/entry.ts'
import { type Fingerprint, fingerprintOf } from '../journal/fingerprint.ts'
import type { Journal } from '../journal/journal.ts'

/** The kinds of events. */
export const eventTypes = ['request', 'change', 'clock', 'fault', 'world'] as const
/** Those and what only who asks for it is told of: the journal was cleared. */
export const requestableTypes = [...eventTypes, 'journal'] as const
export type EventType = (typeof requestableTypes)[number]

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
  send(event: WorldEvent): void
}

/**
 * Numbers of one request: what happens before it is answered stands between the number of the one
 * before and its own.
 */
const idsPerRequest = 1_000_000

/** An event that belongs to no request, kept for who comes back. */
type UnattributedEvent = Pick<WorldEvent, 'id' | 'type'> & { readonly dataOf: () => object }

/**
 * The events of one world but for those of its own life, for those who listen. Nothing is worked out
 * that nobody listens to. What is asked for again is in the journal; what belongs to no request, moves
 * of the clock and what falls due, is kept from the first listener on, and no longer than requests are.
 */
export class EventHub {
  readonly #world: World
  readonly #journal: Journal
  readonly #fingerprint: Fingerprint
  readonly #listeners = new Set<Listener>()
  #sources: readonly (() => void)[] = []
  #keepsUnattributed = false
  #unattributed: UnattributedEvent[] = []
  /** The last event that was told. */
  #lastId = 0

  constructor(journal: Journal) {
    this.#world = journal.world
    this.#journal = journal
    this.#fingerprint = fingerprintOf(journal.world.seed)
  }

  /** Tells of events from now on. Returns how to stop. */
  listen(listener: Listener): () => void {
    if (!this.#keepsUnattributed) this.#keepUnattributed()
    if (this.#listeners.size === 0) this.#sources = this.#follow()
    this.#listeners.add(listener)
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return
      for (const stop of this.#sources) stop()
      this.#sources = []
    }
  }

  /** What is still known of the events behind one. */
  since(id: number): WorldEvent[] {
    const unattributed = this.#unattributed.filter((event) => event.id > id)
    const events = unattributed.map(({ id, type, dataOf }) => ({ id, type, data: dataOf() }))
    return [...this.#journaledSince(id), ...events].sort((one, other) => one.id - other.id)
  }

  /** What the journal still knows: requests, their changes and faults. */
  *#journaledSince(id: number): Generator<WorldEvent, void, undefined> {
    const seen = Math.floor(id / idsPerRequest)
    let place = this.#journal.completed - this.#journal.size
    for (const record of this.#journal.records()) {
      place += 1
      if (place <= seen) continue
      // Behind what happened before it that belongs to no request.
      let next = (place - 0.5) * idsPerRequest
      const nextEvent = (type: EventType, data: object): WorldEvent => {
        next += 1
        return { id: next, type, data }
      }
      for (const fault of record.faults) yield nextEvent('fault', fault)
      for (const change of record.changes) {
        if (change.service !== 'kernel') yield nextEvent('change', this.#change(change, record))
      }
      yield { id: place * idsPerRequest, type: 'request', data: this.#request(record) }
    }
  }

  #follow(): readonly (() => void)[] {
    return [
      this.#journal.follow((record) => this.#answered(record)),
      this.#journal.followFaults((fault) => this.#sendNew('fault', () => fault)),
      this.#journal.followClearing(() => this.#sendNew('journal', () => ({ cleared: true }))),
    ]
  }

  /** Goes on while nobody listens: who comes back is told of it. */
  #keepUnattributed(): void {
    const world = this.#world
    this.#keepsUnattributed = true
    world.store.feed.follow((commit) => this.#committed(commit))
    world.followClock((fired) => {
      const data = clockData(world, fired)
      this.#sendUnattributed('clock', () => data)
    })
  }

  #retain(event: UnattributedEvent): void {
    const { completed, size } = this.#journal
    const { journalSize } = this.#world.options(controlOptions)
    const oldest = (completed - size) * idsPerRequest
    if (
      this.#unattributed.length >= 2 * journalSize ||
      (this.#unattributed[0]?.id ?? oldest) < oldest
    ) {
      this.#unattributed = this.#unattributed.filter(({ id }) => id >= oldest).slice(-journalSize)
    }
    if (journalSize > 0) this.#unattributed.push(event)
  }

  #answered(record: RequestRecord): void {
    this.#sendNew('request', () => this.#request(record), this.#journal.completed * idsPerRequest)
  }

  #committed({ changes }: Commit): void {
    const { trace } = this.#world
    if (!(trace instanceof RequestRecord)) {
      for (const change of changes)
        this.#sendUnattributed('change', () => this.#change(change, undefined))
    } else if (this.#listeners.size > 0) {
      for (const change of changes) this.#sendNew('change', () => this.#change(change, trace))
    }
  }

  #request(record: RequestRecord): object {
    const { body: _, responseBody: __, ...entry } = entryOf(record, this.#fingerprint)
    return entry
  }

  #change(change: Change, record: RequestRecord | undefined): object {
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

  /** Behind the last request that was answered. */
  #nextId(): number {
    const least = this.#journal.completed * idsPerRequest
    this.#lastId = Math.max(this.#lastId, least) + 1
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

function clockData({ clock }: World, fired: readonly Fired[]): object {
  return {
    now: formatTimestamp(clock.now()),
    mode: clock.state.mode,
    fired: fired.map(({ at, kind, id }) => ({ at: formatTimestamp(at), kind, id })),
  }
}

/** The events of a journal's world; the same for all who listen. */
export const hubOf = memoizeByKey((journal: Journal) => new EventHub(journal))
