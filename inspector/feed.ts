import type { Entry } from '../routes/journal/entry.ts'
import { ControlProblem, errorText } from './client.ts'
import type { ServerEvent } from './pure/server-events.ts'
import type { FiredEvent, WorldSource } from './source/source.ts'

/** Journal entry of a request, without bodies. */
export interface FeedEntry extends Omit<Entry, 'body' | 'responseBody'> {
  /**
   * Real time at which the page received the entry, in milliseconds since 1970; undefined in the
   * first batch of events, which may be older than the page.
   */
  readonly receivedAt?: number
}

/** State of the event stream; `ended` means that the world does not exist. */
type FeedState = 'connecting' | 'live' | 'lost' | 'ended'

/** Maximum number of entries in the list, even if the capacity of the journal is larger. */
const maxEntries = 10_000

/** Milliseconds before a lost stream is opened again. */
const retryDelay = 1_000

/** Live view of one world. The world's event stream keeps the view current. */
export class Feed {
  readonly world: WorldSource
  readonly #listeners = new Set<() => void>()
  #abort = new AbortController()
  #lastEventId: string | undefined = '0'
  #isNotifyPending = false
  #hasHistory = false
  #entryLimit = maxEntries
  /** Journal entries, oldest first. */
  entries: readonly FeedEntry[] = []
  /** Latest 500 fired events, newest last. */
  firedEvents: readonly FiredEvent[] = []
  now: string | undefined
  mode: string | undefined
  /**
   * Count of events and of actions on this page that may have changed the world's state. Screens
   * reload the state when the count changes.
   */
  changes = 0
  /**
   * Count of events and of actions on this page that may have changed the list of worlds. Screens
   * reload the list when the count changes.
   */
  worlds = 0
  state: FeedState = 'connecting'
  problem = ''

  constructor(world: WorldSource) {
    this.world = world
  }

  /** Opens the event stream. Returns a function that closes it. */
  open(): () => void {
    this.#abort = new AbortController()
    void this.#listen(this.#abort.signal)
    return () => this.#abort.abort()
  }

  /**
   * Calls the listener after changes, at most once in 30 ms. Returns a function that unsubscribes
   * the listener.
   */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Records that this page itself has changed the world, and notifies the listeners. */
  markChanged(): void {
    this.changes += 1
    this.worlds += 1
    this.#notify()
  }

  clearEntries(): void {
    this.entries = []
    this.#notify()
  }

  async #listen(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.state !== 'ended') {
      try {
        await this.world.follow({
          types: 'request,clock,fault,world,journal',
          after: this.#lastEventId,
          signal,
          onOpen: () => {
            this.state = 'live'
            this.#notify()
            void this.#readClock(signal)
            // A failure here needs no handling: the call is repeated when the stream reopens.
            this.#dropForgotten(signal).catch(() => {})
          },
          onEvents: (events) => this.#receive(events),
        })
        this.#markLost()
      } catch (error) {
        if (signal.aborted) return
        const isGone = error instanceof ControlProblem && error.status === 404
        this.state = isGone ? 'ended' : 'lost'
        this.problem = errorText(error)
      }
      this.#hasHistory = true
      this.#notify()
      await new Promise((resolve) => setTimeout(resolve, retryDelay))
    }
  }

  #markLost(): void {
    if (this.state !== 'ended') this.state = 'lost'
  }

  async #readClock(signal: AbortSignal): Promise<void> {
    const { now, mode } = await this.world.clock()
    if (signal.aborted) return
    this.now = now
    this.mode = mode
    this.#notify()
  }

  #receive(events: readonly ServerEvent[]): void {
    const newEntries: FeedEntry[] = []
    // The requests of the first batch may be older than the page, so they get no time.
    const receivedAt = this.#hasHistory ? { receivedAt: Date.now() } : {}
    this.#hasHistory = true
    for (const { type, id, data } of events) {
      if (id !== '') this.#lastEventId = id
      const payload = JSON.parse(data)
      if (type === 'request') {
        newEntries.push({ ...payload, ...receivedAt })
        if (payload.committed) this.changes += 1
        this.now = payload.at
      } else if (type === 'clock') {
        this.now = payload.now
        this.mode = payload.mode
        this.firedEvents = [...this.firedEvents, ...payload.fired].slice(-500)
        this.changes += 1
      } else if (type === 'fault') this.changes += 1
      else if (type === 'journal') {
        this.entries = []
        newEntries.length = 0
      } else this.#receiveWorldChange(payload)
    }
    if (newEntries.length > 0)
      this.entries = [...this.entries, ...newEntries].slice(-this.#entryLimit)
    this.#notify()
  }

  #receiveWorldChange({ id, change }: { readonly id: string; readonly change: string }): void {
    this.worlds += 1
    if (id !== this.world.id) return
    this.changes += 1
    if (change === 'deleted') this.state = 'ended'
    if (change === 'reset') void this.#readClock(this.#abort.signal)
  }

  /**
   * Limits the list to the capacity of the journal, at most `maxEntries`, and removes entries that
   * the journal dropped while the stream was closed.
   */
  async #dropForgotten(signal: AbortSignal): Promise<void> {
    const entriesBefore = this.entries
    const { capacity, oldest, total } = await this.world.journal()
    if (signal.aborted) return
    this.#entryLimit = Math.min(maxEntries, Math.max(1, capacity))
    if (total >= entriesBefore.length) return
    const at = entriesBefore.findIndex(
      ({ id, durationMs }) => id === oldest?.id && durationMs === oldest.durationMs,
    )
    const forgottenEntries = new Set(at < 0 ? entriesBefore : entriesBefore.slice(0, at))
    this.entries = this.entries.filter((entry) => !forgottenEntries.has(entry))
    this.#notify()
  }

  #notify(): void {
    if (this.#isNotifyPending) return
    this.#isNotifyPending = true
    setTimeout(() => {
      this.#isNotifyPending = false
      for (const listener of this.#listeners) listener()
    }, 30)
  }
}
