import { controlOptions } from '../../../state/kernel/options/control-options.ts'
import { checkPauses, type InParts, runParts } from '../../../state/kernel/parts.ts'
import { Refusal } from '../../../state/kernel/refusal.ts'
import { diffSnapshots, type RowDifference } from '../../../state/kernel/store/diff.ts'
import type { StoreSnapshot } from '../../../state/kernel/store/open-table.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import {
  exportService,
  exportTables,
  exportWith,
  exportWorld,
  type ServiceDocument,
  type StateDocument,
  type TableForm,
  worldAtSnapshot,
} from '../../../state/kernel/worlds/document.ts'
import type { RetainedSnapshot } from '../../../state/kernel/worlds/retained-snapshots.ts'
import type { Connection } from '../../http/blocking/connection.ts'
import { LazyMembers, LongJson } from '../../http/long-json.ts'
import { redactedDifference } from '../../journal/entry.ts'
import { fingerprintOf } from '../../journal/fingerprint.ts'
import { WorldHistory } from '../worlds/request-history.ts'
import { checkDocumentInParts, checkOptions } from './documents.ts'
import type { SnapshotView } from './state-shapes.ts'

/**
 * The changes from a snapshot to another snapshot, to the state after a request, or to the present.
 */
export interface SnapshotDiff {
  readonly from: string
  /** Id of a snapshot or of a request, or `present`. */
  readonly to: string
  readonly changes: readonly RowDifference[]
}

/**
 * Control of the present and past content of a world: its state, options and snapshots
 * (behaviour/program#snapshots).
 */
