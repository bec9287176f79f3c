import type { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from './messages.ts'
import { type sealKey, sealKind } from './seal.ts'
import { checkShares } from './split-key.ts'

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
 * Returns the refusal of a wrong key with the reference's message; shares of a root key have the
 * operation's prefix.
 */
export function wrongKey(world: World, rule: 'root-key-wrong' | 'stored-keys-wrong'): Refusal {
  return refuse(sealKind(world) === 'stored' ? 'recovery-key-wrong' : rule)
}
