import type { FaultsControl, PresetParameters } from '../../routes/control/faults/faults-control.ts'
import type { ControlDependencies } from '../../routes/control/worlds/control-dependencies.ts'
import type { Environment } from '../../routes/control/worlds/environment.ts'
import { WorldControl } from '../../routes/control/worlds/world-control.ts'
import type { NewWorld } from '../../routes/control/worlds/world-shapes.ts'
import type { Applied } from '../../routes/faults/presets/preset-shapes.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import type { CloudLoginBody, CloudLoginRequest } from '../../state/secrets/cloud/login-body.ts'
import type { ApiName } from '../api-names.ts'
import { additionalVariables, type ProcessEnvironment } from '../client-environment.ts'
import type { PresetNameOrString } from '../preset-names.ts'
import { cloudApi, type WorldParts, worldParts } from '../services.ts'
import { type ClockOption, EmbeddedClock } from './clock-option.ts'
import type { WorldReply, WorldRequest } from './embedded-app.ts'
import type {
  AllWorldOptions,
  Fixtures,
  UnderstudyInfo,
  WorldOptions,
  WorldState,
} from './world-types.ts'

/** Part of the server that an embedded world needs. */
interface WorldHost {
  readonly url: string | undefined
  /** Scheme and host of the listeners' URLs, without a port. */
  readonly origin: string
  inject(request: WorldRequest | string): Promise<WorldReply>
  world(id: string): EmbeddedWorld
  deleteWorld(id: string): void
}

/** Request of an embedding program for a new world; every member is optional. */
export type NewEmbeddedWorld = Omit<NewWorld, 'clock' | 'fixtures' | 'options'> & {
  readonly clock?: ClockOption
  readonly fixtures?: Fixtures
  readonly options?: WorldOptions
}

/** Control of a world's faults, with the preset names in its types. */
export interface EmbeddedFaults extends FaultsControl {
  preset(name: PresetNameOrString, parameters?: PresetParameters): Applied
  endPreset(name: PresetNameOrString): void
}

/**
 * Control of one world for an embedding program, with ways to reach its APIs. The methods do what
 * the HTTP control plane does, with the same code (behaviour/program#embedding). The object must
 * not be used after the world is deleted.
 */
class WorldHandle extends WorldControl {
  readonly #host: WorldHost

  constructor(host: WorldHost, dependencies: ControlDependencies, world: World) {
    super(dependencies, world)
    this.#host = host
    for (const [name, part] of Object.entries(worldParts)) {
      Object.defineProperty(this, name, { get: () => this.part<object>(part) })
    }
  }

  override get clock(): EmbeddedClock {
    return this.part(EmbeddedClock)
  }

  override get faults(): EmbeddedFaults {
    return super.faults
  }

  /**
   * URL of this world's APIs; undefined while no open listener serves all of them. If the world has
   * its own combined listener, the URL has no path prefix.
   */
  get url(): string | undefined {
    const { ports, url } = this.addresses(this.#origin)
    return ports['control'] === undefined ? undefined : url
  }

  /**
   * Returns the address of one API, as in `info`. If the API has its own listener, the address has
   * that listener's port.
   */
  apiUrl(name: ApiName): string {
    return this.addresses(this.#origin).urlOf(name)
  }

  /**
   * Returns the variables with which clients find this world: addresses, tokens, and the CA for
   * TLS. Variables of `caller` with which clients might find another server are empty in the
   * result. If `caller` sets a proxy, the result excludes the world from it.
   *
   * @param caller environment to which the result is added. Default: that of this process
   */
  override env(
    origin: string = this.#origin,
    caller: ProcessEnvironment = process.env,
  ): Environment {
    return additionalVariables(caller, super.env(origin))
  }

  /**
   * URL of the process's combined listener. Without this listener: scheme and host of the process
   * if the world has listeners, else `http://localhost`.
   */
  get #origin(): string {
    const { url, origin } = this.#host
    if (url !== undefined) return url
    // The world may have listeners while the process has none.
    return Object.keys(this.addresses(origin).ports).length > 0 ? origin : 'http://localhost'
  }

  /** Sends a request to this world without a socket. */
  inject(request: WorldRequest | string): Promise<WorldReply> {
    const options = typeof request === 'string' ? { url: request } : request
    return this.#host.inject({ ...options, url: this.basePath + options.url })
  }

  /** Returns the addresses and credentials that are valid now. */
  override info(origin: string = this.#origin): UnderstudyInfo {
    // `WorldControl` does not know the types of the services' members.
    return super.info(origin) as UnderstudyInfo
  }

  /**
   * Returns the body with which a cloud identity logs in to the secrets API: `POST
   * auth/cloud/login/<role>` accepts it unchanged. The body is signed, and dated by the world's
   * clock.
   *
   * @param host value of the signed header `host`; by default the host of this world's address
   */
  cloudLogin(
    request: CloudLoginRequest,
    host = new URL(this.apiUrl(cloudApi)).host,
  ): CloudLoginBody {
    return this.part(worldParts.cloud).login(request, host)
  }

  override state(at?: string): WorldState {
    // The tables define the types of rows, which the kernel does not know.
    return super.state(at) as WorldState
  }

  override importState(document: Fixtures): void {
    super.importState(document)
  }

  override seed(fixtures: Omit<Fixtures, 'world' | 'options'>): void {
    super.seed(fixtures)
  }

  override options(): AllWorldOptions {
    // The services define the types of options, which the kernel does not know.
    return super.options() as AllWorldOptions
  }

  override changeOptions(changes: WorldOptions): void {
    super.changeOptions(changes)
  }

  /** Creates a world that starts as an independent copy of this one. */
  override fork(id?: string): EmbeddedWorld {
    return this.#host.world(super.fork(id).id)
  }

  /** Deletes this world with its snapshots; the default world cannot be deleted. */
  delete(): void {
    this.#host.deleteWorld(this.id)
  }
}

/**
 * Control of one world for an embedding program, including the controls in `WorldParts`, such as
 * `secrets` and `cloud`.
 */
export type EmbeddedWorld = WorldHandle & WorldParts

/** Returns the control of a world, typed with the controls in `WorldParts`. */
export function embeddedWorld(
  host: WorldHost,
  dependencies: ControlDependencies,
  world: World,
): EmbeddedWorld {
  // The cast is safe: the constructor defines the members of `WorldParts`.
  return new WorldHandle(host, dependencies, world) as EmbeddedWorld
}
