import { formatGoDuration, SECOND } from '../../go/duration.ts'
import type { Message } from '../../kernel/message.ts'
import { formatTimestamp, parseTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { defaultLeaseTtl, type Mount, maxLeaseTtl } from '../mounts/mounts.ts'
import { message, refuse } from './messages.ts'

/** Milliseconds in one hour. */
export const hour = 60 * 60 * 1000

/**
 * Rounds an instant down to a whole second, because times in certificates and CRLs have no
 * fractions of a second.
 */
export function wholeSeconds(instant: number): number {
  return Math.floor(instant / 1000) * 1000
}

/** Lifetime that a request or a role asks for. Durations are in seconds; 0 means not given. */
export interface RequestedLifetime {
  readonly ttl: number
  /** RFC 3339 timestamp that a role or request may set instead of `ttl`; empty if not given. */
  readonly not_after: string
  /** Number of seconds by which the validity begins before the current time. */
  readonly not_before_duration: number
}

/** Durations of a role in seconds; 0 means that the duration of the mount applies. */
interface RoleLimits {
  readonly ttl: number
  readonly max_ttl: number
}

/** Validity of a certificate, in milliseconds since 1970, with warnings about shortened times. */
export interface Lifetime {
  readonly notBefore: number
  readonly notAfter: number
  readonly warnings: readonly Message[]
}

const noLimits: RoleLimits = { ttl: 0, max_ttl: 0 }

/**
 * Returns the validity of a new certificate (behaviour/secrets#pki-lifetime). Throws an `invalid`
 * refusal if the request has both `ttl` and `not_after`, or if the end is malformed or before the
 * beginning.
 */
export function certificateLifetime(
  world: World,
  mount: Mount,
  requested: RequestedLifetime,
  limits: RoleLimits = noLimits,
): Lifetime {
  if (requested.ttl > 0 && requested.not_after !== '') throw refuse('pki-ttl-and-not-after')
  const now = wholeSeconds(world.clock.now())
  const notBefore = now - requested.not_before_duration * 1000
  if (requested.not_after !== '') {
    const notAfter = parseTimestamp(requested.not_after)
    if (notAfter === undefined) {
      throw refuse('pki-not-after-invalid', { value: requested.not_after })
    }
    checkOrder(notBefore, notAfter)
    return { notBefore, notAfter: wholeSeconds(notAfter), warnings: [] }
  }
  const most = limits.max_ttl || maxLeaseTtl(mount)
  const ttl = requested.ttl || limits.ttl || defaultLeaseTtl(mount)
  const notAfter = now + Math.min(ttl, most) * 1000
  checkOrder(notBefore, notAfter)
  return { notBefore, notAfter, warnings: ttl > most ? [cappedWarning(ttl, most)] : [] }
}

function checkOrder(notBefore: number, notAfter: number): void {
  if (notBefore <= notAfter) return
  const [before, after] = [formatTimestamp(notBefore), formatTimestamp(notAfter)]
  throw refuse('pki-times-reversed', { before, after })
}

function cappedWarning(ttl: number, most: number): Message {
  const text = (seconds: number) => formatGoDuration(seconds * SECOND)
  return message('pki-ttl-capped', { ttl: text(ttl), most: text(most) })
}
