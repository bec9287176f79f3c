import type { World } from '../../../state/kernel/worlds/world.ts'
import { type Fault, type NewFault, newFaultShape } from '../../faults/declare/fault-shapes.ts'
import type { PresetBody } from '../../faults/declare/preset.ts'
import type { Faults } from '../../faults/faults.ts'
import type { Applied, PresetView } from '../../faults/presets/preset-shapes.ts'
import { Presets } from '../../faults/presets/presets.ts'
import { ControlPart, type ControlTools } from '../../http/declare/control-call.ts'
import { checkRequestNames, type RequestNames } from '../../journal/request-names.ts'

/** The parameters of a preset, and the members that all presets accept. */
export type PresetParameters = PresetBody & Readonly<Record<string, unknown>>

/** Control of one world's faults (behaviour/program#faults). */
export class FaultsControl extends ControlPart {
  readonly #faults: Faults
  readonly #presets: Presets
  readonly #names: RequestNames | undefined

  constructor(faults: Faults, world: World, tools: ControlTools, names?: RequestNames) {
    super(world, tools)
    this.#faults = faults
    this.#presets = new Presets(world, faults)
    this.#names = names
  }

  /**
   * Adds a fault, which makes matching requests fail.
   *
   * @throws {InputError} for an invalid fault, such as one without an action, and for unknown names
   *   in its matcher; {Refusal} `conflict` for the id of an existing fault
   */
  add(fault: NewFault): Fault {
    this.check(newFaultShape, fault, 'the fault')
    checkRequestNames([{ match: fault.match, place: '/match' }], this.#names)
    return this.#faults.add(fault)
  }

  /**
   * Returns the faults in the order of creation, each with its number of matching requests and its
   * number of applications.
   */
  list(): readonly Fault[] {
    return this.#faults.list()
  }

  /** Returns a fault. Throws an `absent` refusal if no fault has this id. */
  get(id: string): Fault {
    return this.#faults.get(id)
  }

  /**
   * Deletes a fault, and closes the connections that the fault holds open. Throws an `absent`
   * refusal for an unknown id.
   */
  delete(id: string): void {
    this.#faults.delete(id)
  }

  /** Deletes all faults and undoes all presets. Connections that faults hold open are closed. */
  clear(): void {
    this.#presets.endAll()
    this.#faults.clear()
  }

  /**
   * Returns the presets for this world's services and for every API, whether they are applied or
   * not.
   */
  presets(): readonly PresetView[] {
    return this.#presets.list()
  }

  /**
   * Applies a preset, so that the world fails as the real product does; see `presets()`.
   *
   * @param parameters parameters of the preset, and `match`, `when` and `times` as for faults
   * @returns the faults, options and transitions of the preset
   * @throws {InputError} for invalid parameters; {Refusal} `absent` for an unknown preset, and the
   *   refusals of its forced transitions; the preset changes nothing in these cases
   */
  preset(name: string, parameters: PresetParameters = {}): Applied {
    return this.#presets.apply(name, parameters, ({ match }) =>
      checkRequestNames([{ match, place: '/match' }], this.#names),
    )
  }

  /**
   * Undoes a preset: deletes its faults and reverts its changes. Throws an `absent` refusal if no
   * preset has this name.
   */
  endPreset(name: string): void {
    this.#presets.end(name)
  }
}
