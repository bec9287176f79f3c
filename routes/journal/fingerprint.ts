import { createHmac } from 'node:crypto'

/**
 * Function that returns the placeholder of a secret. Equal values have equal fingerprints within a
 * world (behaviour/program#journal).
 */
export type Fingerprint = (secret: string) => string

/**
 * Returns the fingerprint function of a world.
 *
 * @param seed seed of the world, which `info` shows
 */
export function fingerprintOf(seed: string): Fingerprint {
  return (secret) => `fp:${createHmac('sha256', seed).update(secret).digest('hex').slice(0, 12)}`
}

/** Returns true for a text in the form that `fingerprintOf` produces: `fp:` and 12 hex digits. */
export function isFingerprint(text: string): boolean {
  return /^fp:[0-9a-f]{12}$/.test(text)
}
