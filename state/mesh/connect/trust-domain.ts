import { Ids } from '../../kernel/worlds/ids.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { serverOf } from '../server.ts'

/** Returns the option `clusterId` or, without it, an ID that derives from the ID of the server. */
export function clusterIdOf(world: World): string {
  const { clusterId } = optionsOf(world)
  if (clusterId !== null) return clusterId
  return new Ids(`mesh of ${serverOf(world).node_id}`).uuid()
}

/** Returns the trust domain, the host of the SPIFFE URIs in the mesh's certificates. */
export function trustDomainOf(world: World): string {
  return `${clusterIdOf(world)}.consul`
}
