import { Refusal } from '../../../state/kernel/refusal.ts'
import { inputSchema } from '../../../state/kernel/shape/schema.ts'
import type { PresetTransition } from '../../../state/kernel/worlds/fault-tables.ts'
import { presetRows } from '../../../state/kernel/worlds/fault-tables.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { suggestionFor } from '../../http/declare/similarity.ts'
import { InputError, sharedValidator } from '../../http/declare/validate.ts'
import type { Fault, NewFault } from '../declare/fault-shapes.ts'
import type { Preset, PresetBody, PresetFault, PresetPlan } from '../declare/preset.ts'
import type { Faults } from '../faults.ts'
import type { Applied, PresetView } from './preset-shapes.ts'

/** The presets that are available in a world, with methods that list, apply and undo presets. */
export class Presets {
  readonly #world: World
  readonly #faults: Faults

  constructor(world: World, faults: Faults) {
    this.#world = world
    this.#faults = faults
  }

  /** Returns the presets of the world's services, and the presets for every API. */
  list(): readonly PresetView[] {
    const applied = new Set([
      ...this.#faults.list().map(({ preset }) => preset),
      ...this.#faults.presetApplier.presetsInPlace(),
    ])
    return this.#availablePresets().map((preset) => ({
      name: preset.name,
      summary: this.#faults.catalog.summaryOf(preset),
      service: preset.service,
      parameters: inputSchema(preset.parameters),
      source: preset.source,
      applied: applied.has(preset.name),
    }))
  }

  /**
   * Applies a preset to the world. Changes of options and states take effect immediately, with one
   * exception: if the preset adds no faults and the body has `match`, `when` or `times`, the
   * changes take effect at the first request that the body selects.
   *
   * @param checkBody called with the body after its shape was checked
   * @throws {InputError} for an invalid body; {Refusal} `absent` for an unknown preset, and the
   *   refusals of the preset's forced transitions; the preset changes nothing in these cases
   */
  apply(name: string, body: object, checkBody?: (body: PresetBody) => void): Applied {
    const preset = this.#requirePreset(name)
    const problems = sharedValidator.check(preset.body, body, 'the parameters')
    if (problems.length > 0) throw new InputError(problems)
    checkBody?.(body)
    const { match, when, times, ...parameters } = body as PresetBody
    const plan = preset.apply(this.#world, parameters)
    const { options, pushes } = plan
    this.#world.runDueJobs()
    const faults = this.#world.write(() =>
      this.#begin(preset, plan, { match, when, times }, parameters),
    )
    this.#world.runDueJobs()
    if (plan.wakesReaders) this.#world.store.watchers.wakeAll()
    return {
      faults,
      ...(options && { options }),
      ...(pushes && { pushes: pushes.map(transitionView) }),
    }
  }

  /**
   * Undoes a preset: removes its faults and reverts its options and forced transitions. Throws an
   * `absent` refusal if no preset of the world has this name.
   */
  end(name: string): void {
    this.#end(this.#requirePreset(name).name)
  }

  endAll(): void {
    const appliedNames = [...this.#world.table(presetRows).entries()].map(([, row]) => row.preset)
    for (const name of new Set(appliedNames.reverse())) this.#end(name)
  }

  #end(name: string): void {
    this.#faults.clear(name)
    this.#faults.presetApplier.undo(name)
  }

  #begin(preset: Preset, plan: PresetPlan, body: PresetBody, parameters: object): Fault[] {
    const { faults: planned = [], wakesReaders: _, ...changes } = plan
    const hasConditions = Object.values(body).some((value) => value !== undefined)
    const origin = { name: preset.name, parameters: preset.complete(parameters) }
    if (planned.length === 0 && hasConditions) {
      // The dry run throws the refusal of an impossible change now, not only at the first request.
      this.#world.dryRun(() => this.#faults.presetApplier.apply(preset.name, changes))
      const waitingFault: PresetFault = { times: 1, action: { latency: '0s' } }
      return [this.#faults.add(faultOf(preset, waitingFault, body), { ...origin, changes })]
    }
    this.#faults.presetApplier.apply(preset.name, changes)
    return planned.map((fault) => this.#faults.add(faultOf(preset, fault, body), origin))
  }

  #availablePresets(): readonly Preset[] {
    const names = new Set([...this.#world.services.map(({ name }) => name), 'any'])
    return this.#faults.catalog.all.filter(({ service }) => names.has(service))
  }

  #requirePreset(name: string): Preset {
    const preset = this.#faults.catalog.find(name)
    if (preset !== undefined && this.#availablePresets().includes(preset)) return preset
    const names = this.#availablePresets().map((known) => known.name)
    const suggestion = suggestionFor(name, names)
    const suggestionText = suggestion === undefined ? '' : `; did you mean ${suggestion}?`
    throw new Refusal('absent', `there is no preset "${name}"${suggestionText}`)
  }
}

/**
 * Returns the fault that a preset adds. Members of the caller's body override those of the preset's
 * fault. Unless the preset is for every API, the fault is limited to the preset's API.
 */
function faultOf({ service }: Preset, fault: PresetFault, body: PresetBody): NewFault {
  const { match = fault.match, when = fault.when, times = fault.times } = body
  const serviceMatch = service === 'any' ? {} : { service }
  return {
    match: { ...fault.match, ...match, ...serviceMatch },
    ...(when && { when }),
    ...(times && { times }),
    ...(fault.phase && { phase: fault.phase }),
    action: fault.action,
  }
}

function transitionView({ kind, id, to }: PresetTransition) {
  return { kind, id, to }
}
