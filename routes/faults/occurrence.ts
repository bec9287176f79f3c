import { createHash } from 'node:crypto'
import type { When } from './fault-shapes.ts'

/** Whether a fault is applied, and whether it can ever be again. */
interface Occurrence {
  readonly applies: boolean
  readonly spent: boolean
}

/**
 * Says whether a fault is applied to a request that fits.
 *
 * @param matched counts the requests that fit, this one included
 * @param draw a number from 0 to 1, the same for the same request of the same world
 */
export function evaluateWhen(
  { skip = 0, first, nth, every, probability }: When,
  matched: number,
  draw: () => number,
): Occurrence {
  const count = matched - skip
  if (count < 1) return { applies: false, spent: false }
  if (first !== undefined) return { applies: count <= first, spent: count >= first }
  if (nth !== undefined) return { applies: count === nth, spent: count >= nth }
  if (every !== undefined) return { applies: count % every === 0, spent: false }
  return { applies: probability === undefined || draw() < probability, spent: false }
}

/** Draws a number from 0 to 1 that a name decides: two runs with one seed draw the same. */
export function seededRandom(name: string): number {
  return createHash('sha256').update(name).digest().readUIntBE(0, 6) / 2 ** 48
}
