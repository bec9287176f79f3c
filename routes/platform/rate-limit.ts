import type { World } from '../../state/kernel/worlds/world.ts'
import { rateLimit } from '../../state/platform/rate-limit.ts'

/** Time window in which the requests of one client are counted. */
interface Window {
  /** Start of the window by the world's clock, in milliseconds since 1970. */
  readonly start: number
  /**
   * Epoch of the world's state. A reset or a restore starts a new epoch, and with it a new window.
   */
  readonly epoch: number
  count: number
}

/** Result of counting a request against the rate limit. */
export interface RateLimitResult {
  readonly headers: Readonly<Record<string, string>>
  /** Whether the request exceeds the limit and must be rejected. */
  readonly isExceeded: boolean
}

const windowMilliseconds = 1_000

/**
 * Maximum number of windows of a world. When a world reaches this number, all its windows are
 * discarded.
 */
const maxWindows = 1_000

/**
 * Request counter per client, in windows of one second of the world's clock
 * (behaviour/platform#rate-limit). Counts are not part of the state: a world that is reset or
 * restored starts from zero.
 */
export class RateLimiter {
  readonly #windows = new WeakMap<World, Map<string, Window>>()

  /**
   * Counts a request, unless the limit is disabled. Returns the headers for the response, and
   * whether the request exceeds the limit.
   *
   * @param client id of the user or, without a valid token, the IP address
   */
  count(world: World, client: string): RateLimitResult {
    const { limit, enabled, enforced } = rateLimit(world)
    if (!enabled) return { headers: {}, isExceeded: false }
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
      isExceeded: enforced && window.count > limit,
    }
  }

  #currentWindow(world: World, client: string, now: number): Window {
    const windows = this.#windows.get(world) ?? new Map<string, Window>()
    this.#windows.set(world, windows)
    const current = windows.get(client)
    const { epoch } = world.store.feed
    // A clock that was set back also begins a new window.
    const isSameWindow =
      current?.epoch === epoch && now >= current.start && now < current.start + windowMilliseconds
    if (isSameWindow) return current
    if (windows.size >= maxWindows) windows.clear()
    const next = { start: now, epoch, count: 0 }
    windows.set(client, next)
    return next
  }
}
