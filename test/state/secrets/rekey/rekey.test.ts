import { describe, expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import {
  deleteRekeyBackup,
  readRekeyBackup,
  storeRekeyBackup,
} from '../../../../state/secrets/rekey/backup.ts'
import {
  cancelRekey,
  checkRekeyRequest,
  type RekeyRequest,
  rekeyStatus,
  startRekey,
  submitRekeyShare,
} from '../../../../state/secrets/rekey/rekey.ts'
import {
  restartVerification,
  submitNewShare,
  verificationStatus,
} from '../../../../state/secrets/rekey/verification.ts'
import { stepDown } from '../../../../state/secrets/seal/node.ts'
import { isSealed, seal, unseal, unsealKeys } from '../../../../state/secrets/seal/seal.ts'
import { submitUnsealKey } from '../../../../state/secrets/seal/unseal.ts'
import { invalid, refusalOf, secretsWorld } from '../system-world.ts'
import { settings, submitShares, verificationNonce, worldIn } from './rekey-world.ts'

const request: RekeyRequest = { ...settings, storedShares: undefined }

const sealed = { kind: 'unavailable', message: 'Service is sealed' }
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)

describe('behaviour/secrets#rekey: invalid requests', () => {
  const key = ['one']

  test.each<[Partial<RekeyRequest>, string]>([
    [
      { backup: true },
      'cannot request a backup of the new keys without providing PGP keys for encryption',
    ],
    [
      { backup: true, shares: 0 },
      'cannot request a backup of the new keys without providing PGP keys for encryption',
    ],
    [{ pgpKeys: key }, 'incorrect number of PGP keys for rekey'],
    [{ pgpKeys: key, shares: 0, threshold: 9 }, 'incorrect number of PGP keys for rekey'],
    [{ shares: 2, threshold: 3 }, 'provided threshold greater than the total shares'],
    [{ shares: 255, threshold: 256 }, 'provided threshold greater than the total shares'],
    [{ shares: 0, threshold: 0 }, 'invalid rekey seal configuration: shares must be at least one'],
    [
      { shares: -1, threshold: -1 },
      'invalid rekey seal configuration: shares must be at least one',
    ],
    [{ threshold: 0 }, 'invalid rekey seal configuration: threshold must be at least one'],
    [
      { threshold: 1 },
      'invalid rekey seal configuration: threshold must be greater than one for multiple shares',
    ],
    [{ shares: 256 }, 'invalid rekey seal configuration: shares must be less than 256'],
    [
      { shares: 256, threshold: 256 },
      'invalid rekey seal configuration: shares must be less than 256',
    ],
  ])('%j: %s', (change, message) => {
    const world = secretsWorld()
    expect(refusalOf(() => checkRekeyRequest(world, { ...request, ...change }))).toEqual(
      invalid(message),
    )
  })

  test.each<[Partial<RekeyRequest>]>([
    [{}],
    [{ shares: 1, threshold: 1 }],
    [{ shares: 255, threshold: 255 }],
    [{ shares: 1, threshold: 1, pgpKeys: key, backup: true, verification: true }],
    // Only stored-key seals check this setting.
    [{ storedShares: 9 }],
  ])('%j is accepted', (change) => {
    expect(
      refusalOf(() => checkRekeyRequest(secretsWorld(), { ...request, ...change })),
    ).toBeUndefined()
  })
})

