import { randomBytes } from 'node:crypto'

/**
 * Returns a random seed where no seed was given. This is the only place where the process draws
 * real randomness; everything that a world generates comes from the world's own seeded generator
 * (`ids.ts`).
 */
export function freshSeed(): string {
  return randomBytes(16).toString('hex')
}
