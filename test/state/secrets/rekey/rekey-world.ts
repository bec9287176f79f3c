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

/** What a rekey of the tests is to come to: two of three shares. */
export const settings = {
  shares: 3,
  threshold: 2,
  pgpKeys: [],
  pgpFingerprints: [],
  backup: false,
  verification: false,
}
/** The same, the new shares to be verified. */
const verified = { ...settings, verification: true }

/** Hands in as many valid shares as are asked for; answers what the last came to. */
export function submitShares(world: World, count: number): RekeyStep {
  const { keys } = unsealKeys(world)
  const { nonce } = rekeyStatus(world)
  const steps = keys.slice(0, count).map((key) => submitRekeyShare(world, key, nonce))
  const last = steps.at(-1)
  if (last === undefined) throw new Error('nothing was handed in')
  return last
}

/** A world in a state of the table, with the new shares during verification. */
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

/** The nonce of the verification under way; empty without one. */
export const verificationNonce = (world: World): string => rekeyAttempt(world)?.trial?.nonce ?? ''
