import { MILLISECOND, parseGoDuration } from '../go/duration.ts'
import { type Timing, timings } from '../kernel/time/transitions.ts'
import type { World } from '../kernel/worlds/world.ts'

/** Returns the timing of a kind of transition, or undefined if the world has no timing for it. */
export function timingOf(world: World, kind: string): Timing | undefined {
  return world.table(timings).get(kind)?.pace
}

/** Converts a Go duration to milliseconds, rounded up. */
export function milliseconds(duration: string): number {
  return Math.ceil(parseGoDuration(duration) / MILLISECOND)
}

/**
 * Returns the delay in milliseconds before a transition of the given kind. Returns undefined if
 * such a transition happens only when it is forced. `duration` is the Go duration to use if the
 * world has no timing for the kind.
 */
export function delayMs(world: World, kind: string, duration: string): number | undefined {
  const timing = timingOf(world, kind)
  if (timing === 'manual') return undefined
  if (timing === 'immediate') return 0
  return milliseconds(timing === undefined ? duration : timing.after)
}