export class WorldContent extends WorldHistory {
  /**
   * Returns the whole state as a document that `importState` accepts. Throws the refusals of
   * `Journal.stateAt` for an invalid `at`.
   *
   * @param at id of a request in the journal; the result is the state right after that request
   *   (behaviour/program#events)
   */
  state(at?: string): StateDocument {
    return exportWorld(this.#worldAt(at))
  }

  /**
   * Returns the document that `state` returns, and throws the refusals of `state`. The rows are
   * read while the document is sent.
   */
  streamedState(at?: string): LongJson {
    return new LongJson(exportWith(this.#fixedWorldAt(at), lazyMembers))
  }

  /**
   * Returns the part of the result of `state` that concerns one service. `at` has the same meaning
   * as for `state`. Throws an `absent` refusal for an unknown service, and the refusals of
   * `Journal.stateAt` for an invalid `at`.
   */
  serviceState(name: string, at?: string): ServiceDocument {
    return exportService(this.#worldAt(at), this.#requireService(name))
  }

  /**
   * Returns the document that `serviceState` returns, and throws the refusals of `serviceState`.
   * The rows are read while the document is sent.
   */
  streamedServiceState(name: string, at?: string): LongJson {
    const { tables } = this.#requireService(name)
    return new LongJson({ tables: exportTables(this.#fixedWorldAt(at), tables, lazyMembers) })
  }

  #requireService(name: string) {
    const service = this.world.services.find((known) => known.name === name)
    if (service !== undefined) return service
    throw new Refusal('absent', `there is no service "${name}"`)
  }

  /**
   * Replaces the whole state with a document. Parts that the document leaves out get the content of
   * a fresh world, but time and ids continue.
   *
   * @throws {DocumentError} for a document with the wrong form, {Mistakes} if services refuse parts
   *   of it; nothing changes in these cases
   */
  importState(document: unknown): void {
    runParts(this.#importInParts(document))
  }

  /**
   * Imports a document as `importState` does, but yields to other worlds. Requests of this world
   * wait. Throws an `absent` refusal if the world is deleted before the end, and an `unavailable`
   * refusal if the caller disconnects; nothing changes in these cases.
   */
  async importStateInTurns(document: unknown, caller: Connection): Promise<void> {
    const { world } = this
    await world.runAlone(() =>
      checkPauses(this.#importInParts(document), () => {
        if (world.closed) throw new Refusal('absent', `the world "${this.id}" was deleted`)
        if (caller.closed) throw new Refusal('unavailable', 'the caller has disconnected')
      }),
    )
  }

  *#importInParts(document: unknown): InParts<void> {
    const { worlds } = this.dependencies
    const checked = yield* checkDocumentInParts(worlds.services, document)
    yield* worlds.importInParts(this.world, checked)
  }

  /** Adds fixtures of services to the current state; see `addFixtures` in seeding.ts. */
  seed(fixtures: object): void {
    this.tools.addFixtures(this.world, fixtures)
  }

  /** Returns world options by service. An option that was never set has its default. */
  options(): Readonly<Record<string, object>> {
    const definitions = [...this.world.services.map(({ options }) => options), controlOptions]
    return Object.fromEntries(
      definitions.map((options) => [options.service, this.world.options(options)]),
    )
  }

  /**
   * Changes the given options and reschedules jobs. Options about the content of a fresh world have
   * no effect on a world that exists.
   *
   * @throws {DocumentError} for an unknown option or a value of the wrong type; nothing changes in
   *   this case
   */
  changeOptions(changes: unknown): void {
    const { worlds } = this.dependencies
    this.world.changeOptions(checkOptions(worlds.services, changes))
  }

  /**
   * Takes a snapshot of the current state under a new id. Throws a `conflict` refusal if the world
   * has the maximum number of snapshots.
   */
  snapshot(): SnapshotView {
    return snapshotView(this.dependencies.worlds.snapshots.take(this.world))
  }

  /** Returns the retained snapshots of this world, oldest first. */
  snapshots(): readonly SnapshotView[] {
    return this.dependencies.worlds.snapshots.of(this.id).map(snapshotView)
  }

  /**
   * Restores a snapshot of this world. The snapshot stays available. Throws an `absent` refusal if
   * this world has no snapshot with this id.
   */
  restore(id: string): void {
    this.world.restore(this.#requireSnapshot(id).snapshot)
  }

  /** Returns the changes since the world was created, which a reset would undo. */
  changes(): readonly RowDifference[] {
    return diffSnapshots(this.world.initialSnapshot.store, this.world.store.snapshot())
  }

  /**
   * Returns the result of `changes()` with fingerprints instead of secrets, for output that people
   * read.
   */
  redactedChanges(): readonly RowDifference[] {
    const fingerprint = fingerprintOf(this.world.seed)
    return this.changes().map((change) => redactedDifference(this.world, change, fingerprint))
  }

  /**
   * Returns the changes from a snapshot to the present, to another snapshot, or to the state after
   * a request. Throws an `absent` refusal for an unknown id, and the refusals of `Journal.stateAt`
   * for a request.
   *
   * @param to id of another snapshot, or of a request in the journal whose resulting state is
   *   compared; default: the present
   */
  diff(from: string, to?: string): SnapshotDiff {
    const before = this.#requireSnapshot(from).snapshot.store
    const after = to === undefined ? this.world.store.snapshot() : this.#storeAt(to)
    return { from, to: to ?? 'present', changes: diffSnapshots(before, after) }
  }

  /**
   * Restores the state before the given request (behaviour/program#events). Throws the refusals of
   * `Journal.stateBefore`.
   */
  rewind(request: string): void {
    this.world.restore(this.dependencies.journals.of(this.world).stateBefore(request))
  }

  dropSnapshot(id: string): void {
    this.dependencies.worlds.snapshots.drop(this.#requireSnapshot(id).id)
  }

  #worldAt(request: string | undefined) {
    const { journals } = this.dependencies
    if (request === undefined) return this.world
    return worldAtSnapshot(this.world, journals.of(this.world).stateAt(request))
  }

  /**
   * Returns a world whose state later requests do not change: the present state, or the state right
   * after a request.
   */
  #fixedWorldAt(request: string | undefined) {
    const world = this.#worldAt(request)
    return world === this.world ? worldAtSnapshot(world, this.world.snapshot()) : world
  }

  #storeAt(id: string): StoreSnapshot {
    const isRequest = /^r\d+$/.test(id)
    const { journals } = this.dependencies
    const { store } = isRequest
      ? journals.of(this.world).stateAt(id)
      : this.#requireSnapshot(id).snapshot
    return store
  }

  /**
   * Returns a snapshot of this world. Throws an `absent` refusal for snapshots of other worlds as
   * well, so that a wrong id cannot overwrite this world.
   */
  #requireSnapshot(id: string): RetainedSnapshot {
    const retained = this.dependencies.worlds.snapshots.get(id)
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

/** Exports a table as members that are read only while the document is written. */
const lazyMembers: TableForm<LazyMembers> = (rows) => new LazyMembers(rows)