describe('behaviour/secrets#shares: shares of the valid key', () => {
  test('a share counts once, in either encoding', () => {
    const { world } = worldIn('started')
    const [key = ''] = unsealKeys(world).keys
    const { nonce } = rekeyStatus(world)
    submitRekeyShare(world, key, nonce)
    for (const form of [key, key.toUpperCase(), Buffer.from(key, 'hex').toString('base64')]) {
      expect(refusalOf(() => submitRekeyShare(world, form, nonce))).toEqual(
        invalid('given key has already been provided during this generation operation'),
      )
    }
    expect(rekeyStatus(world).progress).toBe(1)
  })

  test('wrong shares are dropped, attempt and nonce stay, and the right shares still work', () => {
    const { world } = worldIn('started')
    const before = rekeyStatus(world)
    const { keys } = unsealKeys(world)
    submitRekeyShare(world, 'ab'.repeat(33), before.nonce)
    submitRekeyShare(world, keys[0] ?? '', before.nonce)
    const step = submitRekeyShare(world, keys[1] ?? '', before.nonce)
    expect(step).toEqual({
      state: 'failed',
      refusal: expect.objectContaining({
        kind: 'invalid',
        message:
          'failed to read root key: invalid key: failed to decrypt keys from storage: cipher: message authentication failed',
        detail: { internalInReference: true },
      }),
    })
    expect(rekeyStatus(world)).toEqual(before)
    expect(unsealKeys(world).keys).toEqual(keys)
    expect(submitShares(world, 3).state).toBe('complete')
  })

  test.each([
    ['00', 'duplicate part detected'],
    ['long', 'all parts must be the same length'],
  ])('shares that cannot be combined (%s)', (form, reason) => {
    const { world } = worldIn('started')
    const { nonce } = rekeyStatus(world)
    const [first = '', second = ''] = unsealKeys(world).keys
    const alteredShare = (first.startsWith('00') ? '01' : '00') + first.slice(2)
    for (const key of [first, form === '00' ? alteredShare : 'ab'.repeat(20)]) {
      submitRekeyShare(world, key, nonce)
    }
    expect(submitRekeyShare(world, second, nonce)).toMatchObject({
      state: 'failed',
      refusal: {
        message: `failed to compute root key: ${reason}`,
        detail: { internalInReference: true },
      },
    })
    expect(rekeyStatus(world).progress).toBe(0)
  })

  test('text that is not a share is refused before other checks', () => {
    for (const state of ['none', 'started'] as const) {
      const { world } = worldIn(state)
      for (const [key, message] of [
        ['', "'key' must be specified in request body as JSON"],
        ['no key', "'key' must be a valid hex or base64 string"],
        ['aabb', 'key is shorter than minimum 16 bytes'],
        ['ab'.repeat(34), 'key is longer than maximum 33 bytes'],
      ] as const) {
        expect(refusalOf(() => submitRekeyShare(world, key, ''))).toEqual(invalid(message))
        expect(refusalOf(() => submitNewShare(world, key, ''))).toEqual(invalid(message))
      }
    }
  })

  test.each([
    [1, 1],
    [2, 2],
    [5, 3],
    [255, 255],
  ])('%i new shares with threshold %i unseal and can rekey again', (shares, threshold) => {
    const world = secretsWorld()
    startRekey(world, { ...settings, shares, threshold })
    submitShares(world, 3)
    const { keys } = unsealKeys(world)
    expect([keys.length, unsealKeys(world).threshold]).toEqual([shares, threshold])
    seal(world)
    for (const key of keys.slice(-threshold)) submitUnsealKey(world, key)
    expect(isSealed(world)).toBe(false)
    startRekey(world, settings)
    expect(rekeyStatus(world).required).toBe(threshold)
    expect(submitShares(world, threshold).state).toBe('complete')
  })
})

describe('behaviour/secrets#api-rekey: verification', () => {
  test('the old shares unseal until the new ones are verified, then they are invalid', () => {
    const { world, newShares: fresh } = worldIn('verification')
    const { keys: old } = unsealKeys(world)
    expect(old.some((key) => fresh.includes(key))).toBe(false)
    const nonce = verificationNonce(world)
    expect(submitNewShare(world, fresh[2] ?? '', nonce)).toEqual({ state: 'verification' })
    expect(verificationStatus(world)).toEqual({ nonce, started: true, t: 2, n: 3, progress: 1 })
    expect(unsealKeys(world).keys).toEqual(old)
    expect(submitNewShare(world, fresh[0] ?? '', nonce)).toEqual({ state: 'complete', nonce })
    expect(unsealKeys(world)).toEqual({ keys: fresh, threshold: 2 })
    seal(world)
    for (const key of old.slice(0, 2)) submitUnsealKey(world, key)
    expect(isSealed(world)).toBe(true)
    for (const key of fresh.slice(1)) submitUnsealKey(world, key)
    expect(isSealed(world)).toBe(false)
  })

  test('old shares fail the verification: progress 0, another nonce, the new shares stay', () => {
    const { world, newShares: fresh } = worldIn('verification')
    const nonce = verificationNonce(world)
    const [a = '', b = ''] = unsealKeys(world).keys
    submitNewShare(world, a, nonce)
    expect(submitNewShare(world, b, nonce)).toEqual({
      state: 'failed',
      refusal: expect.objectContaining({
        kind: 'invalid',
        message: 'rekey verification failed; incorrect key shares supplied',
        detail: {},
      }),
    })
    const next = verificationNonce(world)
    expect(next).not.toBe(nonce)
    expect(verificationStatus(world)).toEqual({
      nonce: next,
      started: true,
      t: 2,
      n: 3,
      progress: 0,
    })
    for (const key of fresh.slice(1)) submitNewShare(world, key, next)
    expect(unsealKeys(world).keys).toEqual(fresh)
  })

  // choice/secrets#verification-unequal-shares
  test('shares that cannot be combined', () => {
    const { world } = worldIn('verification')
    const nonce = verificationNonce(world)
    submitNewShare(world, 'ab'.repeat(20), nonce)
    expect(submitNewShare(world, 'ab'.repeat(33), nonce)).toMatchObject({
      state: 'failed',
      refusal: {
        message: 'failed to compute key for verification: all parts must be the same length',
        detail: { internalInReference: true },
      },
    })
    expect(verificationStatus(world).progress).toBe(0)
    expect(verificationNonce(world)).not.toBe(nonce)
  })

  test('a share counts once; the nonce must be that of the verification', () => {
    const { world, newShares: fresh } = worldIn('verification')
    const nonce = verificationNonce(world)
    const [share = ''] = fresh
    submitNewShare(world, share, nonce)
    expect(refusalOf(() => submitNewShare(world, share, nonce))).toEqual(
      invalid('given key has already been provided during this verify operation'),
    )
    for (const wrong of ['', rekeyStatus(world).nonce]) {
      expect(refusalOf(() => submitNewShare(world, share, wrong))).toEqual(
        invalid(`incorrect nonce supplied; nonce for this verify operation is "${nonce}"`),
      )
    }
  })

  test('a restart drops progress, changes the nonce and keeps the rest', () => {
    const { world, newShares: fresh } = worldIn('verification')
    const before = rekeyStatus(world)
    submitNewShare(world, fresh[0] ?? '', verificationNonce(world))
    restartVerification(world)
    const after = rekeyStatus(world)
    expect(after).toEqual({ ...before, verification_nonce: uuid })
    expect(after.verification_nonce).not.toBe(before.verification_nonce)
    expect(verificationStatus(world).progress).toBe(0)
  })
})

