import { isEqual } from '../../kernel/equality.ts'
import type { TableDefinition } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { nextIndex } from '../indexes.ts'
import { touchNode, touchRemovedNode, touchService, touchTable } from './catalog-indexes.ts'
import {
  type CatalogCheck,
  type CatalogNode,
  type CatalogService,
  catalogChecks,
  catalogNodes,
  catalogServices,
  instanceKey,
  nodeKey,
  type WithoutIndexes,
} from './tables.ts'
import { withVirtualAddress } from './virtual-addresses.ts'

/**
 * Stores a row and sets its CreateIndex and ModifyIndex. Does nothing if the content is unchanged.
 * Must run inside a transaction.
 *
 * @returns whether the row changed, and the previous row
 */
function store<R extends { readonly create_index: number; readonly modify_index: number }>(
  world: World,
  definition: TableDefinition<R>,
  key: string,
  content: WithoutIndexes<R>,
): { readonly isChanged: boolean; readonly before: R | undefined } {
  const table = world.table(definition)
  const before = table.get(key)
  const withIndexes = (create_index: number, modify_index: number) =>
    ({ ...content, create_index, modify_index }) as R
  const isUnchanged =
    before !== undefined && isEqual(before, withIndexes(before.create_index, before.modify_index))
  if (isUnchanged) return { isChanged: false, before }
  const index = nextIndex(world)
  table.put(key, withIndexes(before?.create_index ?? index, index))
  return { isChanged: true, before }
}

/** Returns the services of a node in all namespaces, ordered by namespace and ID. */
export function servicesOfNode(world: World, node: string): readonly CatalogService[] {
  return [...world.table(catalogServices).rows(`${nodeKey(node)}/`)]
}

/** Returns the checks of a node, including those of its services. */
export function checksOfNode(world: World, node: string): readonly CatalogCheck[] {
  return [...world.table(catalogChecks).rows(`${nodeKey(node)}/`)]
}

/** Returns the checks of a service, or of the node itself if the ID is empty. */
export function checksOfService(
  world: World,
  { node, namespace, id }: Pick<CatalogService, 'node' | 'namespace' | 'id'>,
): readonly CatalogCheck[] {
  const prefix = `${instanceKey(node, namespace, id)}/`
  return [...world.table(catalogChecks).index('byService').rows(prefix)]
}

function touchServicesOf(world: World, node: string): void {
  for (const { namespace, name } of servicesOfNode(world, node)) {
    touchService(world, namespace, name)
  }
}

/**
 * Stores a node. As in the reference, an existing node with the same ID and another name is removed
 * with its services and checks. A change raises the indexes of all nodes, of this node and of its
 * services. Must run inside a transaction.
 */
export function storeNode(world: World, content: WithoutIndexes<CatalogNode>): void {
  const known = world.table(catalogNodes).index('byId').get(content.id.toLowerCase())
  if (known !== undefined && nodeKey(known.node) !== nodeKey(content.node))
    dropNode(world, known.node)
  if (!store(world, catalogNodes, nodeKey(content.node), content).isChanged) return
  touchTable(world, 'nodes')
  touchNode(world, content.node)
  touchServicesOf(world, content.node)
}

/**
 * Stores a service with its virtual address. The node must exist. A change raises the indexes of
 * all services, of this service and of the node. Must run inside a transaction.
 */
export function storeService(world: World, input: WithoutIndexes<CatalogService>): void {
  const content = { ...input, tagged_addresses: withVirtualAddress(world, input) }
  const { node, namespace, id, name } = content
  const { isChanged, before } = store(
    world,
    catalogServices,
    instanceKey(node, namespace, id),
    content,
  )
  if (!isChanged) return
  touchTable(world, 'services')
  touchNode(world, node)
  touchService(world, namespace, name)
  if (before !== undefined && before.name !== name) touchService(world, namespace, before.name)
}

/**
 * Stores a check. The node or service of the check must exist. A change raises the index of all
 * checks. For a check of a service, a change also raises the index of the service; for a check of a
 * node, the index of each service of the node. Must run inside a transaction.
 */
export function storeCheck(world: World, content: WithoutIndexes<CatalogCheck>): void {
  const { node, namespace, check_id } = content
  if (!store(world, catalogChecks, instanceKey(node, namespace, check_id), content).isChanged)
    return
  touchTable(world, 'checks')
  touchCheckOwner(world, content)
}

function touchCheckOwner(world: World, check: WithoutIndexes<CatalogCheck>): void {
  if (check.service_id === '') touchServicesOf(world, check.node)
  else touchService(world, check.namespace, check.service_name)
}

/** Removes a check from the catalog, but not from the agent. Must run inside a transaction. */
export function dropCheck(world: World, check: CatalogCheck): void {
  const { node, namespace, check_id, service_id } = check
  world.table(catalogChecks).delete(instanceKey(node, namespace, check_id))
  touchTable(world, 'checks')
  touchCheckOwner(world, check)
  // In the reference, the removal of a check of a node counts as a change of the node's services.
  if (service_id === '') touchTable(world, 'services')
}

/**
 * Removes a service and its checks from the catalog, but not from the agent. Must run inside a
 * transaction.
 */
export function dropService(world: World, service: CatalogService): void {
  const { node, namespace, id, name } = service
  // The server's own service has an empty ID, but checks with an empty service ID belong to the
  // node.
  const checks = id === '' ? [] : checksOfService(world, service)
  for (const check of checks) dropCheck(world, check)
  world.table(catalogServices).delete(instanceKey(node, namespace, id))
  touchTable(world, 'services')
  touchTable(world, 'checks')
  touchNode(world, node)
  touchService(world, namespace, name)
}

/** Removes a node with its services and checks. Must run inside a transaction. */
export function dropNode(world: World, node: string): void {
  for (const service of servicesOfNode(world, node)) dropService(world, service)
  for (const check of checksOfNode(world, node)) dropCheck(world, check)
  world.table(catalogNodes).delete(nodeKey(node))
  touchTable(world, 'nodes')
  touchTable(world, 'checks')
  touchRemovedNode(world, node)
}
