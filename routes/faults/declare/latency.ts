import { MILLISECOND, parseGoDuration } from '../../../state/go/duration.ts'
import type { Action } from './fault-shapes.ts'
import { seededRandom } from './occurrence.ts'

/** Maximum latency in milliseconds: ten minutes. */
const maxLatency = 600_000

/**
 * Parses a Go duration and returns milliseconds; undefined if the duration is invalid, negative or
 * above `maxLatency`.
 */
export function parseMilliseconds(text: string): number | undefined {
  try {
    const time = parseGoDuration(text) / MILLISECOND
    return time >= 0 && time <= maxLatency ? time : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the delay that a fault adds to a request, in milliseconds; 0 if its action has no
 * latency.
 * @param name seed for random latencies; equal names give equal latencies
 */
export function latencyOf({ latency }: Action, name: string): number {
  if (latency === undefined) return 0
  if (typeof latency === 'string') return parseMilliseconds(latency) ?? 0
  const [from = 0, to = 0] = ('uniform' in latency ? latency.uniform : latency.normal).map(
    (text) => parseMilliseconds(text) ?? 0,
  )
  if ('uniform' in latency) return from + seededRandom(`${name}/latency`) * (to - from)
  // The Box-Muller transform turns two uniformly distributed numbers into a normally distributed
  // one.
  const radius = Math.sqrt(-2 * Math.log(1 - seededRandom(`${name}/radius`)))
  const angle = 2 * Math.PI * seededRandom(`${name}/angle`)
  return Math.min(maxLatency, Math.max(0, from + to * radius * Math.cos(angle)))
}