describe('behaviour/secrets#rekey: events that end a rekey', () => {
  // choice/secrets#rekey-ends-with-term
  test.each([
    [
      'sealing',
      (world: World) => {
        seal(world)
        unseal(world)
      },
    ],
    ['stepping down', stepDown],
  ])('%s', (_, end) => {
    for (const state of ['started', 'verification'] as const) {
      const { world } = worldIn(state)
      const { keys } = unsealKeys(world)
      end(world)
      expect(rekeyStatus(world)).toMatchObject({ started: false, nonce: '', progress: 0 })
      expect(unsealKeys(world).keys).toEqual(keys)
    }
  })

  test('every operation is refused while sealed', () => {
    const { world } = worldIn('verification')
    seal(world)
    const key = 'ab'.repeat(33)
    for (const call of [
      () => rekeyStatus(world),
      () => checkRekeyRequest(world, request),
      () => startRekey(world, settings),
      () => cancelRekey(world),
      () => submitRekeyShare(world, key, ''),
      () => verificationStatus(world),
      () => restartVerification(world),
      () => submitNewShare(world, key, ''),
    ]) {
      expect(refusalOf(call)).toEqual(sealed)
    }
  })
})

describe('behaviour/secrets#rekey: backup', () => {
  const fingerprint = 'ab'.repeat(20)
  const withKeys = {
    ...settings,
    shares: 2,
    pgpKeys: ['a', 'a'],
    pgpFingerprints: [fingerprint, fingerprint],
    backup: true,
  }

  function resultOf(world: World) {
    startRekey(world, withKeys)
    const step = submitShares(world, unsealKeys(world).threshold)
    if (step.state !== 'complete') throw new Error('the rekey is not complete')
    return step.result
  }

  // choice/secrets#rekey-backup-same-key
  test('several shares for one key are all stored; deleting without a backup is allowed', () => {
    const world = secretsWorld()
    const result = resultOf(world)
    expect(refusalOf(() => readRekeyBackup(world))).toEqual(invalid('no backed-up keys found'))
    storeRekeyBackup(world, result, ['01', '02'])
    expect(readRekeyBackup(world)).toEqual({
      nonce: result.nonce,
      keys: { [fingerprint]: ['01', '02'] },
    })
    deleteRekeyBackup(world)
    deleteRekeyBackup(world)
    expect(refusalOf(() => readRekeyBackup(world))).toEqual(invalid('no backed-up keys found'))
  })

  test('a backup is not stored if another rekey started during its encryption', () => {
    const world = secretsWorld()
    const first = resultOf(world)
    const second = resultOf(world)
    storeRekeyBackup(world, second, ['03', '04'])
    storeRekeyBackup(world, first, ['01', '02'])
    expect(readRekeyBackup(world).keys).toEqual({ [fingerprint]: ['03', '04'] })
  })

  // choice/secrets#rekey-ends-with-term choice/secrets#rekey-backup-life
  test('the backup outlives sealing and a cancelled verification', () => {
    const world = secretsWorld()
    startRekey(world, { ...withKeys, verification: true })
    const step = submitShares(world, 3)
    if (step.state !== 'verification') throw new Error('there is nothing to verify')
    storeRekeyBackup(world, step.result, ['01', '02'])
    cancelRekey(world)
    seal(world)
    unseal(world)
    expect(readRekeyBackup(world).nonce).toBe(step.result.nonce)
  })
})
