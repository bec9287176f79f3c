import type { World } from '../../state/kernel/worlds/world.ts'

/**
 * A kind of exchange with other servers. Each exchange belongs to an item: a row of a world that
 * waits for the end of the exchange.
 */
interface ExchangeKind<Item> {
  /** Calls `wake` whenever items of the world may have begun to wait. */
  watch(world: World, wake: () => void): void
  /** Returns the items whose exchange has no result yet. */
  waiting(world: World): readonly Item[]
  /** Returns a key that is unique among the items of a world. */
  keyOf(item: Item): string
  /**
   * Performs an exchange outside any transaction. Resolves to a function that stores the result in
   * the world.
   */
  perform(world: World, item: Item, signal: AbortSignal): Promise<() => void>
}

/**
 * Runner of exchanges with other servers, such as webhooks and health checks. The exchanges run in
 * the background: no request waits for them.
 */
export class BackgroundExchanges<Item> {
  readonly #kind: ExchangeKind<Item>
  readonly #watchedWorlds = new WeakSet<World>()
  readonly #keysUnderWay = new WeakMap<World, Set<string>>()
  #shutdown = new AbortController()

  constructor(kind: ExchangeKind<Item>) {
    this.#kind = kind
  }

  /**
   * Starts the waiting exchanges of a world. Starts later exchanges as soon as their items wait.
   * Repeated calls for a world have no effect.
   */
  watch(world: World): void {
    if (this.#watchedWorlds.has(world)) return
    this.#watchedWorlds.add(world)
    const start = () => {
      // Waits for the end of the transaction that wrote the row.
      void Promise.resolve().then(() => this.#start(world))
    }
    this.#kind.watch(world, start)
    start()
  }

  /** Aborts all running exchanges. */
  close(): void {
    this.#shutdown.abort()
    this.#shutdown = new AbortController()
  }

  #start(world: World): void {
    const keysUnderWay = this.#keysUnderWay.get(world) ?? new Set()
    this.#keysUnderWay.set(world, keysUnderWay)
    for (const item of this.#kind.waiting(world)) {
      const key = this.#kind.keyOf(item)
      if (keysUnderWay.has(key)) continue
      keysUnderWay.add(key)
      void this.#perform(world, item).finally(() => keysUnderWay.delete(key))
    }
  }

  async #perform(world: World, item: Item): Promise<void> {
    const { signal } = this.#shutdown
    const storeResult = await this.#kind.perform(world, item, signal)
    if (world.closed || signal.aborted) return
    world.runDueJobs()
    storeResult()
  }
}
