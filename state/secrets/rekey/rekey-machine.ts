import { defineMachine } from '../../kernel/machine.ts'
import { bool, intOf, list, nullable, text, textOf } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { SplitKey } from '../seal/split-key.ts'
import { secretsTable } from '../table.ts'

/** State of a rekey (behaviour/secrets#api-rekey). `complete` is never stored. */
export type RekeyState = 'none' | 'started' | 'verification' | 'complete'

/** Settings of the request that started a rekey. */
const rekeySettingsShape = struct({
  /** Number of new shares, of which any `threshold` restore the key. */
  shares: intOf({ minimum: 1, maximum: 255 }),
  threshold: intOf({ minimum: 1, maximum: 255 }),
  /** PGP keys in base64, one for each share in order; empty if the shares are not encrypted. */
  pgpKeys: list(text),
  pgpFingerprints: list(text),
  /** Whether the encrypted shares are also stored as a backup. */
  backup: bool,
  /** Whether the new shares only become valid once enough of them were submitted. */
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
  /** New shares that were submitted, as hex. */
  progress: list(text),
})

/** A rekey in progress. */
const rekeyAttemptShape = struct({
  nonce: text,
  settings: rekeySettingsShape,
  /** Current shares that were submitted, as hex. */
  progress: list(text),
  /** Null until enough current shares were submitted, and always null without verification. */
  trial: nullable(verificationShape),
})
export interface RekeyAttempt extends StoredOf<typeof rekeyAttemptShape> {}

/** The rekey in progress, in a single row under `attempt`, because there is never more than one. */
export const rekeyAttempts = secretsTable('rekey', rekeyAttemptShape, {
  secrets: { members: ['progress', 'trial/split/key', 'trial/split/shares', 'trial/progress'] },
  local: true,
})

const spec = 'behaviour/secrets#api-rekey'
const behaviourSpec = 'behaviour/secrets#rekey'

/** Conditions that determine the next state after a share was submitted. */
interface ShareOutcome {
  /** True if enough shares were submitted and they combine to the right key. */
  readonly isKeyRecovered: boolean
  readonly requiresVerification: boolean
}

/** State machine of a rekey. A completed rekey is not stored, so that another rekey can start. */
export const rekeyMachine = defineMachine<ShareOutcome>()({
  name: 'rekey',
  states: ['none', 'started', 'verification', 'complete'],
  moves: [
    { on: 'init', from: 'none', to: 'started', spec },
    {
      on: 'update',
      from: 'started',
      to: 'started',
      when: ({ isKeyRecovered }) => !isKeyRecovered,
      spec,
    },
    {
      on: 'update',
      from: 'started',
      to: 'complete',
      when: ({ isKeyRecovered, requiresVerification }) => isKeyRecovered && !requiresVerification,
      spec,
    },
    {
      on: 'update',
      from: 'started',
      to: 'verification',
      when: ({ isKeyRecovered, requiresVerification }) => isKeyRecovered && requiresVerification,
      spec,
    },
    {
      on: 'verify',
      from: 'verification',
      to: 'verification',
      when: (h) => !h.isKeyRecovered,
      spec,
    },
    {
      on: 'verify',
      from: 'verification',
      to: 'complete',
      when: ({ isKeyRecovered }) => isKeyRecovered,
      spec,
    },
    { on: 'restart', from: 'verification', to: 'verification', spec },
    { on: 'cancel', from: ['started', 'verification'], to: 'none', spec },
    // Cancelling succeeds even if no rekey is in progress.
    { on: 'cancel', from: 'none', to: 'none', spec: behaviourSpec },
  ],
})

const attemptKey = 'attempt'

/** Returns the rekey in progress; undefined if no rekey is in progress. */
export function rekeyAttempt(world: World): RekeyAttempt | undefined {
  return world.table(rekeyAttempts).get(attemptKey)
}

/**
 * Derives the state from the row: `verification` while new shares await verification, otherwise
 * `started`, or `none` without a row. Never returns `complete`.
 */
export function rekeyState(attempt: RekeyAttempt | undefined): RekeyState {
  if (attempt === undefined) return 'none'
  return attempt.trial === null ? 'started' : 'verification'
}

/** Stores the rekey in progress; `undefined` deletes it. */
export function storeRekey(world: World, attempt: RekeyAttempt | undefined): void {
  world.write(() => {
    if (attempt === undefined) world.table(rekeyAttempts).delete(attemptKey)
    else world.table(rekeyAttempts).put(attemptKey, attempt)
  })
}

/** Builds a rekey to which no share has been submitted yet; stores nothing. */
export function newRekeyAttempt(settings: RekeySettings, nonce: string): RekeyAttempt {
  return { nonce, settings, progress: [], trial: null }
}

/**
 * Returns a copy of the rekey in which the new shares await verification. The submitted current
 * shares are dropped.
 */
export function withPendingVerification(
  attempt: RekeyAttempt,
  split: SplitKey,
  nonce: string,
): RekeyAttempt {
  return { ...attempt, progress: [], trial: { nonce, split, progress: [] } }
}

/**
 * Returns a copy of the rekey whose verification starts again with another nonce and no submitted
 * shares. The new shares stay. Returns the rekey unchanged if its verification has not begun.
 */
export function withRestartedVerification(attempt: RekeyAttempt, nonce: string): RekeyAttempt {
  const { trial } = attempt
  return trial === null ? attempt : { ...attempt, trial: { ...trial, nonce, progress: [] } }
}
