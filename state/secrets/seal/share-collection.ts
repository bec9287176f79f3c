import type { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from './messages.ts'
import { type sealKey, sealKind } from './seal.ts'
import { checkShares } from './split-key.ts'

/** The state to which one more key share leads. */
export type ShareStep =
  /** The threshold is not reached; these are the shares so far. */
  | { readonly state: 'more'; readonly shares: readonly string[] }
  /** The shares give the key. */
  | { readonly state: 'right' }
  /** The shares that reach the threshold give another key or, as `combine` says why, none. */
  | { readonly state: 'wrong'; readonly combineError?: string }

/** A key that shares are checked against. */
type SharedKey = ReturnType<typeof sealKey>

/**
 * Adds a share to those handed in before: the one way in which unsealing, rekeying, verifying and
 * generating an operation token collect them. Shares as hex; whether one was handed in before is the
 * caller's to look at, since each words it differently.
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

/** A wrong key in the words of the reference: shares of a root key have the operation's before them. */
export function wrongKey(world: World, rule: 'root-key-wrong' | 'stored-keys-wrong'): Refusal {
  return refuse(sealKind(world) === 'stored' ? 'recovery-key-wrong' : rule)
}
