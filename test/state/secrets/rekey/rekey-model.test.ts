import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../../state/kernel/refusal.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import {
  cancelRekey,
  checkRekeyRequest,
  rekeyStatus,
  startRekey,
  submitRekeyShare,
} from '../../../../state/secrets/rekey/rekey.ts'
import { rekeyAttempts } from '../../../../state/secrets/rekey/rekey-machine.ts'
import {
  restartVerification,
  submitNewShare,
  verificationStatus,
} from '../../../../state/secrets/rekey/verification.ts'
import { stepDown } from '../../../../state/secrets/seal/node.ts'
import { isSealed, seal, unsealKeys } from '../../../../state/secrets/seal/seal.ts'
import { resetUnseal, submitUnsealKey } from '../../../../state/secrets/seal/unseal.ts'
import { secretsWorld } from '../system-world.ts'

/** The origin of a share: valid, under verification, no longer valid, or never valid. */
type SharePick = { readonly from: 'valid' | 'trial' | 'dead' | 'foreign'; readonly at: number }

type Command =
  | { kind: 'init'; shares: number; threshold: number; verification: boolean }
  | { kind: 'update' | 'verify'; pick: SharePick; right: boolean; base64: boolean }
  | { kind: 'restart' | 'cancel' | 'step-down' | 'seal' }

/** A minimal model of a rekey. */
interface Model {
  state: 'none' | 'started' | 'verification'
  valid: readonly string[]
  required: number
  dead: string[]
  shares: number
  threshold: number
  verification: boolean
  progress: string[]
  trial: readonly string[]
  verificationProgress: string[]
}

const count = fc.constantFrom(0, 1, 2, 2, 2, 3, 3, 4)
const sharePick = (preferred: SharePick['from']) =>
  fc.record({
    from: fc.oneof(
      { weight: 8, arbitrary: fc.constant(preferred) },
      {
        weight: 1,
        arbitrary: fc.constantFrom<SharePick['from']>('valid', 'trial', 'dead', 'foreign'),
      },
    ),
    at: fc.nat({ max: 5 }),
  })
const right = fc.oneof(
  { weight: 9, arbitrary: fc.constant(true) },
  { weight: 1, arbitrary: fc.constant(false) },
)
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('init' as const),
      shares: count,
      threshold: count,
      // Verification takes more steps, so it must be frequent for sequences to complete.
      verification: fc.constantFrom(true, true, false),
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      kind: fc.constant('update' as const),
      pick: sharePick('valid'),
      right,
      base64: fc.boolean(),
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      kind: fc.constant('verify' as const),
      pick: sharePick('trial'),
      right,
      base64: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('cancel' as const, 'step-down' as const, 'seal' as const),
    }),
  },
)

const foreign = secretsWorld({}, 'elsewhere')

function shareOf(model: Model, { from, at }: SharePick): string {
  const source = {
    valid: model.valid,
    trial: model.trial,
    dead: model.dead.slice(-4),
    foreign: unsealKeys(foreign).keys,
  }[from]
  return source[at % Math.max(source.length, 1)] ?? 'ab'.repeat(33)
}

/** Returns whether the numbers are valid for a seal (behaviour/secrets#rekey). */
const makesSeal = (shares: number, threshold: number): boolean =>
  shares >= 1 && threshold >= 1 && threshold <= shares && (shares === 1 || threshold > 1)

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** Makes the new shares the valid ones in the model. */
function acceptNewShares(model: Model, world: World, newShares: readonly string[]): void {
  model.dead.push(...model.valid)
  model.valid = newShares
  model.required = model.threshold
  endAttempt(model)
  expect(unsealKeys(world).keys).toEqual(newShares)
}

function endAttempt(model: Model): void {
  model.state = 'none'
  model.progress = []
  model.trial = []
  model.verificationProgress = []
}

function init(
  model: Model,
  world: World,
  { shares, threshold, verification }: Extract<Command, { kind: 'init' }>,
): void {
  const settings = { shares, threshold, pgpKeys: [], backup: false, verification }
  const succeeded = attempt(() => {
    checkRekeyRequest(world, { ...settings, storedShares: undefined })
    startRekey(world, { ...settings, pgpFingerprints: [] })
    return true
  })
  expect(succeeded === true).toBe(model.state === 'none' && makesSeal(shares, threshold))
  if (succeeded) Object.assign(model, { state: 'started', shares, threshold, verification })
}

const formOf = (share: string, base64: boolean): string =>
  base64 ? Buffer.from(share, 'hex').toString('base64') : share

type Submission = { readonly pick: SharePick; readonly right: boolean; readonly base64: boolean }

