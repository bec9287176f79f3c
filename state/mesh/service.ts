import type { ServiceDefinition } from '../kernel/worlds/service.ts'
import type { World } from '../kernel/worlds/world.ts'
import { seedAcls } from './acl/bootstrap.ts'
import { aclTables, retiredAclTables } from './acl/tables.ts'
import { aclTokenJobs } from './acl/tokens.ts'
import { loadMeshFixtures, namespaceFixtures } from './fixtures.ts'
import { dataIndexes, meshName, nextIndex, touch } from './indexes.ts'
import { lockJobs } from './kv/locks.ts'
import { sessionJobs } from './kv/sessions.ts'
import { keyDeletions, keyEntries, meshSessions } from './kv/tables.ts'
import {
  defaultNamespace,
  namespaceDataKind,
  namespaceKey,
  namespaces,
} from './namespaces/namespaces.ts'
import { removalJobs } from './namespaces/removal.ts'
import { namespaceTransition } from './namespaces/transitions.ts'
import { initialSecret, meshOptions } from './options.ts'
import { meshServers, seedServer } from './server.ts'

/**
 * Index before a fresh world's first commit. The builtin namespace has index 6
 * (behaviour/mesh#namespace).
 */
const initialIndex = 5

/** Creates the initial state: the namespace `default` and the initial ACL objects. */
function seedMesh(world: World): void {
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
 * Raises the index of a loaded document to that of its newest row, unless the document states a
 * higher one: an index never falls.
 */
function raiseIndex(world: World): void {
  let last = 0
  for (const { index } of world.table(dataIndexes).rows()) last = Math.max(last, index)
  if (last > nextIndex(world)) world.store.startIndex(meshName, last)
}

/** The service mesh as a world's service: tables, jobs, options and fixtures. */
export const meshService = {
  name: meshName,
  tables: [
    dataIndexes,
    namespaces,
    keyEntries,
    keyDeletions,
    meshSessions,
    meshServers,
    ...aclTables,
  ],
  retiredTables: retiredAclTables,
  options: meshOptions,
  fixtures: namespaceFixtures,
  jobs: { ...removalJobs, ...aclTokenJobs, ...sessionJobs, ...lockJobs },
  transitions: [namespaceTransition],
  seed: seedMesh,
  load(world, document, part) {
    raiseIndex(world)
    loadMeshFixtures(world, document, part)
  },
  info: infoOf,
} as const satisfies ServiceDefinition

/** The mesh section of `/_mock/info` (behaviour/program#fresh-world). */
export interface MeshInfo {
  /** Secret of the management token; empty if there is none. */
  readonly token: string
}

/** Returns the token that a fresh world has. */
function infoOf(world: World): MeshInfo {
  return { token: initialSecret(world) }
}
