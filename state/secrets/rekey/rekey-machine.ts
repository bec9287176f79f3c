import { defineMachine } from '../../kernel/machine.ts'
import { defineTable } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'
import type { SplitKey } from '../seal/split-key.ts'

/** What a rekey has come to (1-secrets.md, States and transitions, Rekey). */
export type RekeyState = 'none' | 'started' | 'verification' | 'complete'

/** What the operators of a rekey want to have in the end. */
export interface RekeySettings {
  /** How many new shares there are to be, and how many of them will be needed. */
  readonly shares: number
  readonly threshold: number
  /** The base64 binary PGP keys that the shares are encrypted to, in order, or none. */
  readonly pgpKeys: readonly string[]
  readonly pgpFingerprints: readonly string[]
  /** Keep the encrypted shares. */
  readonly backup: boolean
  /** The new shares have to be handed in before they are valid. */
  readonly verification: boolean
}

/** New shares on trial: the old ones stay valid until enough of these were handed in. */
interface Verification {
  readonly nonce: string
  readonly split: SplitKey
  /** New shares handed in so far, as hex. */
  readonly progress: readonly string[]
}

/** A rekey that is started and not complete. */
export interface RekeyAttempt {
  readonly nonce: string
  readonly settings: RekeySettings
  /** Shares of the valid key handed in so far, as hex. */
  readonly progress: readonly string[]
  /** Null until the shares of the valid key are together, and without verification always. */
  readonly trial: Verification | null
}

const text = { type: 'string' } as const
const texts = { type: 'array', items: text } as const
const count = { type: 'integer', minimum: 1, maximum: 255 } as const

/** The one rekey under way, under `attempt`: so there are never two. */
export const rekeyAttempts = defineTable<RekeyAttempt>({
  service: 'secrets',
  name: 'rekey',
  local: true,
  schema: {
    type: 'object',
    required: ['nonce', 'settings', 'progress', 'trial'],
    additionalProperties: false,
    properties: {
      nonce: text,
      settings: {
        type: 'object',
        required: ['shares', 'threshold', 'pgpKeys', 'pgpFingerprints', 'backup', 'verification'],
        additionalProperties: false,
        properties: {
          shares: count,
          threshold: count,
          pgpKeys: texts,
          pgpFingerprints: texts,
          backup: { type: 'boolean' },
          verification: { type: 'boolean' },
        },
      },
      progress: texts,
      trial: {
        type: ['object', 'null'],
        required: ['nonce', 'split', 'progress'],
        additionalProperties: false,
        properties: {
          nonce: text,
          split: {
            type: 'object',
            required: ['key', 'shares', 'threshold'],
            additionalProperties: false,
            properties: {
              key: { type: 'string', pattern: '^[0-9a-f]{64}$' },
              shares: texts,
              threshold: count,
            },
          },
          progress: texts,
        },
      },
    },
  },
})

const spec = '1-secrets.md › States and transitions › Rekey'
const decisions = '1-secrets-decisions.md section 5'

/** What decides where a share leads. */
interface Handed {
  /** Whether there are as many shares as the threshold asks for, and they give the right key. */
  readonly reached: boolean
  /** Whether the attempt asks for verification. */
  readonly verification: boolean
}

/** Life of a rekey. One that is complete leaves nothing behind: the next may start. */
export const rekeyLife = defineMachine<Handed>()({
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
    { on: 'cancel', from: 'none', to: 'none', spec: decisions },
  ],
})

const onlyAttempt = 'attempt'

/** The rekey under way; undefined when there is none. */
export function rekeyAttempt(world: World): RekeyAttempt | undefined {
  return world.table(rekeyAttempts).get(onlyAttempt)
}

/** What the rekey has come to. `complete` is passed through at once. */
export function rekeyState(attempt: RekeyAttempt | undefined): RekeyState {
  if (attempt === undefined) return 'none'
  return attempt.trial === null ? 'started' : 'verification'
}

/** Keeps the rekey under way; undefined ends it. */
export function keepRekey(world: World, attempt: RekeyAttempt | undefined): void {
  world.write(() => {
    if (attempt === undefined) world.table(rekeyAttempts).delete(onlyAttempt)
    else world.table(rekeyAttempts).put(onlyAttempt, attempt)
  })
}

/** Started with its nonce, nothing handed in. */
export function startedRekey(settings: RekeySettings, nonce: string): RekeyAttempt {
  return { nonce, settings, progress: [], trial: null }
}

/** With the new shares on trial; what was handed in is used up. */
export function onTrial(attempt: RekeyAttempt, split: SplitKey, nonce: string): RekeyAttempt {
  return { ...attempt, progress: [], trial: { nonce, split, progress: [] } }
}

/** With the trial begun anew: another nonce, nothing handed in, the same new shares. */
export function restartedTrial(attempt: RekeyAttempt, nonce: string): RekeyAttempt {
  const { trial } = attempt
  return trial === null ? attempt : { ...attempt, trial: { ...trial, nonce, progress: [] } }
}
