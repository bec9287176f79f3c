import { createHash } from 'node:crypto'
import type { When } from './fault-shapes.ts'

/** Result of a fault's condition for one request. */
interface Occurrence {
  /** Whether the fault applies to this request. */
  readonly applies: boolean
  /** Whether the fault will never apply again. */
  readonly spent: boolean
}

/**
 * Evaluates the condition of a fault for a matching request.
 *
 * @param matched number of matching requests, including this one
 * @param draw returns a number from 0 up to, but not including, 1
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

/**
 * Returns a number from 0 up to, but not including, 1 that depends only on the name. Runs with
 * equal seeds therefore draw equal numbers.
 */
export function seededRandom(name: string): number {
  return createHash('sha256').update(name).digest().readUIntBE(0, 6) / 2 ** 48
}
