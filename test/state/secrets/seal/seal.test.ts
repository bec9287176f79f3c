import { combine } from 'shamir-secret-sharing'
import { describe, expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { keyStatus, rotateKey } from '../../../../state/secrets/seal/keyring.ts'
import { nodeState } from '../../../../state/secrets/seal/node-machine.ts'
import {
  clusterId,
  initialize,
  initialRootToken,
  isInitialized,
  isSealed,
  seal,
  unsealKeys,
} from '../../../../state/secrets/seal/seal.ts'
import { resetUnseal, sealStatus, submitUnsealKey } from '../../../../state/secrets/seal/unseal.ts'
import { tokens } from '../../../../state/secrets/tokens/rows.ts'
import { invalid, refusalOf, secretsWorld } from '../system-world.ts'

const wrongShares =
  'unable to retrieve stored keys: invalid key: failed to decrypt keys from storage: cipher: message authentication failed'

function sealed(): { world: World; keys: string[] } {
  const world = secretsWorld({ sealed: true })
  return { world, keys: unsealKeys(world).keys }
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index]
  if (item === undefined) throw new Error(`nothing at ${index}`)
  return item
}

/** Every selection of three out of five indexes, in every order. */
const triples = [0, 1, 2, 3, 4].flatMap((a) =>
  [0, 1, 2, 3, 4].flatMap((b) =>
    [0, 1, 2, 3, 4].filter((c) => new Set([a, b, c]).size === 3).map((c) => [a, b, c] as const),
  ),
)

const statusSummary = (world: World) => {
  const { sealed, progress, nonce } = sealStatus(world)
  return { sealed, progress, nonce }
}

describe('behaviour/secrets#seal: unsealing', () => {
  test.each(triples)('shares %i, %i and %i unseal the service', (...places) => {
    const { world, keys } = sealed()
    for (const place of places) expect(submitUnsealKey(world, at(keys, place))).toBeUndefined()
    expect(nodeState(world)).toBe('active')
    expect(statusSummary(world)).toEqual({ sealed: false, progress: 0, nonce: '' })
  })

  test('two shares are not enough; the nonce stays while progress grows', () => {
    const { world, keys } = sealed()
    submitUnsealKey(world, at(keys, 0))
    const first = statusSummary(world)
    submitUnsealKey(world, at(keys, 1))
    expect(first).toEqual({
      sealed: true,
      progress: 1,
      nonce: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(statusSummary(world)).toEqual({ ...first, progress: 2 })
  })

  test('a share in base64 counts as the same share in hex', () => {
    const { world, keys } = sealed()
    submitUnsealKey(world, at(keys, 0))
    expect(
      submitUnsealKey(world, Buffer.from(at(keys, 0), 'hex').toString('base64')),
    ).toBeUndefined()
    expect(submitUnsealKey(world, at(keys, 0).toUpperCase())).toBeUndefined()
    expect(statusSummary(world).progress).toBe(1)
  })

  test('a foreign share invalidates the set: progress 0, nonce gone, still sealed', () => {
    const { world, keys } = sealed()
    const foreign = at(unsealKeys(secretsWorld({}, 'elsewhere')).keys, 0)
    submitUnsealKey(world, at(keys, 0))
    submitUnsealKey(world, foreign)
    expect(submitUnsealKey(world, at(keys, 1))?.message).toBe(wrongShares)
    expect(statusSummary(world)).toEqual({ sealed: true, progress: 0, nonce: '' })
  })

  test('each reason why shares cannot be combined has its message', () => {
    const { world, keys } = sealed()
    const share = at(keys, 0)
    const alteredShare = (share.startsWith('00') ? '01' : '00') + share.slice(2)
    submitUnsealKey(world, share)
    submitUnsealKey(world, alteredShare)
    expect(submitUnsealKey(world, at(keys, 1))?.message).toBe(
      'invalid key: failed to compute combined key: duplicate part detected',
    )
    expect(statusSummary(world).progress).toBe(0)
    submitUnsealKey(world, share)
    submitUnsealKey(world, 'ab'.repeat(20))
    expect(submitUnsealKey(world, at(keys, 1))?.message).toBe(
      'invalid key: failed to compute combined key: all parts must be the same length',
    )
  })

  test.each([
    ['', "'key' must be specified in request body as JSON, or 'reset' set to true"],
    ['not a key!', "'key' must be a valid hex or base64 string"],
    ['abc', "'key' must be a valid hex or base64 string"],
    ['aabb', 'invalid key: key is shorter than minimum 16 bytes'],
    ['ab'.repeat(34), 'invalid key: key is longer than maximum 33 bytes'],
    ['YWJj', 'invalid key: key is shorter than minimum 16 bytes'],
  ])('%j is refused', (key, message) => {
    const { world } = sealed()
    expect(refusalOf(() => submitUnsealKey(world, key))).toEqual(invalid(message))
    expect(statusSummary(world)).toEqual({ sealed: true, progress: 0, nonce: '' })
  })

  test('the minimum and the maximum length are accepted', () => {
    const { world } = sealed()
    submitUnsealKey(world, 'ab'.repeat(16))
    submitUnsealKey(world, 'cd'.repeat(33))
    expect(statusSummary(world).progress).toBe(2)
  })

  test('an unsealed service accepts any share and does not change', () => {
    const world = secretsWorld()
    expect(submitUnsealKey(world, 'ab'.repeat(33))).toBeUndefined()
    expect(statusSummary(world)).toEqual({ sealed: false, progress: 0, nonce: '' })
  })

  test('a service that is not initialized accepts none', () => {
    const world = secretsWorld({ initialized: false })
    expect(refusalOf(() => submitUnsealKey(world, 'ab'.repeat(33)))).toEqual(
      invalid('Service is not initialized'),
    )
  })

  test('reset discards the submitted shares; an unsealed service has no shares to discard', () => {
    const { world, keys } = sealed()
    submitUnsealKey(world, at(keys, 0))
    resetUnseal(world)
    expect(statusSummary(world)).toEqual({ sealed: true, progress: 0, nonce: '' })
    expect(refusalOf(() => resetUnseal(secretsWorld()))).toEqual(invalid('service is unsealed'))
  })

  test('sealing drops submitted shares', () => {
    const { world, keys } = sealed()
    for (const place of [0, 1, 2]) submitUnsealKey(world, at(keys, place))
    seal(world)
    expect(statusSummary(world)).toEqual({ sealed: true, progress: 0, nonce: '' })
  })

  test('one share of one is the key itself', () => {
    const world = secretsWorld({ sealed: true, secretShares: 1, secretThreshold: 1 })
    const { keys } = unsealKeys(world)
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)])
    expect(submitUnsealKey(world, 'ab'.repeat(32))?.message).toBe(wrongShares)
    submitUnsealKey(world, at(keys, 0))
    expect(isSealed(world)).toBe(false)
  })
})

