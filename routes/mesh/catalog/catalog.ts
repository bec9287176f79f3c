import { list, map, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import { nodeIndex, tableIndex } from '../../../state/mesh/catalog/catalog-indexes.ts'
import { findInstances, findNode, type InstanceKind } from '../../../state/mesh/catalog/reads.ts'
import {
  type CatalogService,
  catalogNodes,
  catalogServices,
  nodeKey,
} from '../../../state/mesh/catalog/tables.ts'
import { servicesOfNode } from '../../../state/mesh/catalog/writes.ts'
import { namespaceKey } from '../../../state/mesh/namespaces/namespaces.ts'
import { optionsOf } from '../../../state/mesh/options.ts'
import { perEntry } from '../../http/declare/access.ts'
import { ok } from '../../http/declare/operation.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { JsonText, jsonList } from '../../http/json-text.ts'
import { requires, withExtraRight } from '../access.ts'
import { cacheHeaders } from '../cache-headers.ts'
import { type MeshContext, operationsOf } from '../operation.ts'
import { readConsistency } from '../read-options.ts'
import {
  filterableCatalogEntry,
  filterableNode,
  filterableService,
  filterOf,
  filterParameter,
} from './filters.ts'
import { catalogRecord, recordsOf, shownName, storedName } from './records.ts'
import {
  filterReadable,
  instanceSelector,
  metaParameter,
  nearParameter,
  nodeSelector,
  readCatalog,
  readNamespaceOf,
  readNamespacesOf,
  requirePathName,
  tagParameter,
  type Visibility,
  withNearestFirst,
} from './selection.ts'
import { catalogShape, nodeShape, serviceShape } from './shapes.ts'

const operation = operationsOf({ spec: 'behaviour/mesh#catalog' })

/** Access to lists of nodes. A list contains only the nodes that the caller may read. */
const nodeAccess = perEntry(requires('node:read'))
export const nodeAndServiceAccess = withExtraRight('service:read', nodeAccess)

const instanceParameters = parameters({
  ...tagParameter,
  ...metaParameter,
  ...nearParameter,
  ...filterParameter,
})

/**
 * Reads the instances of a service or, depending on `kind`, the instances that serve the service in
 * the mesh.
 */
function readInstances(context: MeshContext, service: string, kind: InstanceKind) {
  const { world, dialect } = context
  requirePathName(context, service, 'service-unsaid')
  const find = ({ node, service: isReadable }: Visibility) => {
    const namespace = readNamespaceOf(context)
    const matches = filterOf(context, filterableCatalogEntry)
    const isSelected = instanceSelector(context)
    const name = storedName(dialect, service)
    const { index, instances } = findInstances(world, kind, namespace, name, false)
    const entries = instances.filter(isSelected).flatMap((instance) => {
      const record = catalogRecord(world, dialect, instance.node, instance.service)
      return matches(record) ? [{ instance, record }] : []
    })
    const { visible, isFiltered } = filterReadable(
      entries,
      ({ instance: { node: host, service: each } }) =>
        node(host.node) && isReadable(each.namespace, each.name),
    )
    const ordered = withNearestFirst(context, visible, ({ instance }) => instance.node.node)
    return { index, body: ordered.map(({ record }) => record), isFiltered }
  }
  return readCatalog(context, find, { cache: 'refreshed' })
}

interface NodeWithServices {
  readonly node: string
  readonly services: readonly (readonly [id: string, json: string])[]
}

/**
 * Reads a node and the services on the node that the caller may read.
 *
 * @param render formats the body; undefined stands for an unknown or hidden node
 */
function readNodeServices(
  context: MeshContext,
  name: string,
  render: (found: NodeWithServices | undefined) => string,
) {
  const { world, dialect } = context
  requirePathName(context, name, 'node-unsaid')
  return readCatalog(context, (visibility) => {
    const scopes = new Set(readNamespacesOf(context).map(namespaceKey))
    const matches = filterOf(context, filterableService)
    const node = findNode(world, name)
    const index = nodeIndex(world, node?.node ?? name, node !== undefined)
    if (node === undefined) return { index, body: new JsonText(render(undefined)) }
    if (!visibility.node(node.node)) {
      return { index, body: new JsonText(render(undefined)), isFiltered: true }
    }
    const records = recordsOf(world, dialect)
    const services = servicesOfNode(world, node.node).filter(
      (service) =>
        scopes.has(namespaceKey(service.namespace)) && matches(records.service(service).record),
    )
    const { visible, isFiltered } = filterReadable(services, (each) =>
      visibility.service(each.namespace, each.name),
    )
    const entries = visible
      .map((service) => [shownName(dialect, service.id), records.service(service).json] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
    const body = render({ node: records.node(node).json, services: entries })
    return { index, body: new JsonText(body), isFiltered }
  })
}

/** Collects the tags of all instances of each service, by the name of the service. */
function tagsByName(context: MeshContext, services: readonly CatalogService[]) {
  const tags = new Map<string, Set<string>>()
  for (const service of services) {
    const name = shownName(context.dialect, service.name)
    const known = tags.get(name) ?? new Set()
    tags.set(name, known)
    for (const tag of service.tags) known.add(tag)
  }
  return Object.fromEntries([...tags].map(([name, each]) => [name, [...each]]))
}

export const catalogOperations = [
  operation.get('listDatacenters', '/catalog/datacenters', {
    access: 'anyone',
    tenancy: 'none',
    summary: 'List the datacenters: there is one.',
    reply: { 200: storedSchema(list(text)) },
    run: ({ context }) => {
      const { world, query } = context
      readConsistency(query, undefined)
      const headers = cacheHeaders(context, '/catalog/datacenters', 'fetched')
      return { ...ok([optionsOf(world).datacenter]), headers }
    },
  }),
  operation.get('listNodes', '/catalog/nodes', {
    access: nodeAccess,
    tenancy: 'partition',
    summary: 'List the nodes by name; can block.',
    query: parameters({ ...metaParameter, ...nearParameter, ...filterParameter }),
    reply: { 200: storedSchema(list(nodeShape)) },
    run: ({ context }) =>
      readCatalog(context, (visibility) => {
        const { world, dialect } = context
        const matches = filterOf(context, filterableNode)
        const records = recordsOf(world, dialect)
        const nodes = [...world.table(catalogNodes).rows()]
          .filter(nodeSelector(context))
          .filter((node) => matches(records.node(node).record))
        const { visible, isFiltered } = filterReadable(nodes, ({ node }) => visibility.node(node))
        const ordered = withNearestFirst(context, visible, ({ node }) => node)
        const body = jsonList(ordered.map((node) => records.node(node).json))
        return { index: tableIndex(world, 'nodes', 'services'), body, isFiltered }
      }),
  }),
  operation.get('listServices', '/catalog/services', {
    access: perEntry(requires('service:read')),
    summary: 'List the names of services with the tags of their instances; can block.',
    query: parameters({ ...metaParameter, ...filterParameter }),
    reply: { 200: storedSchema(map(list(text))) },
    run: ({ context }) => {
      const find = (visibility: Visibility) => {
        const { world, dialect } = context
        const scope = namespaceKey(readNamespaceOf(context))
        const matches = filterOf(context, filterableCatalogEntry)
        const isNodeSelected = nodeSelector(context)
        const selected = [...world.table(catalogServices).rows()].filter((service) => {
          if (namespaceKey(service.namespace) !== scope) return false
          const node = world.unobserved(() => world.table(catalogNodes).get(nodeKey(service.node)))
          if (node === undefined || !isNodeSelected(node)) return false
          return matches(catalogRecord(world, dialect, node, service))
        })
        const { visible, isFiltered } = filterReadable(selected, (each) =>
          visibility.service(each.namespace, each.name),
        )
        const index = tableIndex(world, 'services')
        return { index, body: tagsByName(context, visible), isFiltered }
      }
      return readCatalog(context, find, { cache: 'refreshed' })
    },
  }),
  operation.get('readNode', '/catalog/node/:node', {
    access: nodeAndServiceAccess,
    summary: 'Read a node with its services by ID; null if the node does not exist. Can block.',
    query: parameters(filterParameter),
    reply: {
      200: storedSchema(nullable(struct({ Node: nodeShape, Services: map(serviceShape) }))),
    },
    run: ({ context, params }) =>
      readNodeServices(context, params.node, (found) => {
        if (found === undefined) return 'null'
        const services = found.services.map(([id, json]) => `${JSON.stringify(id)}:${json}`)
        return `{"Node":${found.node},"Services":{${services.join(',')}}}`
      }),
  }),
  operation.get('listNodeServices', '/catalog/node-services/:node', {
    access: nodeAndServiceAccess,
    summary: 'Read a node with the list of its services; `ns=*` for all namespaces. Can block.',
    query: parameters(filterParameter),
    reply: {
      200: storedSchema(
        struct({ Node: nullable(nodeShape), Services: nullable(list(serviceShape)) }),
      ),
    },
    run: ({ context, params }) =>
      readNodeServices(context, params.node, (found) => {
        if (found === undefined) return '{"Node":null,"Services":null}'
        const services = found.services.map(([, json]) => json)
        return `{"Node":${found.node},"Services":[${services.join(',')}]}`
      }),
  }),
  operation.get('readService', '/catalog/service/:service', {
    access: nodeAndServiceAccess,
    summary: 'List the instances of a service with their nodes; can block.',
    query: instanceParameters,
    reply: { 200: storedSchema(list(catalogShape)) },
    run: ({ context, params }) => readInstances(context, params.service, 'byName'),
  }),
  operation.get('readConnectService', '/catalog/connect/:service', {
    access: nodeAndServiceAccess,
    summary: 'List the proxies and native instances that serve a service in the mesh; can block.',
    query: instanceParameters,
    reply: { 200: storedSchema(list(catalogShape)) },
    run: ({ context, params }) => readInstances(context, params.service, 'byDestination'),
  }),
]
