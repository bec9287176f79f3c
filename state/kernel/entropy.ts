import { randomBytes } from 'node:crypto'

/**
 * Fresh seed for a world that was given none. The only place where the process draws real
 * randomness; everything a world makes up comes from its own seeded generator (`ids.ts`).
 */
export function freshSeed(): string {
  return randomBytes(16).toString('hex')
}
