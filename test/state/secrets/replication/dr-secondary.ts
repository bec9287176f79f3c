import type { World } from '../../../../state/kernel/worlds/world.ts'
import { drReplication, replications } from '../../../../state/secrets/replication/modes.ts'

/** Makes a world a DR secondary without a primary; its data and shares stay. */
export function becomeSecondary(world: World): void {
  world.write(() =>
    world.table(replications).put(drReplication, {
      mode: 'secondary',
      cluster_id: 'c1',
      secondary_id: 's1',
      node_id: 'n1',
      api_address: 'http://127.0.0.1:4600',
      primary: null,
      state: 'idle',
      position: null,
      last_remote_wal: 0,
    }),
  )
}

/** Disables a world's replication. */
export function leaveReplication(world: World): void {
  world.write(() => world.table(replications).delete(drReplication))
}
