import { describe, expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { rekeyStatus, submitRekeyShare } from '../../../../state/secrets/rekey/rekey.ts'
import { rekeyAttempt } from '../../../../state/secrets/rekey/rekey-machine.ts'
import { rekeyTransition } from '../../../../state/secrets/rekey/transitions.ts'
import { seal, unsealKeys } from '../../../../state/secrets/seal/seal.ts'
import { refusalOf, secretsWorld } from '../system-world.ts'
import { verificationNonce } from './rekey-world.ts'

const forceTransition = (world: World, to: string, extra: object = {}) =>
  rekeyTransition.force(world, 'self', to, { ...extra })

/** Returns the single item of the kind. */
const currentItem = (world: World) => rekeyTransition.items(world)[0]

// choice/secrets#rekey-pushes
describe('behaviour/secrets#rekey: forced transitions', () => {
  test('started, one share at a time, and complete: the shares change', () => {
    const world = secretsWorld()
    const before = unsealKeys(world)
    expect(currentItem(world)).toEqual({ id: 'self', state: 'none', to: ['started'] })
    forceTransition(world, 'started', { shares: 3, threshold: 2 })
    expect(currentItem(world)).toEqual({
      id: 'self',
      state: 'started',
      to: ['none', 'complete', 'share'],
      detail: `0 of ${before.threshold} present shares`,
    })
    forceTransition(world, 'share')
    expect(rekeyStatus(world).progress).toBe(1)
    forceTransition(world, 'complete')
    expect(currentItem(world)?.state).toBe('none')
    const after = unsealKeys(world)
    expect([after.keys.length, after.threshold]).toEqual([3, 2])
    expect(before.keys).not.toContain(after.keys[0])
  })

  test('the number of shares stays by default', () => {
    const world = secretsWorld()
    const { keys, threshold } = unsealKeys(world)
    forceTransition(world, 'started')
    expect(rekeyStatus(world)).toMatchObject({ n: keys.length, t: threshold })
    forceTransition(world, 'none')
    forceTransition(world, 'started', { shares: 2 })
    expect(rekeyStatus(world)).toMatchObject({ n: 2, t: 2 })
  })

  test('with a verification that is restarted and then completed', () => {
    const world = secretsWorld()
    const before = unsealKeys(world).keys
    forceTransition(world, 'started', { shares: 3, threshold: 2, verification: true })
    expect(currentItem(world)?.to).toEqual(['none', 'verification', 'complete', 'share'])
    forceTransition(world, 'verification')
    expect(currentItem(world)).toEqual({
      id: 'self',
      state: 'verification',
      to: ['none', 'complete', 'share', 'restart'],
      detail: '0 of 2 new shares',
    })
    forceTransition(world, 'share')
    expect(currentItem(world)?.detail).toBe('1 of 2 new shares')
    const nonce = verificationNonce(world)
    forceTransition(world, 'restart')
    expect(currentItem(world)?.detail).toBe('0 of 2 new shares')
    expect(verificationNonce(world)).not.toBe(nonce)
    expect(unsealKeys(world).keys).toEqual(before)
    forceTransition(world, 'share')
    forceTransition(world, 'share')
    expect(currentItem(world)?.state).toBe('none')
    expect(unsealKeys(world).keys.length).toBe(3)
  })

  test('complete also completes the verification, despite wrong shares before', () => {
    const world = secretsWorld()
    forceTransition(world, 'started', { shares: 3, threshold: 2, verification: true })
    submitRekeyShare(world, 'ab'.repeat(33), rekeyStatus(world).nonce)
    forceTransition(world, 'complete')
    expect(rekeyAttempt(world)).toBeUndefined()
    expect(unsealKeys(world).keys.length).toBe(3)
  })

  test('a stored-key seal has one share', () => {
    const world = secretsWorld({ seal: 'stored' })
    forceTransition(world, 'started')
    expect(rekeyStatus(world)).toMatchObject({ n: 1, t: 1 })
    forceTransition(world, 'complete')
    expect(rekeyAttempt(world)).toBeUndefined()
  })

  test('a transition that the state does not allow is refused and changes nothing', () => {
    const world = secretsWorld()
    const refused = (to: string, extra: object = {}) =>
      refusalOf(() => forceTransition(world, to, extra))?.message
    expect(refused('complete')).toBe('a rekey whose state is none cannot be pushed to complete')
    expect(refused('started', { shares: '3' })).toBe('shares must be a whole number')
    expect(refused('started', { verification: 1 })).toBe('verification must be true or false')
    expect(refused('started', { shares: 2, threshold: 3 })).toBe(
      'provided threshold greater than the total shares',
    )
    expect(refusalOf(() => rekeyTransition.force(world, 'other', 'started', {}))?.message).toBe(
      'there is no rekey "other", only "self"',
    )
    expect(rekeyAttempt(world)).toBeUndefined()
    forceTransition(world, 'started')
    expect(refused('restart')).toBe('a rekey whose state is started cannot be pushed to restart')
    // A wrong share counts as in a normal submission: the set yields no key.
    for (const share of ['ab'.repeat(33), unsealKeys(world).keys[1] ?? '']) {
      submitRekeyShare(world, share, rekeyStatus(world).nonce)
    }
    expect(refused('share')).toContain('invalid key')
    expect(rekeyStatus(world).progress).toBe(2)
    seal(world)
    expect(currentItem(world)).toEqual({ id: 'self', state: 'none', to: [] })
  })
})
