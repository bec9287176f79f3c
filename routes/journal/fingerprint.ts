import { createHmac } from 'node:crypto'

/** Makes what stands for a secret: equal for equal values of one world (behaviour/program#journal). */
export type Fingerprint = (secret: string) => string

/**
 * Returns the fingerprints of a world.
 *
 * @param seed the world's, which `info` names
 */
export function fingerprintOf(seed: string): Fingerprint {
  return (secret) => `fp:${createHmac('sha256', seed).update(secret).digest('hex').slice(0, 12)}`
}
