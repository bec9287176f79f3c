import { MILLISECOND, parseGoDuration } from '../go/duration.ts'
import { timings } from '../kernel/time/transitions.ts'
import type { World } from '../kernel/worlds/world.ts'

/**
 * Returns how many milliseconds a kind of transition waits, or undefined if only a forced transition
 * ends the wait. `duration` is the Go duration of an option, for worlds that set no timing.
 */
export function delayMs(world: World, kind: string, duration: string): number | undefined {
  const timing = world.table(timings).get(kind)?.pace
  if (timing === 'manual') return undefined
  if (timing === 'immediate') return 0
  return Math.ceil(parseGoDuration(timing === undefined ? duration : timing.after) / MILLISECOND)
}
