import { bool, intOf } from '../../kernel/shape/kinds.ts'
import { described, optional, struct } from '../../kernel/shape/members.ts'
import type { TransitionKind } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { isDrSecondary } from '../replication/modes.ts'
import { nodeId } from '../seal/node-machine.ts'
import { isSealed, sealKey, sealKind, unsealKeys } from '../seal/seal.ts'
import { refuse } from './messages.ts'
import { cancelRekey, checkRekeyRequest, startRekey, submitRekeyShare } from './rekey.ts'
import { type RekeyAttempt, rekeyAttempt, rekeyState, storeRekey } from './rekey-machine.ts'
import { restartVerification, submitNewShare } from './verification.ts'

const targets = ['none', 'started', 'verification', 'complete', 'share', 'restart'] as const

type Target = (typeof targets)[number]

type TransitionOptions = Readonly<Record<string, unknown>>

/** Options of a forced transition to `started`. */
const startShape = struct({
  shares: optional(
    described(
      intOf({ minimum: 1, maximum: 255 }),
      'Number of new shares; the current number if left out',
    ),
  ),
  threshold: optional(
    described(
      intOf({ minimum: 1, maximum: 255 }),
      'Threshold of the new shares; the current threshold if left out, or all shares if there are fewer',
    ),
  ),
  verification: optional(
    described(
      bool,
      'Whether the new shares take effect only after they were verified; false if left out',
    ),
  ),
})

function reachableTargets(world: World, attempt: RekeyAttempt | undefined): readonly Target[] {
  if (isSealed(world)) return []
  if (attempt === undefined) return isDrSecondary(world) ? [] : ['started']
  if (attempt.trial !== null) return ['none', 'complete', 'share', 'restart']
  const { verification } = attempt.settings
  return ['none', ...(verification ? (['verification'] as const) : []), 'complete', 'share']
}

/**
 * Formats the progress, such as `1 of 3 present shares`. Returns undefined if no rekey is in
 * progress.
 */
function progressOf(world: World, attempt: RekeyAttempt | undefined): string | undefined {
  if (attempt === undefined) return undefined
  const { progress, trial } = attempt
  const [submittedCount, requiredCount] =
    trial === null
      ? [progress.length, sealKey(world).threshold]
      : [trial.progress.length, trial.split.threshold]
  return `${submittedCount} of ${requiredCount} ${trial === null ? 'present' : 'new'} shares`
}

function readWholeNumber(options: TransitionOptions, name: string, fallback: number): number {
  const value = options[name] ?? fallback
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw refuse('rekey-push-extra-invalid', { name, what: 'a whole number' })
}

function startFromOptions(world: World, options: TransitionOptions): void {
  const { verification = false } = options
  if (typeof verification !== 'boolean') {
    throw refuse('rekey-push-extra-invalid', { name: 'verification', what: 'true or false' })
  }
  const { keys, threshold: required } = unsealKeys(world)
  // For a stored-key seal, `unsealKeys` returns the recovery shares, but the key of the seal has
  // only one share.
  const isStored = sealKind(world) === 'stored'
  const shares = readWholeNumber(options, 'shares', isStored ? 1 : keys.length)
  const threshold = readWholeNumber(options, 'threshold', isStored ? 1 : Math.min(required, shares))
  const settings = { shares, threshold, pgpKeys: [], backup: false, verification }
  checkRekeyRequest(world, { ...settings, storedShares: undefined })
  startRekey(world, { ...settings, pgpFingerprints: [] })
}

/**
 * Submits the first valid share that was not submitted yet: a current share, or a new share during
 * verification. If the submitted shares are wrong, throws the refusal that the submission returned.
 */
function submitNextShare(world: World, attempt: RekeyAttempt): void {
  const { trial, nonce, progress } = attempt
  const [shares, submittedShares] =
    trial === null ? [unsealKeys(world).keys, progress] : [trial.split.shares, trial.progress]
  const share = shares.find((each) => !submittedShares.includes(each)) ?? ''
  const step =
    trial === null
      ? submitRekeyShare(world, share, nonce)
      : submitNewShare(world, share, trial.nonce)
  if (step.state === 'failed') throw step.refusal
}

/**
 * Submits shares until the rekey reaches the target state. Drops wrong shares that callers
 * submitted before.
 */
function submitRemainingShares(world: World, to: 'verification' | 'complete'): void {
  const initial = rekeyAttempt(world)
  if (initial === undefined) return
  const presentShares = unsealKeys(world).keys
  const { trial } = initial
  storeRekey(world, {
    ...initial,
    progress: initial.progress.filter((share) => presentShares.includes(share)),
    trial: trial && {
      ...trial,
      progress: trial.progress.filter((share) => trial.split.shares.includes(share)),
    },
  })
  for (;;) {
    const attempt = rekeyAttempt(world)
    if (attempt === undefined || rekeyState(attempt) === to) return
    submitNextShare(world, attempt)
  }
}

/**
 * The rekey in `/_mock/transitions` (behaviour/program#control-plane). The targets: `started`
 * starts a rekey with the options `shares`, `threshold` and `verification`; `share` submits one
 * share; `verification` and `complete` submit as many shares as necessary; `restart` restarts the
 * verification; `none` cancels the rekey. After a complete rekey, the state is `none`.
 */
export const rekeyTransition: TransitionKind = {
  kind: 'secrets.rekey',
  summary: 'The rekey, at most one: started, given its shares, verified, cancelled.',
  targets,
  takes: { started: startShape },
  items(world) {
    const attempt = rekeyAttempt(world)
    const detail = progressOf(world, attempt)
    const item = { id: nodeId, state: rekeyState(attempt), to: reachableTargets(world, attempt) }
    return [detail === undefined ? item : { ...item, detail }]
  },
  force(world, id, to, options) {
    if (id !== nodeId) throw refuse('rekey-to-push-unknown', { id, nodeId })
    const attempt = rekeyAttempt(world)
    const target = reachableTargets(world, attempt).find((name) => name === to)
    if (target === undefined) {
      throw refuse('rekey-push-impossible', { state: rekeyState(attempt), to })
    }
    world.write(() => {
      if (target === 'started') startFromOptions(world, options)
      else if (target === 'none') cancelRekey(world)
      else if (target === 'restart') restartVerification(world)
      else if (target !== 'share') submitRemainingShares(world, target)
      else if (attempt !== undefined) submitNextShare(world, attempt)
    })
  },
}
