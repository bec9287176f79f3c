import { Base64Error, decodeBase64 } from '../../go/base64.ts'
import type { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from './messages.ts'
import { type sealKey, sealKind } from './seal.ts'
import { checkShares } from './split-key.ts'

/**
 * Minimum and maximum length of a key share in bytes: an AES-128 key; an AES-256 key and its x
 * byte.
 */
const minShareLength = 16
const maxShareLength = 33

/**
 * Parses a key share as callers send it: hex if its length is that of a share, otherwise standard
 * base64 (behaviour/secrets#shares). Returns lower-case hex, the form in which shares are stored
 * and compared.
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
 * behaviour/secrets#operation-tokens). `prefixed` puts `invalid key: ` before messages about the
 * length.
 */
export function readRequiredShare(text: string, prefixed = false): string {
  if (text === '') throw refuse('share-missing')
  const share = readKeyShare(text)
  checkShareLength(share, prefixed)
  return share
}

/**
 * Refuses a share of invalid length; `prefixed` puts `invalid key: ` before the message
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
  /** The threshold is not reached; these are the shares so far. */
  | { readonly state: 'more'; readonly shares: readonly string[] }
  /** The shares yield the right key. */
  | { readonly state: 'right' }
  /** The shares reach the threshold but yield another key or, with `combineError`, none. */
  | { readonly state: 'wrong'; readonly combineError?: string }

/** A key that shares are checked against. */
type SharedKey = ReturnType<typeof sealKey>

/**
 * Adds a share to those submitted before, for unsealing, rekeying, verifying and generating an
 * operation token alike. Shares are hex. The caller checks for repeated shares, since each
 * operation has its own message.
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
 * Returns the refusal of shares that yield a wrong key: that of `rule` for shares of a root key,
 * and another one for recovery shares.
 */
export function wrongKey(world: World, rule: 'root-key-wrong' | 'stored-keys-wrong'): Refusal {
  return refuse(sealKind(world) === 'stored' ? 'recovery-key-wrong' : rule)
}
