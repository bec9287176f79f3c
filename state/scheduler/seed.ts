import type { World } from '../kernel/worlds/world.ts'
import { seedAcl } from './acl/bootstrap.ts'
import { seedServer } from './agent/server.ts'
import { seedNodePools } from './cluster/nodes/node-pools.ts'
import { seedNodes } from './cluster/nodes/nodes.ts'
import { dataIndexes, nextIndex, schedulerName } from './indexes.ts'
import { seedNamespaces } from './namespaces.ts'

/** The index before what is there from the beginning (behaviour/scheduler#blocking). */
const initialIndex = 0

/** The index before a fresh world's first commit: it starts at 10 (behaviour/scheduler#versions). */
const freshWorldIndex = 9

/** The start state: the namespace `default`, the nodes, and what the ACL system begins with. */
export function seedScheduler(world: World): void {
  world.store.startIndex(schedulerName, initialIndex)
  seedNamespaces(world)
  seedNodePools(world)
  world.store.startIndex(schedulerName, freshWorldIndex)
  seedNodes(world)
  seedAcl(world)
  seedServer(world)
}

/**
 * Lets the index of a loaded document go on where its rows stop, where it does not say itself: an
 * index never falls.
 */
export function raiseIndex(world: World): void {
  let last = 0
  for (const { index } of world.table(dataIndexes).rows()) last = Math.max(last, index)
  if (last > nextIndex(world)) world.store.startIndex(schedulerName, last)
}
