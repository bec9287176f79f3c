import type { World } from '../../state/kernel/worlds/world.ts'
import { rateLimit } from '../../state/platform/rate-limit.ts'

/** A window of one client. */
interface Window {
  /** When it began, in milliseconds since 1970 by the world's clock. */
  readonly start: number
  /** The world's state may have been put back meanwhile: then nothing was asked yet. */
  readonly epoch: number
  count: number
}

/** The facts of the rate limit that a request is told. */
export interface RateLimitResult {
  readonly headers: Readonly<Record<string, string>>
  /** True when it is one too many and has to be refused. */
  readonly exceeded: boolean
}

const windowMilliseconds = 1_000

/** Windows that are kept before old ones are thrown away. */
const maxWindows = 1_000

/**
 * Counts requests of each client in windows of a second of the world's clock (behaviour/platform#rate-limit).
 * Counts are no state: a world that is reset or restored starts anew.
 */
export class RateLimiter {
  readonly #windows = new WeakMap<World, Map<string, Window>>()

  /** Counts one request of a client: a user's id, or an address. */
  count(world: World, client: string): RateLimitResult {
    const { limit, enabled, enforced } = rateLimit(world)
    if (!enabled) return { headers: {}, exceeded: false }
    const now = world.clock.now()
    const window = this.#currentWindow(world, client, now)
    window.count += 1
    const reset = (window.start + windowMilliseconds - now) / 1000
    return {
      headers: {
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': String(Math.max(0, limit - window.count)),
        'x-ratelimit-reset': reset.toFixed(3),
      },
      exceeded: enforced && window.count > limit,
    }
  }

  #currentWindow(world: World, client: string, now: number): Window {
    const windows = this.#windows.get(world) ?? new Map<string, Window>()
    this.#windows.set(world, windows)
    const current = windows.get(client)
    const { epoch } = world.store.feed
    // A clock that was set back begins a new window too.
    const isSameWindow =
      current?.epoch === epoch && now >= current.start && now < current.start + windowMilliseconds
    if (isSameWindow) return current
    if (windows.size >= maxWindows) windows.clear()
    const next = { start: now, epoch, count: 0 }
    windows.set(client, next)
    return next
  }
}
