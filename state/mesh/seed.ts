import type { World } from '../kernel/worlds/world.ts'
import { seedAcls } from './acl/bootstrap.ts'
import { dataIndexes, meshName, nextIndex, touch } from './indexes.ts'
import {
  defaultNamespace,
  namespaceDataKind,
  namespaceKey,
  namespaces,
} from './namespaces/namespaces.ts'
import { seedServer } from './server.ts'

/** The index before a fresh world's first commit: the builtin namespace has 6 (behaviour/mesh#namespace). */
const initialIndex = 5

/** The start state: the namespace `default` and what the ACL system begins with. */
export function seedMesh(world: World): void {
  world.store.startIndex(meshName, initialIndex)
  const index = nextIndex(world)
  world.table(namespaces).put(namespaceKey(defaultNamespace), {
    name: defaultNamespace,
    description: 'Builtin Default Namespace',
    acls: null,
    meta: {},
    deleted_at: null,
    create_index: index,
    modify_index: index,
  })
  touch(world, namespaceDataKind)
  seedServer(world)
  seedAcls(world)
}

/**
 * Lets the index of a loaded document go on where its rows stop, where it does not say itself: an
 * index never falls.
 */
export function raiseIndex(world: World): void {
  let last = 0
  for (const { index } of world.table(dataIndexes).rows()) last = Math.max(last, index)
  if (last > nextIndex(world)) world.store.startIndex(meshName, last)
}
