import { least } from '../../kernel/lists.ts'
import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { defaultLeaseTtl, maxLeaseTtl, mountOf, systemLeaseTtl } from '../mounts/mounts.ts'
import { rootNamespace } from '../namespaces/namespaces.ts'
import { message } from './messages.ts'

/** The TTL limits of a path, in seconds. */
interface TtlLimits {
  readonly default: number
  readonly max: number
}

/**
 * Returns the lease TTLs of the mount at a path of a namespace. If there is no mount, returns the
 * system's TTLs.
 */
export function limitsAt(world: World, namespaceId: string, path: string): TtlLimits {
  const mount = mountOf(world, { ...rootNamespace, id: namespaceId }, path)
  if (mount === undefined) return { default: systemLeaseTtl, max: systemLeaseTtl }
  // A tuned TTL may be zero or negative. The system's TTL applies in this case.
  const positive = (ttl: number) => (ttl > 0 ? ttl : systemLeaseTtl)
  return { default: positive(defaultLeaseTtl(mount)), max: positive(maxLeaseTtl(mount)) }
}

/** The TTLs that are requested for a token or lease, in seconds; 0 means unset. */
interface TtlRequest {
  /** TTL that the caller of a renewal requests. */
  readonly increment?: number
  /** TTL requested at the creation, or granted last. */
  readonly ttl?: number
  /** Period. Renewals grant exactly this time, without a limit. */
  readonly period?: number
  /** Maximum that applies if it is lower than the mount's. */
  readonly maxTtl?: number
  /** Maximum that also limits periods. */
  readonly explicitMaxTtl?: number
  /** Time of issue in milliseconds since 1970. */
  readonly issued: number
}

/** The granted TTLs in seconds, and warnings about limits that shortened them. */
interface GrantedTtl {
  readonly ttl: number
  readonly warnings: readonly Message[]
}

/**
 * Returns the remaining lifetime of a token or lease from now on (behaviour/secrets#tokens:
 * increment, TTL, period, explicit maximum, mount's maximum). The maximum counts from the time of
 * issue; a period restarts at each renewal and only an explicit maximum ends it.
 */
export function grantTtl(limits: TtlLimits, request: TtlRequest, now: number): GrantedTtl {
  const { increment = 0, ttl = 0, period = 0, maxTtl = 0, explicitMaxTtl = 0 } = request
  const maxima = [limits.max, maxTtl, explicitMaxTtl].filter((maximum) => maximum > 0)
  const max = least(maxima)
  const age = seconds(now) - seconds(request.issued)
  const warnings: Message[] = []
  if (period > max) {
    warnings.push(message('period-capped', { period: duration(period), max: duration(max) }))
  }
  const wanted =
    period > 0 ? Math.min(period, max) : (increment > 0 ? increment : ttl) || limits.default
  const maxLifetime = period > 0 ? explicitMaxTtl || Number.POSITIVE_INFINITY : max
  const remaining = Math.max(0, maxLifetime - age)
  if (wanted <= remaining) return { ttl: wanted, warnings }
  warnings.push(message('ttl-capped', { ttl: duration(wanted), max: duration(remaining) }))
  return { ttl: remaining, warnings }
}

/**
 * Truncates an instant to whole seconds, so that a renewal within the second of the creation does
 * not shorten the TTL.
 */
function seconds(instant: number): number {
  return Math.floor(instant / 1000)
}

/**
 * Formats seconds for warnings as Go does, but without the parts that are zero
 * (behaviour/secrets#notation).
 */
function duration(seconds: number): string {
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ]
  const nonzero = parts.filter(([count]) => count !== 0).map(([count, unit]) => `${count}${unit}`)
  return nonzero.join('') || '0s'
}

/**
 * Returns the number of seconds until an instant. As in lookups, `now` is rounded to the nearest
 * second.
 */
export function secondsUntil(expireTime: number, now: number): number {
  return Math.max(0, Math.trunc((expireTime - Math.round(now / 1000) * 1000) / 1000))
}
