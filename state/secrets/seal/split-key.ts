import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { message } from './messages.ts'
import { combineShares, ShamirError, splitSecret } from './shamir.ts'

/** A key with its shares, all as hex. Any `threshold` of the shares restore the key. */
export interface SplitKey {
  readonly key: string
  readonly shares: readonly string[]
  readonly threshold: number
}

/**
 * Returns a message if the numbers of shares are out of range (behaviour/secrets#rekey), otherwise
 * undefined.
 */
export function shareNumberProblem(shares: number, threshold: number): Message | undefined {
  if (shares < 1) return message('shares-too-few')
  if (threshold < 1) return message('threshold-too-low')
  if (shares > 1 && threshold === 1) return message('threshold-of-one')
  if (shares > 255) return message('shares-too-many')
  if (threshold > 255) return message('threshold-too-high')
  if (threshold > shares) return message('threshold-above-shares')
  return undefined
}

/**
 * Generates a 32-byte key and its shares from the world's seeded randomness. The numbers must have
 * passed `shareNumberProblem`.
 */
export function splitNewKey(world: World, shares: number, threshold: number): SplitKey {
  const randomBytes = (length: number) => world.ids.bytes(length)
  const key = randomBytes(32)
  const parts = splitSecret(key, shares, threshold, randomBytes)
  return { key: hexOf(key), shares: parts.map(hexOf), threshold }
}

/** Result of checking shares. `combineError` is the reason why the shares combine to no key. */
type ShareCheck = 'right' | 'wrong' | { readonly combineError: string }

/**
 * Returns whether shares (hex) combine to the key, or why they combine to no key. Callers pass
 * exactly as many shares as the threshold.
 */
export function checkShares(
  shares: readonly string[],
  { key, threshold }: Pick<SplitKey, 'key' | 'threshold'>,
): ShareCheck {
  const parts = shares.map((share) => Uint8Array.from(Buffer.from(share, 'hex')))
  try {
    const [first] = parts
    const combined = threshold === 1 && first !== undefined ? first : combineShares(parts)
    return hexOf(combined) === key ? 'right' : 'wrong'
  } catch (error) {
    if (!(error instanceof ShamirError)) throw error
    return { combineError: error.message }
  }
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
