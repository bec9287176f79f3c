import { Base64Error, decodeBase64 } from '../../go/base64.ts'
import type { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from './messages.ts'
import { type sealKey, sealKind } from './seal.ts'
import { checkShares } from './split-key.ts'

/** Minimum length of a key share in bytes: the length of an AES-128 key. */
const minShareLength = 16
const maxShareLength = 33

/**
 * Parses a key share in the form that callers send: hex if it has the length of a share in hex,
 * otherwise standard base64 (behaviour/secrets#shares). Returns lower-case hex, the form in which
 * shares are stored and compared.
 */
export function readKeyShare(text: string): string {
  const { length } = text
  const fits = length >= 2 * minShareLength && length <= 2 * maxShareLength
  if (fits && /^(?:[0-9a-fA-F]{2})+$/.test(text)) return text.toLowerCase()
  try {
    return Buffer.from(decodeBase64(text)).toString('hex')
  } catch (error) {
    if (!(error instanceof Base64Error)) throw error
    throw refuse('share-unreadable')
  }
}

/**
 * Parses a required share and checks its length (behaviour/secrets#rekey update, and
 * behaviour/secrets#operation-tokens). If `prefixed` is true, messages about the length begin with
 * `invalid key: `.
 */
export function readRequiredShare(text: string, prefixed = false): string {
  if (text === '') throw refuse('share-missing')
  const share = readKeyShare(text)
  checkShareLength(share, prefixed)
  return share
}

/**
 * Refuses a share of invalid length. If `prefixed` is true, the message begins with `invalid key: `
 * (behaviour/secrets#system, behaviour/secrets#rekey and behaviour/secrets#operation-tokens).
 */
export function checkShareLength(share: string, prefixed = false): void {
  const length = share.length / 2
  if (length >= minShareLength && length <= maxShareLength) return
  const fault =
    length < minShareLength
      ? refuse('share-too-short', { shortestShare: minShareLength })
      : refuse('share-too-long', { longestShare: maxShareLength })
  throw prefixed ? refuse('invalid-key', { fault: fault.reason }) : fault
}

/** The result of adding a key share. */
export type ShareStep =
  /** The threshold is not reached; `shares` are the submitted shares. */
  | { readonly state: 'more'; readonly shares: readonly string[] }
  /** The shares yield the right key. */
  | { readonly state: 'right' }
  /**
   * The shares reach the threshold, but yield another key, or no key if there is a `combineError`.
   */
  | { readonly state: 'wrong'; readonly combineError?: string }

/** A key for which shares are checked. */
type SharedKey = ReturnType<typeof sealKey>

/**
 * Adds a share to those that were submitted before. Unsealing, rekeying, verification and the
 * generation of tokens use this function. Shares are hex. Callers check for repeated shares,
 * because each operation has its own message.
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
 * Returns the refusal of shares that combine to a wrong key. `rule` applies to shares of the root
 * key; a stored-key seal has recovery shares, which have a refusal of their own.
 */
export function wrongKey(world: World, rule: 'root-key-wrong' | 'stored-keys-wrong'): Refusal {
  return refuse(sealKind(world) === 'stored' ? 'recovery-key-wrong' : rule)
}
