import { any, bool, int, list, map, name, nullable, text, uint } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { meshTable } from '../indexes.ts'
import { namespaceKey } from '../namespaces/namespaces.ts'

const indexMembers = { create_index: uint, modify_index: uint } as const

/** A row of the catalog without CreateIndex and ModifyIndex, which the write sets. */
export type WithoutIndexes<R> = Omit<R, keyof typeof indexMembers>

const nodeShape = struct({
  id: text,
  /**
   * Name of the node, in the spelling of the last registration. Names of nodes are
   * case-insensitive.
   */
  node: name,
  address: text,
  /** Null if the registration leaves out this member. */
  tagged_addresses: nullable(map(text)),
  /** Null if the registration leaves out this member. */
  meta: nullable(map(text)),
  locality: optional(map(text)),
  ...indexMembers,
})

/** A node of the catalog (behaviour/mesh#catalog). */
export interface CatalogNode extends StoredOf<typeof nodeShape> {}

/** Members of a service that the agent and the catalog share. */
export const serviceMembers = {
  /** Name of the namespace in its original spelling. */
  namespace: text,
  /** ID of the service. Empty for the server's own service, whose name depends on the dialect. */
  id: text,
  name: text,
  kind: text,
  tags: list(text),
  address: text,
  tagged_addresses: map(struct({ Address: text, Port: int })),
  /** Null if the registration leaves out this member. */
  meta: nullable(map(text)),
  port: int,
  socket_path: text,
  weights: struct({ Passing: int, Warning: int }),
  enable_tag_override: bool,
  /** Members of `Proxy` in the registration. */
  proxy: map(any),
  /** Members of `Connect` in the registration. */
  connect: map(any),
  locality: optional(map(text)),
} as const

const serviceShape = struct({ node: name, ...serviceMembers, ...indexMembers })

/** An instance of a service on a node. */
export interface CatalogService extends StoredOf<typeof serviceShape> {}

/** Members of a check that the agent and the catalog share. */
export const checkMembers = {
  /** Name of the namespace in its original spelling; `default` for checks of nodes. */
  namespace: text,
  check_id: text,
  name: text,
  status: text,
  notes: text,
  output: text,
  /** ID of the service; empty for checks of nodes. */
  service_id: text,
  service_name: text,
  service_tags: list(text),
  type: text,
  interval: text,
  timeout: text,
  definition: map(any),
} as const

const checkShape = struct({ node: name, ...checkMembers, ...indexMembers })

export interface CatalogCheck extends StoredOf<typeof checkShape> {}

/**
 * Encodes a name as one part of a row key. Names of nodes, services and checks may contain slashes.
 */
export function keyPart(text: string): string {
  return encodeURIComponent(text)
}

/**
 * Returns the row key of a node, which is also the first part of the row keys of its services and
 * checks.
 */
export function nodeKey(node: string): string {
  return keyPart(node.toLowerCase())
}

/** Nodes by `nodeKey`. */
export const catalogNodes = meshTable('nodes', nodeShape, {
  secrets: 'none',
  indexes: { byId: ({ id }) => (id === '' ? undefined : id.toLowerCase()) },
})

/** Returns the row key of a service instance or of a check. */
export function instanceKey(node: string, namespace: string, id: string): string {
  return `${nodeKey(node)}/${namespaceKey(namespace)}/${keyPart(id)}`
}

/**
 * Returns the prefix of the keys of a service in the indexes `byName`, `byDestination` and
 * `byServiceName`. The prefix also identifies the service in the tables of indexes and of virtual
 * addresses.
 */
export function nameKey(namespace: string, service: string): string {
  return `${namespaceKey(namespace)}/${keyPart(service)}/`
}

/**
 * Returns the service whose traffic an instance serves in the mesh: the destination of a proxy, or
 * the service itself if it is native. Returns undefined for other instances.
 */
export function connectNameOf(
  service: Pick<CatalogService, 'kind' | 'proxy' | 'connect' | 'name'>,
): string | undefined {
  if (service.kind === 'connect-proxy') return String(service.proxy['DestinationServiceName'] ?? '')
  return service.connect['Native'] === true ? service.name : undefined
}

/**
 * Services by node, namespace and ID. The index `byName` groups instances by name, and
 * `byDestination` groups proxies and native instances by the name that they serve in the mesh.
 */
export const catalogServices = meshTable('services', serviceShape, {
  secrets: 'none',
  indexes: {
    byName: (row, key) => nameKey(row.namespace, row.name) + key,
    byDestination: (row, key) => {
      const destination = connectNameOf(row)
      return destination === undefined ? undefined : nameKey(row.namespace, destination) + key
    },
  },
})

/**
 * Checks by node, namespace and ID. The indexes group checks by service instance, by service name
 * and by status.
 */
export const catalogChecks = meshTable('checks', checkShape, {
  secrets: 'none',
  indexes: {
    byService: (row, key) => `${instanceKey(row.node, row.namespace, row.service_id)}/${key}`,
    byServiceName: (row, key) =>
      row.service_id === '' ? undefined : nameKey(row.namespace, row.service_name) + key,
    byStatus: (row, key) => `${keyPart(row.status.toLowerCase())}/${key}`,
  },
})
