import { randomBytes } from 'node:crypto'

/**
 * Returns a random seed for a world that was made without one. This is the only place where the
 * process draws real randomness; everything a world generates comes from its own seeded generator
 * (`ids.ts`).
 */
export function freshSeed(): string {
  return randomBytes(16).toString('hex')
}
