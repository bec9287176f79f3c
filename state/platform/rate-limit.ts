import { constant } from '../kernel/shape/kinds.ts'
import { struct } from '../kernel/shape/members.ts'
import type { World } from '../kernel/worlds/world.ts'
import { optionsOf } from './options.ts'
import { storedSettings } from './settings/settings.ts'
import { platformTable } from './table.ts'

/** Attributes of the general settings for the rate limit, with their defaults. */
export const rateLimitDefaults = {
  'api-rate-limit': 30,
  'api-rate-limiting-enabled': true,
} as const

/**
 * Holds a row under `limit` once a client has set the rate limit. From then on the limit is
 * enforced.
 */
export const rateLimitEnforcement = platformTable(
  'rate-limit',
  struct({ enforced: constant(true) }),
  {
    secrets: 'none',
  },
)

const rowKey = 'limit'

/** The current rate limit (behaviour/platform#rate-limit and behaviour/platform#differences). */
interface RateLimit {
  /** Requests per second. */
  readonly limit: number
  /** Whether replies report the limit to clients. */
  readonly enabled: boolean
  /** Whether requests above the limit are rejected. */
  readonly enforced: boolean
}

/** Returns the rate limit of a world. */
export function rateLimit(world: World): RateLimit {
  // Every request asks, so the settings are not merged with their defaults.
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

/** Returns whether requests above the limit are rejected. */
export function isRateLimitEnforced(world: World): boolean {
  return optionsOf(world).enforceRateLimit || world.table(rateLimitEnforcement).has(rowKey)
}

/** Enforces the limit from now on, because a client has set it. Must run inside a transaction. */
export function enforceRateLimit(world: World): void {
  world.table(rateLimitEnforcement).put(rowKey, { enforced: true })
}
