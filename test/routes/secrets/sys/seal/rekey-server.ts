import { expect } from 'vitest'
import { isSealed, seal, unsealKeys } from '../../../../../state/secrets/seal/seal.ts'
import {
  type Reply,
  servedSecrets,
  type TestSecrets,
  type TestSettings,
} from '../../../../support/secrets/secrets.ts'

/** Matches any nonce. */
export const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
/** Matches the shares of a split key. */
export const hexShares = (count: number) =>
  Array(count).fill(expect.stringMatching(/^[0-9a-f]{66}$/))
/** The requested numbers: two of three shares. */
export const numbers = { secret_shares: 3, secret_threshold: 2 }

/** The status without an attempt. */
export const idle = {
  nonce: '',
  started: false,
  t: 0,
  n: 0,
  progress: 0,
  required: 3,
  pgp_fingerprints: null,
  backup: false,
  verification_required: false,
}
/** The status of a new attempt. */
export const started = { ...idle, nonce: uuid, started: true, t: 2, n: 3 }

/** Starts a server with the common steps of rekey tests. */
export async function rekeying(settings: TestSettings = {}) {
  const server = await servedSecrets(settings)
  const { secrets, world } = server
  const status = async () => (await secrets.get('sys/rekey/init')).body
  /** Submits shares with the right nonce and returns all replies. */
  async function submitShares(
    keys: readonly string[],
    at: 'update' | 'verify' = 'update',
  ): Promise<Reply[]> {
    const replies: Reply[] = []
    for (const key of keys) {
      const { nonce, verification_nonce } = await status()
      const own = at === 'update' ? nonce : verification_nonce
      replies.push(await secrets.post(`sys/rekey/${at}`, { key, nonce: own }))
    }
    return replies
  }
  return {
    ...server,
    status,
    handIn: submitShares,
    start: (more: object = {}) => secrets.post('sys/rekey/init', { ...numbers, ...more }),
    /** Returns as many valid shares as the threshold needs. */
    thresholdKeys: () => unsealKeys(world).keys.slice(0, unsealKeys(world).threshold),
  }
}

/** Seals the service and returns whether these shares unseal it. */
export async function opensService({ secrets, world }: TestSecrets, keys: readonly string[]) {
  if (!isSealed(world)) seal(world)
  for (const key of keys) await secrets.post('sys/unseal', { key })
  const { sealed } = (await secrets.get('sys/seal-status')).body
  await secrets.post('sys/unseal', { reset: true })
  return !sealed
}
