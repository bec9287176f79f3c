import { Base64Error, decodeBase64 } from '../../go/base64.ts'
import type { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from './messages.ts'
import { type sealKey, sealKind } from './seal.ts'
import { checkShares } from './split-key.ts'

/** Minimum length of a share in bytes: the length of an AES-128 key. */
const minShareLength = 16
const maxShareLength = 33

/**
 * Converts a submitted share to lower-case hex, the form in which shares are stored and compared.
 * Reads hex if the text consists of hex digits and has the length of a share in hex, otherwise
 * standard base64 (behaviour/secrets#shares). Throws an `invalid` refusal for other strings.
 */
export function readKeyShare(text: string): string {
  const { length } = text
  const hasValidLength = length >= 2 * minShareLength && length <= 2 * maxShareLength
  if (hasValidLength && /^(?:[0-9a-fA-F]{2})+$/.test(text)) return text.toLowerCase()
  try {
    return Buffer.from(decodeBase64(text)).toString('hex')
  } catch (error) {
    if (!(error instanceof Base64Error)) throw error
    throw refuse('share-unreadable')
  }
}

/**
 * Converts a submitted share to hex and checks its length (behaviour/secrets#rekey and
 * behaviour/secrets#operation-tokens). Throws an `invalid` refusal for a missing or unreadable
 * share, and for a share that is too short or too long.
 *
 * @param isPrefixed whether messages about the length begin with `invalid key: `
 */
export function readRequiredShare(text: string, isPrefixed = false): string {
  if (text === '') throw refuse('share-missing')
  const share = readKeyShare(text)
  checkShareLength(share, isPrefixed)
  return share
}

/**
 * Throws an `invalid` refusal for a share (hex) that is too short or too long
 * (behaviour/secrets#shares, behaviour/secrets#rekey and behaviour/secrets#operation-tokens).
 *
 * @param isPrefixed whether the message begins with `invalid key: `
 */
export function checkShareLength(share: string, isPrefixed = false): void {
  const length = share.length / 2
  if (length >= minShareLength && length <= maxShareLength) return
  const refusal =
    length < minShareLength
      ? refuse('share-too-short', { shortestShare: minShareLength })
      : refuse('share-too-long', { longestShare: maxShareLength })
  throw isPrefixed ? refuse('invalid-key', { problem: refusal.reason }) : refusal
}

export type ShareStep =
  /** The threshold is not reached. `shares` has all shares submitted so far. */
  | { readonly state: 'more'; readonly shares: readonly string[] }
  /** The shares combine to the right key. */
  | { readonly state: 'right' }
  /**
   * The shares reach the threshold, but combine to another key or, if there is a `combineError`, to
   * no key.
   */
  | { readonly state: 'wrong'; readonly combineError?: string }

type SharedKey = ReturnType<typeof sealKey>

/**
 * Adds a share (hex) to the shares that were submitted before, and checks the shares once they
 * reach the threshold. Stores nothing. Callers check for repeated shares, because each operation
 * has its own message for repeated shares.
 */
export function addShare(before: readonly string[], share: string, key: SharedKey): ShareStep {
  const shares = [...before, share]
  if (shares.length < key.threshold) return { state: 'more', shares }
  const check = checkShares(shares, key)
  if (check === 'right') return { state: 'right' }
  return check === 'wrong'
    ? { state: 'wrong' }
    : { state: 'wrong', combineError: check.combineError }
}

/**
 * Builds the refusal of shares that combine to a wrong key.
 *
 * @param rule rule for shares of the root key; recovery shares of a stored-key seal have their own
 * rule
 */
export function wrongKeyRefusal(
  world: World,
  rule: 'root-key-wrong' | 'stored-keys-wrong',
): Refusal {
  return refuse(sealKind(world) === 'stored' ? 'recovery-key-wrong' : rule)
}
