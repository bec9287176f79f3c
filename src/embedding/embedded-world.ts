import type { NewWorld } from '../../routes/control/shapes.ts'
import type { ControlDependencies } from '../../routes/control/worlds/control-dependencies.ts'
import type { Environment } from '../../routes/control/worlds/environment.ts'
import { WorldControl } from '../../routes/control/worlds/world-control.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import type { CloudLoginBody, CloudLoginRequest } from '../../state/secrets/cloud/login-body.ts'
import type { ApiName } from '../api-names.ts'
import { type ClockOption, type EmbeddedClock, embeddedClockPart } from './clock-option.ts'
import type { WorldReply, WorldRequest } from './embedded-app.ts'
import type {
  AllWorldOptions,
  Fixtures,
  UnderstudyInfo,
  WorldOptions,
  WorldState,
} from './world-types.ts'

/** The part of its server that an embedded world needs. */
interface WorldHost {
  readonly url: string | undefined
  /** Scheme and host. */
  readonly origin: string
  inject(request: WorldRequest | string): Promise<WorldReply>
  world(id: string): EmbeddedWorld
  deleteWorld(id: string): void
}

/** A further world, as embedding programs ask for it; everything may be left out. */
export type NewEmbeddedWorld = Omit<NewWorld, 'clock' | 'fixtures' | 'options'> & {
  readonly clock?: ClockOption
  readonly fixtures?: Fixtures
  readonly options?: WorldOptions
}

/**
 * The control of one world for an embedding program, with ways to reach its APIs. Does what the HTTP
 * control plane does, by the same code (behaviour/program#embedding). A deleted world's handle is of no use.
 */
export class EmbeddedWorld extends WorldControl {
  readonly #host: WorldHost

  constructor(host: WorldHost, parts: ControlDependencies, world: World) {
    super(parts, world)
    this.#host = host
  }

  override get clock(): EmbeddedClock {
    return this.part(embeddedClockPart)
  }

  /**
   * Where clients find this world's APIs; undefined while no socket is open for all of them. A
   * listener of its own needs no prefix.
   */
  get url(): string | undefined {
    const { ports, url } = this.addresses(this.#origin)
    return ports['control'] === undefined ? undefined : url
  }

  /** The best address of one API, in any case as `info` says it: its own port where it has one. */
  apiUrl(name: ApiName): string {
    return this.addresses(this.#origin).urlOf(name)
  }

  /** The variables in which clients find this world: addresses, tokens, and with TLS whom to trust. */
  override env(origin: string = this.#origin): Environment {
    return super.env(origin)
  }

  /** Of the process. */
  get #origin(): string {
    const { url, origin } = this.#host
    if (url !== undefined) return url
    // Listeners of its own may be there without one of the process.
    return Object.keys(this.addresses(origin).ports).length > 0 ? origin : 'http://localhost'
  }

  /** A request to this world without a socket. */
  inject(request: WorldRequest | string): Promise<WorldReply> {
    const options = typeof request === 'string' ? { url: request } : request
    return this.#host.inject({ ...options, url: this.basePath + options.url })
  }

  /** Addresses and credentials that are valid now. */
  override info(origin: string = this.#origin): UnderstudyInfo {
    // What a service tells of itself is typed where it is declared, which the control does not know.
    return super.info(origin) as UnderstudyInfo
  }

  /** As `WorldControl` does; `host` is by default the host of this world's address. */
  override cloudLogin(request: CloudLoginRequest, host?: string): CloudLoginBody {
    return super.cloudLogin(request, host ?? new URL(this.apiUrl('secrets')).host)
  }

  override state(at?: string): WorldState {
    // Rows are typed where their tables are defined, which the kernel does not know.
    return super.state(at) as WorldState
  }

  override importState(document: Fixtures): void {
    super.importState(document)
  }

  override seed(fixtures: Omit<Fixtures, 'world' | 'options'>): void {
    super.seed(fixtures)
  }

  override options(): AllWorldOptions {
    // So are its options.
    return super.options() as AllWorldOptions
  }

  override changeOptions(changes: WorldOptions): void {
    super.changeOptions(changes)
  }

  /** A new world that goes on from here by itself. */
  override fork(id?: string): EmbeddedWorld {
    return this.#host.world(super.fork(id).id)
  }

  /** Ends this world with its snapshots; the default one is refused. */
  delete(): void {
    this.#host.deleteWorld(this.id)
  }
}
