import { type Fault, type NewFault, newFaultShape } from '../../faults/fault-shapes.ts'
import type { Faults } from '../../faults/faults.ts'
import type { PresetBody } from '../../faults/presets/preset.ts'
import type { Applied, PresetView } from '../../faults/presets/preset-shapes.ts'
import type { Presets } from '../../faults/presets/presets.ts'
import { InputError, type Validator } from '../../http/declare/validate.ts'

/** What a preset takes: parameters of its own, and what all take. */
export type PresetParameters = PresetBody & Readonly<Record<string, unknown>>

/** The faults of one world (behaviour/program#faults). */
export class FaultsControl {
  readonly #faults: Faults
  readonly #presets: Presets
  readonly #validator: Validator

  constructor(faults: Faults, presets: Presets, validator: Validator) {
    this.#faults = faults
    this.#presets = presets
    this.#validator = validator
  }

  /**
   * Makes requests that fit fail.
   *
   * @throws {InputError} for a fault that says nothing, or two things at once
   */
  add(fault: NewFault): Fault {
    const problems = this.#validator.check(newFaultShape, fault, 'the fault')
    if (problems.length > 0) throw new InputError(problems)
    return this.#faults.add(fault)
  }

  /** The faults in order, with how often each has fitted and was applied. */
  list(): readonly Fault[] {
    return this.#faults.list()
  }

  /** One of them; refuses (`absent`) one that there is not. */
  get(id: string): Fault {
    return this.#faults.get(id)
  }

  /** Takes a fault away; requests that it lets hang are let go. */
  delete(id: string): void {
    this.#faults.delete(id)
  }

  /** Takes all faults away, and undoes all presets. */
  clear(): void {
    this.#presets.endAll()
    this.#faults.clear()
  }

  /** The failures that have names. */
  presets(): readonly PresetView[] {
    return this.#presets.list()
  }

  /**
   * Makes the world fail as the real product does; see `presets()`.
   *
   * @param parameters those of the preset, with `match`, `when` and `times` as faults have them
   * @returns the faults, options and pushes that this takes
   * @throws {InputError} for parameters that do not fit; then nothing has changed
   */
  preset(name: string, parameters: PresetParameters = {}): Applied {
    return this.#presets.apply(name, parameters)
  }

  /** Undoes what a preset did; refuses (`absent`) one that there is not. */
  endPreset(name: string): void {
    this.#presets.end(name)
  }
}
