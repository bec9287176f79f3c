import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { defaultLeaseTtl, maxLeaseTtl, mountOf, systemLeaseTtl } from '../mounts/mounts.ts'
import { rootNamespace } from '../namespaces/namespaces.ts'
import { message } from './messages.ts'

/** The TTLs that hold at a path, in seconds. */
interface TtlLimits {
  readonly default: number
  readonly max: number
}

/** The lease TTLs of the mount that a path of a namespace belongs to; the system's without one. */
export function limitsAt(world: World, namespaceId: string, path: string): TtlLimits {
  const mount = mountOf(world, { ...rootNamespace, id: namespaceId }, path)
  if (mount === undefined) return { default: systemLeaseTtl, max: systemLeaseTtl }
  // What a mount was tuned to may be no time at all; then the system's holds.
  const positive = (ttl: number) => (ttl > 0 ? ttl : systemLeaseTtl)
  const max = positive(maxLeaseTtl(mount))
  return { default: Math.min(positive(defaultLeaseTtl(mount)), max), max }
}

/** The times that a token or lease asks for. Seconds; 0 stands for nothing asked. */
interface TtlRequest {
  /** Asked for by the caller of a renewal. */
  readonly increment?: number
  /** Asked for at creation, or granted last. */
  readonly ttl?: number
  /** Renewals grant exactly this and never end. */
  readonly period?: number
  /** Lower maximum than the mount's. */
  readonly maxTtl?: number
  /** Maximum that holds for periods too. */
  readonly explicitMaxTtl?: number
  /** When the thing was issued, in milliseconds. */
  readonly issued: number
}

/** The times that are granted, in seconds, and remarks about what was cut. */
interface GrantedTtl {
  readonly ttl: number
  readonly warnings: readonly Message[]
}

/**
 * Returns how long a token or lease lives from now (behaviour/secrets#tokens: increment,
 * TTL, period, explicit maximum, mount's maximum). The maximum counts from the time of issue; a
 * period restarts at each renewal and only an explicit maximum ends it.
 */
export function grantTtl(limits: TtlLimits, request: TtlRequest, now: number): GrantedTtl {
  const { increment = 0, ttl = 0, period = 0, maxTtl = 0, explicitMaxTtl = 0 } = request
  const maxima = [limits.max, maxTtl, explicitMaxTtl].filter((maximum) => maximum > 0)
  const max = Math.min(...maxima)
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

/** Both ends of a time count in whole seconds: a renewal in the second of creation takes none off. */
function seconds(instant: number): number {
  return Math.floor(instant / 1000)
}

/** Seconds as remarks tell them: in Go's form without the parts that are zero (behaviour/secrets#notation). */
function duration(seconds: number): string {
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ]
  const told = parts.filter(([count]) => count !== 0).map(([count, unit]) => `${count}${unit}`)
  return told.join('') || '0s'
}

/** Whole seconds that are left until an instant, counted from the nearest second as lookups do. */
export function secondsUntil(expireTime: number, now: number): number {
  return Math.max(0, Math.trunc((expireTime - Math.round(now / 1000) * 1000) / 1000))
}
