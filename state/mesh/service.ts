import { Refusal } from '../kernel/refusal.ts'
import { list, map, name, text } from '../kernel/shape/kinds.ts'
import { described, optional, struct } from '../kernel/shape/members.ts'
import { inputMembers } from '../kernel/shape/schema.ts'
import type { InputOf } from '../kernel/shape/values.ts'
import { type LoadPart, loadUntilRefused } from '../kernel/worlds/document-loading.ts'
import type { ServiceDefinition } from '../kernel/worlds/service.ts'
import type { World } from '../kernel/worlds/world.ts'
import { seedAcls } from './acl/bootstrap.ts'
import { resolveLinks } from './acl/links.ts'
import { aclTables, retiredAclTables } from './acl/tables.ts'
import { aclTokenJobs } from './acl/tokens.ts'
import { agentTokens } from './agent/agent-tokens.ts'
import { antiEntropyJobs } from './agent/anti-entropy.ts'
import { agentJobs, aliasRule } from './agent/registry.ts'
import { agentChecks, agentServices } from './agent/tables.ts'
import { cachedQueries } from './cached-queries.ts'
import { checkTransition } from './catalog/check-transition.ts'
import { flapJobs, flappingServices } from './catalog/flapping.ts'
import { nodeTransition } from './catalog/node-transition.ts'
import { sessionRule } from './catalog/session-ends.ts'
import { catalogChecks, catalogNodes, catalogServices } from './catalog/tables.ts'
import { configEntries } from './config/tables.ts'
import { eventClock, meshEvents } from './events/events.ts'
import { dataIndexes, meshName, nextIndex, touch } from './indexes.ts'
import { lockJobs } from './kv/keys.ts'
import { sessionTransition } from './kv/session-transition.ts'
import { sessionJobs } from './kv/sessions.ts'
import { keyDeletions, keyEntries, meshSessions } from './kv/tables.ts'
import { putKey } from './kv/writes.ts'
import { refuse } from './messages.ts'
import { putNamespace, putRow } from './namespaces/changes.ts'
import {
  checkLabel,
  checkNotReserved,
  defaultNamespace,
  namespaceDataKind,
  namespaceKey,
  namespaceNamed,
  namespaces,
  requireNamespaceForData,
} from './namespaces/namespaces.ts'
import { namespaceTransition, removalJobs } from './namespaces/removal.ts'
import { autopilotConfigurations } from './operator/autopilot.ts'
import { nodeCoordinates } from './operator/coordinates.ts'
import { initialSecret, meshOptions } from './options.ts'
import { preparedQueries } from './queries/tables.ts'
import { meshServers, restoreServer, seedServer } from './server.ts'

const names = list(text)

const namespaceFixture = struct({
  name: text,
  description: optional(text),
  meta: optional(map(text)),
  policyDefaults: optional(described(names, 'Names of policies of the namespace `default`')),
  roleDefaults: optional(described(names, 'Names of roles of the namespace `default`')),
  keys: optional(described(map(text, name), 'Values of its key-value store, as text')),
})

/** A namespace in a fixtures document. */
export type NamespaceFixture = InputOf<typeof namespaceFixture>

const fixturesShape = struct({
  namespaces: optional(list(namespaceFixture)),
  kv: optional(
    described(map(text, name), 'Values of the key-value store of the namespace `default`, as text'),
  ),
})

/**
 * The short forms in the mesh section of a fixtures document: namespaces, and additional content of
 * the builtin namespace.
 */
export type NamespaceFixtures = InputOf<typeof fixturesShape>

/** Schemas of the short forms of namespaces. */
const namespaceFixtures = inputMembers(fixturesShape)

/**
 * Loads the short forms of a fixtures document: first the namespaces, then their content and links.
 * Errors that only domain code can detect become refusals that name the location in the document.
 */
