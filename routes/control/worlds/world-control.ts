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

/** Content of `/_mock/info` (behaviour/program#fresh-world). */
export interface WorldInfo extends ProcessDescription {
  readonly world: string
  /** Seed of its ids and fingerprints. */
  readonly seed: string
  readonly services: Readonly<Record<string, { readonly url: string }>>
}

/**
 * Control of a world from outside its APIs, which the HTTP control plane and embedding programs
 * share (behaviour/program#embedding).
 */
export class WorldControl extends WorldContent {
  readonly #parts = new Map<object, object>()

  /** Returns a service's part of the control, created on first access. @internal */
  part<Control extends object>(part: ControlPart<Control>): Control {
    // The map holds for each part only controls of that part's type.
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

  /** Rules by which requests fail (behaviour/program#faults). */
  get faults(): FaultsControl {
    const { faults, validator } = this.parts
    const worldFaults = faults.of(this.world)
    return new FaultsControl(
      worldFaults,
      new Presets(this.world, worldFaults, validator),
      validator,
    )
  }

  /** Prefix of every API path of this world; empty for the default world. */
  get basePath(): string {
    return basePathOf(this.id)
  }

  /**
   * Returns the current addresses and credentials: each API's at its own port if it has one
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

  /**
   * Returns the environment variables by which clients find this world, with its tokens
   * (behaviour/program#commands); `origin` as for `info`.
   */
  env(origin: string): Environment {
    const { variables = new Map(), caFile } = this.parts
    const { services } = this.info(origin)
    return environmentOf({ url: this.addresses(origin).url, services, variables, caFile })
  }

  /** Returns the addresses of this world; `origin` as for `info`. */
  protected addresses(origin: string): Addresses {
    const { describe, listeners } = this.parts
    return addressesOf(this.world, origin, describe().ports, listeners?.ports(this.id) ?? {})
  }

  /** Resets the world to its initial state: completely, including its snapshots, or in parts. */
  reset(what?: readonly ResetWhat[]): void {
    const problems = what === undefined ? [] : this.parts.validator.check(resetShape, { what }, '')
    if (problems.length > 0) throw new InputError(problems)
    // The changes of presets are undone with the faults, even if the state stays.
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
   * Returns the body with which a cloud identity logs in to the secrets API: `POST
   * auth/cloud/login/<role>` accepts it unchanged. The body is signed, and dated by the world's
   * clock.
   *
   * @param host value of the signed header `host`
   */
  cloudLogin(request: CloudLoginRequest, host = 'localhost'): CloudLoginBody {
    return this.cloud.login(request, host)
  }

  /** Creates an independent world from the current state. */
  fork(id?: string): WorldControl {
    return new WorldControl(this.parts, this.parts.worlds.create({ from: this.id, id }))
  }
}

/** Returns true for a part of the world's state; the journal belongs to the process's memory. */
function isWorldPart(part: ResetWhat): part is ResetPart {
  return part !== 'journal'
}
