import { greatest } from '../../kernel/lists.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { dataIndexes, forgetIndex, indexOf, touch } from '../indexes.ts'
import { namespaceKey } from '../namespaces/namespaces.ts'
import { catalogServices, nameKey, nodeKey } from './tables.ts'

/** The three tables of the catalog, whose last changes are counted (behaviour/mesh#catalog-index). */
type CatalogTable = 'nodes' | 'services' | 'checks'

const tableKind = (table: CatalogTable): string => `catalog/${table}`
const serviceKind = (namespace: string, name: string): string =>
  `service/${nameKey(namespace, name)}`
const nodeKind = (node: string): string => `node/${nodeKey(node)}`
const serviceExtinction = (namespace: string): string =>
  `service-extinction/${namespaceKey(namespace)}`
const nodeExtinction = 'node-extinction'

/** Records a change of a table. Must run inside a transaction. */
export function touchTable(world: World, table: CatalogTable): void {
  touch(world, tableKind(table))
}

/** Returns the index of the last change of any of these tables. The read is not observed. */
export function tableIndex(world: World, ...tables: readonly CatalogTable[]): number {
  return world.unobserved(() => greatest(tables.map((table) => indexOf(world, tableKind(table)))))
}

/** Records a change of a node or of its services. */
export function touchNode(world: World, node: string): void {
  touch(world, nodeKind(node))
}

/** Records the removal of a node. */
export function endNode(world: World, node: string): void {
  forgetIndex(world, nodeKind(node))
  touch(world, nodeExtinction)
}

/**
 * Returns the index of a node with its services; for an absent node that of the last removal of any
 * node. A wait wakes only for changes of this node.
 */
export function nodeIndex(world: World, node: string, exists: boolean): number {
  const own = indexOf(world, nodeKind(node))
  return exists ? own : world.unobserved(() => indexOf(world, nodeExtinction))
}

/**
 * Records a change that concerns a service: of an instance, its checks or its node. A name without
 * instances loses its index.
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
 * Returns the row that every change of the instances of a service, of their checks and of their
 * nodes replaces; undefined if there are no instances. The read is not observed.
 */
export function serviceVersion(world: World, namespace: string, name: string) {
  const kind = serviceKind(namespace, name)
  return world.unobserved(() => world.table(dataIndexes).get(kind))
}

/**
 * Returns the index of the instances of a service. Without instances, the index is that of the last
 * time when any service of the namespace lost its last one.
 *
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
