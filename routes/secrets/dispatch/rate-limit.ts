import { quoteGo } from '../../../state/go/text.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { refuse } from '../messages.ts'

/** Paths without a limit: those that the reference exempts by default. */
const exemptPaths: ReadonlySet<string> = new Set([
  'sys/generate-recovery-token/attempt',
  'sys/generate-recovery-token/update',
  'sys/generate-root/attempt',
  'sys/generate-root/update',
  'sys/health',
  'sys/seal-status',
  'sys/unseal',
])

/** One second of a world's clock, and the number of requests in that second. */
interface RateWindow {
  /** Epoch of the store. A restore starts a new epoch, in which counting starts again. */
  readonly epoch: number
  readonly limit: number
  /** Start of the second, in milliseconds since 1970. */
  readonly from: number
  count: number
}

const windowLength = 1000

/** Function that counts a request of a world to a path below `/v1/`. See `createRateLimit`. */
export type EnforceRateLimit = (world: World, path: string, limit: number) => void

/**
 * Creates a limit of requests per second of a world's clock (behaviour/secrets#rate-limit). As in
 * the reference, the first request starts the second. The counts are kept outside the store,
 * because a request that only reads must not write.
 *
 * @returns a function that counts a request, unless its path is exempt, and throws a refusal with
 *   status 429 if the limit is exceeded
 */
export function createRateLimit(): EnforceRateLimit {
  const windows = new WeakMap<World, RateWindow>()
  return (world, path, limit) => {
    if (exemptPaths.has(path)) return
    const window = windowOf(world, limit, windows.get(world))
    if (window.count >= limit) {
      throw refuse('rate-limit-exceeded', { path: quoteGo(path) })
    }
    window.count += 1
    windows.set(world, window)
  }
}

/**
 * Returns the current window: `last` if it has not ended, otherwise a new window, which starts a
 * whole number of seconds after `last`. The new window starts now if `last` is undefined, if the
 * limit or the epoch has changed, or if the clock was set back.
 */
function windowOf(world: World, limit: number, last: RateWindow | undefined): RateWindow {
  const now = world.clock.now()
  const { epoch } = world.store.feed
  const isInWindow =
    last !== undefined && last.epoch === epoch && last.limit === limit && now >= last.from
  if (!isInWindow) return { epoch, limit, from: now, count: 0 }
  const elapsed = now - last.from
  return elapsed < windowLength ? last : { ...last, from: now - (elapsed % windowLength), count: 0 }
}
