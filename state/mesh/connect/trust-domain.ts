import { Ids } from '../../kernel/worlds/ids.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { serverOf } from '../server.ts'

/** Returns the ID of the datacenter's mesh, which follows from the ID of the server. */
export function clusterIdOf(world: World): string {
  return new Ids(`mesh of ${serverOf(world).node_id}`).uuid()
}

/** Returns the domain of the names in the mesh's certificates. */
export function trustDomainOf(world: World): string {
  return `${clusterIdOf(world)}.consul`
}
