import { randomBytes } from 'node:crypto'

/**
 * Returns a random seed, for callers that received no seed. Apart from cryptographic libraries,
 * only this function draws real randomness: the other values of a world come from its own seeded
 * generator (`ids.ts`).
 */
export function freshSeed(): string {
  return randomBytes(16).toString('hex')
}
