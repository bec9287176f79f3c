import { defineMachine } from '../../kernel/machine.ts'
import { bool, intOf, list, nullable, text, textOf } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { SplitKey } from '../seal/split-key.ts'
import { secretsTable } from '../table.ts'

/** The stages of a rekey (behaviour/secrets#api-rekey). */
export type RekeyState = 'none' | 'started' | 'verification' | 'complete'

/** The requested shares of a rekey. */
const rekeySettingsShape = struct({
  /** The number of new shares. The next member is how many of them are needed. */
  shares: intOf({ minimum: 1, maximum: 255 }),
  threshold: intOf({ minimum: 1, maximum: 255 }),
  /**
   * PGP keys in base64, one for each share, in the order of the shares; empty if the shares are not
   * encrypted.
   */
  pgpKeys: list(text),
  pgpFingerprints: list(text),
  /** Whether the encrypted shares are stored as a backup. */
  backup: bool,
  /** Whether the new shares must be submitted before they become valid. */
  verification: bool,
  /** True if the rekey replaces the recovery shares of a stored-key seal. */
  recovery: optional(bool),
})
export interface RekeySettings extends StoredOf<typeof rekeySettingsShape> {}

/**
 * New shares under verification. The old shares stay valid until enough new shares were submitted.
 */
const verificationShape = struct({
  nonce: text,
  split: struct({
    key: textOf({ pattern: '^[0-9a-f]{64}$' }),
    shares: list(text),
    threshold: intOf({ minimum: 1, maximum: 255 }),
  }),
  /** New shares submitted so far, as hex. */
  progress: list(text),
})

/** A rekey that has started and is not complete. */
const rekeyAttemptShape = struct({
  nonce: text,
  settings: rekeySettingsShape,
  /** Current shares submitted so far, as hex. */
  progress: list(text),
  /**
   * New shares under verification; null until enough current shares are submitted, and always null
   * without verification.
   */
  trial: nullable(verificationShape),
})
export interface RekeyAttempt extends StoredOf<typeof rekeyAttemptShape> {}

/** The rekey in progress, in a single row under `attempt`. There is never more than one. */
export const rekeyAttempts = secretsTable('rekey', rekeyAttemptShape, {
  secrets: { members: ['progress', 'trial/split/key', 'trial/split/shares', 'trial/progress'] },
  local: true,
})

const spec = 'behaviour/secrets#api-rekey'
const behaviourSpec = 'behaviour/secrets#rekey'

/** Facts after a share was submitted that determine the next state. */
interface ShareOutcome {
  /** True if the threshold is reached and the shares yield the right key. */
  readonly reached: boolean
  /** True if the attempt requires verification. */
  readonly verification: boolean
}

/** State machine of a rekey. A completed rekey leaves nothing behind, so another one may start. */
export const rekeyMachine = defineMachine<ShareOutcome>()({
  name: 'rekey',
  states: ['none', 'started', 'verification', 'complete'],
  moves: [
    { on: 'init', from: 'none', to: 'started', spec },
    { on: 'update', from: 'started', to: 'started', when: ({ reached }) => !reached, spec },
    {
      on: 'update',
      from: 'started',
      to: 'complete',
      when: ({ reached, verification }) => reached && !verification,
      spec,
    },
    {
      on: 'update',
      from: 'started',
      to: 'verification',
      when: ({ reached, verification }) => reached && verification,
      spec,
    },
    { on: 'verify', from: 'verification', to: 'verification', when: (h) => !h.reached, spec },
    { on: 'verify', from: 'verification', to: 'complete', when: ({ reached }) => reached, spec },
    { on: 'restart', from: 'verification', to: 'verification', spec },
    { on: 'cancel', from: ['started', 'verification'], to: 'none', spec },
    // Cancelling succeeds even if no rekey is in progress.
    { on: 'cancel', from: 'none', to: 'none', spec: behaviourSpec },
  ],
})

const attemptKey = 'attempt'

/** Returns the rekey in progress; undefined if there is none. */
export function rekeyAttempt(world: World): RekeyAttempt | undefined {
  return world.table(rekeyAttempts).get(attemptKey)
}

/** Returns the state of the rekey. `complete` is never stored. */
export function rekeyState(attempt: RekeyAttempt | undefined): RekeyState {
  if (attempt === undefined) return 'none'
  return attempt.trial === null ? 'started' : 'verification'
}

/** Stores the rekey in progress; undefined ends it. */
export function storeRekey(world: World, attempt: RekeyAttempt | undefined): void {
  world.write(() => {
    if (attempt === undefined) world.table(rekeyAttempts).delete(attemptKey)
    else world.table(rekeyAttempts).put(attemptKey, attempt)
  })
}

/** Builds a new attempt with a nonce and without shares. */
export function newRekeyAttempt(settings: RekeySettings, nonce: string): RekeyAttempt {
  return { nonce, settings, progress: [], trial: null }
}

/** Returns the attempt with its new shares under verification; the submitted shares are cleared. */
export function withPendingVerification(
  attempt: RekeyAttempt,
  split: SplitKey,
  nonce: string,
): RekeyAttempt {
  return { ...attempt, progress: [], trial: { nonce, split, progress: [] } }
}

/**
 * Returns the attempt with a restarted verification: another nonce and no submitted shares, but
 * unchanged new shares.
 */
export function withRestartedVerification(attempt: RekeyAttempt, nonce: string): RekeyAttempt {
  const { trial } = attempt
  return trial === null ? attempt : { ...attempt, trial: { ...trial, nonce, progress: [] } }
}
