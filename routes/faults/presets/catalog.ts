import type { DialectName } from '../../../state/kernel/shape/dialect.ts'
import { intOf, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct, withDefault } from '../../../state/kernel/shape/members.ts'
import type { TransitionKind } from '../../../state/kernel/worlds/service.ts'
import { InputError } from '../../http/declare/validate.ts'
import { parseMilliseconds } from '../declare/latency.ts'
import { answers, definePreset, type Preset, type PresetEffect } from '../declare/preset.ts'

const service = 'any'
const source = 'extension'

/** Failures of networks, proxies and unavailable servers, for every API. */
const anyPresets: readonly Preset[] = [
  definePreset({
    name: 'any-reset-after-commit',
    summary:
      'The connection breaks after a write took effect and before its answer: a blind retry writes twice.',
    service,
    parameters: struct({
      answers: answers(
        1,
        'Number of writes that are answered in this way, before writes are served again',
      ),
    }),
    source,
    apply: ({ parameters }) => ({
      faults: [
        {
          match: { method: ['POST', 'PUT', 'PATCH', 'DELETE'] },
          when: { first: parameters.answers },
          phase: 'afterCommit',
          action: { reset: true },
        },
      ],
    }),
  }),
  definePreset({
    name: 'any-slow',
    summary: 'Every answer is delayed.',
    service,
    parameters: struct({
      latency: withDefault(described(text, 'A Go duration of real time, at most 10m'), '1s'),
    }),
    source,
    apply({ parameters: { latency } }) {
      if (parseMilliseconds(latency) === undefined) {
        throw new InputError(['/latency must be a Go duration of at most 10m, such as 200ms'])
      }
      return { faults: [{ action: { latency } }] }
    },
  }),
  definePreset({
    name: 'any-unavailable',
    summary: 'The service is unavailable: 503 for the first requests, then it recovers.',
    service,
    parameters: struct({ answers: answers(5) }),
    source,
    apply: ({ parameters }) => ({
      faults: [{ when: { first: parameters.answers }, action: { status: 503 } }],
    }),
  }),
  definePreset({
    name: 'any-truncated',
    summary: 'Answers break off in the middle of their body; requests take effect.',
    service,
    parameters: struct({
      answers: answers(5),
      bytes: withDefault(
        described(intOf({ minimum: 0 }), 'Number of bytes of the body to send'),
        1,
      ),
    }),
    source,
    apply: ({ parameters: { answers: first, bytes } }) => ({
      faults: [{ when: { first }, action: { truncate: bytes } }],
    }),
  }),
]

/** The presets of a process: first those of its services, then those for every API. */
export class PresetCatalog {
  readonly all: readonly Preset[]
  readonly #dialect: DialectName
  readonly #byName: ReadonlyMap<string | null, Preset>

  constructor(ofServices: readonly Preset[], dialect: DialectName = 'neutral') {
    this.#dialect = dialect
    this.all = [...ofServices, ...anyPresets]
    this.#byName = new Map(this.all.map((preset) => [preset.name, preset]))
  }

  /** Returns the preset with this name; undefined if no preset has it. */
  find(name: string): Preset | undefined {
    return this.#byName.get(name)
  }

  /** Returns the summary of a preset in the dialect of the process. */
  summaryOf({ summary, vendorSummary }: Preset): string {
    return this.#dialect === 'vendor' ? (vendorSummary ?? summary) : summary
  }

  /**
   * Returns the effects that a preset's faults have in addition to their action. Returns undefined
   * if the fault belongs to no preset or its preset has no such effects.
   */
  effectOf(name: string | null): PresetEffect | undefined {
    return this.#byName.get(name)?.effect
  }

  /** Returns a kind of transition that only presets force; undefined if no preset declares it. */
  transitionKind(name: string): TransitionKind | undefined {
    return this.all.find(({ forces }) => forces?.kind === name)?.forces
  }
}
