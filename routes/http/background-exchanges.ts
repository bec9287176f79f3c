import type { World } from '../../state/kernel/worlds/world.ts'

/** Kind of exchanges for which rows of worlds wait. */
interface ExchangeKind<Item> {
  /** Calls `wake` whenever items of a world may have started to wait. */
  watch(world: World, wake: () => void): void
  /** Returns the items of a world that wait. */
  waiting(world: World): readonly Item[]
  /** Returns the key of an item, which is unique within its world. */
  keyOf(item: Item): string
  /** Performs an exchange. Resolves to the function that stores its result in the world. */
  perform(world: World, item: Item, signal: AbortSignal): Promise<() => void>
}

/**
 * Performs exchanges with other servers for which rows of worlds wait. No request waits for
 * an exchange.
 */
export class BackgroundExchanges<Item> {
  readonly #kind: ExchangeKind<Item>
  readonly #watched = new WeakSet<World>()
  readonly #underWay = new WeakMap<World, Set<string>>()
  #shutdown = new AbortController()

  constructor(kind: ExchangeKind<Item>) {
    this.#kind = kind
  }

  /** Performs the waiting exchanges of a world from now on. Later calls have no effect. */
  watch(world: World): void {
    if (this.#watched.has(world)) return
    this.#watched.add(world)
    const start = () => {
      // The transaction that wrote the row may still be open.
      void Promise.resolve().then(() => this.#start(world))
    }
    this.#kind.watch(world, start)
    start()
  }

  /** Ends all exchanges that are under way. */
  close(): void {
    this.#shutdown.abort()
    this.#shutdown = new AbortController()
  }

  #start(world: World): void {
    const underWay = this.#underWay.get(world) ?? new Set()
    this.#underWay.set(world, underWay)
    for (const item of this.#kind.waiting(world)) {
      const key = this.#kind.keyOf(item)
      if (underWay.has(key)) continue
      underWay.add(key)
      void this.#perform(world, item).finally(() => underWay.delete(key))
    }
  }

  async #perform(world: World, item: Item): Promise<void> {
    const { signal } = this.#shutdown
    const store = await this.#kind.perform(world, item, signal)
    if (world.closed || signal.aborted) return
    world.runDueJobs()
    store()
  }
}
