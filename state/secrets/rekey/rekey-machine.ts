import { defineMachine } from '../../kernel/machine.ts'
import { bool, intOf, list, nullable, text, textOf } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { SplitKey } from '../seal/split-key.ts'

/** The stages of a rekey (behaviour/secrets#api-rekey). */
export type RekeyState = 'none' | 'started' | 'verification' | 'complete'

/** The shares that the operators of a rekey want to have in the end. */
const rekeySettingsShape = struct({
  /** The number of new shares that there are to be, and how many of them will be needed. */
  shares: intOf({ minimum: 1, maximum: 255 }),
  threshold: intOf({ minimum: 1, maximum: 255 }),
  /** The base64 binary PGP keys that the shares are encrypted to, in order, or none. */
  pgpKeys: list(text),
  pgpFingerprints: list(text),
  /** Keep the encrypted shares. */
  backup: bool,
  /** The new shares have to be handed in before they are valid. */
  verification: bool,
})
export interface RekeySettings extends StoredOf<typeof rekeySettingsShape> {}

/** New shares on trial: the old ones stay valid until enough of these were handed in. */
const verificationShape = struct({
  nonce: text,
  split: struct({
    key: textOf({ pattern: '^[0-9a-f]{64}$' }),
    shares: list(text),
    threshold: intOf({ minimum: 1, maximum: 255 }),
  }),
  /** New shares handed in so far, as hex. */
  progress: list(text),
})

/** A rekey that is started and not complete. */
const rekeyAttemptShape = struct({
  nonce: text,
  settings: rekeySettingsShape,
  /** Shares of the valid key handed in so far, as hex. */
  progress: list(text),
  /** Null until the shares of the valid key are together, and without verification always. */
  trial: nullable(verificationShape),
})
export interface RekeyAttempt extends StoredOf<typeof rekeyAttemptShape> {}

/** The one rekey under way, under `attempt`: so there are never two. */
export const rekeyAttempts = defineTable({
  service: 'secrets',
  name: 'rekey',
  local: true,
  shape: rekeyAttemptShape,
})

const spec = 'behaviour/secrets#api-rekey'
const behaviourSpec = 'behaviour/secrets#rekey'

/** The facts that decide where a share leads. */
interface ShareOutcome {
  /** True when there are as many shares as the threshold asks for, and they give the right key. */
  readonly reached: boolean
  /** True when the attempt asks for verification. */
  readonly verification: boolean
}

/** Life of a rekey. One that is complete leaves nothing behind: the next may start. */
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
    // There is nothing to cancel, and nobody minds.
    { on: 'cancel', from: 'none', to: 'none', spec: behaviourSpec },
  ],
})

const attemptKey = 'attempt'

/** The rekey under way; undefined when there is none. */
export function rekeyAttempt(world: World): RekeyAttempt | undefined {
  return world.table(rekeyAttempts).get(attemptKey)
}

/** Returns what the rekey has come to. `complete` is passed through at once. */
export function rekeyState(attempt: RekeyAttempt | undefined): RekeyState {
  if (attempt === undefined) return 'none'
  return attempt.trial === null ? 'started' : 'verification'
}

/** Keeps the rekey under way; undefined ends it. */
export function storeRekey(world: World, attempt: RekeyAttempt | undefined): void {
  world.write(() => {
    if (attempt === undefined) world.table(rekeyAttempts).delete(attemptKey)
    else world.table(rekeyAttempts).put(attemptKey, attempt)
  })
}

/** Started with its nonce, nothing handed in. */
export function newRekeyAttempt(settings: RekeySettings, nonce: string): RekeyAttempt {
  return { nonce, settings, progress: [], trial: null }
}

/** With the new shares on trial; what was handed in is used up. */
export function withPendingVerification(
  attempt: RekeyAttempt,
  split: SplitKey,
  nonce: string,
): RekeyAttempt {
  return { ...attempt, progress: [], trial: { nonce, split, progress: [] } }
}

/** With the trial begun anew: another nonce, nothing handed in, the same new shares. */
export function withRestartedVerification(attempt: RekeyAttempt, nonce: string): RekeyAttempt {
  const { trial } = attempt
  return trial === null ? attempt : { ...attempt, trial: { ...trial, nonce, progress: [] } }
}
