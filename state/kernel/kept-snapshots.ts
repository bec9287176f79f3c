import type { Ids } from './ids.ts'
import { Refusal } from './refusal.ts'
import type { World } from './world.ts'
import type { WorldSnapshot } from './world-snapshot.ts'

/** A kept snapshot of one world. */
export interface KeptSnapshot {
  readonly id: string
  readonly world: string
  /** The world's time when it was taken, in milliseconds since 1970. */
  readonly takenAt: number
  readonly snapshot: WorldSnapshot
}

/** So many snapshots of a world are kept at once: each holds on to the rows that it has (behaviour/program#snapshots). */
const mostSnapshots = 1000

/** The kept snapshots of all worlds of a process. */
export class KeptSnapshots {
  readonly #ids: Ids
  readonly #all = new Map<string, KeptSnapshot>()
  /** The same by world, oldest first. */
  readonly #byWorld = new Map<string, Set<KeptSnapshot>>()

  /** @param ids draws theirs */
  constructor(ids: Ids) {
    this.#ids = ids
  }

  /** Keeps a snapshot of a world under a new id; a `conflict` refusal while there are too many. */
  keep(world: World): KeptSnapshot {
    const others = this.#byWorld.get(world.id) ?? new Set()
    if (others.size >= mostSnapshots) {
      throw new Refusal(
        'conflict',
        `the world "${world.id}" has ${mostSnapshots} snapshots, which is the most: forget some, or reset it`,
      )
    }
    const kept = {
      id: `snap-${this.#ids.base62(10)}`,
      world: world.id,
      takenAt: world.clock.now(),
      snapshot: world.snapshot(),
    }
    this.#all.set(kept.id, kept)
    this.#byWorld.set(world.id, others.add(kept))
    return kept
  }

  /** Those of a world, oldest first. */
  of(worldId: string): readonly KeptSnapshot[] {
    return [...(this.#byWorld.get(worldId) ?? [])]
  }

  /** One of them, if it is there. */
  find(id: string): KeptSnapshot | undefined {
    return this.#all.get(id)
  }

  /** One of them; an `absent` refusal when there is none. */
  get(id: string): KeptSnapshot {
    const kept = this.#all.get(id)
    if (kept === undefined) throw new Refusal('absent', `there is no snapshot "${id}"`)
    return kept
  }

  /** Forgets every one of a world. */
  dropAll(worldId: string): void {
    for (const { id } of this.of(worldId)) this.#all.delete(id)
    this.#byWorld.delete(worldId)
  }

  /** Forgets one. */
  drop(id: string): void {
    const kept = this.get(id)
    this.#all.delete(id)
    this.#byWorld.get(kept.world)?.delete(kept)
  }
}
