import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../../state/kernel/refusal.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import {
  cancelGeneration,
  generationStatus,
  maskToken,
  newOtp,
  startGeneration,
  submitGenerationShare,
  type TokenProtection,
} from '../../../../state/secrets/replication/operation-token-attempts.ts'
import {
  checkOperationToken,
  deleteOperationToken,
  dropOperationTokens,
  operationTokenAttempts,
} from '../../../../state/secrets/replication/operation-tokens.ts'
import { seal, unseal, unsealKeys } from '../../../../state/secrets/seal/seal.ts'
import { secretsWorld } from '../system-world.ts'
import { becomeSecondary } from './dr-secondary.ts'

type Command =
  | { kind: 'attempt'; pgp: boolean }
  | { kind: 'update'; from: 'valid' | 'foreign'; at: number; right: boolean; base64: boolean }
  | { kind: 'cancel' | 'seal' | 'drop' }
  | { kind: 'delete'; at: number }

/** A minimal model of a generation and its tokens. */
interface Model {
  protection: TokenProtection | undefined
  progress: string[]
  live: string[]
  dead: string[]
}

const mostly = fc.oneof(
  { weight: 9, arbitrary: fc.constant(true) },
  { weight: 1, arbitrary: fc.constant(false) },
)
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('attempt' as const), pgp: fc.boolean() }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('update' as const),
      from: mostly.map((valid) => (valid ? ('valid' as const) : ('foreign' as const))),
      at: fc.nat({ max: 4 }),
      right: mostly,
      base64: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('cancel' as const, 'seal' as const, 'drop' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('delete' as const), at: fc.nat({ max: 3 }) }),
  },
)

const foreign = unsealKeys(secretsWorld({}, 'elsewhere')).keys
const path = 'sys/replication/dr/secondary/promote'
const threshold = 3

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

function start(model: Model, world: World, pgp: boolean): void {
  const protection: TokenProtection = pgp
    ? { pgpKey: 'AAAA', fingerprint: 'ab'.repeat(20) }
    : { otp: newOtp(world) }
  const succeeded = attempt(() => {
    startGeneration(world, protection)
    return true
  })
  expect(succeeded === true).toBe(model.protection === undefined)
  if (succeeded) model.protection = protection
}

function update(model: Model, world: World, command: Extract<Command, { kind: 'update' }>): void {
  const source = command.from === 'valid' ? unsealKeys(world).keys : foreign
  const share = source[command.at] ?? ''
  const text = command.base64 ? Buffer.from(share, 'hex').toString('base64') : share
  const nonce = command.right ? generationStatus(world).nonce : 'another'
  const step = attempt(() => submitGenerationShare(world, text, nonce))
  if (model.protection === undefined || !command.right || model.progress.includes(share)) {
    expect(step).toBeUndefined()
    return
  }
  const handed = [...model.progress, share]
  if (handed.length < threshold) {
    expect(step).toMatchObject({ state: 'started', status: { progress: handed.length } })
    model.progress = handed
    return
  }
  model.progress = []
  if (handed.some((each) => foreign.includes(each))) {
    expect(step?.state).toBe('failed')
    return
  }
  if (step?.state !== 'complete') throw new Error(`the threshold was reached: ${step?.state}`)
  expect(step.protection).toEqual(model.protection)
  expect(step.status).toMatchObject({ progress: threshold, required: threshold })
  if ('otp' in step.protection) {
    const { otp } = step.protection
    const masked = Buffer.from(maskToken(step.token, otp), 'base64').toString('latin1')
    expect(Buffer.from(maskToken(masked, otp), 'base64').toString()).toBe(step.token)
  }
  model.live.push(step.token)
  model.protection = undefined
}

function run(model: Model, world: World, command: Command): void {
  switch (command.kind) {
    case 'attempt':
      start(model, world, command.pgp)
      break
    case 'update':
      update(model, world, command)
      break
    case 'cancel':
      cancelGeneration(world)
      Object.assign(model, { protection: undefined, progress: [] })
      break
    case 'seal':
      seal(world)
      expect(attempt(() => generationStatus(world))).toBeUndefined()
      unseal(world)
      break
    case 'drop':
      dropOperationTokens(world)
      model.dead.push(...model.live)
      Object.assign(model, { protection: undefined, progress: [], live: [] })
      break
    case 'delete': {
      const [token] = model.live.splice(command.at, 1)
      deleteOperationToken(world, token ?? 'unknown')
      if (token !== undefined) model.dead.push(token)
    }
  }
}

/** Checks the invariants after every step. */
function expectSameState(model: Model, world: World): void {
  const { protection: disguise } = model
  expect(generationStatus(world)).toEqual({
    started: disguise !== undefined,
    nonce: disguise === undefined ? '' : expect.stringMatching(/^[0-9a-f-]{36}$/),
    progress: model.progress.length,
    required: threshold,
    pgp_fingerprint: disguise !== undefined && 'pgpKey' in disguise ? disguise.fingerprint : '',
  })
  expect(world.table(operationTokenAttempts).size).toBe(disguise === undefined ? 0 : 1)
  const passes = (token: string) =>
    attempt(() => {
      checkOperationToken(world, token, path)
      return true
    }) === true
  expect(model.live.filter((token) => !passes(token))).toEqual([])
  expect([...model.dead, ...unsealKeys(world).keys, 'root'].filter(passes)).toEqual([])
}

describe('behaviour/secrets#api-operation-tokens: any sequence', () => {
  test('the service and a plain model agree after every step', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(fc.array(command, { minLength: 15, maxLength: 50 }), (commands) => {
        const world = secretsWorld()
        becomeSecondary(world)
        const model: Model = { protection: undefined, progress: [], live: [], dead: [] }
        for (const each of commands) {
          const before = model.protection === undefined ? 'none' : 'started'
          run(model, world, each)
          expectSameState(model, world)
          seen.add(`${before} ${each.kind} ${model.protection === undefined ? 'none' : 'started'}`)
        }
      }),
      { numRuns: 150 },
    )
    for (const row of [
      'none attempt started',
      'started attempt started',
      'started update started',
      'started update none',
      'started cancel none',
      'started seal started',
    ]) {
      expect(seen).toContain(row)
    }
  })
})
