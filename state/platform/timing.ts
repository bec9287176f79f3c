import { MILLISECOND, parseGoDuration } from '../go/duration.ts'
import { type Timing, timings } from '../kernel/time/transitions.ts'
import type { World } from '../kernel/worlds/world.ts'

/** Returns the timing that was set for a kind of transition, if any. */
export function timingOf(world: World, kind: string): Timing | undefined {
  return world.table(timings).get(kind)?.pace
}

/** Returns a Go duration in whole milliseconds. */
export function milliseconds(duration: string): number {
  return Math.ceil(parseGoDuration(duration) / MILLISECOND)
}

/**
 * Returns how many milliseconds a kind of transition waits, or undefined if only a forced transition
 * ends the wait. `duration` is the Go duration of an option, for worlds that set no timing.
 */
export function delayMs(world: World, kind: string, duration: string): number | undefined {
  const timing = timingOf(world, kind)
  if (timing === 'manual') return undefined
  if (timing === 'immediate') return 0
  return milliseconds(timing === undefined ? duration : timing.after)
}
