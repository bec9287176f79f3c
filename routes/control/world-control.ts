import { controlOptions } from '../../state/kernel/control-options.ts'
import { diffSnapshots, type RowDifference } from '../../state/kernel/diff.ts'
import {
  asItWas,
  exportService,
  exportWorld,
  type ServiceDocument,
  type StateDocument,
} from '../../state/kernel/document.ts'
import type { KeptSnapshot } from '../../state/kernel/kept-snapshots.ts'
import type { StoreSnapshot } from '../../state/kernel/open-table.ts'
import { Refusal } from '../../state/kernel/refusal.ts'
import { formatTimestamp } from '../../state/kernel/time.ts'
import type { ResetPart } from '../../state/kernel/world-snapshot.ts'
import type { CloudLoginBody, CloudLoginRequest } from '../../state/secrets/cloud/login-body.ts'
import { Presets } from '../faults/presets/presets.ts'
import { type Addresses, addressesOf, basePathOf } from './addresses.ts'
import { type ClockControl, clockPart } from './clock-control.ts'
import { type CloudControl, cloudPart } from './cloud-control.ts'
import type { ProcessFacts } from './control-parts.ts'
import { checkDocument, checkOptions } from './documents.ts'
import { type Environment, environmentOf } from './environment.ts'
import { FaultsControl } from './faults-control.ts'
import { type MeshControl, meshPart } from './mesh-control.ts'
import { type OrchestratorControl, orchestratorPart } from './orchestrator-control.ts'
import type { ControlPart } from './part.ts'
import { type PlatformControl, platformPart } from './platform-control.ts'
import { type SchedulerControl, schedulerPart } from './scheduler-control.ts'
import { type SecretsControl, secretsPart } from './secrets-control.ts'
import { addFixtures } from './seeding.ts'
import type { ResetWhat } from './shapes.ts'
import { type TransitionControl, transitionPart } from './transition-control.ts'
import { WorldHindsight } from './world-hindsight.ts'

/** `/_mock/info` (behaviour/program#fresh-world). */
export interface WorldInfo extends ProcessFacts {
  readonly world: string
  /** Of its ids and fingerprints. */
  readonly seed: string
  readonly services: Readonly<Record<string, { readonly url: string }>>
}

/** A kept snapshot as callers see it. */
export interface SnapshotView {
  readonly id: string
  readonly world: string
  /** By the world's clock, RFC 3339. */
  readonly takenAt: string
  /** Position in the world's change feed. */
  readonly sequence: number
}

/** The changes between two snapshots, or since one. */
export interface SnapshotDiff {
  readonly from: string
  /** A snapshot, a request, or `present`. */
  readonly to: string
  readonly changes: readonly RowDifference[]
}

/**
 * Everything that can be done with a world from outside its APIs. The HTTP control plane and
 * embedding programs both come here (behaviour/program#embedding).
 */
export class WorldControl extends WorldHindsight {
  readonly #made = new Map<object, object>()

