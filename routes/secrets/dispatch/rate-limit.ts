import { quoteGo } from '../../../state/go/text.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { refuse } from '../messages.ts'

/** Paths that are never limited: those that the reference leaves out by default. */
const exempt: ReadonlySet<string> = new Set([
  'sys/generate-recovery-token/attempt',
  'sys/generate-recovery-token/update',
  'sys/generate-root/attempt',
  'sys/generate-root/update',
  'sys/health',
  'sys/seal-status',
  'sys/unseal',
])

/** A second in which a world has answered some requests. */
interface Window {
  /** The world's state may have been put back meanwhile: then nothing was answered yet. */
  readonly epoch: number
  readonly limit: number
  /** When it began, in milliseconds since 1970. */
  readonly from: number
  count: number
}

const second = 1000

/** Counts a request of a world, to a path below `/v1/`; see `createRateLimit`. */
export type CountRequest = (world: World, path: string, limit: number) => void

/**
 * Holds worlds to a number of requests in each second of their clock (behaviour/secrets#rate-limit).
 * Seconds begin with a request, as in the reference. The counts are no state:
 * a request that reads would otherwise write.
 *
 * @returns What counts a request against the limit; it throws a refusal with status 429.
 */
export function createRateLimit(): CountRequest {
  const windows = new WeakMap<World, Window>()
  return (world, path, limit) => {
    if (exempt.has(path)) return
    const window = windowOf(world, limit, windows.get(world))
    if (window.count >= limit) {
      throw refuse('rate-limit-exceeded', { path: quoteGo(path) })
    }
    window.count += 1
    windows.set(world, window)
  }
}

/** The last window as long as it lasts, else a new one in step with it. */
function windowOf(world: World, limit: number, last: Window | undefined): Window {
  const now = world.clock.now()
  const { epoch } = world.store.feed
  const isInWindow =
    last !== undefined && last.epoch === epoch && last.limit === limit && now >= last.from
  if (!isInWindow) return { epoch, limit, from: now, count: 0 }
  const elapsed = now - last.from
  return elapsed < second ? last : { ...last, from: now - (elapsed % second), count: 0 }
}
