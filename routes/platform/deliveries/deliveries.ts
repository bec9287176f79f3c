import type { World } from '../../../state/kernel/worlds/world.ts'
import { deliveryEnded } from '../../../state/platform/deliveries/delivery-ends.ts'
import {
  type SentRequest,
  waitingRequests,
} from '../../../state/platform/deliveries/sent-requests.ts'
import { outboxNumber } from '../../../state/platform/settings/outbox.ts'
import type { DialectName } from '../../http/declare/dialect.ts'
import { post } from './post.ts'

/**
 * Sender of the notifications and the calls of run tasks that wait in the outboxes of worlds.
 * Receivers do not delay requests.
 */
export class Deliveries {
  readonly #dialect: DialectName
  readonly #watched = new WeakSet<World>()
  readonly #sending = new WeakMap<World, Set<string>>()
  #shutdown = new AbortController()

  constructor(dialect: DialectName) {
    this.#dialect = dialect
  }

  /** Sends what waits in the outbox of a world from now on. Later calls have no effect. */
  watch(world: World): void {
    if (this.#watched.has(world)) return
    this.#watched.add(world)
    // Each recorded request gets a number, so this row changes with the outbox.
    world.store.watchers.watchKey(outboxNumber.id, 'outbox', () => {
      // The transaction that recorded the request may still be open.
      void Promise.resolve().then(() => this.#send(world))
    })
  }

  /** Ends all exchanges that are under way. */
  close(): void {
    this.#shutdown.abort()
    this.#shutdown = new AbortController()
  }

  #send(world: World): void {
    const sending = this.#sending.get(world) ?? new Set()
    this.#sending.set(world, sending)
    for (const request of waitingRequests(world)) {
      if (sending.has(request.id)) continue
      sending.add(request.id)
      void this.#deliver(world, request).finally(() => sending.delete(request.id))
    }
  }

  async #deliver(world: World, request: SentRequest): Promise<void> {
    const { signal } = this.#shutdown
    const response = await post(world, request, this.#dialect, signal)
    if (world.closed || signal.aborted) return
    world.runDueJobs()
    deliveryEnded(world, request, response)
  }
}