describe('behaviour/secrets#system and behaviour/secrets#rekey: initialization', () => {
  test('returns shares that an independent implementation combines, and a new root token; stays sealed', async () => {
    const world = secretsWorld({ initialized: false })
    const { shares, rootToken } = initialize(world, { shares: 5, threshold: 3 })
    expect(unsealKeys(world)).toEqual({ keys: shares, threshold: 3 })
    expect(new Set(shares.map((share) => share.slice(-2))).size).toBe(5)
    const bytes = shares.map((share) => Uint8Array.from(Buffer.from(share, 'hex')))
    const key = await combine(bytes.slice(0, 3))
    expect(await combine(bytes.slice(2))).toEqual(key)
    expect(key).toHaveLength(32)
    expect(rootToken).toMatch(/^s\.[0-9A-Za-z]{24}$/)
    expect(initialRootToken(world)).toBe(rootToken)
    expect(world.table(tokens).get(rootToken)?.policies).toEqual(['root'])
    expect(nodeState(world)).toBe('sealed')
  })

  test.each([
    [0, 0, 'shares must be at least one'],
    [-1, 3, 'shares must be at least one'],
    [5, 0, 'threshold must be at least one'],
    [5, 1, 'threshold must be greater than one for multiple shares'],
    [256, 3, 'shares must be less than 256'],
    [256, 256, 'shares must be less than 256'],
    [3, 256, 'threshold must be less than 256'],
    [3, 4, 'threshold cannot be larger than shares'],
  ])('%i shares with threshold %i: %s', (shares, threshold, rule) => {
    const message = `invalid seal configuration: ${rule}`
    const world = secretsWorld({ initialized: false })
    expect(refusalOf(() => initialize(world, { shares, threshold }))).toEqual(invalid(message))
    expect(isInitialized(world)).toBe(false)
    // The numbers are checked first, even if a root key exists.
    expect(refusalOf(() => initialize(secretsWorld(), { shares, threshold }))).toEqual(
      invalid(message),
    )
  })

  test('is possible only once', () => {
    expect(refusalOf(() => initialize(secretsWorld(), { shares: 5, threshold: 3 }))).toEqual(
      invalid('Service is already initialized'),
    )
  })

  test.each([
    [1, 1],
    [2, 2],
    [255, 255],
  ])('%i shares with threshold %i unseal', (shares, threshold) => {
    const world = secretsWorld({ initialized: false })
    for (const share of initialize(world, { shares, threshold }).shares) {
      expect(submitUnsealKey(world, share)).toBeUndefined()
    }
    expect(isSealed(world)).toBe(false)
  })

  test('equal seeds give equal shares and clusters, different seeds different ones', () => {
    expect(unsealKeys(secretsWorld())).toEqual(unsealKeys(secretsWorld()))
    expect(clusterId(secretsWorld())).toBe(clusterId(secretsWorld()))
    expect(unsealKeys(secretsWorld({}, 'other'))).not.toEqual(unsealKeys(secretsWorld()))
  })
})

describe('behaviour/secrets#key-status: key-status and rotate', () => {
  // choice/secrets#encryptions
  test('each rotation is a new term; encryptions count the commits since', () => {
    const world = secretsWorld()
    expect(keyStatus(world)).toEqual({
      term: 1,
      install_time: '2026-01-01T00:00:00Z',
      encryptions: 1,
    })
    world.advance(1_500)
    rotateKey(world)
    expect(keyStatus(world)).toEqual({
      term: 2,
      install_time: '2026-01-01T00:00:01.5Z',
      encryptions: 1,
    })
    seal(world)
    expect(keyStatus(world).encryptions).toBe(2)
  })
})
