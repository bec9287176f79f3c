import type { ServiceDefinition } from '../kernel/worlds/service.ts'
import type { World } from '../kernel/worlds/world.ts'
import { aclTables, retiredAclTables } from './acl/tables.ts'
import { aclTokenJobs } from './acl/tokens.ts'
import { loadMeshFixtures, namespaceFixtures } from './fixtures.ts'
import { dataIndexes, meshName } from './indexes.ts'
import { lockJobs } from './kv/locks.ts'
import { sessionJobs } from './kv/sessions.ts'
import { keyDeletions, keyEntries, meshSessions } from './kv/tables.ts'
import { namespaces } from './namespaces/namespaces.ts'
import { removalJobs } from './namespaces/removal.ts'
import { namespaceTransition } from './namespaces/transitions.ts'
import { initialSecret, meshOptions } from './options.ts'
import { raiseIndex, seedMesh } from './seed.ts'
import { meshServers } from './server.ts'

/** The service mesh's namespaces: everything they bring to a world. */
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

/** The mesh's part of `/_mock/info` (behaviour/program#fresh-world). */
export interface MeshInfo {
  /** The management token's secret; empty where there is none. */
  readonly token: string
}

/** The token that a fresh world has. */
function infoOf(world: World): MeshInfo {
  return { token: initialSecret(world) }
}