function loadMeshFixtures(
  world: World,
  { namespaces: fixtures = [], kv = {} }: NamespaceFixtures,
  part: LoadPart = loadUntilRefused,
): void {
  const created = fixtures.map((namespace, index) =>
    part(() => withPointer(['namespaces', index], () => loadNamespace(world, namespace))),
  )
  for (const [index, { name, keys = {}, ...links }] of fixtures.entries()) {
    if (created[index] === undefined) continue
    part(() => withPointer(['namespaces', index], () => loadLinks(world, name, links)))
    loadKeys(world, name, keys, ['namespaces', index, 'keys'], part)
  }
  loadKeys(world, defaultNamespace, kv, ['kv'], part)
}

function loadKeys(
  world: World,
  namespace: string,
  keys: Readonly<Record<string, string>>,
  pointer: readonly (string | number)[],
  part: LoadPart,
): void {
  for (const [key, value] of Object.entries(keys)) {
    const write = () => putKey(world, namespace, key, { value: Buffer.from(value), flags: 0 })
    part(() => withPointer([...pointer, key], write))
  }
}

/**
 * Runs a part of the loading. Puts the JSON pointer of the location in the document before the
 * messages of refusals.
 */
function withPointer<T>(pointer: readonly (string | number)[], load: () => T): T {
  try {
    return load()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const names = pointer.map((name) => String(name).replaceAll('~', '~0').replaceAll('/', '~1'))
    throw refuse('fixture-refused', { place: names.join('/'), why: error.reason })
  }
}

/**
 * Creates a namespace without its links, because the linked policies and roles may belong to the
 * namespace itself.
 */
function loadNamespace(world: World, { name, description, meta }: NamespaceFixture): true {
  const before = namespaceNamed(world, name)
  if (before === undefined) {
    checkLabel(name)
    checkNotReserved(name, 'mesh')
    putNamespace(world, { name, description: description ?? '', acls: null, meta: meta ?? {} })
  } else {
    const changes = { description: description ?? before.description, meta: meta ?? before.meta }
    world.write(() => putRow(world, { ...before, ...changes }))
  }
  return true
}

function loadLinks(
  world: World,
  name: string,
  { policyDefaults, roleDefaults }: Pick<NamespaceFixture, 'policyDefaults' | 'roleDefaults'>,
): void {
  if (policyDefaults === undefined && roleDefaults === undefined) return
  const resolve = (kind: 'policy' | 'role', linkNames: readonly string[] | undefined) =>
    linkNames === undefined
      ? null
      : resolveLinks(
          world,
          kind,
          linkNames.map((one) => ({ name: one })),
        )
  const acls = {
    policy_defaults: resolve('policy', policyDefaults),
    role_defaults: resolve('role', roleDefaults),
  }
  world.write(() => putRow(world, { ...requireNamespaceForData(world, name), acls }))
}

/**
 * Index before the first commit of a fresh world. The builtin namespace has the index 6
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
    meshEvents,
    eventClock,
    cachedQueries,
    flappingServices,
    catalogNodes,
    catalogServices,
    catalogChecks,
    agentServices,
    agentChecks,
    agentTokens,
    autopilotConfigurations,
    nodeCoordinates,
    configEntries,
    preparedQueries,
    ...aclTables,
  ],
  retiredTables: retiredAclTables,
  options: meshOptions,
  fixtures: namespaceFixtures,
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
  load(world, document, part) {
    world.store.raiseIndex(meshName, world.table(dataIndexes).rows())
    world.write(() => restoreServer(world))
    loadMeshFixtures(world, document, part)
  },
  info: infoOf,
} as const satisfies ServiceDefinition

/** The mesh section of `/_mock/info` (behaviour/program#fresh-world). */
export interface MeshInfo {
  /** Secret of the management token; empty if there is no such token. */
  readonly token: string
}

/** Returns the token that a fresh world has. */
function infoOf(world: World): MeshInfo {
  return { token: initialSecret(world) }
}
