import { least } from '../../kernel/lists.ts'
import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { defaultLeaseTtl, maxLeaseTtl, mountOf, systemLeaseTtl } from '../mounts/mounts.ts'
import { rootNamespace } from '../namespaces/namespaces.ts'
import { message } from './messages.ts'

/** TTL limits of a mount in seconds. */
interface TtlLimits {
  readonly default: number
  readonly max: number
}

/**
 * Returns the TTL limits of the mount at a path of a namespace. Returns the system's limits for a
 * path without a mount.
 */
export function limitsAt(world: World, namespaceId: string, path: string): TtlLimits {
  const mount = mountOf(world, { ...rootNamespace, id: namespaceId }, path)
  if (mount === undefined) return { default: systemLeaseTtl, max: systemLeaseTtl }
  // A tuned TTL of zero or less stands for the system's TTL.
  const ttlOrSystemTtl = (ttl: number) => (ttl > 0 ? ttl : systemLeaseTtl)
  return {
    default: ttlOrSystemTtl(defaultLeaseTtl(mount)),
    max: ttlOrSystemTtl(maxLeaseTtl(mount)),
  }
}

/** The TTLs that a token or lease requests, in seconds; 0 means unset. */
interface TtlRequest {
  /** TTL in the request for a renewal. */
  readonly increment?: number
  /** TTL in the request for the token or lease, or the TTL that was granted last. */
  readonly ttl?: number
  /**
   * TTL that each renewal grants again. With a period, only `explicitMaxTtl` limits the total
   * lifetime.
   */
  readonly period?: number
  /** Maximum that applies in addition to the mount's maximum. */
  readonly maxTtl?: number
  /** Maximum of the total lifetime, even with a period. */
  readonly explicitMaxTtl?: number
  /** Time of issue in milliseconds since 1970. */
  readonly issued: number
}

interface GrantedTtl {
  readonly ttl: number
  readonly warnings: readonly Message[]
}

/**
 * Returns the TTL, counted from `now`, that a token or lease gets, and warnings about limits that
 * shorten the TTL (behaviour/secrets#tokens). An increment takes precedence over the TTL, and the
 * TTL over the mount's default. Maxima count from the time of issue. A period starts again at each
 * renewal, so only the explicit maximum ends a periodic token.
 * @param now milliseconds since 1970
 */
export function grantTtl(limits: TtlLimits, request: TtlRequest, now: number): GrantedTtl {
  const { increment = 0, ttl = 0, period = 0, maxTtl = 0, explicitMaxTtl = 0 } = request
  const maxima = [limits.max, maxTtl, explicitMaxTtl].filter((maximum) => maximum > 0)
  const max = least(maxima)
  const age = toWholeSeconds(now) - toWholeSeconds(request.issued)
  const warnings: Message[] = []
  if (period > max) {
    warnings.push(
      message('period-capped', { period: formatDuration(period), max: formatDuration(max) }),
    )
  }
  const requestedTtl =
    period > 0 ? Math.min(period, max) : (increment > 0 ? increment : ttl) || limits.default
  const maxLifetime = period > 0 ? explicitMaxTtl || Number.POSITIVE_INFINITY : max
  const remainingTtl = Math.max(0, maxLifetime - age)
  if (requestedTtl <= remainingTtl) return { ttl: requestedTtl, warnings }
  warnings.push(
    message('ttl-capped', { ttl: formatDuration(requestedTtl), max: formatDuration(remainingTtl) }),
  )
  return { ttl: remainingTtl, warnings }
}

/**
 * Truncates milliseconds to seconds, so that a renewal in the same second as the creation does not
 * shorten the TTL.
 */
function toWholeSeconds(instant: number): number {
  return Math.floor(instant / 1000)
}

/** Formats seconds as Go formats durations, but without the parts that are zero. */
function formatDuration(seconds: number): string {
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ]
  const nonzeroParts = parts
    .filter(([count]) => count !== 0)
    .map(([count, unit]) => `${count}${unit}`)
  return nonzeroParts.join('') || '0s'
}

/**
 * Returns the seconds until an instant, or 0 after the instant. Rounds `now` to the nearest second,
 * as lookups of the reference do.
 */
export function secondsUntil(expireTime: number, now: number): number {
  return Math.max(0, Math.trunc((expireTime - Math.round(now / 1000) * 1000) / 1000))
}
