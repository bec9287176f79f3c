import { MILLISECOND, parseGoDuration } from '../../state/go/duration.ts'
import type { Action } from './fault-shapes.ts'
import { drawn } from './occurrence.ts'

/** Longer waits help nobody: ten minutes, in milliseconds. */
const longest = 600_000

/** Reads a duration in milliseconds; undefined for what is none, or too long. */
export function milliseconds(text: string): number | undefined {
  try {
    const time = parseGoDuration(text) / MILLISECOND
    return time >= 0 && time <= longest ? time : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns how long a fault makes a request wait, in milliseconds.
 *
 * @param name decides what is drawn
 */
export function latencyOf({ latency }: Action, name: string): number {
  if (latency === undefined) return 0
  if (typeof latency === 'string') return milliseconds(latency) ?? 0
  const [from = 0, to = 0] = ('uniform' in latency ? latency.uniform : latency.normal).map(
    (text) => milliseconds(text) ?? 0,
  )
  if ('uniform' in latency) return from + drawn(`${name}/latency`) * (to - from)
  // Box and Muller's way from two even draws to a normal one.
  const radius = Math.sqrt(-2 * Math.log(1 - drawn(`${name}/radius`)))
  const angle = 2 * Math.PI * drawn(`${name}/angle`)
  return Math.min(longest, Math.max(0, from + to * radius * Math.cos(angle)))
}
