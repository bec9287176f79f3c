import type { ResetPart } from '../../../state/kernel/worlds/world-snapshot.ts'
import type { ControlPartClass } from '../../http/declare/control-call.ts'
import { InputError, sharedValidator } from '../../http/declare/validate.ts'
import { ClockControl } from '../clock/clock-control.ts'
import { TransitionControl } from '../clock/transition-control.ts'
import { FaultsControl } from '../faults/faults-control.ts'
import { WorldContent } from '../state/world-content.ts'
import { type Addresses, addressesOf, basePathOf } from './addresses.ts'
import type { ProcessDescription } from './control-dependencies.ts'
import { type Environment, environmentOf } from './environment.ts'
import { type ResetWhat, resetShape } from './world-shapes.ts'

/** The content of `/_mock/info` (behaviour/program#fresh-world). */
export interface WorldInfo extends ProcessDescription {
  readonly world: string
  /** Seed of the ids and fingerprints of the world. */
  readonly seed: string
  readonly services: Readonly<Record<string, { readonly url: string }>>
}

/**
 * Control of a world from outside of its APIs. The HTTP control plane and programs that embed the
 * mock both use it (behaviour/program#embedding).
 */
export class WorldControl extends WorldContent {
  readonly #parts = new Map<object, object>()

  /**
   * Returns the instance of a part of this control. The first call creates the instance.
   *
   * @internal
   */
  part<Part extends object>(part: ControlPartClass<Part>): Part {
    const { world } = this
    // Each value of the map is an instance of the class that is its key.
    const existing = this.#parts.get(part) as Part | undefined
    const control = existing ?? new part(world, this.tools)
    if (existing === undefined) this.#parts.set(part, control)
    return control
  }

  get clock(): ClockControl {
    return this.part(ClockControl)
  }

  get transitions(): TransitionControl {
    return this.part(TransitionControl)
  }

  /** Faults and presets of this world (behaviour/program#faults). */
  get faults(): FaultsControl {
    const { world } = this
    const { faults, requestNames } = this.dependencies
    return new FaultsControl(faults.of(world), world, this.tools, requestNames)
  }

  /** The prefix that every API path of this world has; empty for the default world. */
  get basePath(): string {
    return basePathOf(this.id)
  }

  /**
   * Returns the current addresses and credentials. The address of an API with its own port contains
   * that port (behaviour/program#worlds-for-clients).
   *
   * @param origin scheme and host under which the caller reaches the combined listener
   */
  info(origin: string): WorldInfo {
    const description = this.dependencies.describe()
    const world = this.world
    const { ports, urlOf } = this.addresses(origin)
    const services = world.services.map(
      (service) => [service.name, { url: urlOf(service.name), ...service.info(world) }] as const,
    )
    return {
      ...description,
      ports,
      world: this.id,
      seed: world.seed,
      services: Object.fromEntries(services),
    }
  }

  /**
   * Returns the environment variables by which clients find this world, including its tokens
   * (behaviour/program#commands). `origin` has the same meaning as for `info`.
   */
  env(origin: string): Environment {
    const { variables = new Map(), caFile } = this.dependencies
    const { services } = this.info(origin)
    return environmentOf({ url: this.addresses(origin).url, services, variables, caFile })
  }

  /**
   * Opens a listener of this world for each API that has no port of its own, because some APIs lack
   * paths on the combined listener. Returns undefined if there is nothing to open.
   */
  openListeners(): Promise<void> | undefined {
    const { describe, listeners } = this.dependencies
    const { ports } = describe()
    const combined = ports['control']
    // Without a combined listener, the process accepts no connections, so it has no addresses.
    if (listeners === undefined || combined === undefined) return undefined
    const worldPorts = listeners.ports(this.id)
    const names = this.world.services.map(({ name }) => name)
    const missing = names.filter((name) => {
      const isDedicated = ports[name] !== undefined && ports[name] !== combined
      return worldPorts[name] === undefined && !isDedicated
    })
    return missing.length === 0 ? undefined : listeners.complete(this.id, missing)
  }

  /** Returns the addresses of this world; `origin` has the same meaning as for `info`. */
  protected addresses(origin: string): Addresses {
    const { describe, listeners } = this.dependencies
    return addressesOf(this.world, origin, describe().ports, listeners?.ports(this.id) ?? {})
  }

  /**
   * Resets the parts that `what` names to their initial state. Without `what`, resets everything,
   * deletes the world's retained snapshots and restarts its journal. Throws `InputError` for an
   * unknown part.
   */
  reset(what?: readonly ResetWhat[]): void {
    const problems = what === undefined ? [] : sharedValidator.check(resetShape, { what }, '')
    if (problems.length > 0) throw new InputError(problems)
    // The changes of presets are undone together with the faults, even if the state is kept.
    if (what?.includes('faults') && !what.includes('state')) this.faults.clear()
    this.world.reset(what?.filter(isWorldPart))
    const { journals, faults } = this.dependencies
    const journal = journals.of(this.world)
    if (what === undefined || what.includes('faults')) faults.of(this.world).restart()
    if (what === undefined) this.dependencies.worlds.snapshots.dropAll(this.id)
    if (what === undefined) journal.restart()
    else if (what.includes('journal')) journal.clear()
  }

  /**
   * Creates an independent world from the current state, under the given id or a generated one. The
   * copy has no requests, snapshots or listeners. Throws the errors of `Worlds.checkNewId`.
   */
  fork(id?: string): WorldControl {
    return new WorldControl(
      this.dependencies,
      this.dependencies.worlds.create({ from: this.id, id }),
    )
  }
}

/**
 * Returns true for a part of the world's state. The journal is not such a part, because it belongs
 * to the memory of the process.
 */
function isWorldPart(part: ResetWhat): part is ResetPart {
  return part !== 'journal'
}
