import { requiredText } from '../../fields/field-kinds.ts'
import type { PgpKey } from './pgp.ts'

/** Key shares in replies: in hex and in base64. */
export interface DeliveredShares {
  readonly keys: readonly string[]
  readonly keys_base64: readonly string[]
}

/**
 * Returns key shares in the form of replies: plain or, with PGP keys, as messages that contain
 * their hex text, in the order of the keys (behaviour/secrets#shares).
 *
 * @param shares lower-case hex.
 */
export async function deliverShares(
  shares: readonly string[],
  keys: readonly PgpKey[],
): Promise<DeliveredShares> {
  const deliveredShares = await Promise.all(
    shares.map(async (share, at) => {
      const key = keys[at]
      return Buffer.from(key === undefined ? Buffer.from(share, 'hex') : await key.encrypt(share))
    }),
  )
  return {
    keys: deliveredShares.map((bytes) => bytes.toString('hex')),
    keys_base64: deliveredShares.map((bytes) => bytes.toString('base64')),
  }
}

/**
 * Names of these fields in error texts of operations whose struct in the reference has its own
 * names.
 */
export const upperCaseNames = { key: 'Key', nonce: 'Nonce' } as const

/** Returns the fields of a call that submits one key share for an attempt with a nonce. */
export function shareFields(share: string, attempt: string) {
  const field = (description: string) => requiredText(description)
  return {
    key: field(`${share} in hex or base64`),
    nonce: field(`The nonce of the ${attempt}`),
  } as const
}
