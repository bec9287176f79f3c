import { raiseIndex } from '../kernel/worlds/document.ts'
import type { ServiceDefinition } from '../kernel/worlds/service.ts'
import type { World } from '../kernel/worlds/world.ts'
import { authMethods, bindingRules } from './acl/auth-methods/tables.ts'
import { seedAcls } from './acl/bootstrap.ts'
import { aclTables, retiredAclTables } from './acl/tables.ts'
import { aclTokenJobs } from './acl/tokens.ts'
import { agentTokens } from './agent/agent-tokens.ts'
import { antiEntropyJobs } from './agent/anti-entropy.ts'
import { checkCalls } from './agent/check-calls.ts'
import { agentJobs, aliasRule } from './agent/registry.ts'
import { agentChecks, agentServices } from './agent/tables.ts'
import { cachedQueries } from './cached-queries.ts'
import { checkTransition } from './catalog/check-transition.ts'
import { flapJobs, flappingServices } from './catalog/flapping.ts'
import { nodeTransition } from './catalog/node-transition.ts'
import { catalogChecks, catalogNodes, catalogServices } from './catalog/tables.ts'
import { virtualAddresses } from './catalog/virtual-addresses.ts'
import { configEntries } from './config/tables.ts'
import { eventClock, meshEvents } from './events/events.ts'
import { fileDefinitions } from './file-definitions.ts'
import { loadMeshFixtures, meshFixtures } from './fixtures.ts'
import { dataIndexes, meshName, nextIndex, touch } from './indexes.ts'
import { lockJobs } from './kv/keys.ts'
import { sessionTransition } from './kv/session-transition.ts'
import { sessionJobs, sessionRule } from './kv/sessions.ts'
import { keyDeletions, keyEntries, meshSessions } from './kv/tables.ts'
import {
  defaultNamespace,
  namespaceDataKind,
  namespaceKey,
  namespaces,
} from './namespaces/namespaces.ts'
import { namespaceTransition, removalJobs } from './namespaces/removal.ts'
import { autopilotConfigurations } from './operator/autopilot.ts'
import { nodeCoordinates } from './operator/coordinates.ts'
import { initialSecret, meshOptions } from './options.ts'
import { preparedQueries } from './queries/tables.ts'
import { meshServers, restoreServer, seedServer } from './server.ts'

/** Index before the first commit of a fresh world. The builtin namespace has the index 6. */
const initialIndex = 5

/**
 * Creates the initial state: the namespace `default`, the server with its node, service and check,
 * and the initial ACL objects.
 */
function seedMesh(world: World): void {
  world.store.setIndex(meshName, initialIndex)
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

/** Declaration of the service mesh as a service of a world. */
export const meshService = {
  name: meshName,
  tables: [
    dataIndexes,
    namespaces,
    keyEntries,
    keyDeletions,
    meshSessions,
    meshServers,
    meshEvents,
    eventClock,
    cachedQueries,
    flappingServices,
    catalogNodes,
    catalogServices,
    catalogChecks,
    virtualAddresses,
    agentServices,
    agentChecks,
    checkCalls,
    fileDefinitions,
    agentTokens,
    autopilotConfigurations,
    nodeCoordinates,
    configEntries,
    preparedQueries,
    authMethods,
    bindingRules,
    ...aclTables,
  ],
  retiredTables: retiredAclTables,
  options: meshOptions,
  fixtures: meshFixtures,
  jobs: {
    ...removalJobs,
    ...aclTokenJobs,
    ...sessionJobs,
    ...lockJobs,
    ...agentJobs,
    ...antiEntropyJobs,
    ...flapJobs,
  },
  transitions: [namespaceTransition, checkTransition, nodeTransition, sessionTransition],
  rules: [aliasRule, sessionRule],
  seed: seedMesh,
  *load(world, document, part) {
    raiseIndex(world, meshName, world.table(dataIndexes).rows())
    world.write(() => restoreServer(world))
    yield* loadMeshFixtures(world, document, part)
  },
  info: infoOf,
} as const satisfies ServiceDefinition

/** The mesh section of `/_mock/info` (behaviour/program#fresh-world). */
export interface MeshInfo {
  /** Secret of the management token; empty if there is no such token. */
  readonly token: string
}

/** Returns the mesh section of `/_mock/info`. */
function infoOf(world: World): MeshInfo {
  return { token: initialSecret(world) }
}
