import { Refusal } from '../refusal.ts'
import type { Ids } from './ids.ts'
import type { World } from './world.ts'
import type { WorldSnapshot } from './world-snapshot.ts'

/** A kept snapshot of one world. */
export interface RetainedSnapshot {
  readonly id: string
  readonly world: string
  /** The world's time when it was taken, in milliseconds since 1970. */
  readonly takenAt: number
  readonly snapshot: WorldSnapshot
}

/** So many snapshots of a world are kept at once: each holds on to the rows that it has (behaviour/program#snapshots). */
const maxSnapshots = 1000

/** The kept snapshots of all worlds of a process. */
export class RetainedSnapshots {
  readonly #ids: Ids
  readonly #byId = new Map<string, RetainedSnapshot>()
  /** The same by world, oldest first. */
  readonly #byWorld = new Map<string, Set<RetainedSnapshot>>()

  /** @param ids draws theirs */
  constructor(ids: Ids) {
    this.#ids = ids
  }

  /** Keeps a snapshot of a world under a new id; a `conflict` refusal while there are too many. */
  take(world: World): RetainedSnapshot {
    const others = this.#byWorld.get(world.id) ?? new Set()
    if (others.size >= maxSnapshots) {
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
    this.#byWorld.set(world.id, others.add(retained))
    return retained
  }

  /** Those of a world, oldest first. */
  of(worldId: string): readonly RetainedSnapshot[] {
    return [...(this.#byWorld.get(worldId) ?? [])]
  }

  /** One of them, if it is there. */
  find(id: string): RetainedSnapshot | undefined {
    return this.#byId.get(id)
  }

  /** One of them; an `absent` refusal when there is none. */
  get(id: string): RetainedSnapshot {
    const retained = this.#byId.get(id)
    if (retained === undefined) throw new Refusal('absent', `there is no snapshot "${id}"`)
    return retained
  }

  /** Forgets every one of a world. */
  dropAll(worldId: string): void {
    for (const { id } of this.of(worldId)) this.#byId.delete(id)
    this.#byWorld.delete(worldId)
  }

  /** Forgets one. */
  drop(id: string): void {
    const retained = this.get(id)
    this.#byId.delete(id)
    this.#byWorld.get(retained.world)?.delete(retained)
  }
}
