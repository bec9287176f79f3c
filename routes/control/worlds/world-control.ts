import type { ResetPart } from '../../../state/kernel/worlds/world-snapshot.ts'
import type { CloudLoginBody, CloudLoginRequest } from '../../../state/secrets/cloud/login-body.ts'
import { Presets } from '../../faults/presets/presets.ts'
import { InputError } from '../../http/declare/validate.ts'
import { type ClockControl, clockPart } from '../clock/clock-control.ts'
import { type TransitionControl, transitionPart } from '../clock/transition-control.ts'
import { type CloudControl, cloudPart } from '../cloud-control.ts'
import type { ControlPart } from '../control-part.ts'
import { FaultsControl } from '../faults/faults-control.ts'
import { type MeshControl, meshPart } from '../mesh-control.ts'
import { type OrchestratorControl, orchestratorPart } from '../orchestrator-control.ts'
import { type PlatformControl, platformPart } from '../platform-control.ts'
import { type SchedulerControl, schedulerPart } from '../scheduler-control.ts'
import { type SecretsControl, secretsPart } from '../secrets-control.ts'
import { type ResetWhat, resetShape } from '../shapes.ts'
import { WorldContent } from '../state/world-content.ts'
import { type Addresses, addressesOf, basePathOf } from './addresses.ts'
import type { ProcessDescription } from './control-dependencies.ts'
import { type Environment, environmentOf } from './environment.ts'

/** `/_mock/info` (behaviour/program#fresh-world). */
export interface WorldInfo extends ProcessDescription {
  readonly world: string
  /** Of its ids and fingerprints. */
  readonly seed: string
  readonly services: Readonly<Record<string, { readonly url: string }>>
}

/**
 * Everything that can be done with a world from outside its APIs. The HTTP control plane and
 * embedding programs both come here (behaviour/program#embedding).
 */
export class WorldControl extends WorldContent {
  readonly #parts = new Map<object, object>()

  /** A service's part of the control, made at the first touch. @internal */
  part<Control extends object>(part: ControlPart<Control>): Control {
    // A part makes nothing but its own control.
    const existing = this.#parts.get(part) as Control | undefined
    const world = this.world
    const control = existing ?? part.make(world, this.parts.validator)
    if (existing === undefined) this.#parts.set(part, control)
    return control
  }

  get clock(): ClockControl {
    return this.part(clockPart)
  }

  get transitions(): TransitionControl {
    return this.part(transitionPart)
  }

  get secrets(): SecretsControl {
    return this.part(secretsPart)
  }

  get cloud(): CloudControl {
    return this.part(cloudPart)
  }

  get orchestrator(): OrchestratorControl {
    return this.part(orchestratorPart)
  }

  get platform(): PlatformControl {
    return this.part(platformPart)
  }

  get mesh(): MeshControl {
    return this.part(meshPart)
  }

  get scheduler(): SchedulerControl {
    return this.part(schedulerPart)
  }

  /** The rules by which requests fail (behaviour/program#faults). */
  get faults(): FaultsControl {
    const { faults, validator } = this.parts
    const worldFaults = faults.of(this.world)
    return new FaultsControl(
      worldFaults,
      new Presets(this.world, worldFaults, validator),
      validator,
    )
  }

  /** Goes before every API path of this world; empty for the default world. */
  get basePath(): string {
    return basePathOf(this.id)
  }

  /**
   * Addresses and credentials that are valid now: each API's at the port of its own where it has one
   * (behaviour/program#worlds-for-clients).
   *
   * @param origin scheme and host under which the caller reaches the combined listener
   */
  info(origin: string): WorldInfo {
    const description = this.parts.describe()
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

  /** The variables in which clients find this world, with its tokens (behaviour/program#commands); `origin` as of `info`. */
  env(origin: string): Environment {
    const { variables = new Map(), caFile } = this.parts
    const { services } = this.info(origin)
    return environmentOf({ url: this.addresses(origin).url, services, variables, caFile })
  }

  /** Where this world is reached; `origin` as of `info`. */
  protected addresses(origin: string): Addresses {
    const { describe, listeners } = this.parts
    return addressesOf(this.world, origin, describe().ports, listeners?.ports(this.id) ?? {})
  }

  /** Back to how the world began, wholly, without its snapshots too, or in parts. */
  reset(what?: readonly ResetWhat[]): void {
    const problems = what === undefined ? [] : this.parts.validator.check(resetShape, { what }, '')
    if (problems.length > 0) throw new InputError(problems)
    // What presets have changed goes with them, also where the state stays.
    if (what?.includes('faults') && !what.includes('state')) this.faults.clear()
    this.world.reset(what?.filter(isWorldPart))
    const { journals, faults } = this.parts
    const journal = journals.of(this.world)
    if (what === undefined || what.includes('faults')) faults.of(this.world).restart()
    if (what === undefined) this.parts.worlds.snapshots.dropAll(this.id)
    if (what === undefined) journal.restart()
    else if (what.includes('journal')) journal.clear()
  }

  /**
   * The body with which a cloud identity logs in to the secrets API: `POST auth/cloud/login/<role>`
   * takes it as it is. Signed, and dated by the world's clock.
   *
   * @param host what the signed header `host` says
   */
  cloudLogin(request: CloudLoginRequest, host = 'localhost'): CloudLoginBody {
    return this.cloud.login(request, host)
  }

  /** A new world that goes on from here by itself. */
  fork(id?: string): WorldControl {
    return new WorldControl(this.parts, this.parts.worlds.create({ from: this.id, id }))
  }
}

/** The journal belongs to the process's memory, not to the world's state. */
function isWorldPart(part: ResetWhat): part is ResetPart {
  return part !== 'journal'
}
