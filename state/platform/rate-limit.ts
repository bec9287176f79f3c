import { constant } from '../kernel/shape/kinds.ts'
import { struct } from '../kernel/shape/members.ts'
import { defineTable } from '../kernel/store/table.ts'
import type { World } from '../kernel/worlds/world.ts'
import { optionsOf } from './options.ts'
import { settingsWithDefaults } from './settings/settings.ts'

/** The attributes of the general settings that are about the limit, with their defaults. */
export const rateLimitDefaults = {
  'api-rate-limit': 30,
  'api-rate-limiting-enabled': true,
} as const

/** Says under `limit` that a client has set the limit itself: from then on it is enforced. */
export const rateLimitEnforcement = defineTable({
  service: 'platform',
  name: 'rate-limit',
  shape: struct({ enforced: constant(true) }),
})

const rowKey = 'limit'

/** The limit as it holds now (behaviour/platform#rate-limit and behaviour/platform#differences). */
interface RateLimit {
  /** Requests a second. */
  readonly limit: number
  /** True when clients are told of it. */
  readonly enabled: boolean
  /** True when requests above it are refused. */
  readonly enforced: boolean
}

/** The limit of a world. */
export function rateLimit(world: World): RateLimit {
  const settings = settingsWithDefaults<Record<keyof typeof rateLimitDefaults, number | boolean>>(
    world,
    'general',
    rateLimitDefaults,
  )
  return {
    limit: Number(settings['api-rate-limit']),
    enabled: settings['api-rate-limiting-enabled'] === true,
    enforced: optionsOf(world).enforceRateLimit || world.table(rateLimitEnforcement).has(rowKey),
  }
}

/** From now on the limit is enforced: a client set it itself. Part of a transaction. */
export function enforceRateLimit(world: World): void {
  world.table(rateLimitEnforcement).put(rowKey, { enforced: true })
}
