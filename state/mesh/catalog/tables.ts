import { any, bool, int, list, map, name, nullable, text, uint } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { meshTable } from '../indexes.ts'
import { namespaceKey } from '../namespaces/namespaces.ts'

const indexMembers = { create_index: uint, modify_index: uint } as const

const nodeShape = struct({
  id: text,
  /** The name in its last spelling. Names of nodes are compared without case. */
  node: name,
  address: text,
  /** Null if the registration did not send it. */
  tagged_addresses: nullable(map(text)),
  /** Null if the registration did not send it. */
  meta: nullable(map(text)),
  locality: optional(map(text)),
  ...indexMembers,
})

/** A node of the catalog (behaviour/mesh#catalog). */
export interface CatalogNode extends StoredOf<typeof nodeShape> {}

/** Members of a service that the agent and the catalog share. */
export const serviceMembers = {
  /** The namespace's name as it was created. */
  namespace: text,
  /** Empty for the service of the server itself, whose name depends on the dialect. */
  id: text,
  name: text,
  kind: text,
  tags: list(text),
  address: text,
  tagged_addresses: map(struct({ Address: text, Port: int })),
  /** Null if the registration did not send it. */
  meta: nullable(map(text)),
  port: int,
  socket_path: text,
  weights: struct({ Passing: int, Warning: int }),
  enable_tag_override: bool,
  /** The members of the proxy that were sent. */
  proxy: map(any),
  /** The members of `Connect` that were sent. */
  connect: map(any),
  locality: optional(map(text)),
} as const

const serviceShape = struct({ node: name, ...serviceMembers, ...indexMembers })

/** A service on a node of the catalog. */
export interface CatalogService extends StoredOf<typeof serviceShape> {}

/** Members of a check that the agent and the catalog share. */
export const checkMembers = {
  /** The namespace's name as it was created; `default` for checks of nodes. */
  namespace: text,
  check_id: text,
  name: text,
  status: text,
  notes: text,
  output: text,
  /** Empty for checks of nodes. */
  service_id: text,
  service_name: text,
  service_tags: list(text),
  type: text,
  interval: text,
  timeout: text,
  definition: map(any),
} as const

const checkShape = struct({ node: name, ...checkMembers, ...indexMembers })

/** A health check in the catalog. */
export interface CatalogCheck extends StoredOf<typeof checkShape> {}

/**
 * Encodes names as one part of a row key. Names of nodes, services and checks may contain slashes.
 */
export function keyPart(text: string): string {
  return encodeURIComponent(text)
}

/** Returns the row key of a node, and the first part of the keys of all that the node has. */
export function nodeKey(node: string): string {
  return keyPart(node.toLowerCase())
}

/** Nodes by name in lower case. */
export const catalogNodes = meshTable('nodes', nodeShape, {
  secrets: 'none',
  indexes: { byId: ({ id }) => (id === '' ? undefined : id.toLowerCase()) },
})

/** Returns the row key of a service instance or check of a node in a namespace. */
export function instanceKey(node: string, namespace: string, id: string): string {
  return `${nodeKey(node)}/${namespaceKey(namespace)}/${keyPart(id)}`
}

/** Returns the key of the instances of a service, which is also the name of their index. */
export function nameKey(namespace: string, service: string): string {
  return `${namespaceKey(namespace)}/${keyPart(service)}/`
}

/** Returns the service whose traffic an instance serves in the mesh: its destination or itself. */
export function connectNameOf(
  service: Pick<CatalogService, 'kind' | 'proxy' | 'connect' | 'name'>,
): string | undefined {
  if (service.kind === 'connect-proxy') return String(service.proxy['DestinationServiceName'] ?? '')
  return service.connect['Native'] === true ? service.name : undefined
}

/**
 * Services by node, namespace and ID. `byName` has the instances of a name, `byDestination` the
 * proxies and native instances that serve a name in the mesh.
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
 * Checks by node, namespace and ID; `byService`, `byServiceName` and `byStatus` are their lists.
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
