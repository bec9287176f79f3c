import { controlOptions } from '../../../state/kernel/options/control-options.ts'
import { Refusal } from '../../../state/kernel/refusal.ts'
import { diffSnapshots, type RowDifference } from '../../../state/kernel/store/diff.ts'
import type { StoreSnapshot } from '../../../state/kernel/store/open-table.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import {
  exportService,
  exportWorld,
  type ServiceDocument,
  type StateDocument,
  worldAtSnapshot,
} from '../../../state/kernel/worlds/document.ts'
import type { RetainedSnapshot } from '../../../state/kernel/worlds/retained-snapshots.ts'
import { WorldHistory } from '../worlds/request-history.ts'
import { checkDocument, checkOptions } from './documents.ts'
import { addFixtures } from './seeding.ts'

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

/** The content of a world, past and present: its state, options and snapshots (behaviour/program#snapshots). */
export class WorldContent extends WorldHistory {
  /**
   * The whole state as a document that `importState` takes.
   *
   * @param at a request that the journal has: the state right after it (behaviour/program#events)
   */
  state(at?: string): StateDocument {
    return exportWorld(this.#worldAt(at))
  }

  /** One service's part of the document; `at` as of `state`. */
  serviceState(name: string, at?: string): ServiceDocument {
    const service = this.world.services.find((known) => known.name === name)
    if (service !== undefined) return exportService(this.#worldAt(at), service)
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

  /** Keeps the present under a new id. */
  snapshot(): SnapshotView {
    return snapshotView(this.parts.worlds.snapshots.take(this.world))
  }

  /** The kept snapshots of this world, oldest first. */
  snapshots(): readonly SnapshotView[] {
    return this.parts.worlds.snapshots.of(this.id).map(snapshotView)
  }

  /** Goes back to a kept snapshot of this world, which stays kept. */
  restore(id: string): void {
    this.world.restore(this.#requireSnapshot(id).snapshot)
  }

  /** Returns what is different since the world began: what a reset would undo. */
  changes(): readonly RowDifference[] {
    return diffSnapshots(this.world.initialSnapshot.store, this.world.store.snapshot())
  }

  /**
   * Returns what changed since a snapshot, or between two.
   *
   * @param to a snapshot, or a request that the journal has (right after it); default: the present
   */
  diff(from: string, to?: string): SnapshotDiff {
    const before = this.#requireSnapshot(from).snapshot.store
    const after = to === undefined ? this.world.store.snapshot() : this.#storeAt(to)
    return { from, to: to ?? 'present', changes: diffSnapshots(before, after) }
  }

  /** Goes back to how the request before one left the world (behaviour/program#events). */
  rewind(request: string): void {
    this.world.restore(this.parts.journals.of(this.world).stateBefore(request))
  }

  /** Forgets a kept snapshot. */
  dropSnapshot(id: string): void {
    this.parts.worlds.snapshots.drop(this.#requireSnapshot(id).id)
  }

  #worldAt(request: string | undefined) {
    const { journals } = this.parts
    if (request === undefined) return this.world
    return worldAtSnapshot(this.world, journals.of(this.world).stateAt(request))
  }

  #storeAt(id: string): StoreSnapshot {
    const isRequest = /^r\d+$/.test(id)
    const { journals } = this.parts
    const { store } = isRequest
      ? journals.of(this.world).stateAt(id)
      : this.#requireSnapshot(id).snapshot
    return store
  }

  /** Snapshots of other worlds are out of reach: a mistaken world must not overwrite this one. */
  #requireSnapshot(id: string): RetainedSnapshot {
    const retained = this.parts.worlds.snapshots.get(id)
    if (retained.world === this.id) return retained
    throw new Refusal(
      'absent',
      `there is no snapshot "${id}" of the world "${this.id}"; it is one of "${retained.world}"`,
    )
  }
}

function snapshotView({ id, world, takenAt, snapshot }: RetainedSnapshot): SnapshotView {
  return { id, world, takenAt: formatTimestamp(takenAt), sequence: snapshot.store.sequence }
}
