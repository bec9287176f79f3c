import { Refusal } from '../refusal.ts'
import type { Ids } from './ids.ts'
import type { World } from './world.ts'
import type { WorldSnapshot } from './world-snapshot.ts'

export interface RetainedSnapshot {
  readonly id: string
  readonly world: string
  /** Time of the world when the snapshot was taken, in milliseconds since 1970. */
  readonly takenAt: number
  readonly snapshot: WorldSnapshot
}

/**
 * Maximum number of snapshots per world. Each snapshot keeps its rows in memory
 * (behaviour/program#snapshots).
 */
const maxSnapshots = 1000

/**
 * Snapshots that callers can restore later. One object has the snapshots of all worlds of a
 * process.
 */
export class RetainedSnapshots {
  readonly #ids: Ids
  readonly #byId = new Map<string, RetainedSnapshot>()
  /** Snapshots by world, oldest first. */
  readonly #byWorld = new Map<string, Set<RetainedSnapshot>>()
  readonly #followers = new Set<(snapshot: RetainedSnapshot) => void>()

  /**
   * @param ids generator of snapshot ids
   */
  constructor(ids: Ids) {
    this.#ids = ids
  }

  /**
   * Retains a snapshot of a world under a new id and notifies followers. Throws a `conflict`
   * refusal if the world has the maximum number of snapshots.
   */
  take(world: World): RetainedSnapshot {
    const snapshotsOfWorld = this.#byWorld.get(world.id) ?? new Set()
    if (snapshotsOfWorld.size >= maxSnapshots) {
      throw new Refusal(
        'conflict',
        `the world "${world.id}" has ${maxSnapshots} snapshots, which is the most: forget some, or reset it`,
      )
    }
    const retained = {
      id: `snap-${this.#ids.base62(10)}`,
      world: world.id,
      takenAt: world.clock.now(),
      snapshot: world.snapshot(),
    }
    this.#byId.set(retained.id, retained)
    this.#byWorld.set(world.id, snapshotsOfWorld.add(retained))
    for (const listener of this.#followers) listener(retained)
    return retained
  }

  /**
   * Calls the listener with each snapshot that is retained from now on. Returns a function that
   * unsubscribes.
   */
  follow(listener: (snapshot: RetainedSnapshot) => void): () => void {
    this.#followers.add(listener)
    return () => this.#followers.delete(listener)
  }

  /** Returns the snapshots of a world, oldest first. */
  of(worldId: string): readonly RetainedSnapshot[] {
    return [...(this.#byWorld.get(worldId) ?? [])]
  }

  find(id: string): RetainedSnapshot | undefined {
    return this.#byId.get(id)
  }

  /** Returns a snapshot. Throws an `absent` refusal if it does not exist. */
  get(id: string): RetainedSnapshot {
    const retained = this.#byId.get(id)
    if (retained === undefined) throw new Refusal('absent', `there is no snapshot "${id}"`)
    return retained
  }

  dropAll(worldId: string): void {
    for (const { id } of this.of(worldId)) this.#byId.delete(id)
    this.#byWorld.delete(worldId)
  }

  /** Drops one snapshot. Throws an `absent` refusal if it does not exist. */
  drop(id: string): void {
    const retained = this.get(id)
    this.#byId.delete(id)
    this.#byWorld.get(retained.world)?.delete(retained)
  }
}
