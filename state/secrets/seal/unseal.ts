import type { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { isDevelopmentServer, optionsOf } from '../options.ts'
import { refuse } from './messages.ts'
import {
  clusterId,
  currentUnsealProgress,
  isInitialized,
  isSealed,
  sealKey,
  sealKind,
  storeUnsealProgress,
  unseal,
  unsealKeys,
} from './seal.ts'
import { addShare, checkShareLength, readKeyShare, wrongKeyRefusal } from './share-collection.ts'

/** Build date of the product version that the mock reports by default. */
export const buildDate = '2023-06-19T11:40:23Z'

/** Type that a stored-key seal reports before the initialization. */
export const storedSealType = 'transit'

/** Data of `sys/seal-status` and `sys/unseal` (behaviour/secrets#seal). */
export interface SealStatus {
  /** Type of the seal; for an initialized stored-key seal, the type of its recovery shares. */
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
  /** Undefined while sealed, like `cluster_id`. */
  readonly cluster_name?: string
  readonly cluster_id?: string
  readonly recovery_seal: boolean
  readonly storage_type: 'inmem' | 'inmem_ha'
}

export function sealStatus(world: World): SealStatus {
  const { version, clusterName } = optionsOf(world)
  const { keys, threshold } = unsealKeys(world)
  const { nonce, shares } = currentUnsealProgress(world)
  const sealed = isSealed(world)
  const initialized = isInitialized(world)
  const isStored = sealKind(world) === 'stored'
  const id = clusterId(world)
  return {
    type: isStored && !initialized ? storedSealType : 'shamir',
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
    recovery_seal: isStored,
    storage_type: isDevelopmentServer(world) ? 'inmem' : 'inmem_ha',
  }
}

/**
 * Accepts a key share; the share that reaches the threshold unseals the world. Does nothing if the
 * world is unsealed or the share was submitted before (behaviour/secrets#seal). A stored-key seal
 * accepts recovery shares, because its key store is always available.
 *
 * @returns undefined, or the refusal of shares that reach the threshold but do not unseal. Throwing
 *   this refusal would roll back the removal of those shares.
 * @throws Refusal `invalid` for text that is not a share, and before the initialization
 */
export function submitUnsealKey(world: World, text: string): Refusal | undefined {
  if (text === '') throw refuse('share-or-reset-missing')
  const share = readKeyShare(text)
  if (!isInitialized(world)) throw refuse('not-initialized')
  checkShareLength(share, true)
  const progress = currentUnsealProgress(world)
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
      unseal(world)
      return undefined
    }
    return step.combineError === undefined
      ? wrongKeyRefusal(world, 'stored-keys-wrong')
      : refuse('shares-do-not-combine', { combine: step.combineError })
  })
}

/**
 * Drops the shares submitted for unsealing. Throws an `invalid` refusal if the world is not sealed.
 */
export function resetUnseal(world: World): void {
  if (!isSealed(world)) throw refuse('already-unsealed')
  storeUnsealProgress(world, undefined)
}
