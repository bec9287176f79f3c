import { greatest } from '../../kernel/lists.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { dataIndexes, forgetIndex, indexOf, touch } from '../indexes.ts'
import { namespaceKey } from '../namespaces/namespaces.ts'
import { catalogServices, nameKey, nodeKey } from './tables.ts'

/**
 * Tables of the catalog. Each table has its own index: that of its last change
 * (behaviour/mesh#catalog-index).
 */
type CatalogTable = 'nodes' | 'services' | 'checks'

const tableKind = (table: CatalogTable): string => `catalog/${table}`
const serviceKind = (namespace: string, name: string): string =>
  `service/${nameKey(namespace, name)}`
const nodeKind = (node: string): string => `node/${nodeKey(node)}`
const serviceExtinction = (namespace: string): string =>
  `service-extinction/${namespaceKey(namespace)}`
const nodeExtinction = 'node-extinction'

/** Raises the index of a table. Must run inside a transaction. */
export function touchTable(world: World, table: CatalogTable): void {
  touch(world, tableKind(table))
}

/** Returns the greatest index of these tables. The read is not observed. */
export function tableIndex(world: World, ...tables: readonly CatalogTable[]): number {
  return world.unobserved(() => greatest(tables.map((table) => indexOf(world, tableKind(table)))))
}

/**
 * Raises the index of a node, which also counts changes of its services. Must run inside a
 * transaction.
 */
export function touchNode(world: World, node: string): void {
  touch(world, nodeKind(node))
}

/**
 * Removes the index of a removed node, and raises the index that reads of absent nodes report. Must
 * run inside a transaction.
 */
export function touchRemovedNode(world: World, node: string): void {
  forgetIndex(world, nodeKind(node))
  touch(world, nodeExtinction)
}

/**
 * Returns the index of a node with its services. For an absent node, returns the index of the last
 * removal of any node. A wait wakes only for changes of this node.
 */
export function nodeIndex(world: World, node: string, exists: boolean): number {
  const own = indexOf(world, nodeKind(node))
  return exists ? own : world.unobserved(() => indexOf(world, nodeExtinction))
}

/**
 * Raises the index of a service after a change of an instance, of its checks or of its node. If no
 * instance is left, removes the index of the service and raises the namespace's index for absent
 * services. Must run inside a transaction.
 */
export function touchService(world: World, namespace: string, name: string): void {
  const kind = serviceKind(namespace, name)
  const hasInstances =
    world.table(catalogServices).index('byName').first(nameKey(namespace, name)) !== undefined
  if (hasInstances) {
    touch(world, kind)
    return
  }
  forgetIndex(world, kind)
  touch(world, serviceExtinction(namespace))
}

/**
 * Returns the row of a service's index, which serves as a cache key: every change of an instance,
 * its checks or its node replaces the row. Returns undefined if there are no instances. The read is
 * not observed.
 */
export function serviceVersion(world: World, namespace: string, name: string) {
  const kind = serviceKind(namespace, name)
  return world.unobserved(() => world.table(dataIndexes).get(kind))
}

/**
 * Returns the index of a service. If the service has no instances, returns the index at which any
 * service of the namespace last lost all of its instances.
 *
 * @param exists whether the service has instances
 * @param wakes true if a wait wakes for every change that raises the index
 */
export function serviceIndex(
  world: World,
  namespace: string,
  name: string,
  exists: boolean,
  wakes: boolean,
): number {
  const read = () => indexOf(world, serviceKind(namespace, name))
  const own = wakes ? read() : world.unobserved(read)
  return exists ? own : world.unobserved(() => indexOf(world, serviceExtinction(namespace)))
}
