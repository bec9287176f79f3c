import { instant, name, uint } from '../kernel/shape/kinds.ts'
import { optional, struct } from '../kernel/shape/members.ts'
import type { StoredOf } from '../kernel/shape/values.ts'
import { Ids } from '../kernel/worlds/ids.ts'
import type { World } from '../kernel/worlds/world.ts'
import {
  catalogChecks,
  catalogNodes,
  catalogServices,
  instanceKey,
  nodeKey,
} from './catalog/tables.ts'
import { storeCheck, storeNode, storeService } from './catalog/writes.ts'
import { meshTable, nextIndex } from './indexes.ts'
import { defaultNamespace } from './namespaces/namespaces.ts'
import { optionsOf, versionOf } from './options.ts'

const serverShape = struct({
  node_id: name,
  /**
   * Index at which the server was stored. The root certificate and the initial autopilot
   * configuration also have this index.
   */
  index: uint,
  /**
   * Time at which the world began. Periodic work of the server, such as anti-entropy, runs at this
   * time plus multiples of its interval.
   */
  began_at: optional(instant),
})

/** The only server of the datacenter (behaviour/mesh#server). */
interface MeshServer extends StoredOf<typeof serverShape> {}

/** The server's record: one row, stored under the empty key. */
export const meshServers = meshTable('server', serverShape, { secrets: 'none' })

/** Address that replies report for the server. */
export const serverAddress = '127.0.0.1'

/** RPC port that replies report. Nothing listens on this port. */
export const serverPort = 8300

/** Gossip port that replies report. Nothing listens on this port. */
export const gossipPort = 8301

/** ID of the check with which the gossip protocol reports whether a node is alive. */
export const serfHealth = 'serfHealth'

/**
 * Stores the server with its node, its service and its check. The ID of the node is derived from
 * the state of the world's ID generator. The generator does not advance, so later IDs are not
 * affected. Must run inside a transaction.
 */
export function seedServer(world: World): void {
  const node_id = new Ids(`node of ${world.ids.state.join(' ')}`).uuid()
  const server = { node_id, index: nextIndex(world), began_at: world.clock.now() }
  world.table(meshServers).put('', server)
  restoreServer(world)
}

/**
 * Adds the server's node, service and check to the catalog if they are absent, for example in state
 * that an earlier release exported. Must run inside a transaction.
 */
export function restoreServer(world: World): void {
  const node = ensureOwnNode(world)
  if (!world.table(catalogServices).has(instanceKey(node, defaultNamespace, ''))) {
    storeService(world, serverService(world, node))
  }
  if (!world.table(catalogChecks).has(instanceKey(node, defaultNamespace, serfHealth))) {
    storeCheck(world, serfCheck(node))
  }
}

/** Adds the server's node to the catalog if the node is absent. Returns the name of the node. */
export function ensureOwnNode(world: World): string {
  const { nodeName } = optionsOf(world)
  if (!world.table(catalogNodes).has(nodeKey(nodeName))) storeOwnNode(world)
  return nodeName
}

/**
 * Writes the server's node to the catalog. Names of its built-in metadata begin with `mesh-`;
 * replies replace that prefix by the product name of the dialect. Must run inside a transaction.
 */
export function storeOwnNode(world: World): void {
  const { nodeName } = optionsOf(world)
  storeNode(world, {
    id: serverOf(world).node_id,
    node: nodeName,
    address: serverAddress,
    tagged_addresses: {
      lan: serverAddress,
      lan_ipv4: serverAddress,
      wan: serverAddress,
      wan_ipv4: serverAddress,
    },
    meta: serverMeta(world, 'mesh'),
  })
}

/**
 * Returns the metadata of the server's node.
 *
 * @param product prefix of the names of built-in metadata
 */
export function serverMeta(world: World, product: string): Readonly<Record<string, string>> {
  const fixedMeta = { [`${product}-network-segment`]: '', [`${product}-version`]: versionOf(world) }
  return { ...optionsOf(world).nodeMeta, ...fixedMeta }
}

function serverService(world: World, node: string) {
  const [version = ''] = versionOf(world).split(/[+-]/)
  return {
    ...{ node, namespace: defaultNamespace, id: '', name: '', kind: '', tags: [], address: '' },
    ...{ tagged_addresses: {}, port: serverPort, socket_path: '', enable_tag_override: false },
    ...{ weights: { Passing: 1, Warning: 1 }, proxy: {}, connect: {} },
    meta: {
      non_voter: 'false',
      raft_version: '3',
      read_replica: 'false',
      serf_protocol_current: '2',
      serf_protocol_max: '5',
      serf_protocol_min: '1',
      version,
    },
  }
}

/** Outputs of the check `serfHealth` by its status. */
export const serfOutputs = {
  passing: 'Agent alive and reachable',
  critical: 'Agent not live or unreachable',
} as const

/**
 * Returns the check `serfHealth` of a node with the status `passing`. The result has no CreateIndex
 * and no ModifyIndex; `storeCheck` adds them.
 */
export function serfCheck(node: string) {
  return {
    ...{ node, namespace: defaultNamespace, check_id: serfHealth, name: 'Serf Health Status' },
    ...{ status: 'passing', notes: '', service_id: '' },
    output: serfOutputs.passing as string,
    ...{ service_name: '', service_tags: [], type: '', interval: '', timeout: '', definition: {} },
  }
}

/**
 * Returns the first instant after `time` at which periodic work with the interval `interval` runs.
 * All times are in milliseconds. Returns `time` if the interval is 0.
 */
export function nextPassAt(world: World, interval: number, time: number): number {
  if (interval === 0) return time
  const start = serverOf(world).began_at ?? 0
  return start + (Math.floor((time - start) / interval) + 1) * interval
}

/**
 * Returns the server of a world. If the option `nodeId` is set, it replaces the stored `node_id`.
 * The read is not observed, because the row never changes.
 */
export function serverOf(world: World): MeshServer {
  const server = world.table(meshServers).peek('') ?? fallbackServer
  const { nodeId } = optionsOf(world)
  return nodeId === null ? server : { ...server, node_id: nodeId }
}

/** Server of worlds whose imported state does not contain a server. */
const fallbackServer: MeshServer = { node_id: '00000000-0000-4000-8000-000000000000', index: 1 }