  /** A service's part of the control, made at the first touch. @internal */
  part<Control extends object>(part: ControlPart<Control>): Control {
    // A part makes nothing but its own control.
    const made = this.#made.get(part) as Control | undefined
    const world = this.world
    const control = made ?? part.make(world, this.parts.validator)
    if (made === undefined) this.#made.set(part, control)
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
    const own = faults.of(this.world)
    return new FaultsControl(own, new Presets(this.world, own, validator), validator)
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
    const facts = this.parts.describe()
    const world = this.world
    const { ports, urlOf } = this.addresses(origin)
    const services = world.services.map(
      (service) => [service.name, { url: urlOf(service.name), ...service.info(world) }] as const,
    )
    return {
      ...facts,
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
    // What presets have changed goes with them, also where the state stays.
    if (what?.includes('faults') && !what.includes('state')) this.faults.clear()
    this.world.reset(what?.filter(isWorldPart))
    const { journals, faults } = this.parts
    const journal = journals.of(this.world)
    if (what === undefined || what.includes('faults')) faults.of(this.world).restart()
    if (what === undefined) this.parts.worlds.kept.dropAll(this.id)
    if (what === undefined) journal.restart()
    else if (what.includes('journal')) journal.clear()
  }

  /**
   * The whole state as a document that `importState` takes.
   *
   * @param at a request that the journal has: the state right after it (behaviour/program#events)
   */
  state(at?: string): StateDocument {
    return exportWorld(this.#asOf(at))
  }

  /** One service's part of the document; `at` as of `state`. */
  serviceState(name: string, at?: string): ServiceDocument {
    const service = this.world.services.find((known) => known.name === name)
    if (service !== undefined) return exportService(this.#asOf(at), service)
    throw new Refusal('absent', `there is no service "${name}"`)
  }

  /**
   * Replaces the whole state by a document; what it leaves out is as in a fresh world, except that
   * time and ids go on.
   *
   * @throws {DocumentError} when it cannot be taken; then nothing has changed
   */
  importState(document: unknown): void {
    const { worlds, validator } = this.parts
    worlds.import(this.world, checkDocument(worlds.services, document, validator))
  }

  /** Adds what fixtures say of services to the state as it is; see `addFixtures`. */
  seed(fixtures: unknown): void {
    addFixtures(this.world, fixtures, this.parts.validator)
  }

  /** World options by service, defaults filled in. */
  options(): Readonly<Record<string, object>> {
    const definitions = [...this.world.services.map(({ options }) => options), controlOptions]
    return Object.fromEntries(
      definitions.map((options) => [options.service, this.world.options(options)]),
    )
  }

  /**
   * Changes the options that are named. Those that shape a fresh world matter to new worlds only.
   *
   * @throws {DocumentError} when one is unknown or ill-typed; then nothing has changed
   */
  changeOptions(changes: unknown): void {
    const { worlds, validator } = this.parts
    this.world.changeOptions(checkOptions(worlds.services, changes, validator))
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

  /** Keeps the present under a new id. */
  snapshot(): SnapshotView {
    return view(this.parts.worlds.kept.keep(this.world))
  }

  /** The kept snapshots of this world, oldest first. */
  snapshots(): readonly SnapshotView[] {
    return this.parts.worlds.kept.of(this.id).map(view)
  }

  /** Goes back to a kept snapshot of this world, which stays kept. */
  restore(id: string): void {
    this.world.restore(this.#kept(id).snapshot)
  }

  /** Returns what is different since the world began: what a reset would undo. */
  changes(): readonly RowDifference[] {
    return diffSnapshots(this.world.beginning.store, this.world.store.snapshot())
  }

  /**
   * Returns what changed since a snapshot, or between two.
   *
   * @param to a snapshot, or a request that the journal has (right after it); default: the present
   */
  diff(from: string, to?: string): SnapshotDiff {
    const before = this.#kept(from).snapshot.store
    const after = to === undefined ? this.world.store.snapshot() : this.#reached(to)
    return { from, to: to ?? 'present', changes: diffSnapshots(before, after) }
  }

  /** Goes back to how the request before one left the world (behaviour/program#events). */
  rewind(request: string): void {
    this.world.restore(this.parts.journals.of(this.world).stateBefore(request))
  }

  /** Forgets a kept snapshot. */
  dropSnapshot(id: string): void {
    this.parts.worlds.kept.drop(this.#kept(id).id)
  }

  /** A new world that goes on from here by itself. */
  fork(id?: string): WorldControl {
    return new WorldControl(this.parts, this.parts.worlds.create({ from: this.id, id }))
  }

  #asOf(request: string | undefined) {
    const { journals } = this.parts
    if (request === undefined) return this.world
    return asItWas(this.world, journals.of(this.world).stateAt(request))
  }

  #reached(id: string): StoreSnapshot {
    const isRequest = /^r\d+$/.test(id)
    const { journals } = this.parts
    const { store } = isRequest ? journals.of(this.world).stateAt(id) : this.#kept(id).snapshot
    return store
  }

  /** Snapshots of other worlds are out of reach: a mistaken world must not overwrite this one. */
  #kept(id: string): KeptSnapshot {
    const kept = this.parts.worlds.kept.get(id)
    if (kept.world === this.id) return kept
    throw new Refusal(
      'absent',
      `there is no snapshot "${id}" of the world "${this.id}"; it is one of "${kept.world}"`,
    )
  }
}

/** The journal belongs to the process's memory, not to the world's state. */
function isWorldPart(part: ResetWhat): part is ResetPart {
  return part !== 'journal'
}

function view({ id, world, takenAt, snapshot }: KeptSnapshot): SnapshotView {
  return { id, world, takenAt: formatTimestamp(takenAt), sequence: snapshot.store.sequence }
}
