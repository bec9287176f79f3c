import type { World } from '../../../../state/kernel/worlds/world.ts'
import {
  type RekeyStep,
  rekeyStatus,
  startRekey,
  submitRekeyShare,
} from '../../../../state/secrets/rekey/rekey.ts'
import { rekeyAttempt } from '../../../../state/secrets/rekey/rekey-machine.ts'
import { unsealKeys } from '../../../../state/secrets/seal/seal.ts'
import { secretsWorld } from '../system-world.ts'

/** The settings of a rekey in these tests: two of three shares. */
export const settings = {
  shares: 3,
  threshold: 2,
  pgpKeys: [],
  pgpFingerprints: [],
  backup: false,
  verification: false,
}
/** The settings with verification. */
const verified = { ...settings, verification: true }

/** Submits a number of valid shares; returns the result of the last one. */
export function submitShares(world: World, count: number): RekeyStep {
  const { keys } = unsealKeys(world)
  const { nonce } = rekeyStatus(world)
  const steps = keys.slice(0, count).map((key) => submitRekeyShare(world, key, nonce))
  const last = steps.at(-1)
  if (last === undefined) throw new Error('nothing was handed in')
  return last
}

/** Builds a world in a state of the table, and returns the new shares during verification. */
export function worldIn(
  state: 'none' | 'started' | 'started, verification asked for' | 'verification',
): {
  world: World
  newShares: readonly string[]
} {
  const world = secretsWorld()
  if (state === 'none') return { world, newShares: [] }
  startRekey(world, state === 'started' ? settings : verified)
  if (state !== 'verification') return { world, newShares: [] }
  const step = submitShares(world, 3)
  return { world, newShares: step.state === 'verification' ? step.result.shares : [] }
}

/** Returns the nonce of the verification under way; empty without one. */
export const verificationNonce = (world: World): string => rekeyAttempt(world)?.trial?.nonce ?? ''
