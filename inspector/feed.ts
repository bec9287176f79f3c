import { type Client, ControlProblem, reasonOf } from './client.ts'
import type { ListedEntry } from './pure/filter.ts'
import type { ServerEvent } from './pure/server-events.ts'

/** Something that fell due. */
export interface Happened {
  readonly at: string
  readonly kind: string
  readonly id: string
}

/** A request as it came in. */
export interface SeenEntry extends ListedEntry {
  /** Real time at which the page heard of it; undefined of those from before. */
  readonly heard?: number
}

/** How the stream of events stands. */
export type FeedState = 'connecting' | 'live' | 'lost' | 'ended'

/** So many requests are listed at most; fewer where the journal keeps fewer. */
const most = 10_000

/** Milliseconds before a lost stream is opened again. */
const pause = 1_000

/** What happens in one world, as the page follows it. */
export class Feed {
  readonly world: string
  readonly #client: Client
  readonly #listeners = new Set<() => void>()
  #abort = new AbortController()
  #last: string | undefined = '0'
  #pending = false
  #live = false
  #kept = most
  /** Oldest first. */
  entries: readonly SeenEntry[] = []
  /** Newest last. */
  fired: readonly Happened[] = []
  now: string | undefined
  mode: string | undefined
  /** Counts what may have changed the world's state. */
  changes = 0
  /** Counts what may have changed which worlds there are. */
  worlds = 0
  state: FeedState = 'connecting'
  problem = ''

  constructor(client: Client, world: string) {
    this.#client = client
    this.world = world
  }

  /** Begins to listen. Returns how to stop. */
  open(): () => void {
    this.#abort = new AbortController()
    void this.#listen(this.#abort.signal)
    return () => this.#abort.abort()
  }

  /** Calls back after changes, at most once a frame. Returns how to stop. */
  follow(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Says that this page itself has changed something. */
  touch(): void {
    this.changes += 1
    this.worlds += 1
    this.#tell()
  }

  /** Forgets the requests seen so far. */
  forget(): void {
    this.entries = []
    this.#tell()
  }

  async #listen(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.state !== 'ended') {
      try {
        await this.#client.events(this.world, {
          types: 'request,clock,fault,world,journal',
          after: this.#last,
          signal,
          opened: () => {
            this.state = 'live'
            this.#tell()
            void this.#readClock(signal)
            // Whoever cannot be asked now is asked when the stream is opened again.
            this.#reconcile(signal).catch(() => {})
          },
          tell: (events) => this.#take(events),
        })
        this.#lose()
      } catch (error) {
        if (signal.aborted) return
        const isGone = error instanceof ControlProblem && error.status === 404
        this.state = isGone ? 'ended' : 'lost'
        this.problem = reasonOf(error)
      }
      this.#live = true
      this.#tell()
      await new Promise((done) => setTimeout(done, pause))
    }
  }

  #lose(): void {
    if (this.state !== 'ended') this.state = 'lost'
  }

  async #readClock(signal: AbortSignal): Promise<void> {
    const { now, mode } = await this.#client.of(this.world)<{ now: string; mode: string }>(
      'GET',
      '/clock',
    )
    if (signal.aborted) return
    this.now = now
    this.mode = mode
    this.#tell()
  }

  #take(events: readonly ServerEvent[]): void {
    const fresh: SeenEntry[] = []
    // The first piece is what was there before.
    const heard = this.#live ? { heard: Date.now() } : {}
    this.#live = true
    for (const { type, id, data } of events) {
      if (id !== '') this.#last = id
      const told = JSON.parse(data)
      if (type === 'request') {
        fresh.push({ ...told, ...heard })
        if (told.committed) this.changes += 1
        this.now = told.at
      } else if (type === 'clock') {
        this.now = told.now
        this.mode = told.mode
        this.fired = [...this.fired, ...told.fired].slice(-500)
        this.changes += 1
      } else if (type === 'fault') this.changes += 1
      else if (type === 'journal') {
        this.entries = []
        fresh.length = 0
      } else this.#takeWorld(told)
    }
    if (fresh.length > 0) this.entries = [...this.entries, ...fresh].slice(-this.#kept)
    this.#tell()
  }

  #takeWorld({ id, change }: { readonly id: string; readonly change: string }): void {
    this.worlds += 1
    if (id !== this.world) return
    this.changes += 1
    if (change === 'deleted') this.state = 'ended'
    if (change === 'reset') void this.#readClock(this.#abort.signal)
  }

  /** Forgets the requests that the journal has forgotten while nothing was heard. */
  async #reconcile(signal: AbortSignal): Promise<void> {
    const known = this.entries
    const call = this.#client.of(this.world)
    const [{ control }, { requests, total }] = await Promise.all([
      call<{ control: { journalSize: number } }>('GET', '/options'),
      call<{ requests: readonly SeenEntry[]; total: number }>('GET', '/requests?limit=1'),
    ])
    if (signal.aborted) return
    this.#kept = Math.min(most, Math.max(1, control.journalSize))
    if (total >= known.length) return
    const [oldest] = requests
    const at = known.findIndex(
      ({ id, durationMs }) => id === oldest?.id && durationMs === oldest.durationMs,
    )
    const gone = new Set(at < 0 ? known : known.slice(0, at))
    this.entries = this.entries.filter((entry) => !gone.has(entry))
    this.#tell()
  }

  #tell(): void {
    if (this.#pending) return
    this.#pending = true
    setTimeout(() => {
      this.#pending = false
      for (const listener of this.#listeners) listener()
    }, 30)
  }
}
