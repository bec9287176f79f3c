import { constant } from '../kernel/shape/kinds.ts'
import { struct } from '../kernel/shape/members.ts'
import type { World } from '../kernel/worlds/world.ts'
import { optionsOf } from './options.ts'
import { storedSettings } from './settings/settings.ts'
import { platformTable } from './table.ts'

/** Defaults of the general settings for the rate limit. */
export const rateLimitDefaults = {
  'api-rate-limit': 30,
  'api-rate-limiting-enabled': true,
} as const

/**
 * Table that contains a row with the key `limit` after a client has set the rate limit or enabled
 * rate limiting. If the row exists, the limit is enforced even without the option
 * `enforceRateLimit`.
 */
export const rateLimitEnforcement = platformTable(
  'rate-limit',
  struct({ enforced: constant(true) }),
  {
    secrets: 'none',
  },
)

const rowKey = 'limit'

/**
 * The effective rate limit, from the general settings and the option `enforceRateLimit`
 * (behaviour/platform#rate-limit and behaviour/platform#differences).
 */
interface RateLimit {
  /** Requests per second. */
  readonly limit: number
  /** Whether requests are counted and replies report the limit to clients. */
  readonly enabled: boolean
  /** Whether requests above the limit are rejected while `enabled` is set. */
  readonly enforced: boolean
}

export function rateLimit(world: World): RateLimit {
  // The function runs for every request, so it does not merge the settings with all defaults.
  const {
    'api-rate-limit': limit = rateLimitDefaults['api-rate-limit'],
    'api-rate-limiting-enabled': enabled = rateLimitDefaults['api-rate-limiting-enabled'],
  } = storedSettings(world, 'general')
  return {
    limit: Number(limit),
    enabled: enabled === true,
    enforced: isRateLimitEnforced(world),
  }
}

/**
 * Returns whether requests above the limit are rejected while rate limiting is enabled. This is the
 * case with the option `enforceRateLimit`, or after a client has set the limit or enabled rate
 * limiting.
 */
export function isRateLimitEnforced(world: World): boolean {
  return optionsOf(world).enforceRateLimit || world.table(rateLimitEnforcement).has(rowKey)
}

/**
 * Records that a client has set the limit or enabled rate limiting, so that the limit is enforced.
 * Must run inside a transaction.
 */
export function enforceRateLimit(world: World): void {
  world.table(rateLimitEnforcement).put(rowKey, { enforced: true })
}