function update(model: Model, world: World, { pick, right, base64 }: Submission): void {
  const share = shareOf(model, pick)
  const nonce = right ? rekeyStatus(world).nonce : 'another'
  const step = attempt(() => submitRekeyShare(world, formOf(share, base64), nonce))
  if (model.state !== 'started' || !right || model.progress.includes(share)) {
    expect(step).toBeUndefined()
    return
  }
  const submitted = [...model.progress, share]
  if (submitted.length < model.required) {
    expect(step).toEqual({ state: 'started' })
    model.progress = submitted
    return
  }
  model.progress = []
  if (!submitted.every((each) => model.valid.includes(each))) {
    expect(step?.state).toBe('failed')
    return
  }
  if (step?.state !== 'complete' && step?.state !== 'verification') {
    throw new Error(`the threshold was reached, and the rekey is ${step?.state}`)
  }
  const { shares } = step.result
  expect(step.state).toBe(model.verification ? 'verification' : 'complete')
  expect(shares).toHaveLength(model.shares)
  expect(shares.some((each) => model.valid.includes(each) || model.dead.includes(each))).toBe(false)
  if (step.state === 'complete') acceptNewShares(model, world, shares)
  else Object.assign(model, { state: 'verification', trial: shares })
}

function verify(model: Model, world: World, { pick, right, base64 }: Submission): void {
  const share = shareOf(model, pick)
  const before = model.state === 'none' ? '' : verificationStatus(world).nonce
  const nonce = right ? before : 'another'
  const step = attempt(() => submitNewShare(world, formOf(share, base64), nonce))
  if (model.state !== 'verification' || !right || model.verificationProgress.includes(share)) {
    expect(step).toBeUndefined()
    return
  }
  const submitted = [...model.verificationProgress, share]
  if (submitted.length < model.threshold) {
    expect(step).toEqual({ state: 'verification' })
    model.verificationProgress = submitted
    return
  }
  model.verificationProgress = []
  if (submitted.every((each) => model.trial.includes(each))) {
    expect(step).toEqual({ state: 'complete', nonce })
    acceptNewShares(model, world, model.trial)
    return
  }
  expect(step?.state).toBe('failed')
  expect(verificationStatus(world).nonce).not.toBe(before)
}

/** Seals, tries invalid shares in vain, and unseals with the model's valid shares. */
function sealAndOpen(model: Model, world: World): void {
  seal(world)
  for (const share of model.dead.slice(-model.required)) submitUnsealKey(world, share)
  expect(isSealed(world)).toBe(true)
  resetUnseal(world)
  for (const share of model.valid.slice(-model.required)) submitUnsealKey(world, share)
  expect(isSealed(world)).toBe(false)
  endAttempt(model)
}

function run(model: Model, world: World, command: Command): void {
  switch (command.kind) {
    case 'init':
      init(model, world, command)
      break
    case 'update':
      update(model, world, command)
      break
    case 'verify':
      verify(model, world, command)
      break
    case 'restart':
      restart(model, world)
      break
    case 'seal':
      sealAndOpen(model, world)
      break
    case 'cancel':
      cancelRekey(world)
      endAttempt(model)
      break
    case 'step-down':
      stepDown(world)
      endAttempt(model)
  }
}

function restart(model: Model, world: World): void {
  const nonce = attempt(() => verificationStatus(world).nonce)
  const succeeded = attempt(() => {
    restartVerification(world)
    return true
  })
  expect(succeeded === true).toBe(model.state !== 'none')
  if (model.state === 'verification') expect(verificationStatus(world).nonce).not.toBe(nonce)
  model.verificationProgress = []
}

/** Checks the invariants after every step. */
function expectSameState(model: Model, world: World): void {
  const status = rekeyStatus(world)
  const { state, shares, threshold, verification } = model
  const started = state !== 'none'
  expect(status).toEqual({
    nonce: started ? expect.stringMatching(/^[0-9a-f-]{36}$/) : '',
    started,
    t: started ? threshold : 0,
    n: started ? shares : 0,
    progress: model.progress.length,
    required: model.required,
    pgp_fingerprints: null,
    backup: false,
    verification_required: started && verification,
    ...(state === 'verification'
      ? { verification_nonce: expect.stringMatching(/^[0-9a-f-]{36}$/) }
      : {}),
  })
  if (started) {
    expect(verificationStatus(world)).toEqual({
      nonce: status.verification_nonce ?? '',
      started: state === 'verification',
      t: threshold,
      n: shares,
      progress: model.verificationProgress.length,
    })
  }
  expect(world.table(rekeyAttempts).size).toBe(started ? 1 : 0)
  expect(unsealKeys(world)).toEqual({ keys: model.valid, threshold: model.required })
}

describe('behaviour/secrets#api-rekey: any sequence', () => {
  test('the service and a plain model agree after every step', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(fc.array(command, { minLength: 20, maxLength: 60 }), (commands) => {
        const world = secretsWorld({ secretShares: 3, secretThreshold: 2 })
        const model: Model = {
          state: 'none',
          valid: unsealKeys(world).keys,
          required: 2,
          dead: [],
          shares: 0,
          threshold: 0,
          verification: false,
          progress: [],
          trial: [],
          verificationProgress: [],
        }
        for (const each of commands) {
          const before = model.state
          run(model, world, each)
          expectSameState(model, world)
          seen.add(`${before} ${each.kind} ${model.state}`)
        }
      }),
      { numRuns: 300 },
    )
    // The sequences covered every row of the table.
    for (const row of [
      'none init started',
      'started update started',
      'started update none',
      'started update verification',
      'verification verify verification',
      'verification verify none',
      'verification restart verification',
      'started cancel none',
      'verification cancel none',
      'started init started',
      'verification init verification',
    ]) {
      expect(seen).toContain(row)
    }
  })
})
