import { World } from './world.ts'
import type { WorldCheckpoint } from './world-snapshot.ts'

/**
 * Returns a separate, closed world with the state that `world` had at a checkpoint. The clock of
 * the returned world is frozen, so no job becomes due.
 *
 * @param at instant at which the returned world's clock is frozen, in milliseconds since 1970
 */
export function pastWorld(world: World, checkpoint: WorldCheckpoint, at: number): World {
  const restoredWorld = new World({
    id: world.id,
    fallbackSeed: world.seed,
    services: world.services,
    assembly: world.assembly,
    from: world.at(checkpoint),
    clock: { mode: 'frozen', at },
  })
  restoredWorld.close()
  return restoredWorld
}
