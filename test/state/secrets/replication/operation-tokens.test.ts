import { describe, expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { rootNamespace } from '../../../../state/secrets/namespaces/namespaces.ts'
import type { SecretsOptions } from '../../../../state/secrets/options.ts'
import { writePolicy } from '../../../../state/secrets/policies/policies.ts'
import {
  cancelGeneration,
  checkOtp,
  type GenerationStep,
  generationStatus,
  maskToken,
  newOtp,
  operationTokenMachine,
  startGeneration,
  submitGenerationShare,
} from '../../../../state/secrets/replication/operation-token-attempts.ts'
import {
  checkOperationToken,
  createOperationToken,
  deleteOperationToken,
  dropOperationTokens,
  operationTokenAttempts,
  operationTokens,
} from '../../../../state/secrets/replication/operation-tokens.ts'
import { seal, unseal, unsealKeys } from '../../../../state/secrets/seal/seal.ts'
import { makeToken } from '../fresh-world.ts'
import { invalid, refusalOf, secretsWorld } from '../system-world.ts'
import { becomeSecondary, leaveReplication } from './dr-secondary.ts'

const otp = 'x'.repeat(26)

function secondary(options: Partial<SecretsOptions> = {}): World {
  const world = secretsWorld(options)
  becomeSecondary(world)
  return world
}

function submitShares(world: World, count: number): GenerationStep {
  const steps = unsealKeys(world)
    .keys.slice(0, count)
    .map((key) => submitGenerationShare(world, key, generationStatus(world).nonce))
  const last = steps.at(-1)
  if (last === undefined) throw new Error('nothing was handed in')
  return last
}

const stateOf = (world: World): 'none' | 'started' =>
  world.table(operationTokenAttempts).size === 0 ? 'none' : 'started'

describe('behaviour/secrets#api-operation-tokens', () => {
  const events = {
    attempt: (world: World) => startGeneration(world, { otp }),
    'update, one': (world: World) => void submitShares(world, 1),
    'update, all': (world: World) => void submitShares(world, 3),
    cancel: (world: World) => cancelGeneration(world),
  } as const

  test.each([
    ['none', 'attempt', 'started', undefined],
    ['none', 'update, one', 'none', 'no root generation in progress'],
    ['none', 'update, all', 'none', 'no root generation in progress'],
    ['none', 'cancel', 'none', undefined],
    ['started', 'attempt', 'started', 'root generation already in progress'],
    ['started', 'update, one', 'started', undefined],
    ['started', 'update, all', 'none', undefined],
    ['started', 'cancel', 'none', undefined],
  ] as const)('%s, %s: %s', (from, event, to, message) => {
    const world = secondary()
    if (from === 'started') startGeneration(world, { otp: 'y'.repeat(26) })
    const before = [...world.table(operationTokenAttempts).rows()]
    const refused = refusalOf(() => events[event](world))
    expect(refused).toEqual(message === undefined ? undefined : invalid(message))
    expect(stateOf(world)).toBe(to)
    if (message !== undefined) {
      expect([...world.table(operationTokenAttempts).rows()]).toEqual(before)
    }
    const complete = from === 'started' && event === 'update, all'
    expect(world.table(operationTokens).size).toBe(complete ? 1 : 0)
  })

  const transitionCases = operationTokenMachine.states.flatMap((state) =>
    (['attempt', 'update', 'cancel'] as const).flatMap((event) =>
      [false, true].map((reached) => [state, event, reached] as const),
    ),
  )

  test.each(transitionCases)(
    'the machine: %s, %s, threshold reached: %s',
    (state, event, isKeyRecovered) => {
      const moves: Readonly<Record<string, (typeof operationTokenMachine.states)[number]>> = {
        'none attempt': 'started',
        'none cancel': 'none',
        'started update': isKeyRecovered ? 'complete' : 'started',
        'started cancel': 'none',
      }
      const expected = moves[`${state} ${event}`]
      expect(operationTokenMachine.allows(state, event, { isKeyRecovered })).toBe(
        expected !== undefined,
      )
      if (expected !== undefined)
        expect(operationTokenMachine.next(state, event, { isKeyRecovered })).toBe(expected)
    },
  )

  test('every step is in the specification', () => {
    expect(operationTokenMachine.moves.filter(({ spec }) => spec === undefined)).toEqual([])
  })

  test('changing the password requires a cancel, which drops the shares', () => {
    const world = secondary()
    startGeneration(world, { otp })
    submitShares(world, 2)
    const { nonce } = generationStatus(world)
    cancelGeneration(world)
    startGeneration(world, { pgpKey: 'AAAA', fingerprint: 'ab'.repeat(20) })
    const status = generationStatus(world)
    expect(status).toEqual({
      started: true,
      nonce: expect.stringMatching(/^[0-9a-f-]{36}$/),
      progress: 0,
      required: 3,
      pgp_fingerprint: 'ab'.repeat(20),
    })
    expect(status.nonce).not.toBe(nonce)
  })

  // choice/secrets#generation-while-sealed
  test('sealing does not change it, as in the reference', () => {
    const world = secondary()
    startGeneration(world, { otp })
    submitShares(world, 2)
    const before = generationStatus(world)
    seal(world)
    expect(refusalOf(() => generationStatus(world))).toEqual({
      kind: 'unavailable',
      message: 'Service is sealed',
    })
    unseal(world)
    expect(generationStatus(world)).toEqual(before)
  })
})

describe('behaviour/secrets#operation-tokens: which clusters generate', () => {
  test('a cluster that is not a DR secondary refuses every operation', () => {
    const world = secretsWorld()
    for (const call of [
      () => generationStatus(world),
      () => startGeneration(world, { otp }),
      () => cancelGeneration(world),
      () => submitGenerationShare(world, 'ab'.repeat(33), ''),
    ]) {
      expect(refusalOf(call)).toEqual(invalid('this cluster is not a DR secondary'))
    }
  })
})

describe('behaviour/secrets#operation-tokens: shares', () => {
  test.each([
    ['', "'key' must be specified in request body as JSON"],
    ['no key', "'key' must be a valid hex or base64 string"],
    ['aabb', 'invalid key: key is shorter than minimum 16 bytes'],
    ['ab'.repeat(34), 'invalid key: key is longer than maximum 33 bytes'],
  ])('%j is not a share, with or without a generation', (key, message) => {
    const world = secondary()
    expect(refusalOf(() => submitGenerationShare(world, key, ''))).toEqual(invalid(message))
    startGeneration(world, { otp })
    expect(refusalOf(() => submitGenerationShare(world, key, ''))).toEqual(invalid(message))
    expect(generationStatus(world).progress).toBe(0)
  })

  test('a share counts once, and with the right nonce', () => {
    const world = secondary()
    startGeneration(world, { otp })
    const { nonce } = generationStatus(world)
    const [key = ''] = unsealKeys(world).keys
    expect(refusalOf(() => submitGenerationShare(world, key, 'other'))).toEqual(
      invalid(`incorrect nonce supplied; nonce for this root generation operation is "${nonce}"`),
    )
    submitGenerationShare(world, key, nonce)
    const again = Buffer.from(key, 'hex').toString('base64')
    expect(refusalOf(() => submitGenerationShare(world, again, nonce))).toEqual(
      invalid('given key has already been provided during this generation operation'),
    )
    expect(generationStatus(world).progress).toBe(1)
  })

  // choice/secrets#generation-unequal-shares
  test.each([
    [
      'ab'.repeat(33),
      'root generation aborted: unable to authenticate: unable to retrieve stored keys: invalid key: failed to decrypt keys from storage: cipher: message authentication failed',
    ],
    ['ab'.repeat(20), 'failed to compute root key: all parts must be the same length'],
  ])('a set with %s is dropped; the attempt continues', (foreign, problem) => {
    const world = secondary()
    startGeneration(world, { otp })
    const before = generationStatus(world)
    submitGenerationShare(world, foreign, before.nonce)
    expect(submitShares(world, 2)).toMatchObject({
      state: 'failed',
      refusal: { kind: 'invalid', message: problem },
    })
    expect(generationStatus(world)).toEqual(before)
    expect(world.table(operationTokens).size).toBe(0)
    expect(submitShares(world, 3).state).toBe('complete')
  })

  test('recovery shares are accepted for a stored-key seal', () => {
    const world = secondary({ seal: 'stored', secretShares: 1, secretThreshold: 1 })
    startGeneration(world, { otp })
    const { nonce } = generationStatus(world)
    expect(submitGenerationShare(world, 'ab'.repeat(32), nonce)).toMatchObject({
      state: 'failed',
      refusal: {
        kind: 'invalid',
        message:
          'root generation aborted: unable to authenticate: recovery key verification failed: recovery key does not match submitted values',
      },
    })
    expect(submitShares(world, 1).state).toBe('complete')
  })
})

describe('behaviour/secrets#operation-tokens: one-time passwords', () => {
  test.each([
    ['s.', 26],
    ['hvs.', 28],
  ])(
    'the length of passwords is that of a token with the prefix %s',
    (serviceTokenPrefix, length) => {
      const world = secondary({ serviceTokenPrefix })
      expect(newOtp(world)).toMatch(new RegExp(`^[0-9A-Za-z]{${length}}$`))
      expect(createOperationToken(world)).toHaveLength(length)
      expect(refusalOf(() => checkOtp(world, 'x'.repeat(length)))).toBeUndefined()
      for (const wrong of [
        'x',
        'x'.repeat(length - 1),
        'x'.repeat(length + 1),
        'é'.repeat(length),
      ]) {
        expect(refusalOf(() => checkOtp(world, wrong))).toEqual(
          invalid('OTP string is wrong length'),
        )
      }
    },
  )

  test('masking is XOR in base64 without padding', () => {
    const masked = Buffer.from(Buffer.from('s.abc').map((byte) => byte ^ 65)).toString('base64')
    expect(masked).toMatch(/=$/)
    expect(maskToken('s.abc', 'AAAAA')).toBe(masked.replaceAll('=', ''))
  })
})

describe('behaviour/secrets#operation-tokens: the token', () => {
  const path = 'sys/replication/dr/secondary/promote'
  const denied = { kind: 'denied', message: 'invalid DR operation token' }
  const check = (world: World, text: string, at = path) =>
    refusalOf(() => checkOperationToken(world, text, at))

  function generated(world: World): string {
    startGeneration(world, { otp: newOtp(world) })
    const step = submitShares(world, 3)
    if (step.state !== 'complete') throw new Error('no token was generated')
    return step.token
  }

  test('a token authorizes every operation until it is deleted', () => {
    const world = secondary()
    const token = generated(world)
    expect(token).toMatch(/^s\.[0-9A-Za-z]{24}$/)
    world.advance(10 * 365 * 24 * 3600 * 1000)
    expect(check(world, token)).toBeUndefined()
    expect(check(world, token, 'sys/anything')).toBeUndefined()
    deleteOperationToken(world, token)
    expect(check(world, token)).toEqual(denied)
  })

  test('removing all operation tokens also ends the attempt in progress', () => {
    const world = secondary()
    const tokens = [generated(world), generated(world)]
    startGeneration(world, { otp })
    dropOperationTokens(world)
    for (const token of tokens) expect(check(world, token)).toEqual(denied)
    expect(generationStatus(world).started).toBe(false)
  })

  test('a missing, an unknown and a client token are refused', () => {
    const world = secondary()
    expect(check(world, '')).toEqual(invalid('missing dr_operation_token'))
    for (const text of ['unknown', 'root', makeToken(world).id]) {
      expect(check(world, text)).toEqual(denied)
    }
  })

  // choice/secrets#batch-token-deletion
  test('a batch token passes where its policies allow update', () => {
    const world = secondary()
    writePolicy(
      world,
      rootNamespace,
      'dr',
      `path "${path}" { capabilities = ["update"] } path "sys/other" { capabilities = ["read"] }`,
    )
    const { id } = makeToken(world, { policies: ['dr'], type: 'batch', ttl: 60 })
    const service = makeToken(world, { policies: ['dr'], ttl: 60 })
    expect(check(world, id)).toBeUndefined()
    expect(check(world, id, 'sys/other')).toEqual(denied)
    expect(check(world, service.id)).toEqual(denied)
    deleteOperationToken(world, id)
    expect(check(world, id)).toBeUndefined()
    world.advance(60_000)
    expect(check(world, id)).toEqual(denied)
  })

  test('checking a token depends on whether it exists, not on the mode of the cluster', () => {
    const world = secondary()
    const token = generated(world)
    leaveReplication(world)
    expect(check(world, token)).toBeUndefined()
  })
})
