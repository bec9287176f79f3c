import type { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { checkShareLength, readKeyShare } from './key-share.ts'
import { refuse } from './messages.ts'
import {
  clusterId,
  isInitialized,
  isSealed,
  open,
  sealKey,
  sealKind,
  storeUnsealProgress,
  unsealKeys,
  unsealUnderWay,
} from './seal.ts'
import { addShare, wrongKey } from './share-collection.ts'

/** When the version that is played by default was built. */
export const buildDate = '2023-06-19T11:40:23Z'

/** The name of a seal that stores its key: there is a service somewhere that keeps the key. */
export const storedSealType = 'transit'

/** The answer of `sys/seal-status` and `sys/unseal` (behaviour/secrets#system). */
export interface SealStatus {
  /** Of a stored-key seal that is initialised, the type of its recovery shares. */
  readonly type: 'shamir' | typeof storedSealType
  readonly initialized: boolean
  readonly sealed: boolean
  readonly t: number
  readonly n: number
  readonly progress: number
  readonly nonce: string
  readonly version: string
  readonly build_date: string
  readonly migration: boolean
  /** The cluster's name and id only while unsealed. */
  readonly cluster_name?: string
  readonly cluster_id?: string
  readonly recovery_seal: boolean
  readonly storage_type: 'inmem_ha'
}

/** The seal as it is now. */
export function sealStatus(world: World): SealStatus {
  const { version, clusterName } = optionsOf(world)
  const { keys, threshold } = unsealKeys(world)
  const { nonce, shares } = unsealUnderWay(world)
  const sealed = isSealed(world)
  const initialized = isInitialized(world)
  const stored = sealKind(world) === 'stored'
  const id = clusterId(world)
  return {
    type: stored && !initialized ? storedSealType : 'shamir',
    initialized,
    sealed,
    t: threshold,
    n: keys.length,
    progress: shares.length,
    nonce,
    version,
    build_date: buildDate,
    migration: false,
    ...(sealed || id === undefined ? {} : { cluster_name: clusterName, cluster_id: id }),
    recovery_seal: stored,
    storage_type: 'inmem_ha',
  }
}

/**
 * Takes a key share. Opens the world when it is the last one needed; an open world, and a share that
 * was handed in before, change nothing (behaviour/secrets#seal). A
 * stored-key seal is opened by recovery shares, since whatever stores its key is always there.
 *
 * @returns undefined, or why shares that reach the threshold do not open the world. Those are
 *   dropped, which throwing the refusal in the transaction would undo.
 * @throws Refusal `invalid` for text that is no share.
 */
export function submitUnsealKey(world: World, text: string): Refusal | undefined {
  if (text === '') {
    throw refuse('share-or-reset-missing')
  }
  const share = readKeyShare(text)
  if (!isInitialized(world)) throw refuse('not-initialized')
  checkShareLength(share, true)
  const progress = unsealUnderWay(world)
  if (!isSealed(world) || progress.shares.includes(share)) return undefined
  const step = addShare(progress.shares, share, sealKey(world))
  return world.write(() => {
    if (step.state === 'more') {
      const nonce = progress.nonce || world.ids.uuid()
      storeUnsealProgress(world, { nonce, shares: step.shares })
      return undefined
    }
    storeUnsealProgress(world, undefined)
    if (step.state === 'right') {
      open(world)
      return undefined
    }
    return step.combineError === undefined
      ? wrongKey(world, 'stored-keys-wrong')
      : refuse('shares-do-not-combine', { combine: step.combineError })
  })
}

/** Drops the shares handed in so far. Refuses with `invalid` when there is nothing to unseal. */
export function resetUnseal(world: World): void {
  if (!isSealed(world)) throw refuse('already-unsealed')
  storeUnsealProgress(world, undefined)
}
