import type { DialectName } from '../../../state/kernel/shape/dialect.ts'
import type { TransitionKind } from '../../../state/kernel/worlds/service.ts'
import type { Effect, Preset } from '../declare/preset.ts'
import { anyPresets } from './any.ts'

/** Presets of a process: those of its services, then those for every API. */
export class PresetCatalog {
  readonly all: readonly Preset[]
  readonly #dialect: DialectName
  readonly #byName: ReadonlyMap<string | null, Preset>

  constructor(ofServices: readonly Preset[], dialect: DialectName = 'neutral') {
    this.#dialect = dialect
    this.all = [...ofServices, ...anyPresets]
    this.#byName = new Map(this.all.map((preset) => [preset.name, preset]))
  }

  /** Returns the preset of the given name. */
  find(name: string): Preset | undefined {
    return this.#byName.get(name)
  }

  /** Returns the summary of a preset in the dialect of the process. */
  summaryOf({ summary, vendorSummary }: Preset): string {
    return this.#dialect === 'vendor' ? (vendorSummary ?? summary) : summary
  }

  /** Returns the effects of a preset's faults beyond their action; undefined for other faults. */
  effectOf(name: string | null): Effect | undefined {
    return this.#byName.get(name)?.effect
  }

  /** Returns a kind of transition that only presets force. */
  transitionKind(name: string): TransitionKind | undefined {
    return this.all.find(({ forces }) => forces?.kind === name)?.forces
  }
}
